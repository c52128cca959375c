"""Correct rounding: the real number a formula defines, rounded the safe way and no further.

An enclosure is refined until both of its ends round to the same result (Ziv's strategy), so
`smallest_above` gives the smallest float that is not below the real number. Hence for a float t

    smallest_above(x) <= t   exactly when   x <= t,

and a comparison of two floats decides the inequality between real numbers. The refinement ends:
a formula with log(2|G|/delta) in it is transcendental, so it is never a float or an integer
itself, and formulas without a logarithm are enclosed exactly once their root is a dyadic number.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar

from sparseaug.floats import SMALLEST, float_above, float_below
from sparseaug.theory._interval import Interval

Enclosure = Callable[[int], Interval]
"""From a number of bits to an interval of about that relative width."""

Result = TypeVar("Result", int, float)

START_BITS = 128
"""Twice the 53 bits of a float and some: the first try settles all but one case in 10^20."""


def smallest_above(enclose: Enclosure) -> float:
    """The smallest float that is not below the enclosed number; inf above the range of floats."""
    return _settle(enclose, float_above)


def largest_below(enclose: Enclosure) -> float:
    """The largest float that is not above the enclosed number, which is not negative."""
    return _settle(enclose, float_below)


def ceiling(enclose: Enclosure) -> int:
    """The smallest integer that is not below the enclosed number."""
    return _settle(enclose, math.ceil)


def exp_above(enclose: Enclosure) -> float:
    """The smallest float that is not below min(1, exp(x)), for the enclosed x."""
    rough = enclose(START_BITS)
    if rough.low >= 0:
        return 1.0
    if rough.high < -746:  # exp(-746) < 2^-1075
        return SMALLEST
    return min(1.0, smallest_above(lambda bits: enclose(bits).exp(bits)))


def _settle(enclose: Enclosure, rounding: Callable[[Fraction], Result]) -> Result:
    bits = START_BITS
    while True:
        interval = enclose(bits)
        result = rounding(interval.high)
        if rounding(interval.low) == result:
            return result
        bits *= 2
