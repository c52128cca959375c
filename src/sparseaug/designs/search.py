"""Greedy choice and swaps: an S of any size m in any group that can be listed.

With D the mean of S less that of G on l2(G), the energy of order k is tr (D* D)^k / |G| = sum over
pi of d_pi tr (pi(S)* pi(S))^k / |G|: its 2k-th root tends to the largest norm as k grows. Putting g
into S changes it, to first order, by 2k times the value at g of the function D (D* D)^(k-1) e, e
the identity's point mass without its mean. So one function on G, made by 2k - 1 averages over S,
says which element is best to add, and which one in S is worst. That is the derandomised choice of
Wigderson and Xiao (2008) with a power in place of the exponential, and without any irrep.

The greedy choice adds the best element again and again, so every prefix of it is the greedy choice
of that size. Swaps then exchange a bad element for a good one as long as the energy falls, in
rising order.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Protocol, final

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import require_work
from sparseaug.groups import Group, Rows
from sparseaug.spectral.regular import left_translations

Values = NDArray[np.float64]
Ranks = NDArray[np.int64]

GREEDY_ORDER = 4
"""k of the nested choice for 720 elements; between 3 and 6 the deviations differ by some percent."""

SWAP_ORDERS = (2, 3, 4, 6, 8, 12, 16, 24)

NORM_ORDERS = (16, 40)

MOST_TRIES = 4000

SWAP_WORK = 200_000_000
"""Trials times what one average over S costs: some ten seconds, on every machine the same trials."""

OUT, IN = 6, 4
"""How many of the worst elements are tried for leaving, and of the best for coming in their place."""

_GATHERED = 1 << 15  # values looked up at once, in cache

TIE = 1e-9
"""Relative difference below which scores count as equal: the winner is the same on every machine."""


class Averages(Protocol):
    """What the search needs of a group: functions of its ranks averaged over S and back."""

    order: int

    def score(self, chosen: Ranks, k: int) -> Values:
        """D (D* D)^(k-1) e for S = chosen, by rank, times |S|^(2k-1)."""

    def energy(self, chosen: Ranks, k: int) -> float:
        """((D* D)^k e)(e) for S = chosen."""

    def cost(self, m: int) -> int:
        """Steps of one average over m elements."""


@final
class Characters:
    """Abelian groups: the energy is the sum of |f|^(2k) over the characters, f the transform of S.

    With a degree, over the characters with at most so many non-zero frequencies.
    """

    def __init__(self, moduli: tuple[int, ...], degree: int | None = None) -> None:
        self._moduli = moduli
        self.order = math.prod(moduli)
        shape = (*moduli[:-1], moduli[-1] // 2 + 1)
        weight = np.zeros(shape, np.int64)
        for axis, n in enumerate(shape):
            used = np.arange(n) > 0
            weight += used.reshape([-1 if i == axis else 1 for i in range(len(shape))])
        self._kept = (weight > 0) & (weight <= (len(moduli) if degree is None else degree))

    def cost(self, m: int) -> int:
        """Steps of one average: a score is two transforms, whatever its order."""
        return 2 * self.order

    def score(self, chosen: Ranks, k: int) -> Values:
        """By rank."""
        transform = self._transform(chosen)
        weighted = transform * (np.abs(transform) / len(chosen)) ** (2 * k - 2)
        axes = tuple(range(len(self._moduli)))
        return np.fft.irfftn(weighted, self._moduli, axes).reshape(-1)

    def energy(self, chosen: Ranks, k: int) -> float:
        """Of order k."""
        sizes = (np.abs(self._transform(chosen)) / len(chosen)) ** (2 * k)
        last = self._moduli[-1]
        # a frequency and its negative, of which one is kept
        weights = np.full(sizes.shape[-1], 2.0)
        weights[0] = 1.0
        if last % 2 == 0:
            weights[-1] = 1.0
        return float((sizes * weights).sum()) / self.order

    def _transform(self, chosen: Ranks) -> NDArray[np.complex128]:
        counts = np.bincount(chosen, minlength=self.order).astype(np.float64).reshape(self._moduli)
        return np.fft.rfftn(counts) * self._kept


@final
class Translations:
    """Any group that can be listed: averages by gathering along left translations, kept per element."""

    def __init__(self, group: Group) -> None:
        self._group = group
        self.order = group.order
        self._there: dict[int, NDArray[np.int32]] = {}
        self._back: dict[int, NDArray[np.int32]] = {}

    def cost(self, m: int) -> int:
        """Steps of one average."""
        return m * self.order

    def score(self, chosen: Ranks, k: int) -> Values:
        """By rank."""
        return self._chain(chosen, 2 * k - 1)

    def energy(self, chosen: Ranks, k: int) -> float:
        """The squared length of ... D* D e, k factors."""
        f = self._chain(chosen, k)
        return float(f @ f)

    def _chain(self, chosen: Ranks, length: int) -> Values:
        """D e, D* D e, D D* D e and so on."""
        tables = self._tables(chosen)
        f = np.full(self.order, -1.0 / self.order)
        f[0] += 1.0
        step = max(1, _GATHERED // self.order)
        blocks = [[np.array(t[at : at + step]) for at in range(0, len(t), step)] for t in tables]
        for number in range(length):
            f = _sum(blocks[number % 2], f) / len(chosen)
        return f

    def _tables(self, chosen: Ranks) -> tuple[list[NDArray[np.int32]], list[NDArray[np.int32]]]:
        """rank(g^-1 x) and rank(g x) for every x, for the g in S."""
        missing = [rank for rank in dict.fromkeys(chosen.tolist()) if rank not in self._there]
        if missing:
            elements = self._group.unrank(np.array(missing))
            inverses = self._group.inverse(elements)
            for table, rows in ((self._there, elements), (self._back, inverses)):
                table.update(zip(missing, left_translations(self._group, rows), strict=True))
        ranks = chosen.tolist()
        return [self._back[rank] for rank in ranks], [self._there[rank] for rank in ranks]


def greedy(averages: Averages, m: int, *, among: Ranks | None = None) -> Ranks:
    """Ranks of the greedy choice; a prefix of it is the greedy choice of fewer.

    The first is the identity, or the first of those it chooses `among`, each of which it takes once.
    """
    free = _Free(averages.order, among)
    k = greedy_order(averages.order)
    chosen = free.take(np.zeros(1, np.int64))
    while len(chosen) < m:
        chosen = np.append(chosen, free.take(free.least(averages.score(chosen, k), 1)))
    return chosen


def greedy_order(order: int) -> int:
    """k in proportion to log |G|.

    An irrep of dimension 1 is one part in |G| of the energy. It is seen where its norm is above the
    others' by a factor of |G|^(1/2k): that must not grow with the group.
    """
    return max(GREEDY_ORDER, round(GREEDY_ORDER * math.log(order) / math.log(720)))


def improve(
    averages: Averages, chosen: Ranks, *, tries: int, among: Ranks | None = None
) -> Iterator[Ranks]:
    """Swaps that lower the energy, in rising order, at most `tries` of them; S after each order."""
    for k in SWAP_ORDERS:
        energy = averages.energy(chosen, k)
        while True:
            better, tries = _swap(averages, chosen, energy, k, tries, among)
            if better is None:
                break
            chosen, energy = better
        yield chosen
        if not tries:
            return


def best(averages: Averages, m: int, *, among: Ranks | None = None) -> Ranks:
    """The greedy choice, or what swaps make of it where that has a smaller norm."""
    chosen = greedy(averages, m, among=among)
    tries = min(MOST_TRIES, SWAP_WORK // averages.cost(m))
    if m == 1 or not tries:
        return chosen
    found = [chosen, *improve(averages, chosen, tries=tries, among=among)]
    distinct = [s for i, s in enumerate(found) if not i or not np.array_equal(s, found[i - 1])]
    return distinct[first_least(np.array([norm(averages, s) for s in distinct]), 1)[0]]


def norm(averages: Averages, chosen: Ranks) -> float:
    """An estimate of the deviation, from two energies: their ratio forgets multiplicities."""
    low, high = (averages.energy(chosen, k) for k in NORM_ORDERS)
    return float((high / low) ** (0.5 / (NORM_ORDERS[1] - NORM_ORDERS[0]))) if low > 0.0 else 0.0


def _swap(
    averages: Averages, chosen: Ranks, energy: float, k: int, tries: int, among: Ranks | None
) -> tuple[tuple[Ranks, float] | None, int]:
    """The first exchange found that lowers the energy, with it, and the tries that are left."""
    worst = first_least(-averages.score(chosen, k)[chosen], OUT)
    free = _Free(averages.order, among)
    for place in worst:
        rest = np.delete(chosen, place)
        free.restore(among, without=rest)
        for rank in free.ranks(free.least(averages.score(rest, k), IN)):
            if not tries:
                return None, 0
            tries -= 1
            tried = np.append(rest, rank)
            found = averages.energy(tried, k)
            if found < energy * (1.0 - TIE):
                return (tried, found), tries
    return None, tries


class _Free:
    """What may be chosen: every rank any number of times, or those of a pool once each."""

    def __init__(self, order: int, among: Ranks | None) -> None:
        self._pool = among
        self._turns = mixed_turns(order)

    def least(self, values: Values, count: int) -> Ranks:
        """The places, among what may be chosen, of the smallest of these values by rank."""
        if self._pool is None:
            return first_least(values, count, self._turns)
        return first_least(values[self._pool], count, self._turns[self._pool])

    def ranks(self, places: Ranks) -> Ranks:
        """The ranks at these places."""
        return places if self._pool is None else self._pool[places]

    def take(self, places: Ranks) -> Ranks:
        """The ranks at these places, which leave the pool."""
        taken = self.ranks(places)
        if self._pool is not None:
            self._pool = np.delete(self._pool, places)
        return taken

    def restore(self, among: Ranks | None, *, without: Ranks) -> None:
        """The whole pool again, less one of each of these ranks."""
        if among is not None:
            left = np.bincount(among, minlength=len(self._turns))
            np.subtract.at(left, without, 1)
            self._pool = np.repeat(np.arange(len(left)), left)


def _sum(blocks: list[NDArray[np.int32]], f: Values) -> Values:
    """The sum of f along these translations; its mean is 0 but for rounding, which would stay."""
    total = np.zeros_like(f)
    for block in blocks:
        total += f[block[0]] if len(block) == 1 else f[block].sum(axis=0)
    total -= total.mean()
    return total


def first_least(values: Values, count: int, turns: Ranks | None = None) -> Ranks:
    """Where the smallest values are, in order; nearly equal ones by their turns, or else places."""
    count = min(count, len(values))
    limit = np.partition(values, count - 1)[count - 1]
    tie = TIE * float(np.abs(values).max())
    near = np.flatnonzero(values <= limit + tie)
    near = near[np.argsort(values[near], kind="stable")]
    # a class of ties starts where the value leaves the tie of the class before it
    classes = np.cumsum(np.diff(values[near], prepend=values[near[0]]) > tie)
    turn = near if turns is None else turns[near]
    return near[np.lexsort((turn, classes))][:count]


def mixed_turns(order: int) -> Ranks:
    """A fixed order of the ranks that looks random: the finaliser of SplitMix64, in 62 bits.

    In a large group nearly all elements have the same score beside a few; the first ones by rank
    would be much alike.
    """
    x = np.arange(1, order + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((x ^ (x >> np.uint64(31))) >> np.uint64(2)).astype(np.int64)


MOST_BAND_SWAPS = 20
"""Passes over the chosen elements."""


def best_of_pool(group: Group, rows: Rows, m: int, degree: int) -> Rows:
    """Places of m rows of the pool, each at most once, judged by all irreps up to a degree.

    With F_j the entries of all these irreps at element j, in one row, the squared length of the mean of
    the chosen rows is the sum of ||pi(S)||_F^2. Adding the element whose row has the least inner product
    with the sum so far lowers it most; then one element at a time is exchanged for a better one.
    """
    places = np.lexsort(rows.T[::-1])  # S is a multiset: the order of the pool does not matter
    F = _entries(group, rows[places], degree)
    free = np.ones(len(rows), np.bool_)
    total = np.zeros(F.shape[1], F.dtype)
    chosen: list[int] = []
    for _ in range(m):
        chosen.append(_least(F, total, free))
        free[chosen[-1]] = False
        total = total + F[chosen[-1]]
    for _ in range(MOST_BAND_SWAPS):
        moved = False
        for at, old in enumerate(chosen):
            rest = total - F[old]
            free[old] = True
            new = _least(F, rest, free)
            better = np.vdot(rest, F[new]).real < np.vdot(rest, F[old]).real - TIE * m
            chosen[at] = new if better else old
            free[chosen[at]] = False
            total = rest + F[chosen[at]]
            moved |= bool(better)
        if not moved:
            break
    return places[chosen]


def _least(
    F: NDArray[np.complex128], total: NDArray[np.complex128], free: NDArray[np.bool_]
) -> int:
    places = np.flatnonzero(free)
    scores = (F @ total.conj()).real[places]
    return int(places[first_least(scores, 1)[0]])


def _entries(group: Group, rows: Rows, degree: int) -> NDArray[np.complex128]:
    irreps = list(group.irreps_to(degree))[1:]
    size = sum(irrep.dimension**2 for irrep in irreps)
    what = f"a pool of {len(rows)} judged by degree={degree} of {group.name}"
    remedy = "lower degree, or use a smaller pool"
    require_work("matrix entries of a pool", size * len(rows), what, remedy=remedy)
    parts = [irrep.matrices(rows).reshape(len(rows), -1) for irrep in irreps]
    return np.concatenate(parts, axis=1).astype(np.complex128)
