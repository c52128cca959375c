"""The norm for abelian groups: the largest |(1/m) sum_j chi(g_j)| over non-trivial characters.

Fast passes propose, with proved errors: a product of two matrices (`product_blocks`), or the FFT
where S is dense (`fft_blocks`). The few characters that may be largest are then summed by
definition, so that both bounds are within a few units of the last place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import Progress, require_work, silent
from sparseaug._floats import down, up
from sparseaug.groups import Rows
from sparseaug.groups.fourier import Block
from sparseaug.norms.abelian.ffts import BLOCK, fft_blocks, is_smooth
from sparseaug.norms.abelian.products import count_blocks, product_blocks
from sparseaug.norms.abelian.roots import MEAN_ERROR, character_mean, phases
from sparseaug.norms.abelian.walsh import walsh_norm
from sparseaug.norms.norm import Norm, announce
from sparseaug.sampling.sample import GroupSample

TABLE = 1 << 27
"""Largest order whose table of counts is transformed by FFT, about four gigabytes in all."""

DENSE = 1000
"""Distinct elements above which the FFT wins: a product costs some 0.1 ns each, an FFT 50 ns."""

SMALL = 1 << 34
"""Work that the product does in a second or so, whatever the FFT takes."""

Frequencies: TypeAlias = Callable[[NDArray[np.intp]], Rows]
Measured: TypeAlias = tuple[NDArray[Any], float, Frequencies]  # sizes, their error, frequencies


def characters_norm(S: GroupSample, *, progress: Progress = silent) -> Norm:
    """||D_S|| for an abelian group: the largest |mean of a character|.

    Examples:
        >>> import math
        >>> import sparseaug as sa
        >>> from sparseaug.norms.abelian.characters import characters_norm
        >>> norm = characters_norm(sa.GroupSample(sa.cyclic(6), [[0], [1]]))
        >>> norm.block, norm.lower <= math.cos(math.pi / 6) <= norm.upper
        ('chi(1,)', True)
    """
    given = S.group.radices
    if max(given) <= 2:
        return walsh_norm(S, progress=progress)
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
    return found.at(_name(embedded))


def largest(
    parts: list[tuple[Rows, Rows]],
    moduli: tuple[int, ...],
    measure: Callable[[tuple[Block, ...]], Measured],
    enclose: Callable[[Rows], Norm],
    *,
    m: int,
    progress: Progress = silent,
) -> tuple[Norm, Rows]:
    """Bounds of the largest measure over all frequencies but 0, and a frequency that attains it.

    `parts` are weighted elements (rows, counts), each with a transform of its own; `measure` makes
    sizes of their blocks, `enclose` is the definition, for one frequency. Frequencies a and -a have
    the same size; of those that may attain it, the one of the smallest rank is given.
    """
    distinct = max(len(rows) for rows, _ in parts)
    keep = max(8, min(256, (1 << 22) // distinct))
    blocks, total = _pass(parts, moduli, m=m)
    search = _Search(keep)
    for done, transforms in enumerate(blocks):
        search.add(*measure(transforms), skip=done == 0)
        progress(done + 1, total)
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
        near = np.flatnonzero(sizes >= down(self.best - error))
        room = self.keep - len(self.kept)
        if len(near) > room:
            self.dropped = max(self.dropped, top + error)
        near = near[: max(room, 0)]
        self.kept += list(frequencies(near))
        self.uppers += [float(sizes[i]) + error for i in near]


def _pass(
    parts: list[tuple[Rows, Rows]], moduli: tuple[int, ...], *, m: int
) -> tuple[Iterable[tuple[Block, ...]], int]:
    """All frequencies in blocks, and how many blocks there are."""
    order, distinct = math.prod(moduli), max(len(rows) for rows, _ in parts)
    work = order * distinct
    table = TABLE if order <= TABLE and is_smooth(moduli) else TABLE // 8
    what = f"the norm on 10^{math.log10(order):.1f} characters at {distinct} distinct elements"
    remedy = "restrict it with degree=, or use a smaller group"
    if work > SMALL and distinct > DENSE and order <= table:
        announce(what, seconds=3e-7 * order, memory=32.0 * order, instead=f"{remedy}.")
        blocks = zip(*(fft_blocks(*part, moduli, m=m) for part in parts), strict=True)
        return blocks, -(-order // (2 * BLOCK))
    require_work("values of characters", work, what, remedy=remedy)
    require_work("modulus", max(moduli), what, remedy=remedy)
    announce(what, seconds=2.5e-10 * work, instead=f"{remedy}.")
    passes = (product_blocks(*part, moduli, m=m) for part in parts)
    return zip(*passes, strict=True), count_blocks(moduli)


def _representative(frequency: Rows, moduli: tuple[int, ...]) -> list[int]:
    """Of a and -a the one of the smaller rank."""
    negative = -frequency % np.array(moduli, np.int64)
    return min(frequency.tolist(), negative.tolist())


def _name(frequency: Rows) -> str:
    return f"chi{tuple(frequency.tolist())}"
