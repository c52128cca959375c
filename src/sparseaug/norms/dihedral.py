"""Dihedral groups, whole and by frequency: signs by counting, turns by the characters of two halves.

With A_j the mean of exp(2 pi i j a / n) over the turns r^a in S, and B_j over the flips r^a s (both
divided by m), the block of turn(j) has norm |A_j| + |B_j| and mean square |A_j|^2 + |B_j|^2.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from sparseaug._checks import Progress, require_work, silent
from sparseaug._floats import UNIT, up
from sparseaug.groups import Rows
from sparseaug.groups.degrees.counts import Degree, Number, Part
from sparseaug.norms.abelian.characters import largest_mean
from sparseaug.norms.abelian.products import half_of_means
from sparseaug.norms.norm import Norm, enclosed, ratio
from sparseaug.norms.profiles.cyclotomic import WORK, vanish
from sparseaug.norms.profiles.levels import levels_of_parts
from sparseaug.norms.profiles.result import Levels
from sparseaug.sampling import GroupSample

# In the basis (1, -i), (1, i) over sqrt(2) a turn by t is diag(e^it, e^-it) and s swaps, hence
# r^a s is [[0, e^it], [e^-it, 0]], and the mean over S is
#     M = [[A, B], [conj B, conj A]].
# With A = |A| e^ix, B = |B| e^iy, p = (x + y) / 2 and q = (x - y) / 2, multiply from the left by
# diag(e^-ip, e^ip), from the right by diag(e^-iq, e^iq): p + q = x, p - q = y, so the result is
# [[|A|, |B|], [|B|, |A|]], with eigenvalues |A| + |B| and |A| - |B|. So ||M|| = |A| + |B|.
#
# The errors of both are added, and the sum of both, at most 1, is rounded once.
PAIR_ERROR = 4 * UNIT
"""Of |A| + |B|, beside the errors of both."""


def dihedral_norm(S: GroupSample, *, progress: Progress = silent) -> Norm:
    """||D_S|| for a dihedral group.

    Examples:
        >>> import sparseaug as sa
        >>> from sparseaug.norms.dihedral import dihedral_norm
        >>> norm = dihedral_norm(sa.GroupSample(sa.dihedral(5), [[0, 0], [1, 0], [0, 1]]))
        >>> norm.block, round(norm.upper, 12)  # (2 cos(pi / 5) + 1) / 3
        ('turn(1)', 0.87267799625)
    """
    n = S.group.order // 2
    found = [ratio(abs(total), S.m, name) for name, total in signs(S)]
    if n >= 3:
        size, error, (j,) = largest_mean(halves(S), (n,), m=S.m, progress=progress)
        found.append(enclosed(size, error + PAIR_ERROR, f"turn({j})"))
    largest = max(found, key=lambda norm: norm.lower)
    return Norm(max(norm.upper for norm in found), largest.lower, largest.block)


def signs(S: GroupSample) -> Iterator[tuple[str, int]]:
    """The non-trivial signs and m times their means, integers."""
    turn, flip = S.elements.T
    for turn_sign in (1, -1) if S.group.order % 4 == 0 else (1,):
        for flip_sign in (1, -1):
            if (turn_sign, flip_sign) != (1, 1):
                odd = (turn_sign < 0) * turn + (flip_sign < 0) * flip
                yield f"sign({turn_sign:+d},{flip_sign:+d})", S.m - 2 * int((odd & 1).sum())


def halves(S: GroupSample) -> list[tuple[Rows, Rows]]:
    """The distinct turns of S, then the turns of its flips, each as rows with their counts."""
    turn, flip = S.elements.T
    found = (np.unique(turn[flip == bit], return_counts=True) for bit in (0, 1))
    return [(turns[:, None], counts) for turns, counts in found]


LISTED = 4096
"""Dihedral irreps that are listed one by one."""


def dihedral_levels(S: GroupSample, most: int | None, by: str, progress: Progress) -> Levels:
    """Levels and parts, by frequency."""
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
