"""The ranges of the paper's letters, checked once; a float becomes the rational it stands for."""

from __future__ import annotations

import math
from fractions import Fraction

from sparseaug.errors import ArgumentError, check_integer, check_real, shorten

COUNT_BITS = 10_000
"""Size of T, b and the like: no formula of this package gives a larger one for any floats."""

ORDER_BITS = 1 << 22
"""Size of |G|, of m, which may be |G|, and of sums of dimensions: a million digits, as of S_250000."""


def counted(name: str, value: int, *, at_least: int = 1) -> int:
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


def text(name: str, value: str) -> str:
    """A string."""
    if not isinstance(value, str):
        raise ArgumentError(f"{name}={shorten(value)} is not a string.")
    return value


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
