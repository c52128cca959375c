"""`degree=`: functions of few coordinates of permutations, signed permutations and products.

The coordinates of an element are what it does to single points: of a factor that permutes n points
the images of its n points, of B_n the images of the n axes +e_i (an axis with a sign), of an abelian
factor each cyclic coordinate; of a product, all of these together. A function of the coordinates in
a set C is constant on the cosets of the subgroup that fixes them, and that subgroup is the product of
the factors' ones. So those functions are the tensor product, over the factors, of the permutation
modules T_d of ordered d-tuples of points on different axes, d the number of coordinates of C in the
factor; and the irreps of degree at most k are those in T_(d_1) x ... x T_(d_r), d_1 + ... + d_r <= k.
T_(d+1) maps onto T_d (forget the last point), hence the combinations with a sum of exactly k hold
the rest. Each is a permutation module again: the largest of their norms is the norm.

A dihedral factor has its own degrees, frequencies: its irreps are taken one by one. Next to a
non-trivial irrep pi of such factors, of degree e, stand the tuples of k - e coordinates of the others;
on T x pi the group has mean 0.

B_n on its 2n points +-e_i: a tuple with both e_i and -e_i is fixed by what fixes it without -e_i, so
tuples on different axes, 2^d n! / (n - d)! of them, hold all irreps that d-tuples of points do: the
pairs (alpha|beta) with n - alpha_1 <= d, as boxes come off one by one when B_n is restricted to B_(n-1).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import Progress, require_work, silent
from sparseaug._floats import up
from sparseaug.errors import shorten, shorten_text
from sparseaug.groups import Abelian, Group, Irrep, Rows, cyclic, direct_product
from sparseaug.groups.degrees.graded import no_degrees
from sparseaug.groups.fourier import Block, block_of
from sparseaug.groups.orders import ENUMERATION_LIMIT
from sparseaug.groups.representations import Faithful, listed_irreps
from sparseaug.norms.abelian.low_weight import low_weight_norm
from sparseaug.norms.irreps import announce_irreps, largest_norm
from sparseaug.norms.lanczos import FAILURE_PROBABILITY
from sparseaug.norms.norm import Norm, announce, equal_share, larger_norm, restate
from sparseaug.norms.regular import PermutationMean
from sparseaug.norms.tuples import Tuples, announce_tuples, module_norm
from sparseaug.sampling import GroupSample


@dataclass(frozen=True, eq=False)
class Space:
    """One factor's coordinates: `axes` of them, each of which takes a point.

    Attributes:
        name: in words, for messages
        points: number of points, a multiple of `axes`
        axes: point a lies on axis a mod axes; the points of a tuple lie on different ones
        images: from elements of the whole group to image arrays (k, points)
        generators: image arrays of the factor's generators
    """

    name: str
    points: int
    axes: int
    images: Callable[[Rows], Rows]
    generators: Callable[[], Rows]

    def dimension(self, degree: int) -> int:
        """Number of tuples: each point takes its axis away."""
        each = self.points // self.axes
        return math.prod(self.points - i * each for i in range(degree))


Choice: TypeAlias = tuple[tuple[Space, int], ...]
"""Spaces, with how many coordinates of each."""


class Coordinates(NamedTuple):
    """The spaces of a group: factors that move points, cyclic coordinates and their columns of a row.

    Factors that go by their irreps come with the columns that are theirs.
    """

    moving: list[Space]
    cyclic: list[Space]
    columns: list[int]
    graded: list[tuple[Group, slice]]

    @property
    def number(self) -> int:
        """Of all coordinates."""
        return sum(space.axes for space in self.moving) + len(self.cyclic)


def coordinates(group: Group) -> Coordinates:
    """The coordinates of the group's elements.

    Args:
        group: a product, or a group that could be a factor of one.

    Raises:
        UnsupportedError: if it, or a factor, has no coordinates.

    Examples:
        >>> import sparseaug as sa
        >>> from sparseaug.norms.coordinates import coordinates
        >>> found = coordinates(sa.group("S3xZ2^2"))
        >>> found.moving[0].axes, len(found.cyclic)
        (3, 2)
    """
    found = Coordinates([], [], [], [])
    start = 0
    for number, factor in enumerate(group.factors or (group,)):
        part = slice(start, start + factor.width)
        start += factor.width
        name = f"factor {number} ({factor.name})" if group.factors else factor.name
        if factor.moduli is not None:
            for i, circle in enumerate(map(cyclic, factor.moduli)):
                column = slice(part.start + i, part.start + i + 1)
                found.columns.append(column.start)
                found.cyclic.append(_moving(f"coordinate {i} of {name}", circle, column, 1))
        elif has_own_degrees(factor):
            found.graded.append((factor, part))
        elif axes := factor.signed_axes or factor.points:
            found.moving.append(_moving(name, factor, part, axes))
        else:
            raise no_degrees(factor)
    return found


def has_own_degrees(group: Group) -> bool:
    """Whether a degree is a number on each irrep, and not one of coordinates."""
    return group.irreps_have_degrees and not group.signed_axes


def coordinates_norm(
    S: GroupSample,
    *,
    degree: int,
    failure_probability: float = FAILURE_PROBABILITY,
    progress: Progress = silent,
) -> Norm:
    """||D_S|| on functions of at most `degree` coordinates, of all factors together.

    Rigorous where each combination of factors has at most 4096 tuples; beyond, `upper` fails with
    `failure_probability`, in equal shares.

    Args:
        S: a sample of a group whose elements have coordinates.
        degree: number of coordinates, at most.
        failure_probability: of the bound from above, where random starts are needed.
        progress: called with the combinations done and their number.

    Returns:
        Bounds of the norm, and the combination where it is attained.

    Raises:
        ArgumentError: if the group has fewer coordinates.
        UnsupportedError: if a factor has none.
        GroupTooLargeError: if there are too many combinations or tuples.

    Examples:
        >>> import sparseaug as sa
        >>> from sparseaug.norms.coordinates import coordinates_norm
        >>> S = sa.Oracle(sa.group("S10xZ2^20"), seed=0).draw(64)
        >>> norm = coordinates_norm(S, degree=1)
        >>> 0 < norm.lower <= norm.upper < 1, norm.failure_probability
        (True, 0.0)
    """
    found = coordinates(S.group)
    elements, counts = S.counts()
    modules = _Modules(elements)
    worst = largest_norm(_graded_blocks(S, found, degree, modules), total=0)
    degree = min(degree, found.number)
    every = _power_sums([*found.cyclic, *found.moving], degree)  # less those of cyclic ones alone
    blocks, dimensions = (
        a - b for a, b in zip(every, _power_sums(found.cyclic, degree), strict=True)
    )
    if dimensions > ENUMERATION_LIMIT * max(1, blocks):  # the largest is above the mean
        announce_tuples(len(elements), dimensions // blocks, f"degree={degree} on average")
    announce(
        f"the norm on {shorten(blocks)} combinations of coordinates of {shorten_text(S.group.name)} "
        f"at {len(elements)} distinct elements",
        seconds=1e-3 * min(blocks, 1 << 60) + 3e-9 * len(elements) * min(dimensions, 1 << 60),
        instead="lower degree, or use fewer elements.",
    )
    share = equal_share(failure_probability, blocks)
    worst = larger_norm(worst, _abelian_norm(S, found, degree))
    for done, choice in enumerate(_choices(found, degree)):
        block = _named(choice)
        images, orbits = modules.product(choice)
        mean = PermutationMean(images, counts, S.m, orbits)
        norm = module_norm(mean, S.sha256 + block, share).at(block)
        worst = larger_norm(worst, norm)
        progress(done + 1, blocks)
    return restate(worst, failure_probability)


def _moving(name: str, factor: Group, part: slice, axes: int) -> Space:
    natural = factor.points and Faithful(factor.points, factor.permutations)
    points, images = cast(
        Faithful, natural or factor.faithful()
    )  # signed axes have no natural points
    return Space(
        name,
        points,
        axes,
        lambda rows: images(rows[:, part]),
        lambda: images(factor.generators()),
    )


def _said(space: Space, degree: int) -> str:
    if space.axes == 1:
        return space.name
    return f"{degree} point{'s' * (degree > 1)} of {space.name}"


def _named(choice: Choice) -> str:
    return " and ".join(_said(space, d) for space, d in choice)


def _choices(found: Coordinates, degree: int, *, cyclic: bool = False) -> Iterator[Choice]:
    """Every way to take `degree` coordinates, not all of them cyclic ones unless cyclic=True."""
    spaces = [*found.moving, *found.cyclic]

    def rest(start: int, stop: int, left: int) -> Iterator[Choice]:
        if not left:
            yield ()
            return
        for i in range(start, stop):
            for d in range(1, min(spaces[i].axes, left) + 1):
                for others in rest(i + 1, len(spaces), left - d):
                    yield ((spaces[i], d), *others)

    return rest(0, len(spaces if cyclic else found.moving), degree)


def _power_sums(spaces: list[Space], degree: int) -> tuple[int, int]:
    """How many ways there are to take coordinates, and the sum of their dimensions.

    The coefficients of x^degree in the product of the spaces' sums of x^d, and of dim T_d x^d.
    """
    number = [1] + [0] * degree
    size = [1] + [0] * degree
    for space in spaces:
        for k in range(degree, 0, -1):
            for d in range(1, min(space.axes, k) + 1):
                number[k] += number[k - d]
                size[k] += size[k - d] * space.dimension(d)
    return number[degree], size[degree]


def _abelian_norm(S: GroupSample, found: Coordinates, degree: int) -> Norm:
    """On functions of cyclic coordinates alone: characters of low weight, exact and without tuples."""
    if not found.cyclic:
        return Norm(0.0, 0.0, "none")
    moduli = tuple(space.points for space in found.cyclic)
    flat = GroupSample(Abelian(moduli), S.elements[:, found.columns])
    return low_weight_norm(flat, degree=min(degree, len(moduli)))


def _graded_blocks(
    S: GroupSample, found: Coordinates, degree: int, modules: _Modules
) -> Iterator[Block]:
    """The means of T x pi over S, pi each non-trivial irrep of the factors with their own degrees."""
    elements, counts = S.counts()
    for pi in _graded_irreps(S, found, degree):
        left = min(degree - (pi.degree or 0), found.number)
        for choice in _choices(found, left, cyclic=True):
            images, _ = modules.product(choice)
            tuples = images.shape[1]
            what = f"the norm on {pi.name} and {_named(choice)}"
            size = tuples * pi.dimension
            require_work("dimension of an irrep", size, what, remedy="lower degree")
            tensor = Irrep(
                f"{pi.name} and {_named(choice)}" if choice else pi.name,
                size,
                pi.matrices,
                up(math.sqrt(tuples) * up(pi.rounding)),
                total=partial(_total, pi, images),
            )
            yield block_of(S, tensor, elements, counts)


def _total(pi: Irrep, images: Rows, rows: Rows, counts: NDArray[Any]) -> NDArray[Any]:
    """The weighted sum of P_j x pi(g_j), P_j the permutation matrix of the images of element j."""
    tuples, d = images.shape[1], pi.dimension
    matrices = counts[:, None, None] * pi.matrices(rows)
    found = np.zeros((tuples, tuples, d, d), matrices.dtype)
    for image, matrix in zip(images, matrices, strict=True):
        found[image, np.arange(tuples)] += matrix
    return found.transpose(0, 2, 1, 3).reshape(tuples * d, tuples * d)


def _graded_irreps(S: GroupSample, found: Coordinates, degree: int) -> Iterator[Irrep]:
    """Tensor products of irreps of these factors, at most of this degree, but the trivial one."""
    if not found.graded:
        return
    group = direct_product(*(factor for factor, _ in found.graded))
    irreps = listed_irreps(group, degree)
    announce_irreps(S, irreps)
    columns = [column for _, part in found.graded for column in range(part.start, part.stop)]
    for pi in irreps:
        yield replace(pi, matrices=partial(_of_columns, pi, columns), total=None)


def _of_columns(pi: Irrep, columns: list[int], rows: Rows) -> NDArray[Any]:
    return pi.matrices(rows[:, columns])


class _Modules:
    """Tuples of single spaces, made once: where the elements send them, and their orbits."""

    def __init__(self, elements: Rows) -> None:
        self._elements = elements
        self._made: dict[tuple[str, int], tuple[NDArray[np.int32], NDArray[np.int64]]] = {}

    def product(self, choice: Choice) -> tuple[NDArray[np.int32], NDArray[np.int64] | None]:
        """Images and orbits of tuples of tuples; orbits of a product of groups are products."""
        dimension = math.prod(space.dimension(d) for space, d in choice)
        announce_tuples(len(self._elements), dimension, _named(choice))
        for space, d in choice:
            what = f"the table of {d}-tuples of points of {space.name}"
            require_work("tuple codes", space.points**d, what, remedy="lower degree")
        images = np.zeros((len(self._elements), 1), np.int32)
        orbits = np.zeros(1, np.int64)
        for space, degree in choice:
            own, labels = self._single(space, degree)
            images = (images[:, :, None] * own.shape[1] + own[:, None]).reshape(len(own), -1)
            orbits = (orbits[:, None] * (labels.max() + 1) + labels).ravel()
        return images, orbits if orbits.max() else None

    def _single(self, space: Space, degree: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        key = (space.name, degree)
        if key not in self._made:
            tuples = Tuples(space.points, degree, space.axes)
            labels = tuples.orbits(space.generators())
            images = tuples.images(space.images(self._elements))
            one = np.zeros(images.shape[1], np.int64)
            self._made[key] = (images, one if labels is None else labels)
        return self._made[key]
