"""Table 1 as data, and the crossovers with whole numbers of calls."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from sparseaug import theory
from sparseaug.theory import costs
from sparseaug.theory._interval import Interval

NUMBERS = {"C": 1.0, "B": 2.0, "L": 4.0, "gap": 1.0, "sigma": 2.0}


def calls(eps: float, delta: float, **numbers: float) -> dict[str, int]:
    return {row.method: row.calls for row in theory.comparison(eps, delta, **numbers)}


@pytest.mark.parametrize("steady", [Fraction(0), Fraction(1, 2), Fraction(7)])
def test_the_limit_against_streaming_encloses_all_costs_of_an_interval(steady: Fraction) -> None:
    """eps^2 <= max(2P / (A + sqrt(A^2 + 4P)), Q - A), for A from 1 to 2 and P = 3."""
    found = costs._streaming_limit(Interval(Fraction(1), Fraction(2)), Fraction(3), steady)
    for cost in (1.0, 1.25, 1.9, 2.0):
        limit = max(6 / (cost + math.sqrt(cost**2 + 12)), float(steady) - cost)
        assert float(found.low) - 1e-12 <= limit <= float(found.high) + 1e-12


def test_one_shot_is_cheaper_than_the_group_exactly_from_the_crossover_on() -> None:
    rng = random.Random(1)  # noqa: S311
    for _ in range(300):
        order, delta = rng.randrange(2, 10**7), rng.uniform(0.001, 0.9)
        eps = theory.crossovers(delta, order=order, **NUMBERS).than_full
        assert theory.sample_size(eps, delta, order=order, C=1.0, B=2.0) < order
        assert theory.sample_size(math.nextafter(eps, 0), delta, order=order, C=1.0, B=2.0) >= order


def test_one_shot_is_cheaper_than_streaming_up_to_the_crossover() -> None:
    rng = random.Random(2)  # noqa: S311
    for _ in range(300):
        numbers = {name: math.exp(rng.uniform(-2, 2)) for name in NUMBERS}
        numbers |= {"order": rng.randrange(2, 10**9), "b": rng.randrange(1, 50)}
        delta = rng.uniform(0.001, 0.9)
        limit = theory.crossovers(delta, **numbers).than_streaming
        for shrink in (1.0, 0.999, 0.9, 0.5, 0.1, 0.01):
            cost = calls(limit * shrink, delta, **numbers)
            assert cost["one-shot"] < cost["streaming"]
