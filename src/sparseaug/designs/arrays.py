"""Orthogonal arrays of signs: exact on all functions of at most t of d signs.

Rows g of Z_2^d have strength t if in any t columns all 2^t patterns occur equally often; then every
character of weight 1..t sums to 0 over them, and D_S vanishes on the degrees 1..t.

A linear array takes column j to a vector h_j over GF(2), and its 2^r rows are all (<u, h_1>, ...,
<u, h_d>). A character of the columns J sums to 0 unless the h_j, j in J, sum to 0. So strength t
means that no t or fewer columns sum to 0. With x_1, x_2, ... different elements of GF(2^s):

    h_j = x_j != 0                 t = 2   d <= 2^s - 1   2^s rows
    h_j = (1, x_j)                 t = 3   d <= 2^s       2^(s+1)
    h_j = (x_j, x_j^3), x_j != 0   t = 4   d <= 2^s - 1   2^(2s)
    h_j = (1, x_j, x_j^3)          t = 5   d <= 2^s       2^(2s+1)
    h_j = (x_j, x_j^3, x_j^5)      t = 6   and with 1 in front t = 7

since odd powers up to 2e-1 determine, by Newton's identities over GF(2), the sums of all powers up
to 2e, and those of at most 2e different elements vanish only if there are none (Vandermonde); a
leading 1 says that their number is even (Bose and Ray-Chaudhuri 1960; Hocquenghem 1959).

Hadamard matrices give strength 2 (and 3 with complements) with fewer rows than the powers of 2.

Designs of several factors, crossed and never zipped: orthogonal arrays with mixed levels.

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
from itertools import count

import numpy as np

from sparseaug.designs.field import LARGEST, field, prime_power, prime_powers
from sparseaug.groups import Rows
from sparseaug.spectral.walsh import independent

LARGEST_STRENGTH = 7

LARGEST_ARRAY = 8192
"""Signs up to which a Hadamard array, of at least as many rows, is worth having."""


def strengths(d: int) -> range:
    """The strengths for which an array of d signs can be made here."""
    highest = LARGEST_STRENGTH if d < LARGEST else 3 if d <= LARGEST_ARRAY else 1
    return range(1, min(d, highest) + 1)


def strength_name(d: int, t: int) -> str:
    """What `strength_rows` makes.

    >>> strength_name(31, 1), strength_name(31, 2), strength_name(31, 3), strength_name(31, 4)
    ('none and all', 'Hadamard array', 'Hadamard array with complements', 'BCH array of strength 4')
    """
    kinds = {
        "pair": "none and all",
        "hadamard": "Hadamard array",
        "folded": "Hadamard array with complements",
        "linear": f"BCH array of strength {t}",
    }
    return kinds[_smallest(d, t)[1]]


def strength_rows(d: int, t: int) -> Rows:
    """The smallest array of strength at least t for d signs that is known here, rows (m, d) of bits."""
    _, kind, columns = _smallest(d, t)
    if kind == "pair":
        return np.repeat([[0], [1]], d, axis=1)
    if kind == "hadamard":
        return hadamard(columns[0])[:, 1 : d + 1]
    if kind == "folded":
        half = hadamard(columns[0])[:, :d]
        return np.concatenate([half, 1 - half])
    return _linear_rows(columns)


def strength_size(d: int, t: int) -> int:
    """Its number of rows.

    >>> strength_size(31, 2), strength_size(64, 3), strength_size(11, 2), strength_size(64, 5)
    (32, 128, 12, 8192)
    """
    return _smallest(d, t)[0]


def _smallest(d: int, t: int) -> tuple[int, str, tuple[int, ...]]:
    """(rows, kind, the vectors h_j or the order of the Hadamard matrix)."""
    found: list[tuple[int, str, tuple[int, ...]]] = []
    if t > 3 or d <= 3:
        found.append((1 << d, "linear", tuple(1 << j for j in range(d))))
    if t <= 1:
        found.append((2, "pair", ()))
    if t <= 2:
        order = _hadamard_order(d + 1)
        found.append((order, "hadamard", (order,)))
    if t <= 3:
        order = _hadamard_order(d)
        found.append((2 * order, "folded", (order,)))
    for powers in (2, 3):
        for leading in (False, True):
            if 3 < t <= 2 * powers + leading:
                columns = bch_columns(d, powers, leading=leading)
                found.append((1 << len(independent(_spanning(columns))), "linear", columns))
    return min(found)


def bch_columns(d: int, powers: int, *, leading: bool) -> tuple[int, ...]:
    """The vectors h_j as integers: x_j, x_j^3, x_j^5 side by side, and a leading 1 if asked for."""
    first = 0 if leading else 1
    s = max(1, (d - 1 + first).bit_length())
    x = np.arange(first, first + d)
    columns, width = [int(leading)] * d, int(leading)
    for power in range(1, 2 * powers, 2):
        values = field(1 << s).power(x, power)
        columns = [c | int(v) << width for c, v in zip(columns, values, strict=True)]
        width += s
    return tuple(columns)


def _linear_rows(columns: tuple[int, ...]) -> Rows:
    """All (<u, h_1>, ..., <u, h_d>), each once, spanned by independent rows of the matrix (h_j)."""
    rows = np.zeros((1, len(columns)), np.int64)
    for vector in independent(_spanning(columns)):
        rows = np.concatenate([rows, rows ^ [vector >> j & 1 for j in range(len(columns))]])
    return rows


def _spanning(columns: tuple[int, ...]) -> list[int]:
    """The rows of the matrix (h_j), column j in bit j."""
    length = max(column.bit_length() for column in columns)
    bits = [f"{column:0{length}b}" for column in reversed(columns)]
    return [int("".join(row), 2) for row in zip(*bits, strict=True)]


def hadamard(order: int) -> Rows:
    """A Hadamard matrix as bits (0 for 1, 1 for -1), its first row and column 0.

    Paley 1933: for q = 3 mod 4 the matrix with entries c(i - j) off the border, c the quadratic
    character; Sylvester 1867: twice the order, (H H / H -H).

    >>> H = 1 - 2 * hadamard(12)
    >>> bool((H @ H.T == 12 * np.eye(12)).all())
    True
    """
    if order == 1:
        return np.zeros((1, 1), np.int64)
    if order == 2:
        return np.array([[0, 0], [0, 1]])
    if order % 4 == 0 and _is_paley(order - 1):
        F = field(order - 1)
        x = np.arange(F.q)
        difference = F.add(x[:, None], F.negative(x)[None])
        inner = np.where(difference == 0, 1, ~F.is_square(difference)).astype(np.int64)
        matrix = np.zeros((order, order), np.int64)
        matrix[1:, 1:] = inner
        return matrix
    half = hadamard(order // 2)
    return np.block([[half, half], [half, 1 - half]])


def _hadamard_order(least: int) -> int:
    """The smallest order >= least of a matrix that `hadamard` makes."""
    return next(order for order in count(least) if _is_reached(order))


def _is_reached(order: int) -> bool:
    if order % 4:
        return order in (1, 2)
    return _is_paley(order - 1) or _is_reached(order // 2)


def _is_paley(q: int) -> bool:
    return q % 4 == 3 and q <= LARGEST and prime_power(q) is not None


def mixed_size(levels: Sequence[int], t: int) -> int | None:
    """Rows of `mixed_rows`; None where it would need a field above the largest.

    >>> mixed_size((28, 28), 1), mixed_size((4, 4, 4), 2), mixed_size((3, 4, 6), 2)
    (28, 16, 72)
    """
    sizes = [_part_size(part, t) for part in _parts(levels).values()]
    return None if None in sizes else math.prod(size for size in sizes if size)


def mixed_rows(levels: Sequence[int], t: int) -> Rows:
    """An array (m, columns) of strength t, or of all columns if there are fewer.

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
    levels, and the products of pairs of these: in the mean over all rows each term would be 1. Integers.

    >>> near_rows((3, 2), 6).tolist()
    [[0, 0], [1, 1], [2, 0], [0, 1], [1, 0], [2, 1]]
    """
    sizes = np.array(levels)
    columns = len(levels)
    rows = np.zeros((m, columns), np.int64)
    for i in range(m):
        earlier = rows[:i]
        # first by each column alone, then one column after the other beside all others
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
