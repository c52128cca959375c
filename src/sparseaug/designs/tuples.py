"""Search among permutations too many to list, judged on functions of one or two coordinates.

Permutations move the n points, the unordered pairs of points, and those pairs with a sign for their
order; these modules hold every irrep of degree 1 and 2. With M the mean of S less that of the group
on such a module, the energy of order k is the sum over the modules of tr (M* M)^k. To first order,
putting g into S changes it by 2k times the inner product of g's matrix with M (M* M)^(k-1): a sum
of one entry for each point or pair, the score of g. A permutation with a low score is found by
exchanging images (or, among even permutations, three of them) as long as the score falls.

Order 1 needs no matrix: the score of g is the sum over h in S of f for one coordinate, f (f - 1)
for two, where f is the number of points on which g and h agree. Above `LARGEST_N` points that is
what is minimised.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import final

import numpy as np

from sparseaug.designs.descent import Judge, Scores, best, nested
from sparseaug.designs.search import Values
from sparseaug.groups import Group, Rows

LARGEST_N = {1: 100, 2: 32}
"""Points up to which the modules of this degree are matrices: 100 points, 496 pairs twice."""


@final
@dataclass(frozen=True, eq=False)
class Modules:
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

    def score(self, chosen: Rows, k: int) -> Scores:
        """Inner products with M (M* M)^(k-1)."""
        weights = [
            mean @ np.linalg.matrix_power(mean.T @ mean, k - 1) if k > 1 else mean
            for mean in self.means(chosen)
        ]

        def scores(rows: Rows) -> Values:
            total = np.zeros(len(rows))
            for weight, (targets, signs) in zip(weights, self.images(rows), strict=True):
                total += (weight[targets, np.arange(targets.shape[1])] * signs).sum(axis=1)
            return total

        return scores

    def energy(self, chosen: Rows, k: int) -> float:
        """The sum of tr (M* M)^k."""
        total = 0.0
        for mean in self.means(chosen):
            gram = mean.T @ mean
            half = np.linalg.matrix_power(gram, k // 2)
            total += float((half * (half if k % 2 == 0 else half @ gram)).sum())
        return total

    def norm(self, chosen: Rows) -> float:
        """The largest singular value."""
        return max(float(np.linalg.norm(mean, 2)) for mean in self.means(chosen))


@final
@dataclass(frozen=True, eq=False)
class Agreements:
    """Order 1 whatever is asked for, in integers: how often permutations agree."""

    degree: int

    def score(self, chosen: Rows, k: int) -> Scores:
        """sum over h of f, or f (f - 1)."""

        def scores(rows: Rows) -> Values:
            total = np.zeros(len(rows))
            for h in chosen:
                agree = (rows == h).sum(axis=1)
                total += agree if self.degree == 1 else agree * (agree - 1)
            return total

        return scores

    def energy(self, chosen: Rows, k: int) -> float:
        """The mean of f, or f (f - 1), over all pairs."""
        return float(self.score(chosen, 1)(chosen).sum()) / len(chosen) ** 2

    def norm(self, chosen: Rows) -> float:
        """The energy, as the norm would take a matrix."""
        return self.energy(chosen, 1)


def judge(n: int, degree: int) -> Judge:
    """Matrices while they are small, then agreements."""
    return Modules(n, degree) if n <= LARGEST_N[degree] else Agreements(degree)


def searched(group: Group, m: int, degree: int, *, swaps: bool) -> Rows:
    """m permutations of S_n or A_n, judged by degree 1 or 2."""
    moves = _exchanges(group.width, even=group.even)
    find = best if swaps else nested
    return find(group, judge(group.width, degree), lambda row: row[moves], m)


def _exchanges(n: int, *, even: bool) -> Rows:
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
