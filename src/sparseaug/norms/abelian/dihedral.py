"""Dihedral groups: signs by counting, turns by the Fourier transforms of two halves.

With A_j the mean of exp(2 pi i j a / n) over the turns r^a in S, and B_j over the flips r^a s (both
divided by m), the block of turn(j) has norm |A_j| + |B_j|.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sparseaug._checks import Progress, silent
from sparseaug._floats import UNIT, down, up
from sparseaug.groups import Rows
from sparseaug.groups.fourier import Block
from sparseaug.norms.abelian.characters import Measured, largest
from sparseaug.norms.abelian.roots import MEAN_ERROR, character_mean, phases
from sparseaug.norms.norm import Norm
from sparseaug.sampling.sample import GroupSample

# In the basis (1, -i), (1, i) over sqrt(2) a turn by t is diag(e^it, e^-it) and s swaps, hence
# r^a s is [[0, e^it], [e^-it, 0]], and the mean over S is
#     M = [[A, B], [conj B, conj A]].
# With A = |A| e^ix, B = |B| e^iy, p = (x + y) / 2 and q = (x - y) / 2, multiply from the left by
# diag(e^-ip, e^ip), from the right by diag(e^-iq, e^iq): p + q = x, p - q = y, so the result is
# [[|A|, |B|], [|B|, |A|]], with eigenvalues |A| + |B| and |A| - |B|. So ||M|| = |A| + |B|.
#
# Let the pair be known up to e and be of computed size t: np.abs and the sum err by 8 u (t + e).


def dihedral_norm(S: GroupSample, *, progress: Progress = silent) -> Norm:
    """||D_S|| for a dihedral group.

    Examples:
        >>> import sparseaug as sa
        >>> from sparseaug.norms.abelian.dihedral import dihedral_norm
        >>> norm = dihedral_norm(sa.GroupSample(sa.dihedral(5), [[0, 0], [1, 0], [0, 1]]))
        >>> norm.block, round(norm.upper, 12)  # (2 cos(pi / 5) + 1) / 3
        ('turn(1)', 0.87267799625)
    """
    # In the order of `Dihedral.irreps`, the signs first.
    found = [_sign_bounds(total, S.m).at(name) for name, total in signs(S)]
    if S.group.order >= 6:
        found.append(_turns(S, progress))
    lower = max(norm.lower for norm in found)
    upper = max(norm.upper for norm in found)
    return Norm(upper, lower, next(norm.block for norm in found if norm.upper >= lower))


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


def _sign_bounds(total: int, m: int) -> Norm:
    size = abs(total) / m
    if abs(total) in (0, m):
        return Norm(size, size)
    return Norm(up(size), down(size))


def _turns(S: GroupSample, progress: Progress) -> Norm:
    n, parts = S.group.order // 2, halves(S)

    def measure(transforms: tuple[Block, ...]) -> Measured:
        a, b = (block.values for block in transforms)
        sizes = np.abs(a) + np.abs(b)
        trivial = int(transforms[0].label(np.array([0]))[0, 0] == 0)  # turn 0 is no block
        top = float(sizes[trivial:].max(initial=0.0))
        error = sum(block.error for block in transforms)
        return sizes, _with_sizes(top, error), transforms[0].label

    def enclose(frequency: Rows) -> Norm:
        a, b = (
            character_mean(phases(frequency[None], rows, (n,))[0], counts, n, m=S.m)
            for rows, counts in parts
        )
        size = up(abs(a) + abs(b))
        spread = _with_sizes(size, 2 * MEAN_ERROR)
        return Norm(min(1.0, up(size + spread)), max(0.0, down(size - spread)))

    found, frequency = largest(parts, (n,), measure, enclose, m=S.m, progress=progress)
    return found.at(f"turn({frequency[0]})")


def _with_sizes(size: float, error: float) -> float:
    """The error of a pair and that of its size, with a margin for second orders and for this sum."""
    return 1.01 * (1.01 * (error + 14 * UNIT * (size + error)))
