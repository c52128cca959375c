"""Every formula against mpmath at 50 digits, on 500 random points each, and never on the wrong
side of it. The reference works on logarithms and floats of mpmath; the library on rationals."""

from __future__ import annotations

import inspect
import math
import random
from collections.abc import Callable, Iterator
from typing import Any

import mpmath
import pytest

from sparseaug import theory

DIGITS = 50
POINTS = 500
RELATIVE = 1e-12

mp = mpmath.mp.clone()
mp.dps = DIGITS
FACTORIALS = [math.factorial(n) for n in (5, 20, 100, 1000, 5000)]


def log_uniform(rng: random.Random, low: float, high: float) -> float:
    return math.exp(rng.uniform(math.log(low), math.log(high)))


def draw(rng: random.Random) -> dict[str, float | int]:
    """One point: every letter of the paper, over its whole useful range."""
    small = [rng.randrange(2, 10**4), rng.randrange(2, 10**18)]
    L = log_uniform(rng, 1e-6, 1e6)
    point = {
        "m": round(log_uniform(rng, 1, 1e9)),
        "T": round(log_uniform(rng, 1, 1e9)),
        "b": round(log_uniform(rng, 1, 1e4)),
        "order": rng.choice([*small, *FACTORIALS]),
        "delta": rng.choice([rng.uniform(1e-9, 1 - 1e-9), log_uniform(rng, 1e-300, 1e-3)]),
        "eps": log_uniform(rng, 1e-5, 10),
        "deviation": log_uniform(rng, 1e-4, 0.999),
        "C": log_uniform(rng, 1e-4, 1e4),
        "B": log_uniform(rng, 1e-4, 1e4),
        "L": L,
        "gap": log_uniform(rng, 1e-6, 1e6),
        "sigma": log_uniform(rng, 1e-4, 1e4),
        "step_size": rng.uniform(0.01, 0.999) / L,
    }
    m, order = point["m"], point["order"]
    more = {"dimension_sum": order, "length": 1 + m % 30, "calls": 1 + m % 300}
    return point | more | {"error": point["deviation"], "v": point["sigma"], "p": point["b"]}


def ours(name: str, p: dict, **others: Callable[[dict], float | int]) -> Any:
    """The function at a point: its letters by name, these others in place of them."""
    function = getattr(theory, name.partition(" ")[0])
    letters = inspect.signature(function).parameters.keys() & {*p} - {"n", "size", "repeats"}
    return function(**{key: p[key] for key in letters} | {key: at(p) for key, at in others.items()})


def points(seed: int) -> Iterator[dict[str, float | int]]:
    rng = random.Random(seed)  # noqa: S311
    return (draw(rng) for _ in range(POINTS))


def log_term(p: dict, count: int) -> mpmath.mpf:
    return mp.log(mp.mpf(2) * count) - mp.log(mp.mpf(p["delta"]))


def paper_deviation(p: dict) -> mpmath.mpf:
    return min(mp.mpf(1), mp.sqrt(mp.mpf(8) / (3 * p["m"]) * log_term(p, p["order"])))


def sharp_deviation(p: dict) -> mpmath.mpf:
    """By bisection of the equation, not by its closed form."""
    ell, low, high = log_term(p, p["order"]), mp.mpf(0), mp.mpf(1)
    if p["m"] / mp.mpf(2) < ell * 4 / 3:
        return mp.mpf(1)
    for _ in range(180):
        tau = (low + high) / 2
        if p["m"] * tau**2 / (2 * (1 + tau / 3)) < ell:
            low = tau
        else:
            high = tau
    return high


def descent(p: dict) -> mpmath.mpf:
    return mp.sqrt(2 * mp.mpf(p["L"]) * p["gap"] / p["T"])


def scale(p: dict) -> mpmath.mpf:
    return mp.mpf(p["C"]) * p["B"]


def tail(p: dict, exponent: mpmath.mpf) -> mpmath.mpf:
    return min(mp.mpf(1), mp.exp(mp.log(mp.mpf(2) * p["order"]) - exponent))


def draws(p: dict, per_draw: mpmath.mpf) -> int:
    """m for which the tail 2|G| exp(-m per_draw) is between 1 and 1e-290."""
    wanted = mp.log(mp.mpf(2) * p["order"]) + 660 * mp.mpf(p["delta"])
    return max(1, int(wanted / per_draw))


def paper_rate(p: dict) -> mpmath.mpf:
    return mp.mpf(3) / 8 * mp.mpf(p["deviation"]) ** 2


def sharp_rate(p: dict) -> mpmath.mpf:
    return mp.mpf(p["deviation"]) ** 2 / (2 + 2 * mp.mpf(p["deviation"]) / 3)


def variance(p: dict) -> mpmath.mpf:
    """v: what is known of it where that is below C^2."""
    return min(mp.mpf(p["C"]) ** 2, mp.mpf(p["sigma"]))


def all_of(p: dict) -> mpmath.mpf:
    """One over the number of subproducts."""
    return mp.mpf(2) ** -p["calls"]


def sgd(p: dict) -> mpmath.mpf:
    noise = mp.mpf(p["L"]) * p["step_size"] * mp.mpf(p["sigma"]) ** 2 / p["b"]
    return 2 * mp.mpf(p["gap"]) / p["step_size"] / p["T"] + noise


def of_samples(p: dict, chance: mpmath.mpf) -> mpmath.mpf:
    """B sqrt(v) sqrt(chance), at most B sqrt(v)."""
    return p["B"] * mp.sqrt(variance(p)) * min(mp.mpf(1), mp.sqrt(chance))


def any_draws(p: dict) -> mpmath.mpf:
    error = (1 + mp.sqrt(-2 * mp.log(mp.mpf(p["delta"])))) / mp.sqrt(p["m"])
    return scale(p) * min(mp.mpf(2), error)


def of_operators(p: dict) -> mpmath.mpf:
    """t in 8 p n exp(-m t^2 / (2 (1 + t/3))) = delta, by bisection; at most 1."""
    ell, low, high = log_term(p, 4 * p["b"] * p["T"]), mp.mpf(0), mp.mpf(1)
    if p["m"] / mp.mpf(2) < ell * 4 / 3:
        return mp.mpf(1)
    for _ in range(180):
        t = (low + high) / 2
        low, high = (t, high) if p["m"] * t**2 / (2 + 2 * t / 3) < ell else (low, t)
    return high


Point = Callable[[dict], Any]
UPPER_BOUNDS: dict[str, tuple[Point, dict[str, Point]]] = {
    "deviation_bound": (paper_deviation, {}),
    "sharp_deviation_bound": (sharp_deviation, {}),
    "gradient_bound": (lambda p: scale(p) * paper_deviation(p), {}),
    "smallest_eps": (lambda p: 2 * scale(p) * paper_deviation(p), {}),
    "stationarity_bound": (lambda p: descent(p) + scale(p) * paper_deviation(p), {}),
    "stationarity_given": (lambda p: descent(p) + scale(p) * p["deviation"], {}),
    "failure_probability": (
        lambda p: tail(p, draws(p, paper_rate(p)) * paper_rate(p)),
        {"m": lambda p: draws(p, paper_rate(p))},
    ),
    "sharp_failure_probability": (
        lambda p: tail(p, draws(p, sharp_rate(p)) * sharp_rate(p)),
        {"m": lambda p: draws(p, sharp_rate(p))},
    ),
    "gd_rate": (lambda p: mp.sqrt(2 * mp.mpf(p["gap"]) / p["step_size"] / p["T"]), {}),
    "full_gd_bound": (descent, {}),
    "sgd_bound": (sgd, {}),
    "one_shot_sgd_bound": (lambda p: mp.sqrt(sgd(p)) + p["error"], {}),
    "word_deviation": (lambda p: mp.mpf(p["deviation"]) ** p["length"], {}),
    "matrix_gradient_bound": (
        lambda p: p["B"] * mp.sqrt(variance(p)) * of_operators(p),
        {"n": lambda p: p["T"]},
    ),
    "dimension_free_gradient_bound": (lambda p: of_samples(p, 2 * log_term(p, 1) / p["m"]), {}),
    "dimension_free_gradient_bound of n": (
        lambda p: of_samples(p, 2 * log_term(p, p["T"]) / p["m"]),
        {"n": lambda p: p["T"]},
    ),
    "mean_square_gradient_error": (lambda p: of_samples(p, mp.mpf(1) / p["m"]), {}),
    "distribution_gradient_bound": (any_draws, {}),
    "products_gradient_bound": (lambda p: of_samples(p, all_of(p) / mp.mpf(p["delta"])), {}),
    "products_gradient_bound of n": (
        lambda p: of_samples(p, p["T"] * all_of(p) / mp.mpf(p["delta"])),
        {"n": lambda p: p["T"]},
    ),
}


@pytest.mark.parametrize("name", UPPER_BOUNDS)
def test_upper_bound_is_the_next_float_above_mpmath(name: str) -> None:
    """mpmath's own error, some 1e-48, is all that is forgiven."""
    reference, others = UPPER_BOUNDS[name]
    for point in points(seed=len(name)):
        value, exact = ours(name, point, **others), reference(point)
        assert value >= exact * (1 - mp.mpf(10) ** -45)
        assert math.nextafter(value, 0) < exact * (1 + mp.mpf(10) ** -45)


def test_deviation_floor_equals_mpmath_and_is_never_above_it() -> None:
    for p in points(seed=7):
        if p["m"] >= p["order"]:
            assert theory.deviation_floor(p["m"], order=p["order"]) == 0.0
            continue
        exact = mp.sqrt((mp.mpf(p["order"]) / p["m"] - 1) / (mp.mpf(p["order"]) - 1))
        value = theory.deviation_floor(p["m"], order=p["order"])
        assert value <= exact * (1 + mp.mpf(10) ** -45)
        assert value >= exact * (1 - mp.mpf(RELATIVE))


def ceil(value: mpmath.mpf) -> int:
    return max(1, int(mp.ceil(value)))


def half(p: dict) -> mpmath.mpf:
    """4 B^2 v / eps^2, which is 1 where eps/2 is the largest error there can be."""
    return 4 * mp.mpf(p["B"]) ** 2 * variance(p) / mp.mpf(p["eps"]) ** 2


def operators_needed(p: dict) -> int:
    t = 1 / mp.sqrt(half(p)) if half(p) else mp.mpf(2)
    if t >= 1:
        return 1
    return ceil(2 * (1 + t / 3) / t**2 * log_term(p, 4 * p["b"] * p["T"]))


INTEGERS: dict[str, tuple[Point, dict[str, Point]]] = {
    "sample_size": (
        lambda p: ceil_from(2 * scale(p) / p["eps"], mp.mpf(8) / 3, log_term(p, p["order"])),
        {},
    ),
    "deviation_sample_size": (
        lambda p: ceil(8 / (3 * mp.mpf(p["deviation"]) ** 2) * log_term(p, p["order"])),
        {},
    ),
    "sharp_deviation_sample_size": (lambda p: ceil(log_term(p, p["order"]) / sharp_rate(p)), {}),
    "num_steps": (lambda p: ceil(8 * mp.mpf(p["L"]) * p["gap"] / mp.mpf(p["eps"]) ** 2), {}),
    "full_gd_steps": (lambda p: ceil(2 * mp.mpf(p["L"]) * p["gap"] / mp.mpf(p["eps"]) ** 2), {}),
    "word_length": (lambda p: ceil(mp.log(p["eps"]) / mp.log(p["deviation"])), {}),
    "matrix_sample_size": (operators_needed, {"n": lambda p: p["T"]}),
    "dimension_free_sample_size": (
        lambda p: ceil_from(mp.sqrt(half(p)), mp.mpf(2), log_term(p, 1)),
        {},
    ),
    "products_calls": (
        lambda p: 1 if half(p) <= 1 else ceil(mp.log(half(p) * p["T"] / mp.mpf(p["delta"]), 2)),
        {"n": lambda p: p["T"]},
    ),
}


def ceil_from(share: mpmath.mpf, factor: mpmath.mpf, log: mpmath.mpf) -> int:
    """factor share^2 log; 1 where the share is at most 1."""
    return 1 if share <= 1 else ceil(factor * share**2 * log)


def sgd_step(p: dict) -> mpmath.mpf:
    limit = p["b"] * mp.mpf(p["eps"]) ** 2 / (2 * mp.mpf(p["L"]) * mp.mpf(p["sigma"]) ** 2)
    return min(1 / mp.mpf(p["L"]), limit)


@pytest.mark.parametrize("name", INTEGERS)
def test_integer_equals_mpmath(name: str) -> None:
    reference, others = INTEGERS[name]
    for point in points(seed=50 + len(name)):
        assert ours(name, point, **others) == reference(point), point


def test_stochastic_plans_have_the_steps_of_their_bounds() -> None:
    for p in points(seed=4):
        steps = ceil(4 * mp.mpf(p["gap"]) / (sgd_step(p) * mp.mpf(p["eps"]) ** 2))
        assert ours("sgd_plan", p).num_steps == steps
        at_half = {**p, "eps": p["eps"] / 2}
        assert ours("one_shot_sgd_plan", p).num_steps == ours("sgd_plan", at_half).num_steps


def test_sgd_step_size_is_the_papers_rounded_down_and_keeps_the_plan() -> None:
    for p in points(seed=3):
        plan = theory.sgd_plan(p["eps"], L=p["L"], gap=p["gap"], sigma=p["sigma"], b=p["b"])
        assert plan.step_size <= sgd_step(p) * (1 + mp.mpf(10) ** -45)
        assert plan.step_size >= sgd_step(p) * (1 - mp.mpf(RELATIVE))
        assert plan.calls == p["b"] * plan.num_steps
        rest = {key: p[key] for key in ("L", "gap", "sigma", "b")}
        bound = theory.sgd_bound(plan.num_steps, plan.step_size, **rest)
        assert bound <= p["eps"] ** 2 * (1 + 1e-15)


def test_a_probability_below_all_floats_is_not_0() -> None:
    order = FACTORIALS[-1]
    m = theory.sample_size(1e-3, 1e-300, order=order, C=1.0, B=1.0)
    assert theory.failure_probability(m, order=order, deviation=0.9) == math.ulp(0.0)
