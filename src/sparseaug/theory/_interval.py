"""Enclosures: a real number caught between two rationals, as tightly as asked.

Every bound of this package is built from rationals, one logarithm and one or two square roots.
Rationals are exact here, so only the logarithm, the exponential and the root have any width.

A bound is the outer end of an interval of 128 bits, rounded outward once: at most one unit in the last
place above the smallest float that is not below the real number.

The ranges of the paper's letters, checked once; a float becomes the rational it stands for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from sparseaug._checks import check_integer, check_real
from sparseaug._floats import SMALLEST, float_above, float_below
from sparseaug.errors import ArgumentError, shorten


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


Enclosure = Callable[[int], Interval]
"""From a number of bits to an interval of about that relative width."""

BITS = 128
"""Twice the 53 bits of a float and some."""


def rounded_up(enclose: Enclosure) -> float:
    """A float that is not below the enclosed number; inf above the range of floats."""
    return float_above(enclose(BITS).high)


def rounded_down(enclose: Enclosure) -> float:
    """A float that is not above the enclosed number, which is not negative."""
    return float_below(enclose(BITS).low)


def ceiling(enclose: Enclosure) -> int:
    """An integer that is not below the enclosed number: the smallest but in one case in 10^20."""
    return math.ceil(enclose(BITS).high)


def exp_above(enclose: Enclosure) -> float:
    """A float that is not below min(1, exp(x)), for the enclosed x."""
    rough = enclose(BITS)
    if rough.low >= 0:
        return 1.0
    if rough.high < -746:  # exp(-746) < 2^-1075
        return SMALLEST
    return min(1.0, float_above(rough.exp(BITS).high))


COUNT_BITS = 10_000
"""Size of T, b and the like: no formula of this package gives a larger one for any floats."""

ORDER_BITS = 1 << 22
"""Size of |G|, of m, which may be |G|, and of sums of dimensions: a million digits, as of S_250000."""


def check_count(name: str, value: int, *, at_least: int = 1) -> int:
    """An integer such as T or b."""
    return _sized(name, check_integer(name, value, at_least=at_least), COUNT_BITS)


def group_size(name: str, value: int, *, at_least: int = 1) -> int:
    """An integer such as |G|, m, the sum of dimensions or the number of classes."""
    return _sized(name, check_integer(name, value, at_least=at_least), ORDER_BITS)


def dimension_of(name: str, value: int, largest: int, *, at_least: int = 0) -> int:
    """An integer such as the n of S_n, for which a number that grows with n! is computed."""
    number = check_integer(name, value, at_least=at_least)
    if number > largest:
        raise ArgumentError(
            f"{name}={shorten(number)} is too large; give at most {largest}, the result has "
            "hundreds of thousands of digits there."
        )
    return number


def _sized(name: str, number: int, bits: int) -> int:
    if number.bit_length() > bits:
        raise ArgumentError(
            f"{name}={shorten(number)} is too large; give an integer below 2**{bits}."
        )
    return number


def positive(name: str, value: float, *, below: float = math.inf) -> Fraction:
    """A number such as eps, C, B or L."""
    return Fraction(check_real(name, value, above=0, below=below))


def probability(name: str, value: float) -> Fraction:
    """A number strictly between 0 and 1, such as delta."""
    return positive(name, value, below=1)


def not_negative(name: str, value: float, *, below: float = math.inf) -> Fraction:
    """A number that may be 0, such as the initial gap or a deviation."""
    number = Fraction(check_real(name, value, below=below))
    if number < 0:
        raise ArgumentError(f"{name}={value!r} is not allowed; give a number of at least 0.")
    return number


def step(name: str, value: float, *, L: Fraction) -> Fraction:
    """A step size of at most 1/L, or 1/L as a float has it (above 1/L by a rounding at most)."""
    number = positive(name, value)
    if number * L > 1 + Fraction(1, 2**52):
        limit = f"{name}={value!r} is above 1/L={float(1 / L)!r}"
        raise ArgumentError(f"{limit}; the descent lemma needs a step size of at most 1/L.")
    return number
