"""Enclosures: a real number caught between two rationals, to 128 bits.

Every bound of this package is built from rationals, one logarithm and one or two square roots.
Rationals are exact here, so only the logarithm, the exponential and the root have any width.

A bound is the outer end of its interval, rounded outward once: at most one unit in the last place above
the smallest float that is not below the real number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from sparseaug._floats import SMALLEST, float_above, float_below

BITS = 128
"""Of an end of an interval: twice the 53 bits of a float and some."""

DIGITS = 48
"""Decimal places that carry so many bits, with ten to spare."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A closed interval with rational ends; `*` and `sqrt` need ends that are >= 0."""

    low: Fraction
    high: Fraction

    @classmethod
    def point(cls, value: Fraction | int) -> Interval:
        """The interval that holds one rational and nothing else."""
        return cls(Fraction(value), Fraction(value))

    def __add__(self, other: Interval | Fraction) -> Interval:
        if isinstance(other, Interval):
            return Interval(self.low + other.low, self.high + other.high)
        return Interval(self.low + other, self.high + other)

    def __mul__(self, other: Interval | Fraction | int) -> Interval:
        if isinstance(other, Interval):
            return Interval(self.low * other.low, self.high * other.high)
        return Interval(self.low * other, self.high * other)

    def at_most(self, cap: Fraction | int) -> Interval:
        """The minimum with `cap`."""
        return Interval(min(self.low, Fraction(cap)), min(self.high, Fraction(cap)))

    def sqrt(self) -> Interval:
        """The square root; a point if the root is dyadic."""
        return Interval(_sqrt(self.low, up=False), _sqrt(self.high, up=True))

    def exp(self) -> Interval:
        """The exponential. `Decimal.exp` is off by half a unit in the last place, less than `slack`."""
        low, high = _exp(self.low, ROUND_FLOOR), _exp(self.high, ROUND_CEILING)
        slack = Fraction(1, 10 ** (DIGITS - 2))
        return Interval(low * (1 - slack), high * (1 + slack))


def log_ratio(numerator: int, denominator: int) -> Interval:
    """log(numerator / denominator) for positive integers of any size.

    With Q = floor(2^s numerator / denominator) and s such that Q has `BITS` bits,
    log(numerator / denominator) lies between log Q - s log 2 and that plus log(1 + 1/Q) < 1/Q.
    `Decimal.ln` is correctly rounded: log Q and log 2 are off by at most half a unit in the last
    of `DIGITS` places, which `slack` more than covers.
    """
    shift = BITS - numerator.bit_length() + denominator.bit_length()
    quotient = (numerator << max(shift, 0) >> max(-shift, 0)) // denominator
    context = Context(prec=DIGITS)
    log_2, log_quotient = (Fraction(context.ln(Decimal(n))) for n in (2, quotient))
    value = log_quotient - shift * log_2
    slack = (log_quotient + abs(shift)) / 10 ** (DIGITS - 2)
    return Interval(value - slack, value + slack + Fraction(1, quotient))


def _sqrt(value: Fraction, *, up: bool) -> Fraction:
    """The root of a rational, rounded down or up to a multiple of 2^-scale.

    The integer root of 4^scale value keeps at least `BITS` bits.
    """
    magnitude = value.numerator.bit_length() - value.denominator.bit_length()
    scale = max(0, BITS - magnitude // 2)
    floor, remainder = divmod(value.numerator << (2 * scale), value.denominator)
    root = math.isqrt(floor)
    exact = remainder == 0 and root * root == floor
    return Fraction(root if exact or not up else root + 1, 1 << scale)


def _exp(exponent: Fraction, rounding: str) -> Fraction:
    context = Context(prec=DIGITS, rounding=rounding)
    ratio = context.divide(Decimal(exponent.numerator), Decimal(exponent.denominator))
    return Fraction(context.exp(ratio))


def rounded_up(value: Interval) -> float:
    """A float that is not below the enclosed number; inf above the range of floats."""
    return float_above(value.high)


def rounded_down(value: Interval) -> float:
    """A float that is not above the enclosed number, which is not negative."""
    return float_below(value.low)


def ceiling(value: Interval) -> int:
    """An integer that is not below the enclosed number: the smallest but in one case in 10^20."""
    return math.ceil(value.high)


def exp_above(exponent: Interval) -> float:
    """A float that is not below min(1, exp(x)), for the enclosed x."""
    if exponent.low >= 0:
        return 1.0
    if exponent.high < -746:  # exp(-746) < 2^-1075
        return SMALLEST
    return min(1.0, rounded_up(exponent.exp()))
