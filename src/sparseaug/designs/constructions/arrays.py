"""Designs of several factors, crossed and never zipped: orthogonal arrays with mixed levels.

An array has strength t if in any t columns every combination of levels occurs equally often. A
column of n levels stands for a cyclic group C_n, or for a design of n elements of one factor of a
product. A function of at most t coordinates involves at most t columns; over those the rows run
through the whole product, so their mean is exact wherever each factor's is. Zipped columns have
strength 1 only: blind to every function of two factors.

Levels n = p^a p'^b ... split into one column of prime-power levels for each prime; arrays of
different primes are crossed. For one prime p and k columns take q, the first power of p that is a
multiple of all levels and has q >= k - 1. The polynomials of degree below t over GF(q), at q points
and at infinity (the leading coefficient), are q^t rows of strength t, as t values determine the
polynomial (Bush 1952); a balanced map from q to fewer levels keeps the strength.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from sparseaug.qmc.field import LARGEST, Rows, field, prime_powers


def mixed_size(levels: Sequence[int], t: int) -> int | None:
    """Rows of `mixed_rows`; None where it would need a field above the largest.

    >>> from sparseaug.designs.constructions.arrays import mixed_size
    >>> mixed_size((28, 28), 1), mixed_size((4, 4, 4), 2), mixed_size((3, 4, 6), 2)
    (28, 16, 72)
    """
    sizes = [_part_size(part, t) for part in _parts(levels).values()]
    return None if None in sizes else math.prod(size for size in sizes if size)


def mixed_rows(levels: Sequence[int], t: int) -> Rows:
    """An array (m, columns) of strength t, or of all columns if there are fewer.

    >>> from sparseaug.designs.constructions.arrays import mixed_rows
    >>> mixed_rows((2, 2, 2), 2).tolist()
    [[0, 0, 0], [1, 1, 0], [0, 1, 1], [1, 0, 1]]
    """
    rows, weights = np.zeros((1, len(levels)), np.int64), np.ones(len(levels), np.int64)
    for part in _parts(levels).values():
        own = _part_rows(part, t)
        rows = (rows[:, None] + weights * own[None]).reshape(-1, len(levels))
        weights *= part
    return rows


def near_rows(levels: Sequence[int], m: int) -> Rows:
    """m rows as near to strength 2 as a greedy choice comes; every prefix is the choice of fewer.

    A row pays for every earlier row the number of columns in which they agree, each counted with its
    levels, and the products of pairs of these: on average over all rows each term would be 1. Integers.

    >>> from sparseaug.designs.constructions.arrays import near_rows
    >>> near_rows((3, 2), 6).tolist()
    [[0, 0], [1, 1], [2, 0], [0, 1], [1, 0], [2, 1]]
    """
    sizes = np.array(levels)
    columns = len(levels)
    rows = np.zeros((m, columns), np.int64)
    for i in range(m):
        earlier = rows[:i]
        # first by each column alone, then one column after the other next to all others
        used = [np.bincount(earlier[:, c], minlength=sizes[c]) for c in range(columns)]
        row = np.array([int(counts.argmin()) for counts in used])
        for c in [*range(columns)] * 2:
            others = np.delete(np.arange(columns), c)
            agree = (earlier[:, others] == row[others]) @ sizes[others]
            cost = np.bincount(earlier[:, c], 1 + agree, int(sizes[c]))
            if cost[row[c]] > cost.min():
                row[c] = int(cost.argmin())
        rows[i] = row
    return rows


def _parts(levels: Sequence[int]) -> dict[int, Rows]:
    """For each prime, the largest power of it in each of the levels."""
    parts: dict[int, Rows] = {}
    for column, n in enumerate(levels):
        for p, power in prime_powers(n).items():
            parts.setdefault(p, np.ones(len(levels), np.int64))[column] = power
    return dict(sorted(parts.items()))


def _bush_order(part: Rows) -> int:
    used = part[part > 1]
    p = q = min(prime_powers(int(used[0])))
    while q < used.max() or q < len(used) - 1:
        q *= p
    return q


def _part_size(part: Rows, t: int) -> int | None:
    used = part[part > 1].tolist()
    whole = math.prod(used)
    if len(used) <= t:
        return whole
    q = _bush_order(part)
    return min(whole, q**t) if q <= LARGEST else None


def _part_rows(part: Rows, t: int) -> Rows:
    """The array of one prime; columns of one level are 0."""
    used = np.flatnonzero(part > 1)
    q = _bush_order(part)
    if len(used) <= t or math.prod(part.tolist()) <= q**t:
        found = np.indices(tuple(part.tolist())).reshape(len(part), -1).T
        return np.ascontiguousarray(found)
    F = field(q)
    coefficients = np.indices((q,) * t).reshape(t, -1)  # the leading one first
    result = np.zeros((q**t, len(part)), np.int64)
    for number, column in enumerate(used.tolist()):
        if number == q:  # infinity
            values = coefficients[0]
        else:
            values = np.zeros(q**t, np.int64)
            for coefficient in coefficients:
                values = F.add(F.multiply(values, np.int64(number)), coefficient)
        result[:, column] = values % part[column]
    return result
