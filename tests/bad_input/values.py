"""One list of bad values, by kind: each is put into every parameter of every public callable.

The kind says where a value could be right: a number for a number, text for text. `judge` reads it to
know what must be refused.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
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

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("compared")

    def __len__(self) -> int:
        raise RuntimeError("measured")


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


DEEP = nested(50_000)
ROWS = np.random.default_rng(3).uniform(-1, 1, (5, 4))
S5 = sa.symmetric(5)

BAD: dict[str, dict[str, Callable[[], Any]]] = {
    "none": {"None": lambda: None},
    "bool": {"True": lambda: True, "NumPy's True": lambda: np.True_},
    "number": {
        "-1": lambda: -1,
        "0": lambda: 0,
        "NumPy's -5": lambda: np.int64(-5),
        "a billion": lambda: 10**9,
        "2^63": lambda: 1 << 63,
        "2^64": lambda: 1 << 64,
        "-10^30": lambda: -(10**30),
        "10^400": lambda: 10**400,
        "10^5000": lambda: 10**5000,
        "a half": lambda: 0.5,
        "-0.5": lambda: -0.5,
        "largest": lambda: 1e308,
        "smallest": lambda: 5e-324,
        "fraction": lambda: Fraction(1, 2),
        "inf": lambda: float("inf"),
        "-inf": lambda: float("-inf"),
        "array without axes": lambda: np.array(3),
    },
    "NaN": {"NaN": lambda: float("nan"), "NumPy's NaN": lambda: np.float32("nan")},
    "text": {
        "empty text": lambda: "",
        "text": lambda: "text",
        "text of a number": lambda: "3",
        "NUL": lambda: "a\0b",
        "surrogate": lambda: "\udc80",
        "100000 letters": lambda: "x" * 10**5,
    },
    "array": {
        "empty array": lambda: np.array([]),
        "no rows": lambda: np.empty((0, 4)),
        "no columns": lambda: np.empty((4, 0)),
        "too wide": lambda: np.zeros((5, 9)),
        "three axes": lambda: np.zeros((2, 3, 4)),
        "four axes": lambda: np.zeros((1, 1, 1, 1)),
        "float array": lambda: np.array([0.5, 1.5]),
        "huge array": lambda: np.full((5, 4), 1e308),
        "negative": lambda: np.array([[-1, -2, -3]]),
        "near int64": lambda: np.array([[2**62, 2**62, 0]]),
        "beyond int64": lambda: np.array([[2**63]], np.uint64),
        "unsigned": lambda: np.ones((5, 4), np.uint64),
        "array of bool": lambda: np.ones((5, 4), bool),
        "masked": lambda: np.ma.masked_array(ROWS, ROWS > 0),
        "read-only": lambda: read_only(ROWS.copy()),
        "strided": lambda: np.linspace(-1, 1, 24)[::2],
        "memoryview": lambda: memoryview(ROWS),
    },
    "array of NaN": {
        "array of NaN": lambda: np.full((5, 4), np.nan),
        "vector of inf": lambda: np.full(12, np.inf),
    },
    "list": {
        "empty list": lambda: [],
        "list": lambda: [1],
        "list of lists": lambda: [[0, 1, 2]],
        "empty tuple": lambda: (),
        "pair": lambda: (1, 2),
        "pair of arrays": lambda: (np.ones((2, 2)), np.ones(3)),
        "range": lambda: range(3),
        "huge pair": lambda: (10**9, 10**9),
        "negative tuple": lambda: (-1,),
        "10000 zeros": lambda: [0] * 10**4,
    },
    "never": {
        "bytes": lambda: b"x",
        "complex": lambda: 1j,
        "NumPy's complex": lambda: np.complex64(1j),
        "date": lambda: np.datetime64("2020-01-01"),
        "ellipsis": lambda: ...,
        "ragged": lambda: [[1], [2, 3]],
        "list of None": lambda: [None, None],
        "list of text": lambda: ["a", "b"],
        "nested 50 deep": lambda: nested(50),
        "nested 50000 deep": lambda: DEEP,
        "dict": lambda: {"a": 1},
        "empty dict": dict,
        "set": lambda: {1},
        "object": object,
        "evil": Evil,
        "trap": Trap,
        "unequal": Unequal,
        "class": lambda: int,
        "module": lambda: sys,
        "function": lambda: len,
        "lambda": lambda: lambda *given, **options: None,
        "generator": lambda: (i for i in range(3)),
        "complex array": lambda: np.ones((5, 4), complex),
        "array of text": lambda: np.full((5, 4), "a"),
        "0-d text": lambda: np.array("3"),
        "array of objects": lambda: np.array([None, object()], object),
        "dates": lambda: np.array(["2020"], "M8[D]"),
        "records": lambda: np.zeros(2, [("a", int)]),
    },
    # good objects, of another group than the other arguments
    "other": {
        "group": lambda: S5,
        "sample": lambda: sa.GroupSample(S5, [[1, 0, 2, 3, 4]]),
        "action": lambda: sa.permute_axis(S5),
        "oracle": lambda: sa.Oracle(S5),
    },
}

if find_spec("torch"):
    import torch

    BAD["array"] |= {
        "tensor": lambda: torch.zeros((1, 3), dtype=torch.int64),
        "tensor with gradient": lambda: torch.zeros(2, requires_grad=True),
        "bfloat16": lambda: torch.ones(4, 4, dtype=torch.bfloat16),
    }
    BAD["array of NaN"] |= {"tensor of NaN": lambda: torch.full((4, 4), torch.nan)}
    BAD["never"] |= {
        "complex tensor": lambda: torch.ones(12, dtype=torch.complex64),
        "sparse tensor": lambda: torch.eye(4).to_sparse(),
        "tensor without memory": lambda: torch.empty(4, 4, device="meta"),
    }
if find_spec("pandas"):
    import pandas as pd

    BAD["array"] |= {
        "frame": lambda: pd.DataFrame(ROWS),
        "series": lambda: pd.Series([1.0, 2.0]),
    }
    BAD["never"] |= {"frame of text": lambda: pd.DataFrame(np.full((5, 4), "a"))}
if find_spec("networkx"):
    import networkx as nx

    BAD["list"] |= {"graph": lambda: nx.path_graph(2)}

KIND = {name: kind for kind, values in BAD.items() for name in values}
VALUES = {name: make for values in BAD.values() for name, make in values.items()}
