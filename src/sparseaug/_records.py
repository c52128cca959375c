"""The tables of best known sets, as they are stored: one JSON object a line, one file a family."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib import resources
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

FAMILIES = ("permutations", "orders", "signs", "shifts", "rotations", "products")

Fields: TypeAlias = dict[str, Any]


@lru_cache(maxsize=len(FAMILIES))
def table(family: str) -> tuple[Fields, ...]:
    """The records of a family."""
    text = resources.files("sparseaug").joinpath(f"tables/{family}.jsonl").read_text("ascii")
    return tuple(map(json.loads, text.splitlines()))


def decoded(text: str, width: int) -> NDArray[np.int64]:
    """Rows of integers: a digit in base 36 for each entry, or numbers with commas between them.

    >>> from sparseaug._records import decoded
    >>> decoded("021 10,0,40", 3).tolist()
    [[0, 2, 1], [10, 0, 40]]
    """
    rows = [
        [int(digit, 36) for digit in row]
        if len(row) == width > 1 and "," not in row
        else list(map(int, row.split(",")))
        for row in text.split()
    ]
    return np.array(rows, np.int64).reshape(-1, width)


@lru_cache(maxsize=2)
def orders_of(criterion: str) -> dict[int, NDArray[np.int64]]:
    """By the number of items: all orders of the record for this criterion."""
    found = {}
    for record in table("orders"):
        if record["criterion"] == criterion:
            n = int(record["group"][1:])
            found[n] = decoded(record["rows"], n)
            found[n].setflags(write=False)
    return found


def array_of(record: Fields) -> NDArray[np.int64]:
    """All rows of bits of a record of signs: those that are written, plus all sums of generators."""
    d = int(record["group"].removeprefix("Z2^"))
    rows = decoded(record["rows"], d)
    for generator in decoded(record.get("generators", ""), d):
        rows = np.concatenate([rows, rows ^ generator])
    return rows
