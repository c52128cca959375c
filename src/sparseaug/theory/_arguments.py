"""The ranges of the paper's letters, checked once; a float becomes the rational it stands for."""

from __future__ import annotations

import math
from fractions import Fraction

from sparseaug.errors import ArgumentError, check_integer, check_real


def counted(name: str, value: int, *, at_least: int = 1) -> int:
    """An integer such as m, T, b or |G|."""
    return check_integer(name, value, at_least=at_least)


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
