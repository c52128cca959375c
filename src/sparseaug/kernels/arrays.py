"""Arrays that come from outside, checked once."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import ddot

from sparseaug._checks import check_array
from sparseaug._floats import MOST_SQUARED
from sparseaug.actions import Action
from sparseaug.actions.arrays import as_numpy, require_data, require_library
from sparseaug.errors import ArgumentError
from sparseaug.groups import Rows

Floats: TypeAlias = NDArray[np.float64]

_FLOAT64 = np.dtype(np.float64)


def check_samples(name: str, value: Any, *, like: Floats | None = None) -> Floats:
    """`value` as finite samples (n, ...) in float64, each of the shape of a sample of `like`."""
    require_data(value, name)
    array = check_floats(name, value)
    if not array.size or (like is not None and array.shape[1:] != like.shape[1:]):
        wanted = "(n, ...)" if like is None else f"(n, {', '.join(map(str, like.shape[1:]))})"
        raise ArgumentError(f"{name} has shape {array.shape}; give samples {wanted}, at least one.")
    return array


def check_pair(x: Any, z: Any) -> tuple[Floats, Floats]:
    """Samples x (n, ...) and z (k, ...) of one space."""
    x = check_samples("x", x)
    return x, check_samples("z", z, like=x)


def check_vector(name: str, value: Any, length: int | None = None) -> Floats:
    """`value` as a finite vector, not empty, with this many entries.

    A sum of squares that is finite shows all entries to be, in a tenth of the time.
    """
    plain = type(value) is np.ndarray and value.dtype == _FLOAT64
    if plain and length and value.shape == (length,) and ddot(value, value) < math.inf:
        return value
    array = check_floats(name, value)
    if array.ndim != 1 or not array.size or length not in (None, len(array)):
        raise ArgumentError(f"{name} has shape {array.shape}; give a vector ({length or 'n'},).")
    return array


def check_targets(name: str, value: Any, length: int | None = None) -> Floats:
    """`value` as such a vector whose squares are within the range of floats."""
    array = check_vector(name, value, length)
    if abs(array).max() > MOST_SQUARED:
        raise ArgumentError(f"{name} has entries above {MOST_SQUARED:g}; scale them down.")
    return array


def check_floats(name: str, value: Any) -> Floats:
    """`value`, an array, a number or nested lists of them, as a finite float64 array.

    An array of another library than NumPy, torch and JAX is refused by name.
    """
    if not isinstance(value, int | float | list | tuple | np.number):
        require_library(value, name)
        try:
            value = as_numpy(value)
        except (TypeError, RuntimeError) as error:
            raise ArgumentError(f"{name} is traced; give an array with values.") from error
    array = check_array(name, value, np.float64)
    if not np.isfinite(array).all():
        raise ArgumentError(f"{name} holds a NaN or an infinity; remove or replace it first.")
    return array


def move(action: Action, rows: Rows, x: Floats) -> Floats:
    """x (n, ...) moved by every row, (k, n, ...); real and finite, or an `ArgumentError`."""
    moved = as_numpy(action(rows, x))
    if moved.dtype.kind not in "iuf" or not np.isfinite(moved).all():
        raise ArgumentError(f"action gives {moved.dtype} that are not all real and finite.")
    return moved.astype(np.float64, copy=False)


def flat(x: Floats) -> Floats:
    """Samples (n, ...) as rows (n, d)."""
    return x.reshape(len(x), -1)


def freeze(array: Floats) -> Floats:
    """A read-only copy."""
    array = np.array(array)
    array.flags.writeable = False
    return array
