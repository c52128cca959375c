"""Roots of unity and means of characters with proved errors; phases are reduced as integers.

The character of a in C_n1 x C_n2 x ... is chi_a(g) = exp(2 pi i p / N), N = lcm(n_1, n_2, ...), with
the integer phase p = sum_j a_j g_j N / n_j mod N, so that nothing is rounded before the cosine.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sparseaug._floats import UNIT
from sparseaug.groups import Rows

# With q = r / N, |q| <= 1/2, the angle fl(fl(pi/2) fl(q)) is off by 3 u relatively, at most 2.4 u.
# Sine and cosine of it, at most 1, are taken to be within 4 ulps (NumPy's vector loops promise
# that, most are within 1), so each part is off by at most 6.5 u and the root by at most 9.2 u.
ROOT_ERROR = 10.0 * UNIT
"""At least |computed - true| for every root of unity made here."""


def phases(frequencies: Rows, rows: Rows, moduli: tuple[int, ...]) -> NDArray[np.int64]:
    """The integers p (f, k) with chi_a(g) = exp(2 pi i p / N) for frequencies (f, w), rows (k, w).

    Examples:
        >>> import numpy as np
        >>> from sparseaug.norms.abelian.roots import phases
        >>> phases(np.array([[1, 1]]), np.array([[1, 0], [0, 1], [1, 2]]), (2, 3))
        array([[3, 2, 1]])
    """
    common = math.lcm(*moduli)
    total = np.zeros((len(frequencies), len(rows)), np.int64)
    for axis, n in enumerate(moduli):
        a = frequencies[:, axis] % n
        if a.any():
            total += _multiply(a[:, None], rows[:, axis], n) * (common // n)
    return total % common


def roots(numerators: NDArray[np.int64], n: int) -> NDArray[np.complex128]:
    """exp(2 pi i p / n) for 0 <= p < n, within `ROOT_ERROR`.

    Examples:
        >>> import numpy as np
        >>> from sparseaug.norms.abelian.roots import roots
        >>> roots(np.array([0, 1]), 8)
        array([1.        +0.j        , 0.70710678+0.70710678j])
    """
    # 4 p = k n + r with |r| <= n / 2: a quarter turn k, exact, and an angle of at most pi / 4.
    quarter = (8 * numerators + n) // (2 * n)
    angle = (4 * numerators - quarter * n) / n * (math.pi / 2)
    cos, sin = np.cos(angle), np.sin(angle)
    odd = (quarter & 1).astype(bool)
    result = np.empty(angle.shape, np.complex128)
    result.real = np.where(odd, sin, cos) * (1 - ((quarter + 1) & 2))
    result.imag = np.where(odd, cos, sin) * (1 - (quarter & 2))
    return result


def _multiply(a: NDArray[np.int64], b: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """A b mod n without overflow, for 0 <= a, b < n <= 2^42."""
    if n <= 1 << 31:
        return a * b % n
    high, low = a >> 21, a & ((1 << 21) - 1)  # each product below stays under 2^63
    return ((high * b % n << 21) % n + low * b % n) % n
