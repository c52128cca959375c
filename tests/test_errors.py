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
from sparseaug.errors import ArgumentError, MissingPackageError, need, shorten
from tests.extras import installed, optional

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


NOT_NUMBERS: dict[str, Any] = {
    "text": "1",
    "text of NumPy": np.str_("1"),
    "text in an array": np.array("1"),
    "bytes": b"1",
    "bytearray": bytearray(b"1"),
    "truth": True,
    "truth of NumPy": np.True_,
    "truth in an array": np.array(True),
    "complex": 1 + 0j,
    "complex of NumPy": np.complex128(1 + 1j),
    "small complex of NumPy": np.complex64(1 + 1j),
    "a list": [1],
    "an array of one": np.array([1]),
    "a float array of one": np.array([0.5]),
    "a masked number": np.ma.masked,
    "an object in an array": np.array(Fraction(1, 2), dtype=object),
    "a length of time": np.timedelta64(1, "s"),
    "None": None,
    "an ellipsis": ...,
    "a class": int,
    "a generator": (i for i in range(3)),
    "evil": Evil(),
    "deep": nested(100_000),
}
if installed("torch"):
    NOT_NUMBERS |= {
        "truth in a tensor": torch.tensor(True),
        "complex in a tensor": torch.tensor(1 + 1j),
        "a tensor of one": torch.tensor([1]),
    }


@pytest.mark.parametrize("name", list(NOT_NUMBERS))
def test_what_is_not_one_number_is_refused_by_name_and_without_a_warning(name: str) -> None:
    for check in (check_integer, check_real):
        with pytest.raises(ArgumentError, match=r"^m=.* is not (an integer|a number)") as error:
            check("m", NOT_NUMBERS[name])
        assert len(str(error.value)) < 200


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
