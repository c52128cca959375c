"""Rows of arrays and of data frames, moved. Copy j n + i is row i moved by element j, of S or its own.

Elements are (k, width), the same for all rows, or (n, k, width), those of each row by itself.

Columns of a frame that move are numbers, and move as one array. Those that stay keep what they hold, of
whatever dtype. Frames are pandas', which is not imported unless one comes in.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug.actions import Action
from sparseaug.actions.arrays import Shape
from sparseaug.errors import ArgumentError
from sparseaug.groups import Rows
from sparseaug.sampling import SampleTable
from sparseaug.sampling.augment import move_copies
from sparseaug.sampling.keys import keyed_rng


def copies(action: Action, elements: Rows, data: Any, shape: Shape) -> Any:
    """The k n copies of an array (n, features) or of a frame, a row read as an array of `shape`."""
    if is_frame(data):
        return _frame_copies(action, elements, data, shape)
    n, k = len(data), elements.shape[-2]
    read = np.reshape(data, (n, *shape))
    moved = (
        action(elements, read)
        if elements.ndim == 2
        else move_copies(action, SampleTable(action.distribution, elements), read)
    )
    return moved.reshape(k * n, *data.shape[1:])


def bytes_of_row(data: Any) -> int:
    """Memory that one row of an array or of a frame takes as an array."""
    return int(np.asarray(some_rows(data, slice(1))).nbytes)


def take_rows(data: Any, rows: NDArray[np.int64]) -> Any:
    """These rows, repeated as asked; a frame or series of pandas gets the index 0, 1, 2, ..."""
    if is_table(data):
        return data.iloc[rows].reset_index(drop=True)
    return np.asarray(data)[rows]


def some_rows(data: Any, rows: slice) -> Any:
    """These rows of an array or of a frame."""
    return data.iloc[rows] if is_table(data) else data[rows]


def is_table(data: Any) -> bool:
    """Whether it is a data frame or a series."""
    return hasattr(data, "iloc")


def is_frame(data: Any) -> bool:
    """Whether it is a data frame."""
    return is_table(data) and data.ndim == 2


def _frame_copies(action: Action, elements: Rows, frame: Any, shape: Shape) -> Any:
    import pandas as pd
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    n, k = len(frame), elements.shape[-2]
    number = np.array([is_numeric_dtype(d) and not is_bool_dtype(d) for d in frame.dtypes])
    flat = elements.reshape(-1, elements.shape[-1])
    text = ~number if number.all() else _moved_columns(action, flat, shape, ~number)
    if text.any():
        names = ", ".join(map(repr, frame.columns[text]))
        raise ArgumentError(f"columns {names} of X move, but are no numbers; give numbers.")
    values = frame.iloc[:, number].to_numpy()
    array = np.zeros(frame.shape, values.dtype)
    array[:, number] = values
    moved = copies(action, elements, array, shape)
    again = np.tile(np.arange(n), k)
    stays = (moved == array[again]).all(axis=0)
    columns = [
        take_rows(frame.iloc[:, j], again) if stays[j] else pd.Series(moved[:, j])
        for j in range(frame.shape[1])
    ]
    return pd.concat(columns, axis=1, ignore_index=True).set_axis(frame.columns, axis=1)


def _moved_columns(
    action: Action, elements: Rows, shape: Shape, other: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Which of these columns move; all of them, if they have a part in others."""
    one, two = 1.0 + keyed_rng(0, "columns").random((2, len(other)))
    two[~other] = one[~other]
    moved = copies(action, elements, np.stack([one, two]), shape).reshape(-1, 2, len(other))
    # entries are of order one; two rows of a product may be rounded differently
    if (abs(moved[:, 0] - moved[:, 1]) > 1e-12)[:, ~other].any():
        return other
    return np.asarray((moved[:, 0] != one).any(axis=0) & other)
