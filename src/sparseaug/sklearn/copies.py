"""Copies of arrays and of data frames. Copy j n + i is row i moved by element j.

In a frame, columns differ in dtype. A row of random numbers, moved by S, tells where each entry comes
from: if all are found again, with no sign changed, whole columns change places, and any dtype goes
along. Otherwise the columns that move must be numbers, and all columns where one that stays has a part
in one that moves; those that stay keep what they hold.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug.actions import Action
from sparseaug.errors import ArgumentError
from sparseaug.groups import Rows
from sparseaug.sampling.keys import keyed_rng
from sparseaug.sklearn.parameters import Shape, is_frame


def copies(action: Action, elements: Rows, data: Any, shape: Shape) -> Any:
    """The k n copies of an array (n, features) or of a frame, a row read as an array of `shape`."""
    if is_frame(data):
        return _frame_copies(action, elements, data, shape)
    n, k = len(data), len(elements)
    moved = action(elements, np.reshape(data, (n, *shape)))
    return moved.reshape(k * n, *data.shape[1:])


def require_room(data: Any, k: int, remedy: str) -> None:
    """Raise an `ArgumentError` if k copies of the data exceed the memory of this machine."""
    values = np.asarray(data[:1]) if not is_frame(data) else data.iloc[:1].to_numpy()
    size, limit = k * len(data) * values.nbytes, machine_memory()
    if limit is not None and size > limit:
        raise ArgumentError(
            f"X has {len(data)} rows, and m={k} copies of each take {size / 1e9:.3g} GB; this machine "
            f"has {limit / 1e9:.3g} GB: {remedy}."
        )


def machine_memory() -> int | None:
    """Bytes of memory that this machine has; None where it does not tell."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # not on Windows
        return None


def take_rows(data: Any, rows: NDArray[np.int64]) -> Any:
    """These rows, repeated as asked; a frame or series gets the index 0, 1, 2, ..."""
    if hasattr(data, "iloc"):
        return data.iloc[rows].reset_index(drop=True)
    return np.asarray(data)[rows]


def some_rows(data: Any, rows: slice) -> Any:
    """These rows of an array or of a frame."""
    return data.iloc[rows] if is_frame(data) else data[rows]


def _frame_copies(action: Action, elements: Rows, frame: Any, shape: Shape) -> Any:
    import pandas as pd

    source, flipped = _sources(action, elements, shape)
    if (source >= 0).all() and not flipped.any():
        parts = [frame.iloc[:, order].set_axis(frame.columns, axis=1) for order in source]
        return pd.concat(parts, ignore_index=True)
    n, width = frame.shape
    moves = ((source != np.arange(width)) | flipped).any(axis=0)
    needed = moves | _has_part(action, elements, shape, ~moves)
    values = frame.iloc[:, needed].to_numpy()
    array = np.zeros((n, width), values.dtype)
    array[:, needed] = values
    moved = copies(action, elements, array, shape)
    columns = []
    for j in range(width):
        if not moves[j]:
            column = take_rows(frame.iloc[:, j], np.tile(np.arange(n), len(elements)))
        else:
            column = pd.Series(moved[:, j]).astype(_dtype(frame, source[:, j], moved.dtype))
        columns.append(column)
    return pd.concat(columns, axis=1, ignore_index=True).set_axis(frame.columns, axis=1)


def _sources(action: Action, elements: Rows, shape: Shape) -> tuple[Rows, NDArray[np.bool_]]:
    """The column that each entry of a moved row comes from, -1 if from several; and its sign."""
    width = int(np.prod(shape))
    probe = 1.0 + keyed_rng(0, "columns").random(width)  # distinct: equal ones have chance 2^-52
    moved = copies(action, elements, probe[None], shape)
    order = np.argsort(probe)
    place = np.minimum(np.searchsorted(probe[order], abs(moved)), width - 1)
    found = probe[order][place] == abs(moved)
    return np.where(found, order[place], -1), moved < 0


def _has_part(action: Action, elements: Rows, shape: Shape, stays: NDArray[np.bool_]) -> bool:
    """Whether columns that stay show in those that move: two rows that differ in the former tell."""
    one, other = 1.0 + keyed_rng(0, "columns").random((2, stays.size))
    other[~stays] = one[~stays]
    moved = copies(action, elements, np.stack([one, other]), shape).reshape(-1, 2, stays.size)
    # entries are of order one; two rows of a product may be rounded differently
    return bool((abs(moved[:, 0] - moved[:, 1]) > 1e-12)[:, ~stays].any())


def _dtype(frame: Any, source: Rows, common: np.dtype[Any]) -> Any:
    """The dtype of the columns an entry comes from, if one signed kind; else the common one."""
    kinds = {frame.dtypes.iloc[j] for j in source.tolist() if j >= 0}
    one = kinds.pop() if len(kinds) == 1 and (source >= 0).all() else common
    return one if getattr(one, "kind", "") in "if" else common
