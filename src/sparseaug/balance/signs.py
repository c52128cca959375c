"""Signs, better than `rng.choice([-1, 1])`: orthogonal arrays of the highest strength for m rows."""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import check_integer, check_rng, require_memory
from sparseaug._floats import popcount
from sparseaug._records import Fields, array_of, table
from sparseaug.balance.binary import (
    hadamard,
    hadamard_order,
    has_hadamard,
    linear_rows,
    strength_rows,
    strength_size,
    strengths,
)
from sparseaug.balance.field import Rows

LARGEST_MATRIX = 2048
"""Order up to which a Hadamard matrix is made as a whole, 32 MiB."""


def signs(d: int, m: int, *, rng: int | np.random.Generator = 0) -> NDArray[np.int64]:
    """m rows of d signs, evenly chosen: for twirls, Rademacher averages, sign tests.

    Every row is uniform among the 2^d, so averages over rows are unbiased. As many rows as possible are
    an orthogonal array of the highest strength t that m rows allow: over them all functions of at most
    t signs are averaged exactly. The rest is an array again, and finally rows of a Hadamard matrix, each
    followed by its negative. Another m has other rows.

        strength 2: d + 1 rows, up to the next order of a known Hadamard matrix
        strength 3: twice the next such order from d on
        strength 5, 7: 2^(2 s + 1), 2^(3 s + 1) rows at most, for d up to 2^s
        strength 4 to 7: fewer for d up to 24, as `sparseaug.records` tells

    Args:
        d: signs in a row, at least 1.
        m: number of rows, at least 1.
        rng: a seed, or a NumPy generator, which the call advances.

    Returns:
        Integers (m, d), each 1 or -1.

    Examples:
        >>> import numpy as np
        >>> import sparseaug as sa
        >>> rows = sa.signs(11, 12)
        >>> (rows.T @ rows)[:3, :3]  # any two columns agree in half of the rows
        array([[12,  0,  0],
               [ 0, 12,  0],
               [ 0,  0, 12]])
        >>> int(abs(sa.signs(11, 24).prod(axis=1, where=np.arange(11) < 3).sum()))  # of any three too
        0
    """
    d, m = check_integer("d", d, at_least=1), check_integer("m", m, at_least=1)
    generator = check_rng(rng)
    require_memory(*(("d", d, m, "signs") if d > m else ("m", m, d, "rows")))
    rows = np.empty((m, d), np.int64)
    made = 0
    while made < m:
        part = _array(d, m - made)
        flips, columns = generator.integers(2, size=d), generator.permutation(d)
        rows[made : made + len(part)] = part[:, columns] ^ flips
        made += len(part)
    return 1 - 2 * rows


def _array(d: int, m: int) -> Rows:
    """At most m rows of bits: the strongest array, or a few rows of a matrix with their complements."""
    if m >> d:
        return strength_rows(d, d) if d < 3 else linear_rows(tuple(1 << j for j in range(d)))
    if m > comb(d, 2) + d:  # Rao's bound for strength 4
        sizes = {t: strength_size(d, t) for t in strengths(d) if t > 3}
        strongest = max((t for t, size in sizes.items() if size <= m), default=0)
        found = max(_records(d, m), key=lambda record: record["degree"], default=None)
        if found is not None and found["degree"] > strongest:
            return array_of(found)[:, :d]
        if strongest:
            return strength_rows(d, strongest)
    folded, order = _largest(d, m // 2), _largest(d + 1, m)
    if folded is None and order is not None:
        return _matrix(np.arange(order), order, d + 1)[:, 1:]
    if folded is None:
        least = hadamard_order(d) if d <= LARGEST_MATRIX else 1 << (d - 1).bit_length()
        chosen = np.random.default_rng(d).permutation(least)[: max(1, m // 2)]
        half = _matrix(chosen, least, d)
    else:
        half = _matrix(np.arange(folded), folded, d)
    return np.stack([half, 1 - half], axis=1).reshape(-1, d)[:m]


def _records(d: int, m: int) -> list[Fields]:
    """Of strength 4 or more and at most m rows; where there are more columns, some are left out."""
    strong = [r for r in table("signs") if r["criterion"] == "exact" and r["degree"] > 3]
    return [r for r in strong if r["m"] <= m and int(r["group"].removeprefix("Z2^")) >= d]


def _largest(least: int, most: int) -> int | None:
    """The largest order of a known Hadamard matrix between these; above a limit a power of 2."""
    power = 1 << most.bit_length() - 1 if most else 0
    if power > LARGEST_MATRIX:
        return power if power >= least else None
    return next((k for k in range(most, least - 1, -1) if has_hadamard(k)), None)


def _matrix(rows: Rows, order: int, d: int) -> Rows:
    """Some rows of a Hadamard matrix, its first d columns."""
    if order <= LARGEST_MATRIX:
        return hadamard(order)[rows, :d]
    return (popcount(rows[:, None] & np.arange(d)) & 1).astype(np.int64)  # Sylvester's
