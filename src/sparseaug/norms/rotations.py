"""The norm of D_S on functions of degree at most L: blocks of Wigner's matrices, with their error.

The mean of D^l over S (`groups.wigner` has the formula) needs the moments

    T_mkn = (1/m) sum_j exp(-i (m alpha_j + k beta_j + n gamma_j)),     |m|, |k|, |n| <= L,

of all l at once: products of (j, mk) and (j, n) matrices, block by block. Then each block is
sum_k d_km d_kn T_mkn. With reflections, the irreps of both parities are the sum and the difference of
the moments of the two halves of S.

Rounding: products of two phases within 3 u, of the third in the inner products, of length n at most
`_BLOCK`, within sqrt(2) gamma(2 n) of the sum of absolute values, and as many additions as there
are blocks; the division by m. All of it is relative to sum_j 1/m = 1, so it is added to the error of a
phase in `wigner_rounding`.

Mean squares by degree: ||pi(S)||_F^2 = (1/m^2) sum_ij chi_pi(g_i^-1 g_j), from inner products.

The character of D^l at the rotation by omega is sin((2l+1) omega/2) / sin(omega/2) = U_2l(cos(omega/2)),
Chebyshev's polynomial of the second kind, and cos(omega/2) of g_i^-1 g_j is the inner product of the
unit quaternions. Its square t is what counts: U_2l is even. Where rows are integers, t is a fraction,
and so is the sum: zeros are then exact.

A norm without a band limit: the p + 1 integer quaternions of norm p, p a prime, p = 1 mod 4.

Lubotzky, Phillips and Sarnak, "Hecke operators and distributing points on the sphere I" (Comm. Pure
Appl. Math. 39, 1986): let S be the rotations by the quaternions a + bi + cj + dk with
a^2 + b^2 + c^2 + d^2 = p, a > 0 odd, b, c, d even. There are p + 1 of them, closed under inverses, and
the norm of their mean on L^2_0(SO(3)) is 2 sqrt(p) / (p + 1): at most that by Deligne's bound for
Hecke operators, and no p + 1 rotations closed under inverses have less. The theorem is about exactly
these rotations, which integer rows are; a row that was rounded is another rotation, of which it says
nothing.

With the inversion added, S and -S: odd parities cancel, even ones are those of S.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from typing import Any, TypeGuard, cast

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import Progress, silent
from sparseaug._floats import UNIT, down, gamma, up
from sparseaug.errors import UnsupportedError
from sparseaug.groups import Group, Rows
from sparseaug.groups.fourier import Block, block_of
from sparseaug.groups.quaternions import are_integers
from sparseaug.groups.representations import LARGEST_DENSE
from sparseaug.groups.rotations import Rotations
from sparseaug.groups.wigner import (
    PHASE_ERROR,
    angle_phases,
    euler_phases,
    phase_powers,
    quarter_turns,
    wigner_rounding,
)
from sparseaug.norms.irreps import largest_norm
from sparseaug.norms.norm import Norm, announce
from sparseaug.sampling import GroupSample

_BLOCK = 128  # elements whose phases are multiplied at a time


def bands_norm(S: GroupSample, *, degree: int, progress: Progress = silent) -> Norm:
    """The norm of D_S on the irreps of degree at most `degree`."""
    blocks = (block for _, block in band_blocks(S, degree))
    return largest_norm(blocks, total=degree, progress=progress)


def band_blocks(
    S: GroupSample, highest: int, distinct: tuple[Rows, NDArray[Any]] | None = None
) -> Iterator[tuple[int, Block]]:
    """Degree and block of each non-trivial irrep up to this degree; exact zeros have no error.

    With `distinct` rows and other counts of sum m, they are for these, and not exact.
    """
    rows, counts = distinct or S.counts()
    if S.group.factors:
        yield from _of_product(S, rows, counts, highest)
        return
    zeros = exact_zeros(S, highest) if distinct is None else set()
    group = cast(Rotations, S.group)
    if signed := group.reflections:  # a bit at the end of a row
        share = float(np.dot(counts, 1 - 2 * rows[:, -1])) / S.m  # an integer, divided once
        yield 0, Block("det", np.array([[share]]), UNIT * abs(share))
    if group.n == 3:
        yield from _in_space(S, rows, counts, highest, signed, zeros)
    else:
        yield from _in_plane(S, rows, counts, highest, signed)


def _in_space(
    S: GroupSample, rows: Rows, counts: NDArray[Any], highest: int, signed: bool, zeros: set[int]
) -> Iterator[tuple[int, Block]]:
    cancelled = signed and is_mirrored(rows, counts)
    turns, bits = (rows[:, :-1], rows[:, -1]) if signed else (rows, np.zeros(len(rows)))
    size = 2 * highest + 1
    announce(
        f"the norm of {len(rows)} elements of {S.group.name} to degree {highest}",
        seconds=1e-9 * len(rows) * size**3 + 2e-8 * size**4,
        memory=16.0 * (2 + signed) * size**3 + 16.0 * _BLOCK * size**2,
        instead="lower degree, or use fewer elements.",
    )
    halves = [_moments(turns[bits == 0], counts[bits == 0], S.m, highest)]
    if signed:
        other = (turns[bits == 1], counts[bits == 1], S.m, highest)
        halves.append(halves[0] if cancelled else _moments(*other))
    summed = up(6 * UNIT + 1.5 * gamma(2 * min(len(rows), _BLOCK) + len(rows) // _BLOCK + 6))
    tables = quarter_turns(highest)
    for ell in range(1, highest + 1):
        names = [f"l={ell}{mark}" for mark in ("+-" if signed else [""])]
        zero = np.zeros((2 * ell + 1, 2 * ell + 1))
        if ell in zeros:
            yield from ((ell, Block(name, zero, 0.0)) for name in names)
            continue
        part = slice(highest - ell, highest + ell + 1)
        d = tables[ell]
        means = [np.einsum("km,kn,mkn->mn", d, d, half[part, part, part]) for half in halves]
        error = wigner_rounding(ell, summed)
        if not signed:
            yield ell, Block(names[0], means[0], error)
            continue
        yield ell, Block(names[0], means[0] + means[1], up(2 * error))
        odd = (zero, 0.0) if cancelled else (means[0] - means[1], up(2 * error))
        yield ell, Block(names[1], *odd)


def _moments(turns: Rows, counts: NDArray[Any], m: int, highest: int) -> NDArray[np.complex128]:
    """T_mkn of the elements with these counts, (2L+1, 2L+1, 2L+1)."""
    size = 2 * highest + 1
    total = np.zeros((size * size, size), np.complex128)
    for start in range(0, len(turns), _BLOCK):
        part = slice(start, start + _BLOCK)
        alpha, beta, gamma_ = (phase_powers(phase, highest) for phase in euler_phases(turns[part]))
        pairs = (alpha[:, :, None] * beta[:, None, :]).reshape(-1, size * size)
        total += pairs.T @ (counts[part, None] * gamma_)
    return (total / m).reshape(size, size, size)


def _in_plane(
    S: GroupSample, rows: Rows, counts: NDArray[Any], highest: int, signed: bool
) -> Iterator[tuple[int, Block]]:
    """exp(i k angle) in the mean; with reflections [[a, b], [b*, a*]], b of the reflected half."""
    powers = phase_powers(angle_phases(rows[:, 0]), highest)[:, highest + 1 :]
    weights = (counts / S.m)[:, None]
    mirrored = (rows[:, 1] != 0)[:, None] if signed else np.zeros((len(rows), 1), np.bool_)
    a = (powers * np.where(mirrored, 0.0, weights)).sum(axis=0)
    b = (powers * np.where(mirrored, weights, 0.0)).sum(axis=0)
    for k in range(1, highest + 1):
        # a power within k PHASE_ERROR, a weight within u, a product, and the sum
        error = up(k * PHASE_ERROR + gamma(len(rows) + 4))
        if not signed:
            yield k, Block(f"k={k}", a[k - 1].reshape(1, 1), error)
            continue
        matrix = np.array([[a[k - 1], b[k - 1]], [b[k - 1].conj(), a[k - 1].conj()]])
        yield k, Block(f"k={k}", matrix, up(2 * error))


def _of_product(
    S: GroupSample, rows: Rows, counts: NDArray[Any], highest: int
) -> Iterator[tuple[int, Block]]:
    """Tensor products of the factors' irreps, degrees adding up."""
    for irrep in islice(S.group.irreps_to(highest), 1, None):
        if irrep.dimension > LARGEST_DENSE:
            raise UnsupportedError(
                f"degree={highest} of {S.group.name} has an irrep of dimension {irrep.dimension}, "
                f"above {LARGEST_DENSE}; lower degree."
            )
        yield irrep.degree or 0, block_of(S, irrep, rows, counts)


MOST_PAIRS = 1 << 20
"""Pairs of rows whose inner products are counted in integers, about a second."""


def exact_squares(S: GroupSample, highest: int) -> dict[tuple[int, int], Fraction] | None:
    """||pi(S)||_F^2 / d_pi by (l, parity) for SO(3) and O(3) with integer rows; None for all others.

    Parity is 1 or -1; of SO(3) only 1.
    """
    group = S.group
    rows, counts = S.counts()
    if not is_space(group) or len(rows) ** 2 > MOST_PAIRS:
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


def exact_zeros(S: GroupSample, highest: int) -> set[int]:
    """The l >= 1 on which S is exact, of both parities, decided by integers."""
    squares = exact_squares(S, highest) or {}
    return {ell for ell, _ in squares if ell} - {ell for (ell, _), v in squares.items() if v}


def is_mirrored(rows: Rows, counts: NDArray[Any]) -> bool:
    """Whether S of O(3) has -g as often as g: then every irrep of odd parity has mean 0."""
    proper = rows[:, -1] == 0
    return np.array_equal(rows[proper, :-1], rows[~proper, :-1]) and np.array_equal(
        counts[proper], counts[~proper]
    )


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


LARGEST_PRIME = 1_000_000
"""Of designs that are made: a million rows."""


def prime_norm(S: GroupSample, *, progress: Progress = silent) -> Norm:
    """The norm of D_S on all functions, where S is such a set; an `UnsupportedError` if not."""
    p = prime_of(S)
    if p is None:
        raise UnsupportedError(
            f"{S.group.name} has infinitely many irreps, and S is not one of the sets whose norm on all "
            "of them is known, design(group, m=, objective='deviation'); give degree=, the largest "
            "degree that counts."
        )
    low, high = prime_bounds(p)
    return Norm(high, low, f"all l, norm {p}")


def prime_bounds(p: int) -> tuple[float, float]:
    """Floats on both sides of 2 sqrt(p) / (p + 1).

    Examples:
        >>> from sparseaug.norms.rotations import prime_bounds
        >>> prime_bounds(29)[1]
        0.359010987142...
    """
    root = math.sqrt(p)  # correctly rounded, as are the quotients
    return down(down(2 * down(root)) / (p + 1)), up(up(2 * up(root)) / (p + 1))


def prime_of(S: GroupSample) -> int | None:
    """The prime p if S is the set of its p + 1 rotations, or that set with its inversion; else None."""
    group = S.group
    if not is_space(group):
        return None
    turns = S.elements[:, :4]
    lengths = (turns * turns).sum(axis=1)
    p = int(lengths[0]) if lengths[0] == np.rint(lengths[0]) else 0
    halves = 1 + group.reflections
    if not (lengths == p).all() or S.m != halves * (p + 1) or not is_suitable(p):
        return None
    wanted = np.concatenate([np.insert(prime_rows(p), 4, bit, 1) for bit in range(halves)])
    wanted = GroupSample(S.group, wanted[:, : S.group.width]).elements
    one, other = (rows[np.lexsort(rows.T)] for rows in (wanted, S.elements))
    return p if np.array_equal(one, other) else None


def is_space(group: Group) -> TypeGuard[Rotations]:
    """Whether it is SO(3) or O(3)."""
    return group.transform == "wigner" and cast(Rotations, group).n == 3


def is_suitable(p: int) -> bool:
    """Whether p is a prime of 1 mod 4, within reach.

    Examples:
        >>> from sparseaug.norms.rotations import is_suitable
        >>> [p for p in range(40) if is_suitable(p)]
        [5, 13, 17, 29, 37]
    """
    if not 5 <= p <= LARGEST_PRIME or p % 4 != 1:
        return False
    return all(p % d for d in range(3, math.isqrt(p) + 1, 2))


def prime_rows(p: int) -> Rows:
    """The p + 1 rows (w, x, y, z) of integers, in lexicographic order.

    Examples:
        >>> from sparseaug.norms.rotations import prime_rows
        >>> prime_rows(5).tolist()[:2]
        [[1.0, -2.0, 0.0, 0.0], [1.0, 0.0, -2.0, 0.0]]
    """
    side = math.isqrt(p)
    evens = np.arange(-(side - side % 2), side + 1, 2)
    odds = np.arange(1, side + 1, 2)
    found = []
    for w in odds:
        for x in evens[evens * evens <= p - w * w]:
            rest = p - w * w - x * x
            y = evens[evens * evens <= rest]
            z = np.rint(np.sqrt(rest - y * y)).astype(np.int64)
            good = (z * z == rest - y * y) & (z % 2 == 0)
            for row in zip(y[good].tolist(), z[good].tolist(), strict=True):
                signs = (row[1],) if row[1] == 0 else (row[1], -row[1])
                found += [(int(w), int(x), row[0], sign) for sign in signs]
    return np.array(sorted(found), np.float64)


def largest_prime(m: int) -> int | None:
    """The largest such p with p + 1 <= m; None below 6."""
    return next((p for p in range(min(m - 1, LARGEST_PRIME), 4, -1) if is_suitable(p)), None)
