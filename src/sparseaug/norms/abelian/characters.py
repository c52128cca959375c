"""The norm for abelian groups: the largest |(1/m) sum_j chi(g_j)| over non-trivial characters."""

from __future__ import annotations

import math

import numpy as np

from sparseaug._checks import Progress, require_work, silent
from sparseaug.groups import Rows
from sparseaug.norms.abelian.products import count_blocks, product_blocks
from sparseaug.norms.abelian.walsh import walsh_norm
from sparseaug.norms.norm import Norm, announce, enclosed
from sparseaug.sampling.sample import GroupSample


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
    moduli = S.group.radices
    if max(moduli) <= 2:
        return walsh_norm(S, progress=progress)
    size, error, frequency = largest_mean([S.counts()], moduli, m=S.m, progress=progress)
    return enclosed(size, error, f"chi{frequency}")


def largest_mean(
    parts: list[tuple[Rows, Rows]],
    moduli: tuple[int, ...],
    *,
    m: int,
    progress: Progress = silent,
) -> tuple[float, float, tuple[int, ...]]:
    """The largest sum over the parts of |their mean of chi_a|, a != 0, its error, and such an a.

    `parts` are weighted elements (rows, counts). Frequencies a and -a have the same size; of those
    that may be largest one of small rank is given.
    """
    order, distinct = math.prod(moduli), max(len(rows) for rows, _ in parts)
    what = f"the norm on 10^{math.log10(order):.1f} characters at {distinct} distinct elements"
    remedy = "restrict it with degree=, or use a smaller group"
    require_work("values of characters", order * distinct, what, remedy=remedy)
    require_work("modulus", max(moduli), what, remedy=remedy)
    announce(what, seconds=2.5e-10 * order * distinct, instead=f"{remedy}.")
    total, passes = count_blocks(moduli), (product_blocks(*part, moduli, m=m) for part in parts)
    best, error = -1.0, 0.0
    frequency = np.zeros(len(moduli), np.int64)
    for done, blocks in enumerate(zip(*passes, strict=True)):
        sizes = sum(np.abs(block.values) for block in blocks)
        error = sum(block.error for block in blocks)
        if not done:
            sizes[0] = -1.0  # the trivial frequency
        top = float(sizes.max())
        if top > best:
            near = np.array([int((sizes >= max(top - 2 * error, 0.0)).argmax())])
            best, frequency = top, blocks[0].label(near)[0]
        progress(done + 1, total)
    negative = -frequency % np.array(moduli, np.int64)
    return best, error, tuple(min(frequency.tolist(), negative.tolist()))
