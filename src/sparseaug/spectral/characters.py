"""The norm for abelian groups: the largest |(1/m) sum_j chi(g_j)| over non-trivial characters.

Fast passes propose, with proved errors: a product of two matrices (`product_blocks`), or the FFT
where S is dense (`fft_blocks`). The few characters that may be largest are then summed by
definition, so that both bounds are within a few units of the last place.

Dihedral groups, in the same manner: signs by counting, turns by the Fourier transforms of two halves.
With A_j the mean of exp(2 pi i j a / n) over the turns r^a in S, and B_j over the flips r^a s (both
divided by m), the block of turn(j) has norm |A_j| + |B_j|.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import require_work
from sparseaug._floats import UNIT, down, power_down, power_up, up
from sparseaug.groups import Rows
from sparseaug.sampling.sample import GroupSample
from sparseaug.spectral.character_transforms import (
    BLOCK,
    MEAN_ERROR,
    Frequencies,
    character_mean,
    count_blocks,
    fft_blocks,
    is_smooth,
    phases,
    product_blocks,
    product_error,
)
from sparseaug.spectral.norm import Block, Norm, Progress, announce
from sparseaug.spectral.walsh import walsh_norm

TABLE = 1 << 27
"""Largest order whose table of counts is transformed by FFT, about four gigabytes in all."""

DENSE = 1000
"""Distinct elements above which the FFT wins: a product costs some 0.1 ns each, an FFT 50 ns."""

SMALL = 1 << 34
"""Work that the product does in a second or so, whatever the FFT takes."""

SINGLE = 1 << 28
"""Work above which a pass in single precision, to be repeated in double if need be, pays."""

Measured: TypeAlias = tuple[NDArray[Any], float, Frequencies]  # sizes, their error, frequencies

Array: TypeAlias = Any  # an array of complex numbers, or one of them


def characters_norm(S: GroupSample, *, power: int = 1, progress: Progress | None = None) -> Norm:
    """||D_S^power|| for an abelian group, the power of the largest |mean of a character|.

    Examples:
        >>> import sparseaug as sa
        >>> norm = characters_norm(sa.GroupSample(sa.cyclic(6), [[0], [1]]))
        >>> norm.block, norm.lower <= math.cos(math.pi / 6) <= norm.upper
        ('chi(1,)', True)
    """
    given = S.group.moduli or ()
    if max(given) <= 2:
        return walsh_norm(S, power=power, progress=progress)
    rows, counts = S.counts()
    axes = [axis for axis, n in enumerate(given) if n > 1]
    if len(rows) == 1:  # all values are 1 in modulus: the frequency of the smallest rank
        return Norm(1.0, 1.0, _name(np.eye(len(given), dtype=np.int64)[axes[-1]]))
    moduli = tuple(given[axis] for axis in axes)
    rows = rows[:, axes]
    common = math.lcm(*moduli)

    def enclose(frequency: Rows) -> Norm:
        numerators = phases(frequency[None], rows, moduli)[0]
        if (numerators == numerators[0]).all():
            return Norm(1.0, 1.0)
        size = abs(character_mean(numerators, counts, common, m=S.m))
        # math.hypot within `abs` is off by less than an ulp, and so is the sum
        upper, lower = min(1.0, up(up(size) + MEAN_ERROR)), down(down(size) - MEAN_ERROR)
        return Norm(upper, max(0.0, lower))

    def measure(transforms: tuple[Block, ...]) -> Measured:
        (block,) = transforms
        return np.abs(block.values), block.error, block.label

    found, frequency = largest([(rows, counts)], moduli, measure, enclose, m=S.m, progress=progress)
    embedded = np.zeros(S.group.width, np.int64)
    embedded[axes] = frequency
    return Norm(power_up(found.upper, power), power_down(found.lower, power), _name(embedded))


def largest(
    parts: list[tuple[Rows, Rows]],
    moduli: tuple[int, ...],
    measure: Callable[[tuple[Block, ...]], Measured],
    enclose: Callable[[Rows], Norm],
    *,
    m: int,
    progress: Progress | None = None,
) -> tuple[Norm, Rows]:
    """Bounds of the largest measure over all frequencies but 0, and a frequency that attains it.

    `parts` are weighted elements (rows, counts), each with a transform of its own; `measure` makes
    sizes of their blocks, `enclose` is the definition, for one frequency. Frequencies a and -a have
    the same size; of those that may attain it, the one of the smallest rank is given.
    """
    distinct = max(len(rows) for rows, _ in parts)
    keep = max(8, min(256, (1 << 22) // distinct))
    for blocks, total in _ways(parts, moduli, m=m):
        search = _Search(keep)
        for done, transforms in enumerate(blocks):
            search.add(*measure(transforms), skip=done == 0)
            if progress is not None:
                progress(done + 1, total)
        if search.complete:
            break
    frequencies = {tuple(_representative(a, moduli)) for a in search.kept}
    found = [(a, enclose(np.array(a, np.int64))) for a in sorted(frequencies)]
    lower = max(norm.lower for _, norm in found)
    upper = max(norm.upper for _, norm in found)
    if not search.complete:
        upper = max(upper, min(1.0, search.dropped))
    attained = next(a for a, norm in found if norm.upper >= lower)
    return Norm(upper, lower), np.array(attained, np.int64)


@dataclass
class _Search:
    """The frequencies that may be largest: whose upper bound reaches the best lower bound so far."""

    keep: int
    best: float = -math.inf
    dropped: float = -math.inf  # upper bound of the frequencies there was no room for
    kept: list[Rows] = field(default_factory=list)
    uppers: list[float] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        return self.dropped < self.best

    def add(
        self, sizes: NDArray[Any], error: float, frequencies: Frequencies, *, skip: bool
    ) -> None:
        if skip:
            sizes[0] = -1.0  # the trivial frequency
        top = float(sizes.max())
        if top < 0.0 or top + error < self.best:
            return
        if top - error > self.best:
            self.best = top - error
            stay = [i for i, upper in enumerate(self.uppers) if upper >= self.best]
            self.kept = [self.kept[i] for i in stay]
            self.uppers = [self.uppers[i] for i in stay]
        # The threshold takes the type of the sizes; the cast must not raise it.
        near = np.flatnonzero(sizes >= np.nextafter(sizes.dtype.type(self.best - error), -1.0))
        room = self.keep - len(self.kept)
        if len(near) > room:
            self.dropped = max(self.dropped, top + error)
        near = near[: max(room, 0)]
        self.kept += list(frequencies(near))
        self.uppers += [float(sizes[i]) + error for i in near]


def _ways(
    parts: list[tuple[Rows, Rows]], moduli: tuple[int, ...], *, m: int
) -> Iterator[tuple[Iterable[tuple[Block, ...]], int]]:
    """Passes over all frequencies, the next one only if the last left too many that may win."""
    order, distinct = math.prod(moduli), max(len(rows) for rows, _ in parts)
    work = order * distinct
    table = TABLE if order <= TABLE and is_smooth(moduli) else TABLE // 8
    what = f"the norm on 10^{math.log10(order):.1f} characters at {distinct} distinct elements"
    remedy = "restrict it with degree=, or use a smaller group"
    if work > SMALL and distinct > DENSE and order <= table:
        announce(what, seconds=3e-7 * order, memory=32.0 * order, instead=f"{remedy}.")
        blocks = zip(*(fft_blocks(*part, moduli, m=m) for part in parts), strict=True)
        yield blocks, -(-order // (2 * BLOCK))
        return
    require_work("values of characters", work, what, remedy=remedy)
    require_work("modulus", max(moduli), what, remedy=remedy)
    announce(what, seconds=2.5e-10 * work, instead=f"{remedy}.")
    # The error of single precision must be small beside the usual sizes, 1 / sqrt(k).
    quick = work > SINGLE and product_error(distinct, np.complex64) < 0.02 / math.sqrt(distinct)
    for dtype in (np.complex64, np.complex128) if quick else (np.complex128,):
        passes = (product_blocks(*part, moduli, m=m, dtype=dtype) for part in parts)
        yield zip(*passes, strict=True), count_blocks(moduli)


def _representative(frequency: Rows, moduli: tuple[int, ...]) -> list[int]:
    """Of a and -a the one of the smaller rank."""
    negative = -frequency % np.array(moduli, np.int64)
    return min(frequency.tolist(), negative.tolist())


def _name(frequency: Rows) -> str:
    return f"chi{tuple(frequency.tolist())}"


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
