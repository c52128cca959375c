"""Arrays that come from outside, checked once; and the roundings of a chain of operations."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparseaug.actions import Action
from sparseaug.actions.base import as_numpy
from sparseaug.errors import ArgumentError, shorten

Floats: TypeAlias = NDArray[np.float64]

UNIT = 2.0**-53
"""The unit roundoff u of binary64."""


def gamma(n: float) -> float:
    """n u / (1 - n u), rounded up: the relative error of n roundings in a row (Higham, 3.1)."""
    return math.nextafter(n * UNIT / (1 - 2 * n * UNIT), math.inf)


def check_samples(name: str, value: Any, *, like: Floats | None = None) -> Floats:
    """`value` as finite samples (n, ...) in float64, each of the shape of a sample of `like`."""
    array = check_floats(name, value)
    if array.ndim < 2 or not array.size:
        raise ArgumentError(f"{name} has shape {array.shape}; give samples (n, ...), at least one.")
    if like is not None and array.shape[1:] != like.shape[1:]:
        raise ArgumentError(
            f"{name} has samples of shape {array.shape[1:]}, but the others have {like.shape[1:]}; "
            "all points must live in one space."
        )
    return array


def check_vector(name: str, value: Any, length: int) -> Floats:
    """`value` as a finite vector with this many entries."""
    array = check_floats(name, value)
    if array.shape != (length,):
        raise ArgumentError(f"{name} has shape {array.shape}; give ({length},), one number each.")
    return array


def check_floats(name: str, value: Any) -> Floats:
    """`value` as a finite float64 array, or an `ArgumentError` that names it."""
    try:
        array = np.asarray(as_numpy(value))
    except (TypeError, ValueError) as error:  # ragged lists, foreign objects
        raise ArgumentError(f"{name}={shorten(value)} is not an array of numbers.") from error
    if array.dtype.kind not in "iuf":
        raise ArgumentError(f"{name} has dtype {array.dtype}; give real numbers.")
    array = array.astype(np.float64, copy=False)
    if not np.isfinite(array).all():
        raise ArgumentError(f"{name} holds a NaN or an infinity; remove or replace it first.")
    return array


def check_action(action: Any) -> Action:
    """The action itself, or an `ArgumentError`."""
    if not isinstance(action, Action):
        raise ArgumentError(f"action={shorten(action)} is not an action; try permute_axis(group).")
    return action


def flat(x: Floats) -> Floats:
    """Samples (n, ...) as rows (n, d)."""
    return x.reshape(len(x), -1)


def freeze(array: Floats) -> Floats:
    """A read-only copy."""
    array = np.array(array, dtype=np.float64)
    array.flags.writeable = False
    return array
