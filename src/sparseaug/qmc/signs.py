"""Signs, better than `rng.choice([-1, 1])`: orthogonal arrays of the highest strength for m rows."""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import check_flag, check_integer, check_rng, require_memory
from sparseaug._floats import popcount
from sparseaug._records import Fields, array_of, table
from sparseaug.qmc.binary import (
    hadamard,
    hadamard_order,
    has_hadamard,
    strength_rows,
    strength_size,
    strengths,
)
from sparseaug.qmc.field import Rows

LARGEST_MATRIX = 2048
"""Order up to which a Hadamard matrix is made as a whole, 32 MiB."""

TRIES = 8
"""Flips of an array that are tried, until no row of it is among the rows so far; or the best of them."""


def signs(
    d: int, m: int, *, even: bool = False, rng: int | np.random.Generator = 0
) -> NDArray[np.int64]:
    """m rows of d signs, evenly chosen and all different: for sign flips, twirls, random projections.

    Every row is uniform among the 2^d, so averages over rows are unbiased. As many rows as possible are
    an orthogonal array of the highest strength t that m rows allow: over them all functions of at most
    t signs are averaged exactly. The rest is an array again, and finally rows of a Hadamard matrix, each
    followed by its negative. Another m has other rows. No row occurs twice up to m = 2^d.

        strength 1: 2 rows, a row and its negative
        strength 2: d + 1 rows, up to the next order of a known Hadamard matrix
        strength 3: twice the next such order from d on
        strength 5, 7: 2^(2 s + 1), 2^(3 s + 1) rows at most, for d up to 2^s
        strength 4 to 7: fewer for d up to 24, as `sparseaug.records` tells

    What is averaged decides. Sums of signs, and functions that change their sign with all of them, are
    exact over every row with its negative: keep the default. Of a function that does not change when
    all signs flip (traces x'Ax, twirls, |sums|, norms), a row and its negative give the same value
    twice, so that m rows may be worth m/2: take `even=True`, whose rows are even for such functions and
    contain no row with its negative up to m = 2^(d - 1).

    Args:
        d: signs in a row, at least 1.
        m: number of rows, at least 1.
        even: whether the functions to be averaged stay the same when all signs flip. Products of two
            signs are then exact from about d rows on and never worse than over random rows; those of
            four are exact with half of the rows of strength 5, and before that leave, on
            average, at most 1 + 3 / (d - 3) of what random rows leave.
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
        >>> A = np.add.outer(np.arange(12), np.arange(12))
        >>> probes = sa.signs(12, 12, even=True)  # Hutchinson's estimate of a trace, here exact
        >>> float(np.einsum("ki,ij,kj->k", probes, A, probes).mean()), int(A.trace())
        (132.0, 132)
    """
    d, m = check_integer("d", d, at_least=1), check_integer("m", m, at_least=1)
    even, generator = check_flag("even", even), check_rng(rng)
    require_memory(*(("d", d, m, "signs") if d > m else ("m", m, d, "rows")))
    # even functions of d signs are all functions of the d - 1 products with the first
    free = d - even
    whole, rest = divmod(m, 1 << free)
    rows = np.zeros((m, d), np.int64)
    if whole:
        rows[: m - rest, even:] = np.tile(_all_rows(free), (whole, 1))
    rows[m - rest :, even:] = _different_rows(free, rest, generator, even=even)
    if (
        even
    ):  # which of a row and its negative is taken does not matter; a second copy has the other
        side = rows.sum(axis=1) if whole else generator.integers(2, size=m)
        rows ^= (side ^ np.arange(m) >> free)[:, None] & 1
    rows = rows[:, generator.permutation(d)] ^ generator.integers(2, size=d)
    return 1 - 2 * rows


def _all_rows(d: int) -> Rows:
    return np.arange(1 << d)[:, None] >> np.arange(d) & 1


def _different_rows(d: int, m: int, rng: np.random.Generator, *, even: bool) -> Rows:
    """m < 2^d different rows of bits: arrays, each flipped at random; of more than half, all others."""
    if m and 2 * m > 1 << d:
        kept = np.ones(1 << d, np.bool_)
        kept[_different_rows(d, len(kept) - m, rng, even=even) @ (1 << np.arange(d))] = False
        return _all_rows(d)[kept]
    rows, seen, made = np.empty((m, d), np.int64), set[bytes](), 0
    before = np.arange(d)
    while made < m:
        tries: list[tuple[float, Rows, Rows]] = []
        for attempt in range(TRIES):
            array = _array(d, m - made, rng, even=even, small=2 * attempt >= TRIES)
            # flips of one linear array are equal or disjoint, if its columns keep their order
            columns = before if made and attempt % 2 else rng.permutation(d)
            part = array[:, columns] ^ _flips(array[0, columns], seen, rng)
            new = len(set(_keys(part)) - seen) / len(part)
            tries.append((new, part, columns))
            if new == 1:
                break
        _, part, before = max(tries, key=lambda tried: tried[0])
        for i, key in enumerate(_keys(part)):
            while key in seen:
                part[i] = rng.integers(2, size=d)
                key = _keys(part[i : i + 1])[0]
            seen.add(key)
        rows[made : made + len(part)] = part
        made += len(part)
    return rows


def _flips(row: Rows, seen: set[bytes], rng: np.random.Generator) -> Rows:
    """Random flips of d bits that take this row to one that is not there yet."""
    while True:
        flips: Rows = rng.integers(2, size=len(row))
        if _keys((row ^ flips)[None])[0] not in seen:
            return flips


def _keys(rows: Rows) -> list[bytes]:
    return [row.tobytes() for row in np.packbits(rows.astype(np.bool_), axis=1)]


def _array(d: int, m: int, rng: np.random.Generator, *, even: bool, small: bool) -> Rows:
    """At most m rows of bits: the strongest array, or a few rows of a Hadamard matrix.

    Not `even`: those with their complements. `even`: strengths 2, 4 and 6 alone, since an odd strength
    has a row with its complement. `small`: of the least Hadamard matrix, whose rows, which differ in
    half of its columns, differ in the d that are taken.
    """
    if m > comb(d, 2) + d:  # Rao's bound for strength 4
        sizes = {t: strength_size(d, t) for t in strengths(d) if t > 3 and not (even and t % 2)}
        strongest = max((t for t, size in sizes.items() if size <= m), default=0)
        known = (r for r in _records(d, m) if not (even and r["degree"] % 2))
        found = max(known, key=lambda record: record["degree"], default=None)
        if found is not None and found["degree"] > strongest:
            return array_of(found)[:, :d]
        if strongest:
            return strength_rows(d, strongest)
    folded, order = _order(d, m // 2, small=small), _order(d + 1, m, small=small)
    if even or 2 * folded > m >= order:
        return _rows(rng, order, d + 1, m)[:, 1:]
    half = _rows(rng, folded, d, -(-m // 2))
    return np.stack([half, 1 - half], axis=1).reshape(-1, d)[:m]


def _records(d: int, m: int) -> list[Fields]:
    """Of strength 4 or more and at most m rows; where there are more columns, some are left out."""
    strong = [r for r in table("signs") if r["criterion"] == "exact" and r["degree"] > 3]
    return [r for r in strong if r["m"] <= m and int(r["group"].removeprefix("Z2^")) >= d]


def _order(least: int, most: int, *, small: bool) -> int:
    """The largest order of a known Hadamard matrix up to `most`, or else the smallest from `least` on.

    Above a limit a power of 2.
    """
    power = 1 << (least - 1).bit_length()
    smallest = hadamard_order(least) if least <= LARGEST_MATRIX else power
    if small or most <= smallest:
        return smallest
    if most > LARGEST_MATRIX:
        return 1 << most.bit_length() - 1
    return next(k for k in range(most, 0, -1) if has_hadamard(k))


def _rows(rng: np.random.Generator, order: int, d: int, m: int) -> Rows:
    """At most m rows of a Hadamard matrix, the first column, which is constant, and d - 1 others."""
    rows = rng.permutation(order)[:m]
    columns = np.append(0, 1 + rng.permutation(order - 1)[: d - 1])
    if order <= LARGEST_MATRIX:
        return hadamard(order)[np.ix_(rows, columns)]
    return (popcount(rows[:, None] & columns) & 1).astype(np.int64)  # Sylvester's
