"""One list of bad values, by kind: each is put into every parameter of every public callable.

The kind says where a value could be right: a number for a number, text for text. `judge` reads it to
know what must be refused.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

import sparseaug as sa


class TrapError(RuntimeError):
    """Raised where an attribute is looked up."""


class Evil:
    """Nothing it is asked works."""

    __hash__ = object.__hash__

    def _fail(self, *given: Any) -> Any:
        raise RuntimeError("evil")

    __repr__ = __len__ = __iter__ = __index__ = __float__ = __eq__ = __bool__ = _fail


class Trap(Evil):
    """Not even an attribute can be looked up."""

    def __getattr__(self, name: str) -> Any:
        raise TrapError(name)


class Unequal:
    """Compares with nothing, and has no length that it would tell."""

    __hash__ = None  # type: ignore[assignment]
    __eq__ = __len__ = Evil._fail


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


ROWS = np.random.default_rng(3).uniform(-1, 1, (5, 4))
S5 = sa.symmetric(5)
MOVE = sa.random_transform(lambda x, rng: x * rng.random(), name="scale")

# name: value, by kind; an array is copied for each call
FIXED: dict[str, dict[str, Any]] = {
    "none": {"None": None},
    "bool": {"True": True, "NumPy's True": np.True_},
    "number": {
        **{"-1": -1, "0": 0, "NumPy's -5": np.int64(-5), "a billion": 10**9, "2^63": 1 << 63},
        **{"2^64": 1 << 64, "-10^30": -(10**30), "10^400": 10**400, "10^5000": 10**5000},
        **{"a half": 0.5, "-0.5": -0.5, "largest": 1e308, "smallest": 5e-324},
        **{"fraction": Fraction(1, 2), "inf": float("inf"), "-inf": float("-inf")},
        "array without axes": np.array(3),
    },
    "NaN": {"NaN": float("nan"), "NumPy's NaN": np.float32("nan")},
    "text": {
        **{"empty text": "", "text": "text", "text of a number": "3", "NUL": "a\0b"},
        **{"surrogate": "\udc80", "100000 letters": "x" * 10**5},
    },
    "array": {
        **{
            "empty array": np.array([]),
            "no rows": np.empty((0, 4)),
            "no columns": np.empty((4, 0)),
        },
        **{"too wide": np.zeros((5, 9)), "three axes": np.zeros((2, 3, 4))},
        **{"four axes": np.zeros((1, 1, 1, 1)), "float array": np.array([0.5, 1.5])},
        **{"huge array": np.full((5, 4), 1e308), "negative": np.array([[-1, -2, -3]])},
        "near int64": np.array([[2**62, 2**62, 0]]),
        "beyond int64": np.array([[2**63]], np.uint64),
        **{"unsigned": np.ones((5, 4), np.uint64), "array of bool": np.ones((5, 4), bool)},
        "masked": np.ma.masked_array(ROWS, ROWS > 0),
    },
    "array of NaN": {
        "array of NaN": np.full((5, 4), np.nan),
        "vector of inf": np.full(12, np.inf),
    },
    "list": {
        **{"empty tuple": (), "pair": (1, 2), "range": range(3), "huge pair": (10**9, 10**9)},
        "negative tuple": (-1,),
    },
    "never": {
        **{"bytes": b"x", "complex": 1j, "NumPy's complex": np.complex64(1j), "ellipsis": ...},
        **{"date": np.datetime64("2020-01-01"), "nested 50000 deep": nested(50_000)},
        **{"class": int, "module": sys, "function": len},
        **{"complex array": np.ones((5, 4), complex), "array of text": np.full((5, 4), "a")},
        **{"0-d text": np.array("3"), "array of objects": np.array([None, object()], object)},
        **{"dates": np.array(["2020"], "M8[D]"), "records": np.zeros(2, [("a", int)])},
    },
}

# what a call may change or use up, and arrays that a copy is not like
MADE: dict[str, dict[str, Callable[[], Any]]] = {
    "array": {
        "read-only": lambda: read_only(ROWS.copy()),
        "strided": lambda: np.linspace(-1, 1, 24)[::2],
        "memoryview": lambda: memoryview(ROWS),
    },
    "list": {
        **{"empty list": list, "list": lambda: [1], "list of lists": lambda: [[0, 1, 2]]},
        **{"pair of arrays": lambda: (np.ones((2, 2)), np.ones(3)), "10000 zeros": lambda: [0] * 10**4},
    },
    "never": {
        **{"ragged": lambda: [[1], [2, 3]], "list of None": lambda: [None, None]},
        **{"list of text": lambda: ["a", "b"], "nested 50 deep": lambda: nested(50)},
        **{"dict": lambda: {"a": 1}, "empty dict": dict, "set": lambda: {1}, "object": object},
        **{"evil": Evil, "trap": Trap, "unequal": Unequal},
        "lambda": lambda: lambda *given, **options: None,
        "generator": lambda: (i for i in range(3)),
    },
    # good objects, of another group than the other arguments, and of none
    "other": {
        **{"group": lambda: S5, "sample": lambda: sa.GroupSample(S5, [[1, 0, 2, 3, 4]])},
        **{"action": lambda: sa.permute_axis(S5), "oracle": lambda: sa.Oracle(S5)},
        **{"distribution": lambda: MOVE.distribution, "random action": lambda: MOVE},
        "sample of a distribution": lambda: sa.Oracle(MOVE.distribution, seed=5).draw(8),
        "oracle of a distribution": lambda: sa.Oracle(MOVE.distribution, seed=5),
    },
}  # fmt: skip

if find_spec("torch"):
    import torch

    MADE["array"] |= {
        "tensor": lambda: torch.zeros((1, 3), dtype=torch.int64),
        "tensor with gradient": lambda: torch.zeros(2, requires_grad=True),
        "bfloat16": lambda: torch.ones(4, 4, dtype=torch.bfloat16),
    }
    MADE["array of NaN"] = {"tensor of NaN": lambda: torch.full((4, 4), torch.nan)}
    MADE["never"] |= {
        "complex tensor": lambda: torch.ones(12, dtype=torch.complex64),
        "sparse tensor": lambda: torch.eye(4).to_sparse(),
        "tensor without memory": lambda: torch.empty(4, 4, device="meta"),
    }
if find_spec("pandas"):
    import pandas as pd

    FIXED["array"] |= {"frame": pd.DataFrame(ROWS), "series": pd.Series([1.0, 2.0])}
    FIXED["never"] |= {"frame of text": pd.DataFrame(np.full((5, 4), "a"))}
if find_spec("networkx"):
    import networkx as nx

    MADE["list"] |= {"graph": lambda: nx.path_graph(2)}


def copied(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value


KIND = {name: kind for table in (FIXED, MADE) for kind, values in table.items() for name in values}
VALUES: dict[str, Callable[[], Any]] = {
    **{name: partial(copied, value) for values in FIXED.values() for name, value in values.items()},
    **{name: make for values in MADE.values() for name, make in values.items()},
}
