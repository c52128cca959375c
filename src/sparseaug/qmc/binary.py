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
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

import numpy as np

from sparseaug.qmc.field import LARGEST, Rows, field, prime_power

LARGEST_STRENGTH = 7

LARGEST_ARRAY = 8192
"""Signs up to which a Hadamard array, of at least as many rows, is worth having."""


def strengths(d: int) -> range:
    """The strengths for which an array of d signs can be made here."""
    highest = LARGEST_STRENGTH if d < LARGEST else 3 if d <= LARGEST_ARRAY else 1
    return range(1, min(d, highest) + 1)


def strength_name(d: int, t: int) -> str:
    """What `strength_rows` makes.

    >>> from sparseaug.qmc.binary import strength_name
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
    return linear_rows(columns)


def strength_size(d: int, t: int) -> int:
    """Its number of rows.

    >>> from sparseaug.qmc.binary import strength_size
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
        order = hadamard_order(d + 1)
        found.append((order, "hadamard", (order,)))
    if t <= 3:
        order = hadamard_order(d)
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


def linear_rows(columns: tuple[int, ...]) -> Rows:
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

    >>> import numpy as np
    >>> from sparseaug.qmc.binary import hadamard
    >>> H = 1 - 2 * hadamard(12)
    >>> (H @ H.T)[:2, :2]
    array([[12,  0],
           [ 0, 12]])
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


def hadamard_order(least: int) -> int:
    """The smallest order >= least of a matrix that `hadamard` makes."""
    return next(order for order in count(least) if has_hadamard(order))


def has_hadamard(order: int) -> bool:
    """Whether `hadamard` makes a matrix of this order."""
    if order % 4:
        return order in (1, 2)
    return _is_paley(order - 1) or has_hadamard(order // 2)


def _is_paley(q: int) -> bool:
    return q % 4 == 3 and q <= LARGEST and prime_power(q) is not None


def independent(vectors: Iterable[int]) -> list[int]:
    """Those vectors of bits that are not sums, over GF(2), of earlier ones.

    Examples:
        >>> from sparseaug.qmc.binary import independent
        >>> independent([0b01, 0b11, 0b10])
        [1, 3]
    """
    kept: list[int] = []
    basis: dict[int, int] = {}
    for vector in vectors:
        rest = vector
        while rest and rest.bit_length() in basis:
            rest ^= basis[rest.bit_length()]
        if rest:
            basis[rest.bit_length()] = rest
            kept.append(vector)
    return kept
