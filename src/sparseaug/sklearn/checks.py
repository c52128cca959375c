"""What is asked of X, y and parameters, in the types that scikit-learn expects of errors."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError, UnsetMetadataPassedError
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_consistent_length, validate_data

from sparseaug._checks import check_integer, check_type
from sparseaug.actions.arrays import Shape
from sparseaug.errors import ArgumentError, SparseAugError, shorten, shorten_text
from sparseaug.sklearn.moved_rows import is_frame


def as_shape(name: str, shape: Shape | None, width: int) -> Shape:
    """How a row of this width is read."""
    if shape is None:
        return (width,)
    given: Any = check_type(name, shape, (tuple, list), "a tuple; give one such as (8, 8)")
    found = tuple(check_integer(name, size, at_least=1) for size in given)
    if math.prod(found) != width:
        raise ArgumentError(f"{name}={found} is not a shape of rows of {width} entries.")
    return found


def as_seed(random_state: Any) -> int:
    """The oracle's seed: an integer itself, or one drawn from scikit-learn's generator."""
    if isinstance(random_state, int | np.integer):
        return check_integer("random_state", random_state, below=1 << 64)
    try:
        return int(check_random_state(random_state).randint(1 << 31))
    except Exception as error:  # whatever a foreign object raises
        raise ArgumentError(f"random_state={shorten(random_state)} is not a seed.") from error


def as_rows(estimator: Any, X: Any, *, reset: bool) -> Any:
    """X as a data frame, if it is one, or as a numeric array (n, features).

    The values of a frame are left alone: only columns that move need to be numbers.
    """
    with name_in_errors("X"):
        if not is_frame(X):
            array = validate_data(estimator, X, reset=reset, ensure_all_finite=False)
            array = array.astype(np.float64) if array.dtype.kind == "O" else array
            if array.dtype.kind not in "biufc":
                raise TypeError(f"it has dtype {array.dtype}; give numbers.")
            return array
        if not X.shape[0] or not X.shape[1]:
            raise ArgumentError(f"X has shape {X.shape}; give at least one row and one column.")
        return validate_data(estimator, X, reset=reset, skip_check_array=True)


@contextmanager
def name_in_errors(name: str) -> Iterator[None]:
    """What scikit-learn says of an argument, as an `ArgumentError` that names it.

    It stays a TypeError where it was one, as scikit-learn's own checks expect.
    """
    try:
        yield
    except (SparseAugError, NotFittedError, UnsetMetadataPassedError):
        raise
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:
        # scikit-learn prints the data into it
        text = shorten_text(" ".join(str(error).split()), 400)
        kind = ArgumentTypeError if isinstance(error, TypeError) else ArgumentError
        raise kind(f"{name} cannot be used: {text}") from error


class ArgumentTypeError(ArgumentError, TypeError):
    """An `ArgumentError` that is also a TypeError."""


def as_targets(estimator: Any, X: Any, y: Any, *, numeric: bool = False) -> NDArray[Any]:
    """y as an array with one row per row of X."""
    if y is None:  # in the words that scikit-learn's checks look for
        raise ArgumentError("the estimator requires y to be passed, but the target y is None.")
    with name_in_errors("y"):
        y = check_array(y, ensure_2d=False, dtype=None, input_name="y", estimator=estimator)
        y = y.astype(np.float64) if numeric and y.dtype.kind == "O" else y
    with name_in_errors("X and y"):
        check_consistent_length(X, y)
    return np.asarray(y)
