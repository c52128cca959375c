"""A norm without a band limit: the p + 1 integer quaternions of norm p, p a prime, p = 1 mod 4.

Lubotzky, Phillips and Sarnak, "Hecke operators and distributing points on the sphere I" (Comm. Pure
Appl. Math. 39, 1986): let S be the rotations by the quaternions a + bi + cj + dk with
a^2 + b^2 + c^2 + d^2 = p, a > 0 odd, b, c, d even. There are p + 1 of them, closed under inverses, and
the norm of their mean on L^2_0(SO(3)) is 2 sqrt(p) / (p + 1): at most that by Deligne's bound for
Hecke operators, and no p + 1 rotations closed under inverses have less. The theorem is about exactly
these rotations, which integer rows are: a row that was rounded is another rotation, and the theorem does
not apply to it.

With the inversion added, S and -S: odd parities cancel, even ones are those of S.
"""

from __future__ import annotations

import math
from typing import cast

import numpy as np

from sparseaug._checks import Progress, silent
from sparseaug._floats import down, up
from sparseaug.groups import Rows
from sparseaug.groups.representations import infinite
from sparseaug.groups.rotations import Rotations
from sparseaug.norms.norm import Norm
from sparseaug.sampling import GroupSample

LARGEST_PRIME = 1_000_000
"""Of designs that are made: a million rows."""


def prime_norm(S: GroupSample, *, progress: Progress = silent) -> Norm:
    """The norm of D_S on all functions, where S is such a set; an `UnsupportedError` if not."""
    p = prime_of(S)
    if p is None:
        raise infinite(S.group)
    low, high = prime_bounds(p)
    return Norm(high, low, f"all l, norm {p}")


def prime_bounds(p: int) -> tuple[float, float]:
    """Floats on both sides of 2 sqrt(p) / (p + 1).

    Examples:
        >>> from sparseaug.norms.rotations.primes import prime_bounds
        >>> prime_bounds(29)[1]
        0.359010987142...
    """
    root = math.sqrt(p)  # correctly rounded, as are the quotients
    return down(down(2 * down(root)) / (p + 1)), up(up(2 * up(root)) / (p + 1))


def prime_of(S: GroupSample) -> int | None:
    """The prime p if S is the set of its p + 1 rotations, or that set with its inversion; else None."""
    group = cast(Rotations, S.group)
    if not group.rotates_space:
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


def is_suitable(p: int) -> bool:
    """Whether p is a prime of 1 mod 4, within reach.

    Examples:
        >>> from sparseaug.norms.rotations.primes import is_suitable
        >>> [p for p in range(40) if is_suitable(p)]
        [5, 13, 17, 29, 37]
    """
    if not 5 <= p <= LARGEST_PRIME or p % 4 != 1:
        return False
    return all(p % d for d in range(3, math.isqrt(p) + 1, 2))


def prime_rows(p: int) -> Rows:
    """The p + 1 rows (w, x, y, z) of integers, in lexicographic order.

    Examples:
        >>> from sparseaug.norms.rotations.primes import prime_rows
        >>> prime_rows(5).tolist()[:2]
        [[1.0, -2.0, 0.0, 0.0], [1.0, 0.0, -2.0, 0.0]]
    """
    side = math.isqrt(p)
    evens = np.arange(-(side - side % 2), side + 1, 2)
    x, y = np.meshgrid(evens, evens)
    found = []
    for w in range(1, side + 1, 2):
        rest = p - w * w - x * x - y * y
        z = np.rint(np.sqrt(np.maximum(rest, 0))).astype(np.int64)
        good = (z * z == rest) & (z % 2 == 0)
        for sign in (1, -1):
            found.append(np.stack([np.full(good.sum(), w), x[good], y[good], sign * z[good]], 1))
    return np.unique(np.concatenate(found), axis=0).astype(np.float64)


def largest_prime(m: int) -> int | None:
    """The largest such p with p + 1 <= m; None below 6."""
    return next((p for p in range(min(m - 1, LARGEST_PRIME), 4, -1) if is_suitable(p)), None)
