"""What numbers are stored as: as they are, or rounded to float16, bfloat16, float32 or float64."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug.errors import ArgumentError

FLOATS = {"float16": 2**-11, "bfloat16": 2**-8, "float32": 2**-24, "float64": 2**-53}
"""What floating-point values may be stored as, and the relative error of each."""


def stored_dtype(name: str) -> np.dtype[Any]:
    """The dtype on disk; a ValueError or TypeError for what is not stored."""
    dtype = np.dtype("uint16" if name == "bfloat16" else name)
    if dtype.kind not in "biufc" or name not in ("bfloat16", dtype.name):
        raise ValueError(f"values of dtype {name} are not stored")
    return dtype.newbyteorder("<")


def rounded(values: NDArray[Any], dtype: str) -> NDArray[Any]:
    """Values as they are stored."""
    if values.dtype == dtype:
        return values
    with np.errstate(over="ignore"):
        stored = _upper_half(values) if dtype == "bfloat16" else values.astype(dtype)
        read = restored(stored, dtype)
    if (np.isinf(read) & ~np.isinf(values)).any():
        most = abs(values[np.isfinite(values)]).max()
        raise ArgumentError(f"{dtype=} cannot hold {most:.3g}; give a wider one and a new folder.")
    return stored


def restored(stored: NDArray[Any], dtype: str) -> NDArray[Any]:
    """Values as they are read: float16 and bfloat16 as float32."""
    if dtype == "bfloat16":
        return (stored.astype(np.uint32) << 16).view(np.float32)
    return stored.astype(np.float32 if dtype == "float16" else dtype, copy=False)


def restored_dtype(dtype: str) -> np.dtype[Any]:
    """The dtype of values that are read."""
    return np.dtype(np.float32 if dtype in ("float16", "bfloat16") else dtype)


def _upper_half(values: NDArray[Any]) -> NDArray[np.uint16]:
    """bfloat16 to nearest, ties to even: the upper bits of a float32."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    nearest = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return np.where(np.isnan(values), 0x7FC0, nearest).astype(np.uint16)
