"""Every entry point: numbers outside the domain are refused by name, and huge ones at once."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from sparseaug import theory
from sparseaug.errors import ArgumentError

GOOD: dict[str, float | int] = {
    "m": 64,
    "T": 100,
    "b": 4,
    "order": 720,
    "num_classes": 11,
    "dimension_sum": 75,
    "length": 3,
    "n": 5,
    "d": 5,
    "delta": 0.05,
    "eps": 0.1,
    "deviation": 0.5,
    "C": 1.0,
    "B": 2.0,
    "L": 4.0,
    "gap": 1.0,
    "sigma": 2.0,
    "step_size": 0.125,
}
INTEGERS = {"m", "T", "b", "order", "num_classes", "length", "dimension_sum", "n", "d"}
MAY_BE_ZERO = {"gap", "sigma", "dimension_sum", "n", "d"}
ZERO_DEVIATION = {"word_deviation", "word_length", "stationarity_given"}
BELOW_ONE = {("word_deviation", "deviation"), ("word_length", "deviation")} | {
    ("words_plan", "deviation")
}

FUNCTIONS: dict[str, Callable] = {
    name: getattr(theory, name)
    for name in theory.__all__
    if inspect.isfunction(getattr(theory, name)) and name != "product_dimension_sum"
}


def outside(function: str, argument: str) -> list[float]:
    """Numbers outside the range of the argument; `tests/bad_input` gives what is not a number."""
    if argument in INTEGERS:
        zero = argument in MAY_BE_ZERO and function != "dihedral_dimension_sum"
        return [1.0, 1.5, -1] if zero else [1.0, 1.5, -1, 0]
    values = [float("inf"), -float("inf"), -1.0, 10**400]
    if argument not in MAY_BE_ZERO and not (argument == "deviation" and function in ZERO_DEVIATION):
        values.append(0.0)
    if argument == "delta" or (function, argument) in BELOW_ONE:
        values += [1.0, 1.5]
    if argument == "step_size":
        values.append(0.2500001)
    return values


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arguments_are_taken_by_name_and_a_number_outside_is_refused_by_name(name: str) -> None:
    good = {key: GOOD[key] for key in inspect.signature(FUNCTIONS[name]).parameters}
    FUNCTIONS[name](**good)
    for argument in good:
        for value in outside(name, argument):
            with pytest.raises(ArgumentError, match=rf"^{argument}="):
                FUNCTIONS[name](**{**good, argument: value})


@pytest.mark.parametrize("value", [1.0, 1.5, -1])
def test_a_dimension_sum_of_a_factor_that_is_outside_is_named(value: object) -> None:
    with pytest.raises(ArgumentError, match=r"^dimension_sums="):
        theory.product_dimension_sum(3, value)


def test_numpy_scalars_and_integers_for_reals_are_accepted() -> None:
    assert theory.deviation_bound(np.int64(64), 720, np.float64(0.05)) == theory.deviation_bound(
        64, 720, 0.05
    )
    assert theory.num_steps(1, 4, 1) == 32


def test_public_names_have_docstrings_with_an_example() -> None:
    for name, function in FUNCTIONS.items():
        assert ">>>" in (function.__doc__ or ""), name


HUGE = {"10^9": 10**9, "2^(10^5)": 1 << 10**5, "2^(10^7)": 1 << 10**7}


@pytest.mark.parametrize("value", HUGE)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_huge_integers_are_answered_at_once_or_refused_with_the_limit(
    name: str, value: str
) -> None:
    """Each of these took from seconds to forever, or gigabytes, at some place."""
    parameters = inspect.signature(FUNCTIONS[name]).parameters
    for argument in INTEGERS & set(parameters):
        arguments = {key: GOOD[key] for key in parameters} | {argument: HUGE[value]}
        try:
            FUNCTIONS[name](**arguments)
        except ArgumentError as error:
            limit = r"is too large; give (an integer below 2\*\*\d+|at most \d+, the result)"
            assert re.match(rf"{argument}=.* {limit}", str(error))  # noqa: PT017


@pytest.mark.parametrize(
    "name",
    ["involutions", "signed_involutions", "symmetric_dimension_sum", "sign_flips_dimension_sum"],
)
def test_numbers_with_too_many_digits_are_refused_by_their_argument(name: str) -> None:
    for value in (10**9, 10**18, 10**400):
        with pytest.raises(ArgumentError, match=r"^[nd]=.* is too large; give at most \d+"):
            FUNCTIONS[name](value)
    with pytest.raises(ArgumentError, match=r"^dimension_sums="):
        theory.product_dimension_sum(1 << 3 * 10**6, 1 << 3 * 10**6)


def test_limits_change_no_result() -> None:
    for m, order in ((2, 1 << 5000), (64, 3**4000), (10**9, 7**2000), (4, (1 << 4096) + 1)):
        exact = Fraction(order - m, m * (order - 1))
        floor = theory.deviation_floor(m, order)
        assert Fraction(floor) ** 2 <= exact < Fraction(math.nextafter(floor, 1)) ** 2
    assert theory.deviation_floor(1 << 5000, 1 << 9000) == 0.0
    assert theory.sharp_deviation_bound(1 << 9000, 75, 0.05) == math.ulp(0.0)
    for order, classes in ((3**20000, 11), (1 << 40000, 1 << 39999)):
        bound, square = theory.dimension_sum_bound(order, classes), (classes - 1) * (order - 1)
        assert square <= (bound + 1) ** 2
        assert bound**2 <= square + (square >> 8000)
