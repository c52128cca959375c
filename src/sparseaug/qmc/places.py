"""Blocks of orders that are even in their places: Latin squares, pairs of places, neighbours, chains.

All are unions of x + t_b, x in an abelian group of n elements and t_b a sequence of all its elements,
for b = 1, 2, ...: the n rows with one b have every item in every place once. Of a block of which fewer
rows are wanted no more are made; other tables have at most `LARGEST_SEARCH`^3 entries, or `LARGEST`^2.
"""

from __future__ import annotations

from itertools import product, takewhile
from math import comb

import numpy as np

from sparseaug._records import orders_of
from sparseaug.qmc.field import LARGEST, Ring, Rows, prime_powers

LARGEST_SEARCH = 128
"""Items up to which sequences are searched for: a table has n^3 entries."""

STARTS = 8
"""Greedy sequences of which the best is taken."""

SETS = 10_000
"""k-subsets up to which their evenness is looked after; of more, m orders hardly meet one twice."""

BLOCKS = 128
"""Latin squares of chains, after which they are repeated."""


def latin_square(n: int, m: int) -> Rows:
    """The shifts x + j mod n."""
    return _square(np.arange(n), m)


def latin_squares(n: int, m: int) -> Rows:
    """x + t_b with the differences t_b(j) - t_b(k) as even over b as can be, for all places j and k.

    With t_b = b j for units b whose differences are units all are different: n - 1 of them in a field,
    and in a product of fields one less than the smallest has elements. Further sequences are chosen
    greedily, place by place, by how often their differences occurred before.
    """
    if n == 1:
        return np.zeros((1, 1), np.int64)
    powers = prime_powers(n).values()
    j, blocks = np.arange(n), -(-m // n)
    if max(powers) > LARGEST:
        units = range(1, min(min(powers), blocks + 1))
        return np.concatenate([_square(b * j % n, m, start) for start, b in enumerate(units)])
    ring, smallest = Ring(n), min(powers)
    sequences = [ring.multiply(ring.diagonal(b), j) for b in range(1, min(smallest, blocks + 1))]
    if smallest < n and n <= LARGEST_SEARCH:
        differences = ring.add(j[:, None], ring.negative(j)[None])
        _extend(sequences, differences, min(blocks, 4 * (n - 1)))
    shifts = [j[: m - start * n, None] for start in range(len(sequences))]
    return np.concatenate([ring.add(x, t[None]) for x, t in zip(shifts, sequences, strict=True)])


def _square(t: Rows, m: int, start: int = 0) -> Rows:
    """x + t mod n for all x, or those of them that are among the first m rows after `start` squares."""
    n = len(t)
    return (np.arange(min(n, m - start * n))[:, None] + t) % n


def _extend(sequences: list[Rows], differences: Rows, blocks: int) -> None:
    """Append sequences until there are so many; `differences[v, w]` is v - w."""
    n = len(differences)
    rng = np.random.default_rng(n)
    j = np.arange(n)
    met = np.zeros((n, n, n), np.int64)  # places j and k, difference
    for t in sequences:
        met[j[:, None], j, differences[t[:, None], t]] += 1
    while len(sequences) < blocks:
        found = [_greedy_sequence(met, differences, rng) for _ in range(STARTS)]
        _, t = min(found, key=lambda pair: pair[0])
        met[j[:, None], j, differences[t[:, None], t]] += 1
        sequences.append(t)


def _greedy_sequence(met: Rows, differences: Rows, rng: np.random.Generator) -> tuple[int, Rows]:
    """Place by place, in random order, the element whose differences to those there were met least."""
    n = len(met)
    total, free = 0, rng.permutation(n)
    there, values = np.empty(0, np.int64), np.empty(0, np.int64)
    for place in rng.permutation(n).tolist():
        cost = met[place, there, differences[free[:, None], values]].sum(axis=1)
        best = int(cost.argmin())
        total += int(cost[best])
        there, values = np.append(there, place), np.append(values, free[best])
        free = np.delete(free, best)
    return total, values[np.argsort(there)]


def williams_square(n: int, m: int) -> Rows:
    """The shifts of 0, 1, n-1, 2, n-2, ...: its steps 1, -2, 3, ... are different mod n for even n.

    For odd n each step occurs twice among 0, 1, n-1, ..., up to sign; the reverses even it out. Where
    n orders are known that need none (they exist but for 3 and 5: Tillson 1980), the reverses
    follow too: places are then more even.
    """
    known = orders_of("neighbours").get(n)
    if n % 2 and known is not None and len(known) == n:
        return np.concatenate([known, known[:, ::-1]])[:m]
    j = np.arange(n)
    zigzag = np.where(j % 2, (j + 1) // 2, (n - j // 2) % n)
    square = _square(zigzag, m)
    return square if n % 2 == 0 else np.concatenate([square, _square(zigzag[::-1], m)])[:m]


def chains(n: int, m: int) -> Rows:
    """x + t_b mod n, t_b chosen from both ends: sets of its first and of its last k that were met least.

    Sets that are shifts of each other are met equally often; one stands for all. The last k are the
    complement of the first n - k. Of three items or more in the middle the sets are as drawn.
    """
    rng = np.random.default_rng(n)
    depth = sum(1 for _ in takewhile(lambda k: comb(n, k) <= SETS, range(1, n // 2 + 1)))
    met: dict[tuple[int, int], int] = {}
    squares = []
    for start in range(min(-(-m // n), BLOCKS if depth > 1 else 1)):
        free = rng.permutation(n).tolist()
        ends: tuple[list[int], list[int]] = ([free.pop()], [free.pop()] if n > 1 else [])
        for _, (side, end) in product(range(1, depth), enumerate(ends)):
            have = sum(1 << x for x in end)
            sets = [_representative(have | 1 << x, n) for x in free]
            counts = [met.get((side, least), 0) + times for least, times in sets]
            best = counts.index(min(counts))
            met[side, sets[best][0]] = counts[best]
            end.append(free.pop(best))
        squares.append(_square(np.array([*ends[0], *free, *reversed(ends[1])]), m, start))
    return np.concatenate(squares)


def _representative(chosen: int, n: int) -> tuple[int, int]:
    """Of the n shifts of a set, as bits, the least and how often it occurs among them."""
    shifts = [chosen >> k | (chosen & (1 << k) - 1) << n - k for k in range(n)]
    least = min(shifts)
    return least, shifts.count(least)
