"""The norm for dihedral groups: signs by counting, turns by the Fourier transforms of two halves.

With A_j the mean of exp(2 pi i j a / n) over the turns r^a in S, and B_j over the flips r^a s (both
divided by m), the block of turn(j) has norm |A_j| + |B_j|.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

from sparseaug._floats import UNIT, down, power_down, power_up, up
from sparseaug.groups import Rows
from sparseaug.sampling.sample import GroupSample
from sparseaug.spectral.character_transforms import MEAN_ERROR, character_mean, phases
from sparseaug.spectral.characters import Measured, largest
from sparseaug.spectral.result import Block, Norm, Progress

# In the basis (1, -i), (1, i) over sqrt(2) a turn by t is diag(e^it, e^-it) and s swaps, hence
# r^a s is [[0, e^it], [e^-it, 0]], and the mean over S is
#     M = [[A, B], [conj B, conj A]].
# With A = |A| e^ix, B = |B| e^iy, p = (x + y) / 2 and q = (x - y) / 2, multiply from the left by
# diag(e^-ip, e^ip), from the right by diag(e^-iq, e^iq): p + q = x, p - q = y, so the result is
# [[|A|, |B|], [|B|, |A|]], with eigenvalues |A| + |B| and |A| - |B|. So ||M|| = |A| + |B|.
#
# Such matrices are closed under products,
#     (A, B)(C, D) = (A C + B conj D, A D + B conj C),
# so powers of M are pairs too, and N = |A| + |B| is their norm. A computed product errs, part by
# part, by at most sqrt(2) gamma(4) (|A| |C| + |B| |D|) and the same of (|A| |D| + |B| |C|), hence in
# norm by less than c N N' with c = 6 u. Let the pair be known up to e, the computed one of norm at
# most t. The k - 1 products of its power err by t^k ((1 + c)^(k-1) - 1) at most, and e becomes
# (t + e)^k - t^k. With X = (t + e)(1 + c) both are within X^k - t^k <= k X^(k-1) (X - t). Another
# 8 u in c is for sizes, computed by np.abs and a sum. Underflow: below 4 tiny each, multiplied by
# less than 2 k while k (X - t) <= 1, and fewer than 128 products.


Array: TypeAlias = Any  # an array of complex numbers, or one of them


def dihedral_norm(S: GroupSample, *, power: int = 1, progress: Progress | None = None) -> Norm:
    """||D_S^power|| for a dihedral group.

    Examples:
        >>> import sparseaug as sa
        >>> norm = dihedral_norm(sa.GroupSample(sa.dihedral(5), [[0, 0], [1, 0], [0, 1]]))
        >>> norm.block, round(norm.upper, 12)  # (2 cos(pi / 5) + 1) / 3
        ('turn(1)', 0.87267799625)
    """
    # In the order of `Dihedral.irreps`, the signs first.
    found = [_sign_bounds(total, S.m, power).at(name) for name, total in _signs(S)]
    if S.group.order >= 6:
        found.append(_turns(S, power, progress))
    lower = max(norm.lower for norm in found)
    upper = max(norm.upper for norm in found)
    return Norm(upper, lower, next(norm.block for norm in found if norm.upper >= lower))


def _signs(S: GroupSample) -> Iterator[tuple[str, int]]:
    """The non-trivial signs and m times their means, integers."""
    turn, flip = S.elements.T
    for turn_sign in (1, -1) if S.group.order % 4 == 0 else (1,):
        for flip_sign in (1, -1):
            if (turn_sign, flip_sign) != (1, 1):
                odd = (turn_sign < 0) * turn + (flip_sign < 0) * flip
                yield f"sign({turn_sign:+d},{flip_sign:+d})", S.m - 2 * int((odd & 1).sum())


def _sign_bounds(total: int, m: int, power: int) -> Norm:
    size = abs(total) / m
    if abs(total) in (0, m):
        return Norm(size, size)
    return Norm(power_up(up(size), power), power_down(down(size), power))


def _turns(S: GroupSample, power: int, progress: Progress | None) -> Norm:
    n = S.group.order // 2
    parts = []
    for flip in (0, 1):
        turns, counts = np.unique(S.elements[S.elements[:, 1] == flip, 0], return_counts=True)
        parts.append((turns[:, None], counts))

    def measure(transforms: tuple[Block, ...]) -> Measured:
        a, b = (block.values for block in transforms)
        sizes = np.abs(a) + np.abs(b)
        error = sum(block.error for block in transforms)
        unit = float(np.finfo(a.dtype).eps) / 2
        trivial = int(transforms[0].label(np.array([0]))[0, 0] == 0)  # turn 0 is no block
        top = float(sizes[trivial:].max(initial=0.0))
        spread = _power_error(top, error, power, unit=unit, tiny=float(np.finfo(a.dtype).tiny))
        if spread is None:
            sizes[:] = 0.0
            spread = power_up(min(1.0, up(top + up(error))), power)
        elif power > 1:
            a, b = _pair_power(a, b, power)
            sizes = np.abs(a) + np.abs(b)
        return sizes, spread, transforms[0].label

    def enclose(frequency: Rows) -> Norm:
        a, b = (
            character_mean(phases(frequency[None], rows, (n,))[0], counts, n, m=S.m)
            for rows, counts in parts
        )
        size = up(abs(a) + abs(b))
        spread = _power_error(size, 2 * MEAN_ERROR, power, unit=UNIT, tiny=2.0**-1022)
        if spread is None:
            return Norm(power_up(min(1.0, up(size + 2 * MEAN_ERROR)), power), 0.0)
        if power > 1:
            a, b = _pair_power(a, b, power)
            size = abs(a) + abs(b)
        return Norm(min(1.0, up(size + spread)), max(0.0, down(size - spread)))

    found, frequency = largest(parts, (n,), measure, enclose, m=S.m, progress=progress)
    return found.at(f"turn({frequency[0]})")


def _power_error(
    size: float, error: float, power: int, *, unit: float, tiny: float
) -> float | None:
    """k X^(k-1) (X - t) and underflow, rounded up by 1.01; None where the bound has no use."""
    width = 1.01 * (error + 14 * unit * (size + error))
    if power * width > 1.0:
        return None
    slope = 1.01 * power * power_up(size + width, power - 1) if power > 1 else 1.0
    underflow = 1024.0 * power * tiny if power > 1 else 0.0
    return 1.01 * (slope * width + underflow)


def _pair_power(a: Array, b: Array, power: int) -> tuple[Array, Array]:
    """(a, b)^power by squaring: less than 2 log2(power) products."""
    result_a, result_b = a, b
    for bit in f"{power:b}"[1:]:
        result_a, result_b = _pair_product(result_a, result_b, result_a, result_b)
        if bit == "1":
            result_a, result_b = _pair_product(result_a, result_b, a, b)
    return result_a, result_b


def _pair_product(a: Array, b: Array, c: Array, d: Array) -> tuple[Array, Array]:
    return a * c + b * d.conjugate(), a * d + b * c.conjugate()
