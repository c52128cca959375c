"""Offers for shifts, sign flips, turns and grids.

The degree of a character of C_n1 x C_n2 x ... is the number of its non-zero frequencies: functions
of that many coordinates at a time, under sign flips. For shifts of a grid what matters is how long
a frequency is; there the lattices are good, whose whole deviation is 1.

Sets with a flat spectrum in abelian groups: difference sets, squares and cubes.

If every non-zero element is a difference of lambda pairs of S, then |chi(S)|^2 = (m - lambda)/m^2
for all characters chi != 1, which is the floor: no S of m elements does better.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from sparseaug._floats import up
from sparseaug.designs.arrays import (
    mixed_rows,
    mixed_size,
    strength_name,
    strength_rows,
    strength_size,
    strengths,
)
from sparseaug.designs.field import LARGEST, Field, field, prime_power
from sparseaug.designs.offers import Offer
from sparseaug.groups import Abelian, Rows

_MOST_FACTORS = 4096
_LARGEST_MODULUS = 1 << 20  # numbers up to here are factorised


def flips(group: Abelian) -> Iterator[Offer]:
    """Orthogonal arrays of signs, and the cubes."""
    d = group.width
    if set(group.moduli) != {2} or d < 2:
        return
    for t in strengths(d):
        m = strength_size(d, t)
        if m < 1 << d:
            yield Offer(
                strength_name(d, t),
                m,
                t,
                f"orthogonal array of strength {t}",
                build=partial(strength_rows, d, t),
            )
    k = d // 2
    if d % 2 == 0 and k % 2 and k >= 3 and 1 << k <= LARGEST:
        yield Offer(
            f"cubes over GF({1 << k})",
            1 << k,
            1,
            "(x, x^3): flat spectrum (Gold 1968)",
            up(math.sqrt(2.0 / (1 << k))),
            build=partial(cubes, k),
        )


def shifts(group: Abelian) -> Iterator[Offer]:
    """Difference sets and squares, and arrays with mixed levels."""
    moduli = group.moduli
    if len(moduli) == 1 and (q := singer_order(moduli[0])):
        yield Offer(
            f"Singer set over GF({q})",
            q + 1,
            0,
            "every difference once: meets the floor (Singer 1938)",
            up(math.sqrt(q) / (q + 1)),
            build=partial(singer_set, q),
        )
    if len(moduli) == 2 and moduli[0] == moduli[1] and _is_odd_prime(moduli[0]):
        p = moduli[0]
        yield Offer(
            f"squares mod {p}",
            p,
            0,
            "(x, x^2): Gauss sums, flat spectrum",
            up(1.0 / math.sqrt(p)),
            build=partial(squares, p),
        )
    if set(moduli) <= {1, 2} or len(moduli) > _MOST_FACTORS or max(moduli) > _LARGEST_MODULUS:
        return
    for t in range(1, min(group.width, 4)):
        m = mixed_size(moduli, t)
        if m is not None and math.log(m) < group.log_order - 1e-9:
            yield Offer(
                f"array of strength {t}",
                m,
                t,
                "orthogonal array with mixed levels (Bush 1952)",
                build=partial(_array, moduli, t),
            )


def _array(moduli: tuple[int, ...], t: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    return mixed_rows(moduli, t)


def _is_odd_prime(n: int) -> bool:
    return n % 2 == 1 and n <= _LARGEST_MODULUS and prime_power(n) == (n, 1)


def singer_order(n: int) -> int | None:
    """The prime power q with n = q^2 + q + 1; None if there is none.

    >>> singer_order(91), singer_order(90)
    (9, None)
    """
    q = (math.isqrt(4 * n - 3) - 1) // 2
    return q if q >= 2 and q * q + q + 1 == n and q <= LARGEST and prime_power(q) else None


def singer_set(q: int) -> Rows:
    """q + 1 elements of C_n, n = q^2 + q + 1, with every difference once (Singer 1938).

    A matrix that permutes the points of the projective plane over GF(q) in one cycle numbers them by
    0..n-1; the points of a line are the set, as two points lie on one line and two lines share one.

    >>> singer_set(3).ravel()
    array([0, 1, 3, 9])
    """
    F = field(q)
    n = q * q + q + 1
    for a in range(q):
        for b in range(q):
            for c in range(1, q):
                line = _line_of_cycle(F, n, a, b, c)
                if line is not None:
                    return line[:, None]
    raise AssertionError("every projective plane over a field has such a cycle")


def squares(p: int) -> Rows:
    """{(x, x^2)} in C_p x C_p, p an odd prime: |chi(S)| is 1/sqrt(p) or 0.

    A character is exp(2 pi i (a x + b x^2) / p): a Gauss sum if b != 0, and 0 if b = 0.
    """
    x = np.arange(p)
    return np.stack([x, x * x % p], axis=1)


def cubes(k: int) -> Rows:
    """{(x, x^3)} in Z_2^(2k) over GF(2^k), k odd: |chi(S)| is 2^(-(k-1)/2) or 0 (Gold 1968).

    The character of (a, b) is the sum of (-1)^Tr(a x + b x^3). Its square sums over the y for which
    x^2 y + x y^2 is linear in x by a trace that vanishes: y = 0 and, as 3 is prime to 2^k - 1, one
    more.
    """
    x = np.arange(1 << k)
    y = field(1 << k).power(x, 3)
    bits = np.arange(k)
    return np.concatenate([x[:, None] >> bits & 1, y[:, None] >> bits & 1], axis=1)


def _line_of_cycle(F: Field, n: int, a: int, b: int, c: int) -> Rows | None:
    """The numbers i with s_i = 0 for the recursion s_(i+3) = a s_(i+2) + b s_(i+1) + c s_i.

    None unless the points (s_i, s_(i+1), s_(i+2)), up to scalars, are all different for i = 0..n-1.
    """
    table = F.multiply(np.array([[a], [b], [c]]), np.arange(F.q)).tolist()
    window, sequence = (0, 0, 1), []
    for i in range(n):
        if i and window[:2] == (0, 0):
            return None
        sequence.append(window[0])
        following = _sum(F, _sum(F, table[0][window[2]], table[1][window[1]]), table[2][window[0]])
        window = (window[1], window[2], following)
    return np.flatnonzero(np.array(sequence) == 0) if window[:2] == (0, 0) else None


def _sum(F: Field, a: int, b: int) -> int:
    return int(F.add(a, b))
