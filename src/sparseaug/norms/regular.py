"""Any group that can be enumerated: D_S on l2(G), the left regular representation.

It holds every irrep, so its norm is the norm for all of them. Lanczos starts at the identity: a
vector that provably leans on every irrep, so the bound from above is certain at any order.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sparseaug._checks import Progress, require_work, silent
from sparseaug._floats import UNIT, down, gamma, up
from sparseaug.groups import Group, Rows
from sparseaug.norms.lanczos import BASIS_ENTRIES, Operator, Vector, krylov_norm, sum_in_two_levels
from sparseaug.norms.norm import Norm, announce
from sparseaug.norms.verified import norm_lower, norm_upper
from sparseaug.sampling import GroupSample

_CHUNK = 1 << 17  # gathers between two looks at the next rows; their weights stay in cache
_TAIL = 1 << 11  # size of the subgroup whose products are tabled


def regular_norm(S: GroupSample, *, progress: Progress = silent) -> Norm:
    """||D_S|| for any group of up to about 10^7 elements, rigorous.

    Examples:
        >>> import sparseaug as sa
        >>> from sparseaug.norms.regular import regular_norm
        >>> S = sa.GroupSample(sa.dihedral(4), [[0, 0], [1, 0], [0, 1], [1, 1]])
        >>> round(regular_norm(S).upper, 9)
        0.707106781
    """
    group = S.group
    if group.order == 1:
        return Norm(0.0, 0.0, "l2(G)")
    elements, counts = S.counts()
    announce_images(len(elements), group.order, f"the elements of {group.name}")
    operator = PermutationMean(left_translations(group, elements), counts, S.m).operator()
    # The top eigenspace E is invariant under right translations, and so is the projection onto it:
    # its diagonal is constant, and <e, P_E e> = dim E / |G| for the function e that is 1 at the
    # identity. E is orthogonal to the constants, so the start may be made so as well; normalising
    # lengthens it, and all rounding moves it by less than 8 u.
    start = np.full(group.order, -1.0 / group.order)
    start[0] += 1.0
    start /= math.sqrt(float(start @ start))
    overlap = down(down(1.0 / math.sqrt(group.order)) - 8.0 * UNIT)
    bounds = krylov_norm(operator, start, overlap, progress=progress)
    return bounds.at("l2(G)")


@dataclass(frozen=True, eq=False)
class PermutationMean:
    """(1/m) sum_j w_j (f(x) -> f(g_j x)) on functions of the points that g_j permute, less Pi_G."""

    images: NDArray[np.int32]
    """images[j, x] = g_j x."""

    weights: NDArray[np.int64]
    total: int
    """m, the sum of the weights."""

    orbits: NDArray[np.int64] | None = None
    """The orbit of each point under G, counted from 0; None if there is but one."""

    def operator(self) -> Operator:
        """The mean without its matrix. The table of images is used up: it is inverted in place."""
        there = _gather(self.images, self.weights, self.total)
        points = np.arange(self.images.shape[1], dtype=np.int32)
        for row in self.images:
            row[row.copy()] = points
        back = _gather(self.images, self.weights, self.total)
        project, drift = self._projection()
        # A sum of d products with small integers, a division, and the subtraction of the mean:
        # gamma(d + 3) of the sum of absolute values, which is the same mean of |x|, of norm at most
        # ||x||. What is wrong with the orbit means is invariant: D sends it to 0.
        return Operator(
            dimension=self.images.shape[1],
            apply=lambda x: project(there(x)),
            apply_transpose=lambda x: project(back(x)),
            rounding=gamma(len(self.weights) + 3),
            drift=drift,
        )

    def _projection(self) -> tuple[Callable[[Vector], Vector], float]:
        """x -> x - Pi_G x, in place, and a bound on ||error in Pi_G|| / ||result||.

        After one pass what is left of the mean is rounding, so a second pass leaves the rounding of
        the sum of the result itself: relative to sum |x_i|, times 1 / n, on n points of an orbit.
        """
        if self.orbits is None:

            def subtract(x: Vector) -> Vector:
                x -= sum_in_two_levels(x)[0] / len(x)
                x -= sum_in_two_levels(x)[0] / len(x)
                return x

            n = self.images.shape[1]
            return subtract, 2.0 * gamma(4 * math.isqrt(n) + 16)
        orbits, sizes = self.orbits, np.bincount(self.orbits)

        def subtract_orbitwise(x: Vector) -> Vector:
            for _ in range(2):
                x -= (np.bincount(orbits, x) / sizes)[orbits]
            return x

        return subtract_orbitwise, 2.0 * gamma(int(sizes.max()) + 16)


def _gather(
    images: NDArray[np.int32], weights: NDArray[np.int64], total: int
) -> Callable[[Vector], Vector]:
    """x -> (1/m) sum_j w_j x[images[j]], by sparse rows that share one array of weights."""
    d, n = images.shape
    step = min(n, max(1, _CHUNK // d))
    data = np.tile(weights.astype(np.float64), step)
    pointers = np.arange(0, d * step + 1, d, dtype=np.int32)
    rows = []
    for at in range(0, n, step):
        block = images[:, at : at + step].T.copy("C")
        entries = (data[: d * len(block)], block.ravel(), pointers[: len(block) + 1])
        rows.append(csr_array(entries, shape=(len(block), n)))

    def gather(x: Vector) -> Vector:
        y = np.concatenate([some @ x for some in rows])
        y /= total
        return y

    return gather


def dense_norm(mean: PermutationMean) -> Norm:
    """Bounds of ||D|| from the matrix itself, both certain."""
    n = mean.images.shape[1]
    counts = np.zeros((n, n))
    for image, weight in zip(mean.images, mean.weights, strict=True):
        counts[np.arange(n), image] += weight
    counts /= mean.total
    squares = float(np.vdot(counts, counts))
    length = up(up(math.sqrt(up(squares / down(1.0 - gamma(counts.size + 1))))))
    orbits = np.zeros(n, np.int64) if mean.orbits is None else mean.orbits
    sizes = np.bincount(orbits)
    constant = 1.0 / sizes  # Pi_G
    for orbit, value in enumerate(constant):
        members = np.flatnonzero(orbits == orbit)
        counts[np.ix_(members, members)] -= value
    # one rounding for the quotient, three for the constant, one for the difference
    error = up(gamma(5) * up(length + math.sqrt(len(sizes))) * 1.01)
    return Norm(norm_upper(counts, error), norm_lower(counts, error))


def left_translations(group: Group, elements: Rows) -> NDArray[np.int32]:
    """The ranks of g h: one row for each g in `elements`, one column for each h, in rank order.

    Where the first ranks are those of a subgroup H and the next ones its cosets a H, each with
    rank(a t) = rank(a) + rank(t), g a = a' s gives rank(g a t) = rank(a') + rank(s t): one product
    in the group for each coset, and the table of H. It is checked, not assumed.
    """
    heads, table = _heads_and_table(group)
    size = len(table)
    result = np.empty((len(elements), group.order // size, size), np.int32)
    for row, g in zip(result, elements, strict=True):
        coset, inside = np.divmod(_ranks(group, g[None, None], heads[None])[0], size)
        np.add(table[inside], (coset * size).astype(np.int32)[:, None], out=row)
    return result.reshape(len(elements), -1)


@lru_cache(maxsize=4)
def _heads_and_table(group: Group) -> tuple[Rows, NDArray[np.int32]]:
    """One element of each coset of H, and the ranks of all products in H."""
    size = _tail(group)
    tail = group._unrank(np.arange(size))
    table = _ranks(group, tail[:, None], tail[None]).astype(np.int32)
    return group._unrank(np.arange(0, group.order, size)), table


# Up to 600 steps from each start, or as many as vectors are kept, 35 ns for a point and 2 ns for each
# of its images; three tables of 4 bytes an image, a dozen vectors, one in single precision for a step.
def announce_images(count: int, dimension: int, what: str, *, starts: int = 1) -> None:
    """What a table of so many permutations of so many points will take."""
    remedy = "use fewer elements, a lower degree= or action="
    what = f"the norm of a mean of {count} permutations of {dimension} points ({what})"
    require_work("points", dimension, what, remedy=remedy)
    require_work("images of points", count * dimension, what, remedy=remedy)
    kept = min(BASIS_ENTRIES, 600 * dimension)
    announce(
        what,
        seconds=1e-9 * (35 + 2 * count) * kept * starts,
        memory=(12.0 * count + 100.0) * dimension + 4.0 * kept,
        instead=f"{remedy}.",
    )


def _tail(group: Group) -> int:
    """The largest size of H, as `left_translations` wants it, that is worth a table."""
    sizes = (math.prod(group.radices[i:]) for i in range(len(group.radices) + 1))
    few = (size for size in sizes if size <= _TAIL and size * size <= group.order)
    return next((size for size in few if _is_tail(group, size)), 1)


def _is_tail(group: Group, size: int) -> bool:
    tail = group._unrank(np.arange(size))
    if (_ranks(group, tail[:, None], tail[None]) >= size).any():
        return False
    step = max(1, (1 << 16) // size)
    for at in range(0, group.order, size * step):
        starts = np.arange(at, min(at + size * step, group.order), size)
        ranks = _ranks(group, group._unrank(starts)[:, None], tail[None])
        if not np.array_equal(ranks, starts[:, None] + np.arange(size)):
            return False
    return True


def _ranks(group: Group, a: Rows, b: Rows) -> NDArray[np.int64]:
    products = group._compose(a, b)
    return group._rank(products.reshape(-1, group.width)).reshape(products.shape[:-1])
