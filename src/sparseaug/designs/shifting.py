"""Offers for shifts, sign flips, turns and grids.

The degree of a character of C_n1 x C_n2 x ... is the number of its non-zero frequencies: functions
of that many coordinates at a time, under sign flips. For shifts of a grid what matters is how long
a frequency is; there the lattices are good, whose whole deviation is 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from sparseaug.designs.arrays import strength_name, strength_rows, strength_size, strengths
from sparseaug.designs.crossed import mixed_rows, mixed_size
from sparseaug.designs.differences import cubes, singer_order, singer_set, squares
from sparseaug.designs.field import LARGEST, prime_power
from sparseaug.designs.offers import Offer
from sparseaug.floats import up
from sparseaug.groups import Abelian

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
