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
from typing import Protocol, final

import numpy as np
from numpy.typing import NDArray

from sparseaug.designs.search import TIE, Values, first_least
from sparseaug.groups import Rows
from sparseaug.sampling import keyed_rng

LARGEST_N = {1: 100, 2: 32}
"""Points up to which the modules of this degree are matrices: 100 points, 496 pairs twice."""

GREEDY_ORDER = 4

PASS_ORDERS = (2, 4, 8, 16)

STARTS = 2
"""Descents for each element of the nested choice, each from a permutation keyed by its number."""


class Judge(Protocol):
    """What the descent asks: the scores of permutations beside those in S, and the energy of S."""

    def score(self, chosen: Rows, k: int) -> Scores:
        """Scores beside these permutations."""

    def energy(self, chosen: Rows, k: int) -> float:
        """The energy of order k of these permutations."""

    def norm(self, chosen: Rows) -> float:
        """An estimate of the deviation on the modules, or what stands in for it."""


class Scores(Protocol):
    """The scores of permutations, the lower the better."""

    def __call__(self, rows: Rows) -> Values:
        """One score per row."""


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


def nested(n: int, m: int, degree: int, *, even: bool = False) -> Rows:
    """m permutations, each the best one found beside those before it: every prefix is nested too."""
    by, moves = judge(n, degree), _moves(n, even=even)
    chosen = np.arange(n)[None]
    while len(chosen) < m:
        scores = by.score(chosen, GREEDY_ORDER)
        rng = keyed_rng(0, "sparseaug design", step=n, index=len(chosen))
        starts = np.array([_random(rng, n, even=even) for _ in range(STARTS)])
        ends = np.array([_descend(scores, row, moves) for row in starts])
        chosen = np.concatenate([chosen, ends[first_least(scores(ends), 1)]])
    return chosen


def best(n: int, m: int, degree: int, *, even: bool = False) -> Rows:
    """The nested choice, or what passes over it make of it where that has a smaller norm.

    In a pass every permutation in turn descends beside the others, and stays there if the energy falls.
    """
    by, moves = judge(n, degree), _moves(n, even=even)
    rows = chosen = nested(n, m, degree, even=even)
    least = by.norm(chosen)
    for k in PASS_ORDERS if m > 1 else ():
        rows = _pass(by, rows, moves, k)
        found = by.norm(rows)
        if found < least * (1.0 - TIE):
            chosen, least = rows, found
    return chosen


def _pass(by: Judge, rows: Rows, moves: Rows, k: int) -> Rows:
    energy = by.energy(rows, k)
    for _ in range(2):
        before = energy
        for place in range(len(rows)):
            scores = by.score(np.delete(rows, place, axis=0), k)
            tried = rows.copy()
            tried[place] = _descend(scores, rows[place], moves)
            found = by.energy(tried, k)
            if found < energy * (1.0 - TIE):
                rows, energy = tried, found
        if energy >= before * (1.0 - 1e-3):
            break
    return rows


def _descend(scores: Scores, row: Rows, moves: Rows) -> Rows:
    """The best exchange of images again and again, until none lowers the score."""
    value = float(scores(row[None])[0])
    while True:
        tried = row[moves]
        found = scores(tried)
        best = int(first_least(found, 1)[0])
        if not found[best] < value - TIE * max(1.0, abs(value)):
            return row
        row, value = tried[best], float(found[best])


def _moves(n: int, *, even: bool) -> Rows:
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


def _random(rng: np.random.Generator, n: int, *, even: bool) -> Rows:
    row = rng.permutation(n)
    if even and _is_odd(row):
        row[[0, 1]] = row[[1, 0]]
    return row


def _is_odd(row: NDArray[np.int64]) -> bool:
    seen, cycles = set(), 0
    for start in range(len(row)):
        cycles += start not in seen
        while start not in seen:
            seen.add(start)
            start = int(row[start])
    return (len(row) - cycles) % 2 == 1
