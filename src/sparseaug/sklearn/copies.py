"""Copies of arrays and of data frames. Copy j n + i is row i moved by element j.

In a frame, columns differ in dtype. A row of random numbers, moved by S, tells where each entry comes
from: if all are found again, with no sign changed, whole columns change places with others of their
dtype, whatever it is; numbers of two dtypes go together too. Otherwise the columns that move must be
numbers, and all columns where one that stays has a part in one that moves; those that stay keep what
they hold.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug.actions import Action
from sparseaug.groups import Rows
from sparseaug.sampling.keys import keyed_rng
from sparseaug.sklearn.frames import (
    column_from,
    column_of,
    columns_of,
    frame_from,
    is_frame,
    is_table,
    numbers_of,
    require_common_dtypes,
    rows_of,
    stacked,
)
from sparseaug.sklearn.parameters import Shape


def copies(action: Action, elements: Rows, data: Any, shape: Shape) -> Any:
    """The k n copies of an array (n, features) or of a frame, a row read as an array of `shape`."""
    if is_frame(data):
        return _frame_copies(action, elements, data, shape)
    n, k = len(data), len(elements)
    moved = action(elements, np.reshape(data, (n, *shape)))
    return moved.reshape(k * n, *data.shape[1:])


def bytes_of_row(data: Any) -> int:
    """Memory that one row of an array or of a frame takes as an array."""
    return int(np.asarray(some_rows(data, slice(1))).nbytes)


def take_rows(data: Any, rows: NDArray[np.int64]) -> Any:
    """These rows, repeated as asked; a frame or series of pandas gets the index 0, 1, 2, ..."""
    return rows_of(data, rows) if is_table(data) else np.asarray(data)[rows]


def some_rows(data: Any, rows: slice) -> Any:
    """These rows of an array or of a frame."""
    return data.iloc[rows] if hasattr(data, "iloc") else data[rows]


def _frame_copies(action: Action, elements: Rows, frame: Any, shape: Shape) -> Any:
    source, flipped = _sources(action, elements, shape)
    if (source >= 0).all() and not flipped.any():
        require_common_dtypes(frame, source)
        return stacked([columns_of(frame, order) for order in source])
    n, width = frame.shape
    moves = ((source != np.arange(width)) | flipped).any(axis=0)
    needed = moves | _has_part(action, elements, shape, ~moves)
    values = numbers_of(frame, needed)
    array = np.zeros((n, width), values.dtype)
    array[:, needed] = values
    moved = copies(action, elements, array, shape)
    again = np.tile(np.arange(n), len(elements))
    columns = [
        column_from(frame, moved[:, j], source[:, j])
        if moves[j]
        else take_rows(column_of(frame, j), again)
        for j in range(width)
    ]
    return frame_from(frame, columns)


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
