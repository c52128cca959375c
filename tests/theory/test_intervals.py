"""Enclosures hold: against mpmath with 120 digits, which shows every rounding of 128 bits."""

from __future__ import annotations

import random
from fractions import Fraction

import mpmath

from sparseaug.theory._interval import Interval, log_ratio

WIDTH = Fraction(4, 2**128)
mp = mpmath.mp.clone()
mp.dps = 120


def exact(value: Fraction) -> mpmath.mpf:
    return mp.mpf(value.numerator) / value.denominator


def holds(interval: Interval, truth: mpmath.mpf) -> bool:
    return exact(interval.low) <= truth <= exact(interval.high)


def rationals(seed: int, count: int = 1000) -> list[Fraction]:
    rng = random.Random(seed)  # noqa: S311
    small = [Fraction(a, b) for a in range(1, 30) for b in range(1, 12)]
    return small + [
        Fraction(
            rng.randrange(1, 10 ** rng.randrange(1, 9)), rng.randrange(1, 10 ** rng.randrange(1, 9))
        )
        for _ in range(count)
    ]


def test_roots_are_enclosed_and_exact_where_they_are_dyadic() -> None:
    for value in rationals(1):
        found = Interval.point(value).sqrt()
        assert holds(found, mp.sqrt(exact(value)))
        assert found.high - found.low <= WIDTH * max(1, found.high)
    for value in (Fraction(1, 4), Fraction(9), Fraction(25, 64)):
        root = Interval.point(value).sqrt()
        assert root.low == root.high
        assert root.low**2 == value


def test_logarithms_are_enclosed() -> None:
    for value in rationals(2):
        found = log_ratio(value.numerator, value.denominator)
        assert holds(found, mp.log(exact(value)))
        assert found.high - found.low < WIDTH


def test_exponentials_are_enclosed() -> None:
    for value in rationals(3):
        x = -value if value < 40 else -1 / value
        found = Interval.point(x).exp()
        assert holds(found, mp.exp(exact(x)))
        assert found.low > 0
