"""Search in groups too large to list: elements that descend, one beside the others.

A judge gives the score of an element beside S, to first order the change of the energy when it is
put into S, and the energy and norm of S. An element is improved by small moves (two images
exchanged, one sign flipped) as long as its score falls. Starts are keyed, ties go to the first move,
so the result is the same on every machine.

Signs are judged on pairs. With X the signs of S, one row per element, the characters of weight 1 are
the means of columns, and those of weight 2 the entries of X* X / m. The energy of order k is the sum
of their 2k-th powers, and the score of g, to first order, the sum over these characters of
mean^(2k-1) times their value at g. Functions of three signs come for nothing: S with its complement
has no odd character.

Permutations are judged on functions of one or two coordinates. They move the n points, the unordered
pairs of points, and those pairs with a sign for their order; these modules hold every irrep of degree
1 and 2. With M the mean of S less that of the group on such a module, the energy of order k is the sum
over the modules of tr (M* M)^k. To first order, putting g into S changes it by 2k times the inner
product of g's matrix with M (M* M)^(k-1): a sum of one entry for each point or pair, the score of g. A
permutation with a low score is found by exchanging images (or, among even permutations, three of them)
as long as the score falls. Order 1 needs no matrix: the score of g is the sum over h in S of f for one
coordinate, f (f - 1) for two, where f is the number of points on which g and h agree. Above
`LARGEST_POINTS` that is what is minimised.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Protocol, TypeAlias, final

import numpy as np

from sparseaug.designs.search import TIE, Values, first_least
from sparseaug.groups import Group, Rows, sign_flips
from sparseaug.sampling import keyed_rng

LARGEST_SIGNS = 1000
"""Signs up to which all pairs are looked at."""

LARGEST_POINTS = {1: 100, 2: 32}
"""Points up to which the modules of this degree are matrices: 100 points, 496 pairs twice."""

GREEDY_ORDER = 4

PASS_ORDERS = (2, 4, 8, 16)

STARTS = 2
"""Descents for each element of the nested choice, each from an element keyed by its number."""

Scores: TypeAlias = Callable[[Rows], Values]
"""One score per row, the lower the better."""

Moves: TypeAlias = Callable[[Rows], Rows]
"""From one element to its neighbours."""


class Judge(Protocol):
    """What is asked of S: the scores of elements beside it, its energy, its norm."""

    def score(self, chosen: Rows, k: int) -> Scores:
        """Scores beside these elements, by the energy of order k."""

    def energy(self, chosen: Rows, k: int) -> float:
        """The energy of order k of these elements."""

    def norm(self, chosen: Rows) -> float:
        """An estimate of the deviation, or what stands in for it."""


def choose_nested(group: Group, judge: Judge, moves: Moves, m: int) -> Rows:
    """m elements, each the best one found beside those before it: every prefix is nested too."""
    chosen = group.identity()
    while len(chosen) < m:
        scores = judge.score(chosen, GREEDY_ORDER)
        rng = keyed_rng(0, f"sparseaug design {group.name}", index=len(chosen))
        ends = np.array([_descend(scores, row, moves) for row in group.sample(STARTS, rng)])
        chosen = np.concatenate([chosen, ends[first_least(scores(ends), 1)]])
    return chosen


def best(group: Group, judge: Judge, moves: Moves, m: int) -> Rows:
    """The nested choice, or what passes over it make of it where that has a smaller norm.

    In a pass every element in turn descends beside the others, and stays there if the energy falls.
    """
    rows = chosen = choose_nested(group, judge, moves, m)
    least = judge.norm(chosen)
    for k in PASS_ORDERS if m > 1 else ():
        rows = _pass(judge, rows, moves, k)
        found = judge.norm(rows)
        if found < least * (1.0 - TIE):
            chosen, least = rows, found
    return chosen


def _pass(judge: Judge, rows: Rows, moves: Moves, k: int) -> Rows:
    energy = judge.energy(rows, k)
    for _ in range(2):
        before = energy
        for place in range(len(rows)):
            scores = judge.score(np.delete(rows, place, axis=0), k)
            tried = rows.copy()
            tried[place] = _descend(scores, rows[place], moves)
            found = judge.energy(tried, k)
            if found < energy * (1.0 - TIE):
                rows, energy = tried, found
        if energy >= before * (1.0 - 1e-3):
            break
    return rows


def _descend(scores: Scores, row: Rows, moves: Moves) -> Rows:
    """The best move again and again, until none lowers the score."""
    value = float(scores(row[None])[0])
    while True:
        tried = moves(row)
        found = scores(tried)
        best = int(first_least(found, 1)[0])
        if not found[best] < value - TIE * float(np.abs(found).max()):
            return row
        row, value = tried[best], float(found[best])


@final
@dataclass(frozen=True, eq=False)
class Signs:
    """The characters of these weights, out of 1 and 2."""

    weights: tuple[int, ...] = (1, 2)

    def _means(self, chosen: Rows) -> tuple[Values, Values]:
        signs = 1.0 - 2.0 * chosen
        pairs = signs.T @ signs / len(signs)
        np.fill_diagonal(pairs, 0.0)
        return signs.mean(axis=0) * (1 in self.weights), pairs * (2 in self.weights)

    def score(self, chosen: Rows, k: int) -> Scores:
        """Sums over the characters of mean^(2k-1) times the value."""
        single, pairs = (mean ** (2 * k - 1) for mean in self._means(chosen))

        def scores(rows: Rows) -> Values:
            signs = 1.0 - 2.0 * rows
            return signs @ single + 0.5 * ((signs @ pairs) * signs).sum(axis=1)

        return scores

    def energy(self, chosen: Rows, k: int) -> float:
        """The sum of the 2k-th powers of the means."""
        single, pairs = (mean ** (2 * k) for mean in self._means(chosen))
        return float(single.sum() + 0.5 * pairs.sum())

    def norm(self, chosen: Rows) -> float:
        """The largest mean."""
        single, pairs = self._means(chosen)
        return float(max(np.abs(single).max(), np.abs(pairs).max()))


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
    return Modules(n, degree) if n <= LARGEST_POINTS[degree] else Agreements(degree)


def search_signs(d: int, m: int, degree: int, *, swaps: bool) -> Rows:
    """m rows of d bits, judged by degree 2 or 3; for 3 every row is followed by its complement."""
    find = best if swaps else choose_nested
    flips = np.eye(d, dtype=np.int64)
    if degree < 3:
        return find(sign_flips(d), Signs(), lambda row: row ^ flips, m)
    half = find(sign_flips(d), Signs((2,)), lambda row: row ^ flips, (m + 1) // 2)
    return np.stack([half, 1 - half], axis=1).reshape(-1, d)[:m]


def search_permutations(group: Group, m: int, degree: int, *, swaps: bool) -> Rows:
    """m permutations of S_n or A_n, judged by degree 1 or 2."""
    moves = exchanges(group.width, even=group.even)
    find = best if swaps else choose_nested
    return find(group, judge(group.width, degree), lambda row: row[moves], m)


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
