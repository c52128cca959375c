"""Rows of arrays and of data frames, moved. Copy j n + i is row i moved by element j, of S or its own.

Elements are (k, width), the same for all rows, or (n, k, width), those of each row by itself.

In a frame, columns differ in dtype. A row of random numbers, moved by S, tells where each entry comes
from: if all are found again, with no sign changed, whole columns change places with others of their
dtype, whatever it is; numbers of two dtypes go together too. Otherwise the columns that move must be
numbers, and all columns where one that stays has a part in one that moves; those that stay keep what
they hold.

Frames are pandas', which is not imported unless one comes in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug.actions import Action
from sparseaug.actions.arrays import Shape
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Rows
from sparseaug.sampling import GroupSample, SampleTable
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


def elements_of(S: GroupSample | SampleTable) -> Rows:
    """(k, width) or (n, k, width)."""
    return S.elements if isinstance(S, GroupSample) else S.rows


def bytes_of_row(data: Any) -> int:
    """Memory that one row of an array or of a frame takes as an array."""
    return int(np.asarray(some_rows(data, slice(1))).nbytes)


def take_rows(data: Any, rows: NDArray[np.int64]) -> Any:
    """These rows, repeated as asked; a frame or series of pandas gets the index 0, 1, 2, ..."""
    if hasattr(data, "iloc"):
        return data.iloc[rows].reset_index(drop=True)
    return np.asarray(data)[rows]


def some_rows(data: Any, rows: slice) -> Any:
    """These rows of an array or of a frame."""
    return data.iloc[rows] if hasattr(data, "iloc") else data[rows]


def _frame_copies(action: Action, elements: Rows, frame: Any, shape: Shape) -> Any:
    import pandas as pd

    n, width = frame.shape
    k, own = elements.shape[-2], elements.ndim == 3
    flat = elements.swapaxes(0, 1).reshape(k * n, -1) if own else elements
    source, flipped = _sources(action, flat, shape)
    if (source >= 0).all() and not flipped.any():
        _require_common_dtypes(frame, source)
        if own:
            return _picked(frame, source)
        return stack_frames(
            [frame.iloc[:, order].set_axis(frame.columns, axis=1) for order in source]
        )
    moves = ((source != np.arange(width)) | flipped).any(axis=0)
    needed = moves | _has_part(action, flat, shape, ~moves)
    values = frame.iloc[:, needed].to_numpy()
    array = np.zeros((n, width), values.dtype)
    array[:, needed] = values
    moved = copies(action, elements, array, shape)
    again = np.tile(np.arange(n), k)
    columns = [
        _column_from(frame, moved[:, j], source[:, j])
        if moves[j]
        else take_rows(frame.iloc[:, j], again)
        for j in range(width)
    ]
    return pd.concat(columns, axis=1, ignore_index=True).set_axis(frame.columns, axis=1)


def _picked(frame: Any, source: NDArray[np.int64]) -> Any:
    """Entry (j n + i, c) is that of row i in column source[j n + i, c]."""
    import pandas as pd

    n, columns = len(frame), []
    rows = np.tile(np.arange(n), len(source) // n)
    for origins in source.T:
        used, number = np.unique(origins, return_inverse=True)
        together = pd.concat([frame.iloc[:, c] for c in used.tolist()], ignore_index=True)
        columns.append(take_rows(together, number * n + rows))
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


def is_table(data: Any) -> bool:
    """Whether it is a data frame or a series."""
    return hasattr(data, "iloc")


def is_frame(data: Any) -> bool:
    """Whether it is a data frame."""
    return is_table(data) and data.ndim == 2


def _require_common_dtypes(frame: Any, source: NDArray[np.int64]) -> None:
    """Raise an `ArgumentError` if column j gets entries of columns source[:, j] that it cannot hold.

    Columns of one dtype change places, and so do numbers. Others would become text or objects.
    """
    dtypes, names = list(frame.dtypes), list(frame.columns)
    for j, origins in enumerate(source.T):
        for i in np.unique(origins).tolist():
            if dtypes[i] != dtypes[j] and not all(map(_is_number, (dtypes[i], dtypes[j]))):
                one, other = (f"{shorten(names[c])} ({dtypes[c]})" for c in (j, i))
                raise ArgumentError(
                    f"columns {one} and {other} change places, but have no dtype in common."
                )


def _is_number(dtype: Any) -> bool:
    """Whether it is a dtype of numbers, which truth values are not."""
    import pandas as pd

    return pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)


def stack_frames(frames: Sequence[Any]) -> Any:
    """The frames, which have the same columns, one below the other."""
    import pandas as pd

    return pd.concat(frames, ignore_index=True)


def _column_from(frame: Any, values: NDArray[Any], source: NDArray[np.int64]) -> Any:
    """A series of these numbers, which come from the columns `source`, -1 where from several.

    Of the dtype of those columns, if it is one signed kind; else of the numbers' own.
    """
    import pandas as pd

    dtypes = list(frame.dtypes)
    kinds = {dtypes[j] for j in source.tolist() if j >= 0}
    one = kinds.pop() if len(kinds) == 1 and (source >= 0).all() else None
    keep = getattr(one, "kind", "-") in "if"
    return pd.Series(values).astype(one if keep else values.dtype)
