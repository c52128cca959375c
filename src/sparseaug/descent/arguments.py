"""The arguments of `descend`, checked once."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from array_api_compat import array_namespace, is_array_api_obj, is_torch_array

from sparseaug.errors import ArgumentError, StorageError, check_not_negative, check_real, shorten
from sparseaug.kernels.arrays import check_floats

METHODS = ("none", "full", "streaming", "one-shot")


def check_risk(risk: Any, method: Any) -> None:
    """Raise an `ArgumentError` unless it can be followed, by this method if one is named."""
    if not callable(getattr(risk, "at_step", None)) or not hasattr(risk, "calls"):
        raise ArgumentError(f"risk={shorten(risk)} is not a risk; see augmented_risk.")
    if method is None:
        return
    if not isinstance(method, str) or method not in METHODS:
        raise ArgumentError(f"method={shorten(method)} is not allowed; give one of {METHODS}.")
    if method != getattr(risk, "method", method):
        raise ArgumentError(f"method={method!r}, but the risk is for {risk.method!r}.")


def check_theta(theta0: Any) -> Any:
    """A copy of the start: finite real numbers, NumPy's unless another library's."""
    if is_array_api_obj(theta0) and not isinstance(theta0, np.ndarray | np.generic):
        xp = array_namespace(theta0)
        torch = is_torch_array(theta0)  # whose bfloat16 the standard does not know
        if not (theta0.is_floating_point() if torch else xp.isdtype(theta0.dtype, "real floating")):
            raise ArgumentError(
                f"theta0 has dtype {theta0.dtype}; give real floating-point numbers."
            )
        try:
            finite = bool(xp.all(xp.isfinite(theta0)))
        except RuntimeError as error:  # sparse, or without memory
            raise ArgumentError(
                f"theta0 is a {type(theta0).__name__} whose values cannot be read; give a dense one."
            ) from error
        if not finite:
            raise ArgumentError("theta0 holds a NaN or an infinity; start from finite numbers.")
        start = theta0.clone() if torch else theta0
    else:
        checked = check_floats("theta0", theta0)
        kept = isinstance(theta0, np.ndarray) and theta0.dtype in (np.float16, np.float32)
        start = np.array(theta0 if kept else checked)
    if not start.ndim or not math.prod(start.shape):
        raise ArgumentError(f"theta0 has shape {tuple(start.shape)}; give a vector of parameters.")
    return start


def check_rates(step_size: float | Callable[[int], float]) -> Callable[[int], float]:
    """The rate of each step, checked when it is asked for."""
    if not callable(step_size):
        rate = check_real("step_size", step_size, above=0)
        return lambda step: rate

    def checked(step: int) -> float:
        return check_not_negative(f"step_size({step})", step_size(step))

    return checked


def check_path(checkpoint: Any) -> Path:
    """A path in a folder that is there, or an error that names it."""
    text = os.fspath(checkpoint) if isinstance(checkpoint, str | os.PathLike) else None
    if not isinstance(text, str) or "\0" in text or not Path(text).name:
        raise ArgumentError(f"checkpoint={shorten(checkpoint)} is not a path to a file.")
    try:
        there = Path(text).parent.is_dir()
    except OSError as error:
        raise StorageError(f"checkpoint={shorten(checkpoint)} cannot be used: {error}.") from error
    if not there:
        raise ArgumentError(f"checkpoint={shorten(checkpoint)} is in a folder that does not exist.")
    return Path(text)
