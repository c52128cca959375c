"""The checks that every door uses: numbers of every library are numbers, and anything can be shown."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sparseaug._checks import check_integer, check_real
from sparseaug.errors import shorten
from tests.bad_input.values import Evil, nested
from tests.extras import optional

torch = optional("torch")


def as_bfloat16(number: float) -> Any:
    return torch.tensor(number, dtype=torch.bfloat16)


@pytest.mark.parametrize("make", [int, np.int8, np.uint64, np.array, lambda n: torch.tensor(n)])
def test_integers_of_every_library_are_integers(make: Any) -> None:
    value = make(3)
    assert check_integer("m", value) == check_real("m", value) == 3
    assert type(check_integer("m", value)) is int


@pytest.mark.parametrize("make", [float, np.float16, np.array, as_bfloat16, Decimal, Fraction])
def test_reals_of_every_library_are_reals(make: Any) -> None:
    value = check_real("eps", make(0.5))
    assert value == 0.5
    assert type(value) is float


def test_any_value_can_be_shown_in_one_short_line() -> None:
    looped: list[Any] = []
    looped.append(looped)
    huge = [10**5000, list(range(10**6)), "x" * 10**6, {"a": 10**5000}, nested(100_000), looped]
    for value in (*huge, Evil(), np.zeros((1000, 1000)), [Evil()], b"\x1b[2J" * 100):
        text = shorten(value)
        assert len(text) <= 60
        assert text.isprintable()
    assert shorten([1, "a", (2.5, None)]) == "[1, 'a', (2.5, None)]"
