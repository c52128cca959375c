"""Every entry point x every bad value: an ArgumentError that names the argument, and no warning."""

from __future__ import annotations

import inspect
from collections.abc import Callable

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
NOT_NUMBERS = ["1", None, True, [1], np.array([1, 2]), 1j, ...]
NOT_INTEGERS = [*NOT_NUMBERS, 1.0, 1.5, float("nan"), float("inf"), -1]
NOT_FINITE = [*NOT_NUMBERS, float("nan"), float("inf"), -float("inf"), -1.0, 10**400]
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


def bad_values(function: str, argument: str) -> list:
    if argument in INTEGERS:
        zero = argument in MAY_BE_ZERO and function != "dihedral_dimension_sum"
        return NOT_INTEGERS if zero else [*NOT_INTEGERS, 0]
    values = [*NOT_FINITE]
    if argument not in MAY_BE_ZERO and not (argument == "deviation" and function in ZERO_DEVIATION):
        values.append(0.0)
    if argument == "delta" or (function, argument) in BELOW_ONE:
        values += [1.0, 1.5]
    if argument == "step_size":
        values.append(0.2500001)
    return values


CASES = [
    (name, argument, value)
    for name, function in FUNCTIONS.items()
    for argument in inspect.signature(function).parameters
    for value in bad_values(name, argument)
]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_good_arguments_are_accepted_by_name_and_every_argument_is_listed(name: str) -> None:
    parameters = inspect.signature(FUNCTIONS[name]).parameters
    FUNCTIONS[name](**{key: GOOD[key] for key in parameters})


@pytest.mark.parametrize(
    ("name", "argument", "value"), CASES, ids=[f"{n}-{a}-{v!r}"[:60] for n, a, v in CASES]
)
def test_bad_argument_is_named(name: str, argument: str, value: object) -> None:
    parameters = inspect.signature(FUNCTIONS[name]).parameters
    arguments = {key: GOOD[key] for key in parameters} | {argument: value}
    with pytest.raises(ArgumentError, match=rf"^{argument}="):
        FUNCTIONS[name](**arguments)


@pytest.mark.parametrize("value", NOT_INTEGERS, ids=repr)
def test_bad_dimension_sum_of_a_factor_is_named(value: object) -> None:
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
