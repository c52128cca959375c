"""Greedy choice and swaps: an S of any size m in any group that can be listed.

With D the mean of S less that of G on l2(G), the energy of order k is tr (D* D)^k / |G| = sum over pi of d_pi
tr (pi(S)* pi(S))^k / |G|: its 2k-th root tends to the largest norm as k grows. Putting g into S changes it, to
first order, by 2k times the value at g of the function D (D* D)^(k-1) e, e the identity's point mass without its
mean. So one function on G, made by 2k - 1 averages over S, says which element is best to add, and which
one in S is worst. That is the derandomised choice of Wigderson and Xiao (2008) with a power in place of the
exponential, and without any irrep.

The greedy choice adds the best element again and again, so every prefix of it is the greedy choice of that
size. Swaps then exchange a bad element for a good one as long as the energy falls, in rising order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Protocol, final

import numpy as np
from numpy.typing import NDArray

from sparseaug.groups import Group, Rows
from sparseaug.spectral.general.regular import left_translations

Values = NDArray[np.float64]
Ranks = NDArray[np.int64]

GREEDY_ORDER = 4
"""k of the nested choice; between 3 and 6 the deviations differ by some percent either way."""

SWAP_ORDERS = (2, 3, 4, 6, 8, 12, 16, 24)

OUT, IN = 6, 4
"""How many of the worst elements are tried for leaving, and of the best for coming in their place."""

TIE = 1e-9
"""Relative difference below which scores count as equal: then the smaller rank wins, on every machine."""


class Averages(Protocol):
    """What the search needs of a group: functions of its ranks averaged over S and back."""

    order: int

    def score(self, chosen: Ranks, k: int) -> Values:
        """D (D* D)^(k-1) e for S = chosen, by rank, times |S|^(2k-1)."""

    def energy(self, chosen: Ranks, k: int) -> float:
        """((D* D)^k e)(e) for S = chosen."""


@final
class Characters:
    """Abelian groups: the energy is the sum of |f|^(2k) over the characters, f the transform of S."""

    def __init__(self, moduli: tuple[int, ...]) -> None:
        self._moduli = moduli
        self.order = math.prod(moduli)

    def score(self, chosen: Ranks, k: int) -> Values:
        transform = self._transform(chosen)
        weighted = transform * (np.abs(transform) / len(chosen)) ** (2 * k - 2)
        return np.fft.irfftn(weighted, self._moduli).reshape(-1)

    def energy(self, chosen: Ranks, k: int) -> float:
        sizes = (np.abs(self._transform(chosen)) / len(chosen)) ** (2 * k)
        last = self._moduli[-1]
        weights = np.full(sizes.shape[-1], 2.0)  # a frequency and its negative, of which one is kept
        weights[0] = 1.0
        if last % 2 == 0:
            weights[-1] = 1.0
        return float((sizes * weights).sum()) / self.order

    def _transform(self, chosen: Ranks) -> NDArray[np.complex128]:
        counts = np.bincount(chosen, minlength=self.order).astype(np.float64).reshape(self._moduli)
        transform = np.fft.rfftn(counts)
        transform[(0,) * len(self._moduli)] = 0.0
        return transform


@final
class Translations:
    """Any group that can be listed: averages by gathering along left translations, kept per element."""

    def __init__(self, group: Group) -> None:
        self._group = group
        self.order = group.order
        self._there: dict[int, NDArray[np.int32]] = {}
        self._back: dict[int, NDArray[np.int32]] = {}

    def score(self, chosen: Ranks, k: int) -> Values:
        there, back = self._tables(chosen)
        f = self._start()
        f = _mean(back, f)
        for _ in range(k - 1):
            f = _mean(back, _mean(there, f))
        return f

    def energy(self, chosen: Ranks, k: int) -> float:
        there, back = self._tables(chosen)
        f = self._start()
        for _ in range(k):
            f = _mean(there, _mean(back, f))
        return float(f[0])

    def _start(self) -> Values:
        f = np.full(self.order, -1.0 / self.order)
        f[0] += 1.0
        return f

    def _tables(self, chosen: Ranks) -> tuple[list[NDArray[np.int32]], list[NDArray[np.int32]]]:
        """rank(g x) and rank(g^-1 x) for every x, for the g in S."""
        missing = [rank for rank in dict.fromkeys(chosen.tolist()) if rank not in self._there]
        if missing:
            elements = self._group.unrank(np.array(missing))
            for rank, row in zip(missing, left_translations(self._group, elements), strict=True):
                self._there[rank] = row
            inverses = self._group.inverse(elements)
            for rank, row in zip(missing, left_translations(self._group, inverses), strict=True):
                self._back[rank] = row
        ranks = chosen.tolist()
        return [self._there[rank] for rank in ranks], [self._back[rank] for rank in ranks]


def greedy(averages: Averages, m: int, *, order: int = GREEDY_ORDER) -> Ranks:
    """Ranks of the greedy choice, the identity first; a prefix of it is the greedy choice of fewer."""
    chosen = np.zeros(1, np.int64)
    while len(chosen) < m:
        chosen = np.append(chosen, _first_least(averages.score(chosen, order), 1)[0])
    return chosen


def improve(averages: Averages, chosen: Ranks, *, tries: int) -> Iterator[Ranks]:
    """Swaps that lower the energy, in rising order; yields S after each order, at most `tries` trials in all."""
    for k in SWAP_ORDERS:
        energy = averages.energy(chosen, k)
        while True:
            better, tries = _swap(averages, chosen, energy, k, tries)
            if better is None:
                break
            chosen, energy = better
        yield chosen
        if not tries:
            return


def _swap(
    averages: Averages, chosen: Ranks, energy: float, k: int, tries: int
) -> tuple[tuple[Ranks, float] | None, int]:
    """The first exchange found that lowers the energy, with it, and the tries that are left."""
    worst = _first_least(-averages.score(chosen, k)[chosen], OUT)
    for place in worst:
        rest = np.delete(chosen, place)
        for rank in _first_least(averages.score(rest, k), IN):
            if not tries:
                return None, 0
            tries -= 1
            tried = np.append(rest, rank)
            found = averages.energy(tried, k)
            if found < energy * (1.0 - TIE):
                return (tried, found), tries
    return None, tries


def _mean(tables: list[NDArray[np.int32]], f: Values) -> Values:
    """The mean of f along these translations; its mean is 0 but for rounding, which would not die out."""
    total = np.zeros_like(f)
    for table in tables:
        total += f[table]
    total -= total.mean()
    return total / len(tables)


def _first_least(values: Values, count: int) -> Ranks:
    """Where the smallest values are, in order; nearly equal ones in the order of their places."""
    count = min(count, len(values))
    scale = float(np.abs(values).max()) or 1.0
    rounded = np.rint(values / (scale * TIE))
    near = np.flatnonzero(rounded <= np.partition(rounded, count - 1)[count - 1])
    return near[np.lexsort((near, rounded[near]))][:count]
