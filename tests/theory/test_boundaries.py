"""Inverses are exact at the boundary: the integer or float they give satisfies the bound, and the
next one on the wrong side does not. Hundreds of random points each, and the degenerate ones."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sparseaug import theory

POINTS = 500

deltas = st.floats(1e-300, 1, exclude_max=True)
deviations = st.floats(1e-4, 1, exclude_max=True)
positives = st.floats(1e-3, 1e3)


def random_points(seed: int) -> list[tuple[int, float, float]]:
    rng = random.Random(seed)  # noqa: S311
    return [
        (rng.randrange(2, 10 ** rng.randrange(1, 40)), rng.random(), rng.uniform(1e-3, 1))
        for _ in range(POINTS)
    ]


BOUNDS: list[tuple[str, Callable, Callable, Callable]] = [
    ("order", theory.deviation_bound, theory.deviation_sample_size, theory.failure_probability),
    (
        "dimension_sum",
        theory.sharp_deviation_bound,
        theory.sharp_deviation_sample_size,
        theory.sharp_failure_probability,
    ),
]


@pytest.mark.parametrize(("letter", "bound", "size", "failure"), BOUNDS)
def test_m_delta_and_deviation_are_each_the_smallest_for_the_other_two(
    letter: str, bound: Callable, size: Callable, failure: Callable
) -> None:
    for order, delta, tau in random_points(seed=1):
        of = {letter: order}
        m = size(tau, delta=delta, **of)
        reached = bound(m, delta=delta, **of)
        assert reached <= tau
        assert m == 1 or bound(m - 1, delta=delta, **of) > tau
        assert size(reached, delta=delta, **of) == m or reached == 1.0
        assert size(math.nextafter(reached, 0), delta=delta, **of) > m
        smallest = failure(m, deviation=tau, **of)
        assert 0 < smallest <= delta
        assert bound(m, delta=smallest, **of) <= tau
        assert tau < bound(m, delta=math.nextafter(smallest, 0), **of)


@given(st.floats(0, 1, exclude_max=True), st.floats(1e-300, 2))
@example(0.5, 2.0**-1000)
@example(0.75, 0.75**4)
@example(math.nextafter(1, 0), 1e-300)
@example(5e-324, 1e-300)
def test_word_length_is_the_smallest(tau: float, eps: float) -> None:
    k = theory.word_length(tau, eps)
    assert theory.word_deviation(tau, k) <= eps
    assert k == 1 or theory.word_deviation(tau, k - 1) > eps


@given(st.floats(0.01, 1, exclude_max=True), st.integers(1, 60))
def test_word_deviation_is_the_power_rounded_up(tau: float, k: int) -> None:
    value, exact = theory.word_deviation(tau, k), Fraction(tau) ** k
    assert Fraction(math.nextafter(value, 0)) < exact <= Fraction(value)


@given(st.floats(1e-9, 10), deltas, st.integers(0, 10**9), positives, positives, deviations)
def test_words_plan_meets_eps_and_needs_no_more_calls_than_its_target(
    eps: float, delta: float, total: int, C: float, B: float, target: float
) -> None:
    plan = theory.words_plan(eps, delta, dimension_sum=total, C=C, B=B, deviation=target)
    assert plan.deviation == theory.sharp_deviation_bound(plan.m, dimension_sum=total, delta=delta)
    assert plan.m <= theory.sharp_deviation_sample_size(target, dimension_sum=total, delta=delta)
    assert plan.m <= theory.sharp_sample_size(eps, delta, dimension_sum=total, C=C, B=B)
    if plan.deviation < 1:
        exact = Fraction(plan.deviation) ** plan.length * Fraction(C) * Fraction(B)
        assert exact <= Fraction(eps) / 2 * (1 + Fraction(1, 2**50))
    else:
        assert (plan.m, plan.length) == (1, 1)


def test_group_of_one_element_has_no_deviation() -> None:
    assert theory.deviation_bound(1, order=1, delta=0.5) == 0.0
    assert theory.sharp_deviation_bound(1, dimension_sum=0, delta=0.5) == 0.0
    assert theory.failure_probability(1, order=1, deviation=0.1) == 0.0
    assert theory.sharp_failure_probability(1, dimension_sum=0, deviation=0.1) == 0.0
    assert theory.sample_size(1e-9, 1e-9, order=1, C=1.0, B=1.0) == 1
    assert theory.deviation_floor(1, order=1) == 0.0
    numbers = {"C": 1.0, "B": 2.0, "L": 4.0, "gap": 1.0, "sigma": 2.0}
    assert theory.crossovers(0.05, order=1, **numbers) == theory.Crossovers(math.inf, 0.0)


def test_a_step_that_rounds_above_one_over_l_gains_less_and_the_bound_knows() -> None:
    """The descent lemma: a step eta < 2/L gains eta (1 - L eta / 2) |gradient|^2, exactly that."""
    rng = random.Random(10)  # noqa: S311
    above = 0
    for _ in range(2000):
        L, T = rng.uniform(0.1, 100), rng.randrange(1, 1000)
        eta = Fraction(1.0 / L)
        share = 1 - Fraction(L) * eta / 2
        above += share < Fraction(1, 2)
        exact = 1 / (eta * min(share, Fraction(1, 2)) * T)
        assert Fraction(theory.gd_rate(T, 1.0 / L, L=L, gap=1.0)) ** 2 >= exact
        assert Fraction(theory.sgd_bound(T, 1.0 / L, L=L, gap=1.0, sigma=0.0)) >= exact
    assert above > 500


def test_bounds_beyond_the_floats_are_infinite_and_never_an_error() -> None:
    assert theory.gradient_bound(1, order=720, delta=0.5, C=1e308, B=1e308) == math.inf
    assert theory.sgd_bound(1, 1e-300, L=1e300, gap=1e308, sigma=1.0) == math.inf
