"""Dihedral groups by frequency: signs by counting, turns by the transforms of both halves of S."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from sparseaug._checks import Progress, require_work
from sparseaug._floats import up
from sparseaug.groups.degrees.counts import Degree, Number, Part
from sparseaug.norms.abelian.dihedral import PAIR_ERROR, halves, signs
from sparseaug.norms.abelian.products import half_of_means
from sparseaug.norms.norm import Norm, enclosed, ratio
from sparseaug.norms.profiles.cyclotomic import WORK, vanish
from sparseaug.norms.profiles.levels import levels_of_parts
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
    (a, a_error), (b, b_error) = (
        (np.abs(values), error)
        for _, values, error in (half_of_means(*part, (n,), m=S.m) for part in parts)
    )
    j = np.arange(1, (n + 1) // 2)
    sizes = (a + b)[j]
    error = up(up(a_error + b_error) + PAIR_ERROR)
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
