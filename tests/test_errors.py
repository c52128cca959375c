"""The checks that every door uses: strange values are refused by name, whatever they do."""

from __future__ import annotations

import sys
import types
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sparseaug._checks import check_integer, check_real
from sparseaug.errors import MissingPackageError, need, shorten
from tests.extras import optional

torch = optional("torch")


class Evil:
    """Nothing it is asked works."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)

    def __repr__(self) -> str:
        raise RuntimeError("repr")

    def __index__(self) -> int:
        raise RuntimeError("index")

    def __float__(self) -> float:
        raise RuntimeError("float")


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "make", [int, np.int8, np.uint64, np.array, lambda number: torch.tensor(number)]
)
def test_integers_of_every_library_are_integers(make: Any) -> None:
    value = make(3)
    assert check_integer("m", value) == check_real("m", value) == 3
    assert type(check_integer("m", value)) is int


@pytest.mark.parametrize(
    "make",
    [float, np.float16, np.array, lambda number: torch.tensor(number), Decimal, Fraction],
)
def test_reals_of_every_library_are_reals(make: Any) -> None:
    value = make(0.5)
    assert check_real("eps", value) == 0.5
    assert type(check_real("eps", value)) is float


def test_a_bfloat16_tensor_is_a_real() -> None:
    assert check_real("eps", torch.tensor(0.5, dtype=torch.bfloat16)) == 0.5


def test_any_value_can_be_shown_in_one_short_line() -> None:
    looped: list[Any] = []
    looped.append(looped)
    huge = [10**5000, list(range(10**6)), "x" * 10**6, {"a": 10**5000}, nested(100_000), looped]
    for value in (*huge, Evil(), np.zeros((1000, 1000)), [Evil()], b"\x1b[2J" * 100):
        text = shorten(value)
        assert len(text) <= 60
        assert text.isprintable()
    assert shorten([1, "a", (2.5, None)]) == "[1, 'a', (2.5, None)]"
    assert shorten(10**5000) == "<integer of 16610 bits>"


def test_an_installed_package_that_cannot_be_imported_is_named_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Broken:
        @staticmethod
        def find_spec(name: str, path: Any = None, target: Any = None) -> None:
            if name == "spglub":
                raise RuntimeError("built for another NumPy")

    monkeypatch.setattr(sys, "meta_path", [Broken, *sys.meta_path])
    with pytest.raises(MissingPackageError, match=r"cannot be imported.*another NumPy.*pip"):
        need("spglub", "crystal", extra="sparseaug[sources]")
    assert isinstance(need("json", "this", extra="json"), types.ModuleType)
