"""Functions of low degree: energies that tend to their largest norm, where a group is too large to list.

Signs are judged on pairs. With X the signs of S, one row per element, the characters of weight 1 are
the means of columns, and those of weight 2 the entries of X* X / m. The energy of order k is the sum
of their 2k-th powers, and the score of g, to first order, the sum over these characters of
mean^(2k-1) times their value at g. Functions of three signs need nothing more: S with its complement
has no odd character.

Permutations are judged on functions of one or two coordinates. They move the n points, the unordered
pairs of points, and those pairs with a sign for their order; these modules hold every irrep of degree
1 and 2. With M the mean of S less that of the group on such a module, the energy of order k is the sum
over the modules of tr (M* M)^k. To first order, putting g into S changes it by 2k times the inner
product of g's matrix with M (M* M)^(k-1): a sum of one entry for each point or pair, the score of g.
Order 1 needs no matrix: the score of g is the sum over h in S of f for one coordinate, f (f - 1) for
two, where f is the number of points on which g and h agree. Above `LARGEST_POINTS` that is what is
minimised.

Where the irreps up to a degree are known, F_j holds all their entries at element j: the squared length
of the mean of the chosen F is the sum of ||pi(S)||_F^2, with the kernel F F*.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import final

import numpy as np

from sparseaug._checks import require_work
from sparseaug.designs.worst_case import is_listed
from sparseaug.errors import shorten
from sparseaug.groups import Group, Rows, sign_flips, symmetric
from sparseaug.norms.norm import announce
from sparseaug.search.objectives import Between, Columns, Elements, Objective, Scores, Values
from sparseaug.search.search import STARTS, Moves, search

LARGEST_SIGNS = 1000
"""Signs up to which all pairs are looked at."""

LARGEST_N = 100
"""Points up to which permutations are searched by degree 1 and 2."""

LARGEST_POINTS = {1: 100, 2: 32}
"""Points up to which the modules of this degree are matrices: 100 points, 496 pairs twice."""


class LowDegree(Objective):
    """What is common to both: the orders of the energies."""

    orders = (2, 4, 8, 16)
    greedy_order = 4

    def tries(self, m: int) -> int:
        return 2000 + 8 * m


@final
@dataclass(frozen=True, eq=False)
class Signs(LowDegree):
    """The characters of these weights, out of 1 and 2."""

    weights: tuple[int, ...] = (1, 2)

    def _means(self, chosen: Rows) -> tuple[Values, Values]:
        signs = 1.0 - 2.0 * chosen
        pairs = signs.T @ signs / len(signs)
        np.fill_diagonal(pairs, 0.0)
        return signs.mean(axis=0) * (1 in self.weights), pairs * (2 in self.weights)

    def scores(self, chosen: Elements, k: int, out: int | None = None) -> Scores:
        rest = chosen if out is None else np.delete(chosen, out, axis=0)
        single, pairs = (mean ** (2 * k - 1) for mean in self._means(rest))

        def of(rows: Rows) -> Values:
            signs = 1.0 - 2.0 * rows
            return signs @ single + 0.5 * ((signs @ pairs) * signs).sum(axis=1)

        return of

    def energy(self, chosen: Elements, k: int) -> float:
        single, pairs = (mean ** (2 * k) for mean in self._means(chosen))
        return float(single.sum() + 0.5 * pairs.sum())

    def norm(self, chosen: Elements) -> float:
        """The largest mean."""
        single, pairs = self._means(chosen)
        return float(max(np.abs(single).max(), np.abs(pairs).max()))


@final
@dataclass(frozen=True, eq=False)
class Modules(LowDegree):
    """Points, and for degree 2 pairs and signed pairs, of n points."""

    n: int
    degree: int

    @cached_property
    def _pairs(self) -> tuple[Rows, Rows, Rows]:
        """Both points of each pair, and the number of the pair of any two points."""
        first, second = np.triu_indices(self.n, 1)
        number = np.zeros((self.n, self.n), np.int64)
        number[first, second] = number[second, first] = np.arange(len(first))
        return first, second, number

    def images(self, rows: Rows) -> list[tuple[Rows, Rows | int]]:
        """For each module, where each row sends its basis, and with which sign."""
        if self.degree == 1:
            return [(rows, 1)]
        first, second, number = self._pairs
        left, right = rows[:, first], rows[:, second]
        targets = number[left, right]
        return [(targets, 1), (targets, np.where(left < right, 1, -1))]

    def means(self, rows: Rows) -> list[Values]:
        """The mean of the rows less that of the group, one matrix for each module."""
        found = []
        for targets, signs in self.images(rows):
            size = targets.shape[1]
            codes = (targets * size + np.arange(size)).ravel()
            weights = np.broadcast_to(np.asarray(signs, np.float64), targets.shape).ravel()
            mean = np.bincount(codes, weights, size * size).reshape(size, size) / len(rows)
            found.append(mean - 1.0 / size if isinstance(signs, int) else mean)
        return found

    def scores(self, chosen: Elements, k: int, out: int | None = None) -> Scores:
        rest = chosen if out is None else np.delete(chosen, out, axis=0)
        weights = [
            mean @ np.linalg.matrix_power(mean.T @ mean, k - 1) if k > 1 else mean
            for mean in self.means(rest)
        ]

        def of(rows: Rows) -> Values:
            total = np.zeros(len(rows))
            for weight, (targets, signs) in zip(weights, self.images(rows), strict=True):
                total += (weight[targets, np.arange(targets.shape[1])] * signs).sum(axis=1)
            return total

        return of

    def energy(self, chosen: Elements, k: int) -> float:
        total = 0.0
        for mean in self.means(chosen):
            gram = mean.T @ mean
            half = np.linalg.matrix_power(gram, k // 2)
            total += float((half * (half if k % 2 == 0 else half @ gram)).sum())
        return total

    def norm(self, chosen: Elements) -> float:
        """The largest singular value."""
        return max(float(np.linalg.norm(mean, 2)) for mean in self.means(chosen))


def moving_points(n: int, degree: int) -> Objective:
    """Of permutations: matrices while they are small, then how often two of them agree."""
    if n <= LARGEST_POINTS[degree]:
        return Modules(n, degree)

    def agreements(chosen: Rows, rows: Rows) -> Values:
        total = np.zeros(len(rows))
        for h in chosen:
            agree = (rows == h).sum(axis=1)
            total += agree if degree == 1 else agree * (agree - 1)
        return total

    return Between(agreements, scale=float(n if degree == 1 else n * (n - 1)))


def of_irreps(group: Group, rows: Rows, degree: int) -> Columns:
    """All irreps up to a degree, on a list of elements; of even permutations those of all of them."""
    even = group.transform == "young" and group.even
    whole = symmetric(group.width) if even else group
    irreps = list(whole.irreps_to(degree))[1:]
    size = sum(irrep.dimension**2 for irrep in irreps)
    what = f"a pool of {len(rows)} judged by degree={degree} of {group.name}"
    remedy = "lower degree, or use a smaller pool"
    require_work("matrix entries of a pool", size * len(rows), what, remedy=remedy)
    parts: dict[bytes, Values] = {}
    for irrep in irreps:  # a partition and its conjugate are one irrep of even permutations
        matrices = irrep.matrices(rows)
        character = np.rint(matrices.trace(axis1=1, axis2=2).real).astype(np.int64)
        key = character.tobytes() if even else irrep.name.encode()
        parts.setdefault(key, matrices.reshape(len(rows), -1))
    F = np.concatenate([*parts.values()], axis=1)
    return Columns(lambda place: (F @ F[place].conj()).real, len(rows))


def searched_degrees(group: Group) -> tuple[int, ...]:
    """The degrees by which elements are searched for without listing the group."""
    if group.transform == "young" and 2 < group.width <= LARGEST_N:
        return (1, 2)
    if group.moduli is not None and set(group.moduli) == {2} and 2 < group.width <= LARGEST_SIGNS:
        return () if is_listed(group) else (2, 3)
    return ()


def search_signs(d: int, m: int, degree: int) -> Rows:
    """m rows of d bits, judged by degree 2 or 3; for 3 every row is followed by its complement."""
    # some d / 2 flips of the best of d signs, each a product of d^3, and m d^2 for the means
    announce(
        f"the search for m={m} flips of {d} signs",
        seconds=4e-9 * m * (d**4 + 2.0 * m * d**2),
        instead="lower m, or take an exact design.",
    )
    flips = np.eye(d, dtype=np.int64)
    moves = Moves(sign_flips(d), lambda row: row ^ flips)
    if degree < 3:
        return search(Signs(), moves, m)
    half = search(Signs((2,)), moves, (m + 1) // 2)
    return np.stack([half, 1 - half], axis=1).reshape(-1, d)[:m]


def search_permutations(group: Group, m: int, degree: int) -> Rows:
    """m permutations of S_n or A_n, judged by degree 1 or 2."""
    n = group.width
    # a descent takes some n steps of all moves at all tuples; matrices take dimension^3 each time
    count = math.comb(n, 3) * 2 if group.even else math.comb(n, 2)
    size, matrices = n if degree == 1 else math.comb(n, 2), n <= LARGEST_POINTS[degree]
    looked = 2 * degree * size if matrices else n * m / 2
    step = 3e-9 * count * looked * n * STARTS + (4e-10 * 8 * size**3 if matrices else 0.0)
    announce(
        f"the search for m={shorten(m)} permutations of {n} points by degree {degree}",
        seconds=4.0 * m * step,
        memory=8.0 * count * n * 3,
        instead="lower m, or draw a pool and use thin.",
    )
    moves = exchanges(n, even=group.even)
    return search(moving_points(n, degree), Moves(group, lambda row: row[moves]), m)


def exchanges(n: int, *, even: bool) -> Rows:
    """Exchanges of two points, or cycles of three: image arrays, to be composed on the right."""
    cycles = [
        cycle
        for points in combinations(range(n), 3 if even else 2)
        for cycle in ([points, points[::-1]] if even else [points])
    ]
    moves = np.tile(np.arange(n), (len(cycles), 1))
    for row, cycle in zip(moves, cycles, strict=True):
        row[list(cycle)] = np.roll(cycle, -1)
    return moves
