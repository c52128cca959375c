"""Mean squares by degree: ||pi(S)||_F^2 = (1/m^2) sum_ij chi_pi(g_i^-1 g_j), from inner products.

The character of D^l at the rotation by omega is sin((2l+1) omega/2) / sin(omega/2) = U_2l(cos(omega/2)),
Chebyshev's polynomial of the second kind, and cos(omega/2) of g_i^-1 g_j is the inner product of the
unit quaternions. Its square t is what counts: U_2l is even. Where rows are integers, t is a fraction,
and so is the sum: zeros are then exact.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import cast

import numpy as np
from numpy.typing import NDArray

from sparseaug.groups import Rows
from sparseaug.groups.quaternions import are_integers
from sparseaug.groups.quotients import Multiset
from sparseaug.groups.rotations import Rotations

MOST_PAIRS = 1 << 20
"""Pairs of rows whose inner products are counted in integers, about a second."""


def exact_squares(S: Multiset, highest: int) -> dict[tuple[int, int], Fraction] | None:
    """||pi(S)||_F^2 / d_pi by (l, parity) for SO(3) and O(3) with integer rows; None for all others.

    Parity is 1 or -1; of SO(3) only 1. Weighted rows, with counts that are floats, have none.
    """
    group = cast(Rotations, S.group)
    rows, counts = S.counts()
    if not group.rotates_space or counts.dtype != np.int64 or len(rows) ** 2 > MOST_PAIRS:
        return None
    if not are_integers(rows[:, :4]).all() or abs(rows).max() > 1 << 15:  # products below 2^62
        return None
    pairs = _inner_products(rows, counts)
    found: dict[tuple[int, int], Fraction] = {}
    for parity in (1, -1) if group.reflections else (1,):
        sums = [Fraction(0)] * (highest + 1)
        for (square, lengths, same), count in pairs.items():
            sign = count if parity == 1 or same else -count
            for ell, value in enumerate(_characters(Fraction(square, lengths), highest)):
                sums[ell] += sign * value
        for ell in range(highest + 1):
            found[ell, parity] = sums[ell] / (S.m * S.m * (2 * ell + 1))
    return found


def exact_zeros(S: Multiset, highest: int) -> set[int]:
    """The l >= 1 on which S is exact, of both parities, decided by integers."""
    squares = exact_squares(S, highest) or {}
    return {ell for ell, _ in squares if ell} - {ell for (ell, _), v in squares.items() if v}


def _inner_products(rows: Rows, counts: NDArray[np.int64]) -> Counter[tuple[int, int, bool]]:
    """How often each (<p, q>^2, |p|^2 |q|^2, whether parities agree) occurs among all pairs."""
    whole = rows[:, :4].astype(np.int64)
    bits = rows[:, 4:].sum(axis=1)
    lengths = (whole * whole).sum(axis=1)
    found: Counter[tuple[int, int, bool]] = Counter()
    for q, length, bit, count in zip(whole, lengths, bits, counts, strict=True):
        inner = whole @ q
        keys = zip(
            (inner * inner).tolist(),
            (lengths * length).tolist(),
            (bits == bit).tolist(),
            (counts * count).tolist(),
            strict=True,
        )
        for square, product, same, weight in keys:
            found[square, product, same] += weight
    return found


def _characters(t: Fraction, highest: int) -> list[Fraction]:
    """U_0, U_2, ..., at x with x^2 = t: U_(2l+2) = (4 t - 2) U_2l - U_(2l-2), and U_2 = 4 t - 1."""
    values = [Fraction(1), 4 * t - 1]
    while len(values) <= highest:
        values.append((4 * t - 2) * values[-1] - values[-2])
    return values[: highest + 1]
