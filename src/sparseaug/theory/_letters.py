"""The ranges of the paper's letters, checked once; a float becomes the rational it stands for."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

from sparseaug._checks import check_integer, check_not_negative, check_real
from sparseaug.errors import ArgumentError, shorten

COUNT_BITS = 10_000
"""Size of T, b and the like: no formula of this package gives a larger one for any floats."""


ORDER_BITS = 1 << 22
"""Size of |G|, of m, which may be |G|, and of sums of dimensions: a million digits, as of S_250000."""


def check_count(name: str, value: Any, *, at_least: int = 1, bits: int = COUNT_BITS) -> int:
    """An integer such as T or b."""
    number = check_integer(name, value, at_least=at_least)
    if number.bit_length() > bits:
        given = f"{name}={shorten(number)} is too large"
        raise ArgumentError(f"{given}; give an integer below 2**{bits}.")
    return number


def positive(name: str, value: Any, *, below: float = math.inf) -> Fraction:
    """A number such as eps, C, B or L."""
    return Fraction(check_real(name, value, above=0, below=below))


def not_negative(name: str, value: Any) -> Fraction:
    """A number that may be 0, such as the initial gap or a known deviation."""
    return Fraction(check_not_negative(name, value))


group_size = partial(check_count, bits=ORDER_BITS)


below_one = partial(positive, below=1)


LETTERS: Mapping[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(("T", "b", "length"), check_count),
    **dict.fromkeys(("m", "order", "num_classes"), group_size),
    "dimension_sum": partial(group_size, at_least=0),
    **dict.fromkeys(("eps", "deviation", "C", "B", "L"), positive),
    **dict.fromkeys(("gap", "sigma"), not_negative),
    "delta": below_one,
}
"""The range of each letter of the paper. A deviation that is known may also be 0: `not_negative`."""


def letters(**given: Any) -> list[Any]:
    """The integers, and the rationals that stand for the floats, each in the range of its letter."""
    return [LETTERS[name](name, value) for name, value in given.items()]


def step(name: str, value: float, *, L: Fraction) -> Fraction:
    """A step size of at most 1/L, or 1/L as a float has it (above 1/L by a rounding at most)."""
    number = positive(name, value)
    if number * L > 1 + Fraction(1, 2**52):
        limit = f"{name}={value!r} is above 1/L={float(1 / L)!r}"
        raise ArgumentError(f"{limit}; the descent lemma needs a step size of at most 1/L.")
    return number
