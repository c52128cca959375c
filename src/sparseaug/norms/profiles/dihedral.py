"""Dihedral groups by frequency: signs by counting, turns by the transforms of both halves of S."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import Progress, require_work
from sparseaug._floats import up
from sparseaug.groups import Rows
from sparseaug.groups.degrees.counts import Degree, Number, Part
from sparseaug.groups.fourier import Block
from sparseaug.norms.abelian.dihedral import halves, signs
from sparseaug.norms.abelian.ffts import fft_blocks
from sparseaug.norms.norm import Norm
from sparseaug.norms.profiles.cyclotomic import WORK, vanish
from sparseaug.norms.profiles.levels import enclosed, levels_of_parts, ratio
from sparseaug.norms.profiles.result import Levels
from sparseaug.sampling import GroupSample

LISTED = 4096
"""Dihedral irreps that are listed one by one."""


def dihedral_levels(S: GroupSample, most: int | None, by: str, progress: Progress) -> Levels:
    """Signs by counting; turn(j) has norm |A_j| + |B_j| and mean square |A_j|^2 + |B_j|^2."""
    n, m = S.group.order // 2, S.m
    require_work("characters", n, f"the profile of {S.group.name}", remedy="use deviation(S)")
    parts: list[Part] = []
    norms: dict[Degree, Norm] = {}
    for name, total in signs(S):
        degree = 0 if name.startswith("sign(+1") else n // 2
        parts.append(Part(name, degree, 1, 1, Fraction(total * total, m * m), total == 0))
        norm = ratio(abs(total), m, name)
        if degree not in norms or norm.lower > norms[degree].lower:
            norms[degree] = norm
    for part, norm in _turns(S, n) if n >= 3 else []:
        parts.append(part)
        norms[part.degree] = norm
    kept = [part for part in parts if most is None or int(part.degree) <= most]
    listed = kept if (n - 1) // 2 <= LISTED else []
    return Levels(tuple(levels_of_parts(kept, norms)), tuple(listed), len(kept) == len(parts))


def _turns(S: GroupSample, n: int) -> Iterator[tuple[Part, Norm]]:
    parts = halves(S)
    (a, a_error), (b, b_error) = (_half(rows, counts, n, S.m) for rows, counts in parts)
    j = np.arange(1, (n + 1) // 2)
    sizes = (a + b)[j]
    error = up(up(a_error + b_error) + 4 * 2.0**-53)
    small = j[sizes <= error]
    zero = np.zeros(len(a), bool)
    if len(small) * n <= WORK:
        zero[small] = True
        for rows, counts in parts:
            if len(rows):
                zero[small] &= vanish(small[:, None], rows, counts, (n,))
    for k, size in zip(j.tolist(), sizes.tolist(), strict=True):
        name, exact = f"turn({k})", bool(zero[k])
        square: Number = Fraction(0) if exact else float(a[k] ** 2 + b[k] ** 2)
        norm = Norm(0.0, 0.0) if exact else enclosed(size, error, name)
        yield Part(name, k, 2, 4, square, exact), norm


def _half(rows: Rows, counts: Rows, n: int, m: int) -> tuple[NDArray[np.float64], float]:
    """|mean of exp(2 pi i j a / n)| over the turns or the flips, divided by m, for j = 0..n//2."""
    if not len(rows):
        return np.zeros(n // 2 + 1), 0.0
    blocks: list[Block] = list(fft_blocks(rows, counts, (n,), m=m))
    return np.concatenate([np.abs(b.values) for b in blocks]), max(b.error for b in blocks)
