"""Restricted norms, for groups too large for everything: functions of few coordinates at a time.

Under permutations these lie in the module of ordered k-tuples of distinct points, of dimension
n! / (n - k)!; under sign flips, and products of cyclic groups, they are the characters of weight at
most k. Only the irreps that occur there count.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from sparseaug._checks import Progress, silent
from sparseaug._floats import UNIT, float_above, float_below, gamma, up
from sparseaug.errors import GroupTooLargeError, shorten
from sparseaug.groups import Rows
from sparseaug.norms.character_transforms import ROOT_ERROR, roots
from sparseaug.norms.lanczos import FAILURE_PROBABILITY, STARTS, lanczos_norm
from sparseaug.norms.norm import Norm, announce
from sparseaug.norms.regular import PermutationMean, dense_norm, require_room
from sparseaug.sampling import GroupSample

DENSE_DIMENSION = 4096
"""Up to here a module is verified as a matrix; beyond, the bound has a failure probability."""

TUPLE_CODES = 1 << 25
"""n^k at most: tuples are found by a table of that many entries."""

CHARACTERS = 1 << 36
"""Characters that are looked at, at most."""

_PANEL = 1 << 10  # columns of characters multiplied at a time


def permutation_module_norm(
    S: GroupSample,
    *,
    degree: int,
    failure_probability: float = FAILURE_PROBABILITY,
    progress: Progress = silent,
) -> Norm:
    """||D_S|| on functions of at most `degree` coordinates, for a group that permutes points.

    Rigorous up to 4096 tuples; beyond, `upper` fails with `failure_probability`.

    Examples:
        >>> import sparseaug as sa
        >>> from sparseaug.norms.tuples import permutation_module_norm
        >>> norm = permutation_module_norm(sa.Oracle(sa.symmetric(20), seed=0).draw(64), degree=1)
        >>> 0 < norm.lower <= norm.upper < 1, norm.failure_probability
        (True, 0.0)
    """
    group = S.group
    n = group.points or 0
    block = f"ordered {degree}-tuples of {n} points"
    if group.order == 1:
        return Norm(0.0, 0.0, block)
    elements, counts = S.counts()
    require_tuples(len(elements), math.perm(n, degree), block, n)
    require_codes(n, degree, group.name)
    tuples = Tuples(n, degree)
    orbits = tuples.orbits(group.permutations(group.generators()))
    images = tuples.images(group.permutations(elements))
    del tuples  # which takes as much as seven elements of S
    mean = PermutationMean(images, counts, S.m, orbits)
    return module_norm(mean, S.sha256, failure_probability, progress).at(block)


def module_norm(
    mean: PermutationMean, key: str, failure_probability: float, progress: Progress = silent
) -> Norm:
    """The norm of one permutation module: as a matrix up to 4096 tuples, else by keyed random starts."""
    if mean.images.shape[1] <= DENSE_DIMENSION:
        bounds = dense_norm(mean)
        return Norm(min(bounds.upper, 1.0), bounds.lower)
    return lanczos_norm(
        mean.operator(), key=key, failure_probability=failure_probability, progress=progress
    )


def require_tuples(count: int, dimension: int, block: str, points: int = 0) -> None:
    """Raise a `GroupTooLargeError` if the images of so many tuples are too many; `require_room`."""
    starts = STARTS if dimension > DENSE_DIMENSION else 0
    require_room(count, max(dimension, points), block, starts=starts)


def require_codes(points: int, degree: int, name: str) -> None:
    """Raise a `GroupTooLargeError` if the table of tuples is too large."""
    if points**degree > TUPLE_CODES:
        raise GroupTooLargeError(
            f"degree={degree} needs a table of {points}^{degree} entries for {name}; "
            f"at most {TUPLE_CODES} are kept: lower degree."
        )


def low_weight_norm(S: GroupSample, *, degree: int, progress: Progress = silent) -> Norm:
    """||D_S|| on characters with at most `degree` non-zero frequencies, rigorous.

    Sums of signs are integers, and exact; sums of other roots of unity carry their rounding.

    Examples:
        >>> import sparseaug as sa
        >>> from sparseaug.norms.tuples import low_weight_norm
        >>> S = sa.GroupSample(sa.sign_flips(3), [[0, 0, 0], [1, 1, 0], [0, 1, 1], [1, 0, 1]])
        >>> low_weight_norm(S, degree=2).upper, low_weight_norm(S, degree=3).upper
        (0.0, 1.0)
    """
    characters = _Characters.of(S, S.group.moduli or ())
    sizes = characters.sizes
    degree = min(degree, len(sizes))
    if not degree:
        return Norm(0.0, 0.0, "none")
    _require_few(sizes, degree, S)
    best, where = -1.0, ""
    total = sum(math.comb(len(sizes), max(0, w - 2)) for w in range(1, degree + 1))
    candidates = chain.from_iterable(map(characters.of_weight, range(1, degree + 1)))
    for done, (value, names) in enumerate(candidates):
        if value > best:
            best, where = value, names()
        progress(min(done + 1, total), total)
    return _scalar_norm(best, characters.error, S.m, where)


def norms_by_weight(S: GroupSample, degree: int) -> dict[int | str, Norm]:
    """The norm of D_S on the characters of each weight 1..degree, as `low_weight_norm` finds it."""
    characters = _Characters.of(S, S.group.moduli or ())
    _require_few(characters.sizes, degree, S)
    found: dict[int | str, Norm] = {}
    for weight in range(1, degree + 1):
        value, name = max(characters.of_weight(weight), key=lambda candidate: candidate[0])
        found[weight] = _scalar_norm(value, characters.error, S.m, name())
    return found


class Tuples:
    """Ordered k-tuples of points on different axes, numbered; point a is on axis a mod `axes`.

    By default every point has its own axis: tuples of distinct points.
    """

    def __init__(self, n: int, degree: int, axes: int | None = None) -> None:
        codes = np.arange(n**degree).reshape((n,) * degree)
        distinct = np.ones(codes.shape, bool)
        points = np.ogrid[tuple(slice(n) for _ in range(degree))]
        for a, b in combinations([place % (axes or n) for place in points], 2):
            distinct &= a != b
        self._columns = np.array(np.nonzero(distinct), np.int64)
        self._number = np.full(n**degree, -1, np.int32)
        self._number[codes[distinct]] = np.arange(self._columns.shape[1], dtype=np.int32)

    def images(self, permutations: Rows) -> NDArray[np.int32]:
        """Where each permutation sends each tuple."""
        result = np.empty((len(permutations), self._columns.shape[1]), np.int32)
        for row, p in zip(result, permutations, strict=True):
            code = np.zeros(len(row), np.int64)
            for column in self._columns:
                code *= len(p)
                code += p[column]
            row[:] = self._number[code]
        return result

    def orbits(self, generators: Rows) -> NDArray[np.int64] | None:
        """The orbit of each tuple under the group; None if there is one."""
        images = self.images(generators)
        count, size = images.shape
        if not count:  # the trivial group
            return None if size == 1 else np.arange(size)
        pointers = np.arange(0, images.size + 1, count, dtype=np.int32)
        edges = csr_array((np.ones(images.size), images.T.ravel(), pointers), shape=(size, size))
        edges.sum_duplicates()  # some functions of SciPy's never end on an edge that stands twice
        number, labels = connected_components(edges, directed=False)
        return None if number == 1 else labels.astype(np.int64)


@dataclass(frozen=True, eq=False)
class _Characters:
    """chi_a(g_j) for one non-zero frequency a at a time: columns, grouped by coordinate."""

    columns: NDArray[Any]  # (m, sum of sizes): signs, or complex numbers
    coordinates: list[int]
    sizes: list[int]  # how many columns each coordinate has
    error: float  # of a sum over S divided by m, for products of any number of columns below 8

    @classmethod
    def of(cls, S: GroupSample, moduli: tuple[int, ...]) -> _Characters:
        """Signs are exact; float32 sums are, below 2^24."""
        coordinates = [i for i, n in enumerate(moduli) if n > 1]
        sizes = [moduli[i] - 1 for i in coordinates]
        if sum(sizes) * S.m > 1 << 28:
            raise GroupTooLargeError(
                f"{sum(sizes)} characters of weight 1 on m={S.m} elements of {S.group.name} are "
                "too many to list; use fewer elements."
            )
        if all(size == 1 for size in sizes):
            kind = np.float32 if S.m < 1 << 24 else np.float64
            return cls((1 - 2 * S.elements[:, coordinates]).astype(kind), coordinates, sizes, 0.0)
        blocks = [
            roots(
                np.multiply.outer(S.elements[:, i], np.arange(1, moduli[i])) % moduli[i], moduli[i]
            )
            for i in coordinates
        ]
        # A product of up to 8 columns errs by 8 ROOT_ERROR and 4 u for each product, a complex sum
        # of m products by sqrt(2) gamma(2 m) of the sum of absolute values, its modulus by 2 u.
        error = up(8.0 * ROOT_ERROR + 34.0 * UNIT + 1.5 * gamma(2 * S.m + 2)) * 1.01
        return cls(np.concatenate(blocks, axis=1), coordinates, sizes, error)

    def of_weight(self, weight: int) -> Iterator[tuple[float, Any]]:
        """Candidates |sum_j chi(g_j)| of so many non-zero frequencies, each with what names it."""
        starts = np.concatenate([[0], np.cumsum(self.sizes)])
        owner = np.repeat(np.arange(len(self.sizes)), self.sizes)
        if weight == 1:
            sums = abs(self.columns.sum(axis=0))
            yield float(sums.max()), _namer(self, owner, (int(sums.argmax()),))
            return
        for chosen in combinations(range(len(self.sizes)), weight - 2):
            first = int(starts[chosen[-1] + 1]) if chosen else 0
            for fixed in np.ndindex(*(self.sizes[i] for i in chosen)):
                at = tuple(int(starts[i]) + a for i, a in zip(chosen, fixed, strict=True))
                yield self._pairs(owner, at, first)

    def _pairs(
        self, owner: NDArray[np.int64], at: tuple[int, ...], first: int
    ) -> tuple[float, Any]:
        """The largest |sum_j| over the fixed columns times two more, of later coordinates."""
        fixed = np.prod(self.columns[:, at], axis=1, keepdims=True)
        rest = self.columns[:, first:]
        owners = owner[first:]
        best, where = -1.0, at
        for start in range(0, rest.shape[1], _PANEL):
            panel = slice(start, start + _PANEL)
            sums = abs((rest[:, panel] * fixed).T @ rest[:, start:])
            sums[owners[panel, None] >= owners[None, start:]] = -1.0
            i, j = np.unravel_index(int(sums.argmax()), sums.shape)
            if sums[i, j] > best:
                best, where = (
                    float(sums[i, j]),
                    (*at, first + start + int(i), first + start + int(j)),
                )
        return best, _namer(self, owner, where)


def _namer(characters: _Characters, owner: NDArray[np.int64], at: tuple[int, ...]) -> Any:
    def name() -> str:
        starts = np.concatenate([[0], np.cumsum(characters.sizes)])
        parts = [f"{characters.coordinates[owner[c]]}:{c - int(starts[owner[c]]) + 1}" for c in at]
        return f"chi({', '.join(parts)})"

    return name


def _require_few(sizes: list[int], degree: int, S: GroupSample) -> None:
    """Raise a `GroupTooLargeError` if the characters of weight up to `degree` are too many.

    Where they take minutes, say so: 0.2 ns for a sign, 3 ns for another root of unity.
    """
    counts = [1] + [0] * degree  # elementary symmetric polynomials of the sizes
    for size in sizes:
        for w in range(degree, 0, -1):
            counts[w] += size * counts[w - 1]
    if degree > 8 or sum(counts) > CHARACTERS:
        raise GroupTooLargeError(
            f"{S.group.name} has {shorten(sum(counts))} characters of weight at most {degree}; at "
            f"most {CHARACTERS}, of weight up to 8, are looked at: lower degree."
        )
    announce(
        f"the norm on {sum(counts)} characters of {S.group.name} at m={S.m} elements",
        seconds=sum(counts) * S.m * (2e-10 if max(sizes) == 1 else 3e-9),
        instead="lower degree, or use fewer elements.",
    )


def _scalar_norm(value: float, error: float, m: int, block: str) -> Norm:
    """The floats next to value / m +- error; exact values stay exact."""
    ratio = Fraction(value) / m
    high = min(Fraction(1), ratio + Fraction(error))
    low = max(Fraction(0), ratio - Fraction(error))
    return Norm(float_above(high), float_below(low), block)
