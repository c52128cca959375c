"""Sets of sign flips: orthogonal arrays, which are exact, and the cubes, whose spectrum is flat.

The degree of a character of Z_2^d is the number of its signs: a set is exact to degree t if in any t
columns every pattern occurs equally often, an orthogonal array of strength t.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from sparseaug._floats import up
from sparseaug.designs.constructions.base import Design
from sparseaug.groups import Abelian, Rows
from sparseaug.qmc.binary import strength_name, strength_rows, strength_size, strengths
from sparseaug.qmc.field import LARGEST, field


def sign_designs(group: Abelian) -> Iterator[Design]:
    """Orthogonal arrays of signs, and the cubes."""
    d = group.width
    if set(group.moduli) != {2} or d < 2:
        return
    for t in strengths(d):
        m, source = strength_size(d, t), f"orthogonal array of strength {t}"
        if m < 1 << d:
            yield Design(
                group, strength_name(d, t), m, t, source, build=partial(strength_rows, d, t)
            )
    k = d // 2
    if d % 2 == 0 and k % 2 and k >= 3 and 1 << k <= LARGEST:
        whole, source = up(math.sqrt(2.0 / (1 << k))), "(x, x^3): flat spectrum (Gold 1968)"
        yield Design(
            group, f"cubes over GF({1 << k})", 1 << k, 1, source, whole, build=partial(cubes, k)
        )


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
