"""Enclosures: a real number caught between two rationals, as tightly as asked.

Every bound of this package is built from rationals, one logarithm and one or two square roots.
Rationals are exact here, so only the logarithm, the exponential and the root have any width.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction


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

    def sqrt(self, bits: int) -> Interval:
        """The square root, to about `bits` significant bits; a point if the root is dyadic."""
        return Interval(_sqrt(self.low, bits, up=False), _sqrt(self.high, bits, up=True))

    def exp(self, bits: int) -> Interval:
        """The exponential, to about `bits` significant bits."""
        digits = _digits(bits)
        low = _exp(self.low, digits, ROUND_FLOOR)
        high = _exp(self.high, digits, ROUND_CEILING)
        slack = Fraction(1, 10 ** (digits - 2))
        return Interval(low * (1 - slack), high * (1 + slack))


def log_ratio(numerator: int, denominator: int, bits: int) -> Interval:
    """log(numerator / denominator) for positive integers of any size.

    With Q = floor(2^s numerator / denominator) and s such that Q has `bits` bits,
    log(numerator / denominator) lies between log Q - s log 2 and that plus log(1 + 1/Q) < 1/Q.
    `Decimal.ln` is correctly rounded: log Q and log 2 are off by at most half a unit in the last
    of `digits` places, which `slack` more than covers.
    """
    shift = bits - numerator.bit_length() + denominator.bit_length()
    if shift >= 0:
        quotient = (numerator << shift) // denominator
    else:
        quotient = (numerator >> -shift) // denominator
    digits = _digits(bits)
    context = Context(prec=digits)
    log_2, log_quotient = (Fraction(context.ln(Decimal(n))) for n in (2, quotient))
    value = log_quotient - shift * log_2
    slack = (log_quotient + abs(shift)) / 10 ** (digits - 2)
    return Interval(value - slack, value + slack + Fraction(1, quotient))


def _digits(bits: int) -> int:
    """Decimal places that carry `bits` bits (log10 2 < 0.302), with ten to spare."""
    return 10 + (302 * bits) // 1000


def _sqrt(value: Fraction, bits: int, *, up: bool) -> Fraction:
    """The root of a rational, rounded down or up to a multiple of 2^-scale.

    The integer root of 4^scale value keeps at least `bits` bits.
    """
    magnitude = value.numerator.bit_length() - value.denominator.bit_length()
    scale = max(0, bits - magnitude // 2)
    floor, remainder = divmod(value.numerator << (2 * scale), value.denominator)
    root = math.isqrt(floor)
    exact = remainder == 0 and root * root == floor
    return Fraction(root if exact or not up else root + 1, 1 << scale)


def _exp(exponent: Fraction, digits: int, rounding: str) -> Fraction:
    context = Context(prec=digits, rounding=rounding)
    ratio = context.divide(Decimal(exponent.numerator), Decimal(exponent.denominator))
    return Fraction(context.exp(ratio))
