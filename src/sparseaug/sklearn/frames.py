"""What copies ask of a data frame, pandas' or polars'; neither is imported unless one comes in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug.errors import ArgumentError, shorten


def is_polars(data: Any) -> bool:
    """Whether it is a DataFrame or a Series of polars."""
    kind = type(data)
    return kind.__module__.split(".")[0] == "polars" and kind.__name__ in ("DataFrame", "Series")


def is_table(data: Any) -> bool:
    """Whether it is a data frame or a series."""
    return hasattr(data, "iloc") or is_polars(data)


def is_frame(data: Any) -> bool:
    """Whether it is a data frame."""
    return is_table(data) and getattr(data, "ndim", 2 if hasattr(data, "columns") else 1) == 2


def rows_of(table: Any, rows: NDArray[np.int64] | slice) -> Any:
    """These rows, repeated as asked; pandas' get the index 0, 1, 2, ..."""
    if is_polars(table):
        return table[rows]
    return table.iloc[rows].reset_index(drop=True)


def columns_of(frame: Any, order: NDArray[np.int64]) -> Any:
    """The columns in this order, under the names of the frame."""
    if is_polars(frame):
        names = frame.columns
        return type(frame)(
            [frame.to_series(int(j)).alias(name) for j, name in zip(order, names, strict=True)]
        )
    return frame.iloc[:, order].set_axis(frame.columns, axis=1)


def require_common_dtypes(frame: Any, source: NDArray[np.int64]) -> None:
    """Raise an `ArgumentError` if column j gets entries of columns source[:, j] that it cannot hold.

    Columns of one dtype change places, and so do numbers. Others would become text or objects.
    """
    dtypes, names = list(frame.dtypes), list(frame.columns)
    for j, origins in enumerate(source.T):
        for i in np.unique(origins).tolist():
            if dtypes[i] != dtypes[j] and not all(map(_is_number, (dtypes[i], dtypes[j]))):
                one, other = (f"{shorten(names[c])} ({dtypes[c]})" for c in (j, i))
                raise ArgumentError(
                    f"columns {one} and {other} change places, and have no dtype in common; cast them "
                    "to one, or take a group that leaves them where they are."
                )


def _is_number(dtype: Any) -> bool:
    """Whether it is a dtype of numbers, which truth values are not."""
    if hasattr(dtype, "is_numeric"):  # polars
        return bool(dtype.is_numeric())
    import pandas as pd

    return pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)


def numbers_of(frame: Any, columns: NDArray[np.bool_] | slice) -> NDArray[Any]:
    """These columns as one array."""
    if is_polars(frame):
        return np.asarray(frame[:, np.arange(frame.shape[1])[columns].tolist()].to_numpy())
    return np.asarray(frame.iloc[:, columns].to_numpy())


def stacked(frames: Sequence[Any]) -> Any:
    """The frames, which have the same columns, one below the other."""
    if is_polars(frames[0]):
        import polars as pl

        return pl.concat(frames, how="vertical_relaxed")
    import pandas as pd

    return pd.concat(frames, ignore_index=True)


def column_of(frame: Any, j: int) -> Any:
    """Column j, a series."""
    return frame.to_series(j) if is_polars(frame) else frame.iloc[:, j]


def column_from(frame: Any, values: NDArray[Any], source: NDArray[np.int64]) -> Any:
    """A series of these numbers, which come from the columns `source`, -1 where from several.

    Of the dtype of those columns, if it is one signed kind; else of the numbers' own.
    """
    dtypes = list(frame.dtypes)
    kinds = {dtypes[j] for j in source.tolist() if j >= 0}
    one = kinds.pop() if len(kinds) == 1 and (source >= 0).all() else None
    if is_polars(frame):
        import polars as pl

        keep = one is not None and (one.is_float() or one.is_signed_integer())
        return pl.Series(values=np.ascontiguousarray(values), dtype=one if keep else None)
    import pandas as pd

    keep = getattr(one, "kind", "-") in "if"
    return pd.Series(values).astype(one if keep else values.dtype)


def frame_from(frame: Any, columns: Sequence[Any]) -> Any:
    """These series, under the names of the frame's columns."""
    if is_polars(frame):
        named = [column.alias(name) for column, name in zip(columns, frame.columns, strict=True)]
        return type(frame)(named)
    import pandas as pd

    return pd.concat(columns, axis=1, ignore_index=True).set_axis(frame.columns, axis=1)
