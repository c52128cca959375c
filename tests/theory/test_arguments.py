"""Huge integers are answered or refused at once, and limits change no result."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable
from fractions import Fraction

import pytest

from sparseaug import theory
from sparseaug.errors import ArgumentError

INTEGERS: dict[str, int] = {
    **{"m": 64, "T": 100, "b": 4, "order": 720, "num_classes": 11, "dimension_sum": 75},
    **{"length": 3, "n": 5, "p": 3, "d": 5, "calls": 6},
}
GOOD: dict[str, float | None] = {
    **INTEGERS,
    **{"delta": 0.05, "eps": 0.1, "deviation": 0.5, "C": 1.0, "B": 2.0, "L": 4.0, "gap": 1.0},
    **{"sigma": 2.0, "step_size": 0.125, "v": 0.5, "repeats": 2, "error": 0.1},
    "nonnegative": True,
}

FUNCTIONS: dict[str, Callable] = {
    name: getattr(theory, name)
    for name in theory.__all__
    if inspect.isfunction(getattr(theory, name)) and name != "product_dimension_sum"
}


HUGE = {"10^9": 10**9, "2^(10^5)": 1 << 10**5, "2^(10^7)": 1 << 10**7}


@pytest.mark.parametrize("value", HUGE)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_huge_integers_are_answered_at_once_or_refused_with_the_limit(
    name: str, value: str
) -> None:
    """Each of these took from seconds to forever, or gigabytes, at some place."""
    parameters = inspect.signature(FUNCTIONS[name]).parameters
    for argument in INTEGERS.keys() & parameters.keys():
        arguments = {key: GOOD[key] for key in parameters} | {argument: HUGE[value]}
        try:
            FUNCTIONS[name](**arguments)
        except ArgumentError as error:
            assert re.match(rf"{argument}=.* give an integer .*below", str(error))  # noqa: PT017


def test_limits_change_no_result() -> None:
    for m, order in ((2, 1 << 5000), (64, 3**4000), (10**9, 7**2000), (4, (1 << 4096) + 1)):
        exact = Fraction(order - m, m * (order - 1))
        floor = theory.deviation_floor(m, order=order)
        assert Fraction(floor) ** 2 <= exact < Fraction(math.nextafter(floor, 1)) ** 2
    assert theory.deviation_floor(1 << 5000, order=1 << 9000) == 0.0
    assert theory.sharp_deviation_bound(1 << 9000, dimension_sum=75, delta=0.05) == math.ulp(0.0)
    for order, classes in ((3**20000, 11), (1 << 40000, 1 << 39999)):
        bound, square = (
            theory.dimension_sum_bound(order, num_classes=classes),
            (classes - 1) * (order - 1),
        )
        assert square <= (bound + 1) ** 2
        assert bound**2 <= square + (square >> 8000)
