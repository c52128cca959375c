"""Directed rounding: every number with a direction goes through this file.

UNIT, SMALLEST            the unit roundoff u of binary64, and its smallest positive number
up, down                  the neighbouring float: beyond the exact result of one rounded operation
gamma                     the relative error of n roundings in a row
lifted                    a computed sum of non-negative terms, raised above its roundings
float_above, float_below  the nearest float on one side of a rational number
power_up                  x^k from above
unit, norm                a vector scaled by a power of two, and its length at any scale
text_up, text_down        a bound in print that stays a bound
popcount                  how many bits of each integer are 1

Correctly rounded values of real formulas are in `theory`; norms of matrices in `norms.verified`.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug.errors import ArgumentError

UNIT = 2.0**-53
"""The unit roundoff u of binary64."""

SMALLEST = math.ulp(0.0)
"""The smallest float above 0, 2^-1074: what a positive number below it rounds up to, and what a product
can lose by underflow, beyond its relative rounding."""

MOST_SQUARED = 1e150
"""The largest number of which sums of squares stay within the range of floats."""

TINY = 1e-140
"""Below this, squares leave the range of a float and relative errors mean nothing."""


def up(x: float) -> float:
    """The next float above `x`: after one correctly rounded operation, above its exact result.

    Examples:
        >>> from sparseaug._floats import UNIT, up
        >>> up(1.0) - 1.0 == 2 * UNIT
        True
    """
    return math.nextafter(x, math.inf)


def down(x: float) -> float:
    """The next float below `x`: after one correctly rounded operation, below its exact result."""
    return math.nextafter(x, -math.inf)


def gamma(n: float) -> float:
    """n u / (1 - n u), rounded up: the relative error of n roundings in a row, or of n summands.

    (Higham, Accuracy and Stability of Numerical Algorithms, Lemma 3.1.) n u is exact as long as n
    is, 1 - n u is rounded once and put below, the quotient once and put above.

    Examples:
        >>> from sparseaug._floats import UNIT, gamma
        >>> gamma(1) > UNIT
        True
    """
    total = n * UNIT
    if not total < 0.5:
        raise ArgumentError(f"n={n} roundings are too many to bound; give fewer than 2**52.")
    return up(total / down(1.0 - total))


def lifted(value: float, roundings: float) -> float:
    """`value` raised above so many roundings of its terms, all of them >= 0.

    What was computed is at least (1 - gamma(n)) times what was meant, and 1 / (1 - gamma) is below
    1 + 2 gamma by almost gamma >= 4 u, for n >= 4 terms: more than the operations here lose.
    """
    return value * (1 + 2 * gamma(roundings)) + TINY


def float_above(value: Fraction) -> float:
    """The smallest float >= value >= 0; inf above the range of floats."""
    try:
        nearest = value.numerator / value.denominator
    except OverflowError:
        return math.inf
    return nearest if Fraction(nearest) >= value else up(nearest)


def float_below(value: Fraction) -> float:
    """The largest finite float <= value, for value >= 0."""
    try:
        nearest = value.numerator / value.denominator
    except OverflowError:
        return down(math.inf)
    return nearest if Fraction(nearest) <= value else down(nearest)


def power_up(x: float, k: int) -> float:
    """A float not below x^k, for 0 <= x and k >= 1.

    Examples:
        >>> from sparseaug._floats import power_up
        >>> power_up(0.5, 3) >= 0.125, power_up(1.0, 10**9)
        (True, 1.0)
    """
    result = 1.0
    for bit in f"{k:b}":
        result = result if result in (0.0, 1.0) else up(result * result)
        if bit == "1":
            result = x if result == 1.0 else up(result * x)
    return result if x else 0.0


def unit(v: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """v / s and s, a power of two, the largest entry of v / s from 1 to 2: its square is a float."""
    largest = float(abs(v).max())
    if not 0 < largest < math.inf:
        return v, 1.0
    scale = math.ldexp(1.0, math.frexp(largest)[1] - 1)
    return v / scale, scale


def norm(v: NDArray[np.float64]) -> float:
    """sqrt(sum v^2), to len(v) + 2 roundings, at any scale: every bound takes lengths by it.

    Squares of entries below 1e-154 underflow and those above 1e154 overflow; those of v / s do not,
    but for entries that are 1e-154 of the largest and do not count.

    Examples:
        >>> import numpy as np
        >>> from sparseaug._floats import norm
        >>> norm(np.array([3e-200, 4e-200])), norm(np.array([1e200]))
        (5e-200, 1e+200)
    """
    scaled, scale = unit(v)
    return float(np.linalg.norm(scaled)) * scale


def text_up(value: float, digits: int = 6) -> str:
    """`value` with that many digits, rounded up: a printed upper bound stays one.

    Examples:
        >>> from sparseaug._floats import text_up
        >>> text_up(0.26944371234), text_up(0.25), text_up(0.65401, 3)
        ('0.269444', '0.25', '0.655')
    """
    return _rounded(value, digits, ROUND_CEILING)


def text_down(value: float, digits: int = 6) -> str:
    """`value` with that many digits, rounded down: a printed lower bound stays one.

    Examples:
        >>> from sparseaug._floats import text_down
        >>> text_down(0.6666666666666602)
        '0.666666'
    """
    return _rounded(value, digits, ROUND_FLOOR)


def _rounded(value: float, digits: int, rounding: str) -> str:
    with localcontext() as context:
        context.prec = digits
        context.rounding = rounding
        rounded = +Decimal(value)
    if not rounded:
        return "0"
    if abs(rounded) < Decimal("1e-4"):
        return f"{rounded:e}"
    text = f"{rounded:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def popcount(x: NDArray[Any], out: NDArray[Any] | None = None) -> NDArray[Any]:
    """How many bits of each non-negative integer are 1, into `out` if given.

    Examples:
        >>> import numpy as np
        >>> from sparseaug._floats import popcount
        >>> popcount(np.array([0, 1, 255, 2**62]))
        array([0, 1, 8, 1], dtype=uint8)
    """
    if hasattr(np, "bitwise_count"):
        return np.bitwise_count(x, out=out)
    # NumPy 1.26: add neighbours in fields of 2, 4 and 8 bits, then the eight fields
    counts = x.astype(np.uint64)
    by_2, by_4, by_8, ones = (np.uint64((2**64 - 1) // k) for k in (3, 5, 17, 255))
    counts -= counts >> np.uint64(1) & by_2
    counts = (counts & by_4) + (counts >> np.uint64(2) & by_4)
    counts = counts + (counts >> np.uint64(4)) & by_8
    counts = counts * ones >> np.uint64(56)
    if out is None:
        return counts.astype(np.uint8)
    out[...] = counts
    return out
