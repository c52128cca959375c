"""Data that belong together: an array, or a tuple or dict of such data.

All that is said of an array x (n, ...) is said of every array in it; their number of samples n is one.
A function of several arrays takes a tuple as f(*x) and a dict as f(**x).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sparseaug.actions.arrays import Array, namespace, require_data
from sparseaug.errors import ArgumentError


def leaves(x: Any) -> list[Array]:
    """The arrays in x, in order.

    Examples:
        >>> leaves((1, {"a": 2, "b": (3, 4)}))
        [1, 2, 3, 4]
    """
    if hasattr(x, "shape"):  # most data: the search in abstract types is slow
        return [x]
    if isinstance(x, Mapping):
        x = tuple(x.values())
    return [leaf for part in x for leaf in leaves(part)] if isinstance(x, tuple) else [x]


def map_leaves(function: Callable[..., Any], x: Any, *others: Any) -> Any:
    """The function of every array in x (and of those in the same places of others), in x's form."""
    if hasattr(x, "shape"):
        return function(x, *others)
    if isinstance(x, Mapping):
        return {
            name: map_leaves(function, part, *(other[name] for other in others))
            for name, part in x.items()
        }
    if not isinstance(x, tuple):
        return function(x, *others)
    parts = [map_leaves(function, *some) for some in zip(x, *others, strict=True)]
    return x._make(parts) if hasattr(x, "_make") else tuple(parts)


def shapes_of(x: Any) -> Any:
    """The shape of x, or those of its arrays in x's form."""
    return map_leaves(lambda array: tuple(array.shape), x)


def joined(moved: Any) -> Any:
    """Data (k, n, ...) as (k n, ...)."""
    return map_leaves(
        lambda y: namespace(y).reshape(y, (y.shape[0] * y.shape[1], *y.shape[2:])), moved
    )


def describe(x: Any) -> str:
    """Shapes and types of data, in words."""
    arrays = leaves(x)
    shapes, types = [tuple(array.shape) for array in arrays], [array.dtype for array in arrays]
    if len(arrays) == 1:
        return f"shape {shapes[0]} and dtype {types[0]}"
    return f"shapes {', '.join(map(str, shapes))} and dtypes {', '.join(map(str, types))}"


def require_samples(x: Any, name: str = "x") -> int:
    """The number of samples of the arrays in x, or an `ArgumentError` unless they have one."""
    arrays = leaves(x)
    if not arrays:
        raise ArgumentError(f"{name} is a {type(x).__name__} without arrays; give at least one.")
    for array in arrays:
        require_data(array, name)
    # neither len nor a set: torch.export would take the number for a constant
    count: int = arrays[0].shape[0]
    if any(array.shape[0] != count for array in arrays[1:]):
        counts = sorted({len(array) for array in arrays})
        raise ArgumentError(
            f"{name} holds arrays of {counts} samples; give arrays with one number of samples."
        )
    return count


def call(function: Callable[..., Any], x: Any) -> Any:
    """function(x); of a tuple function(*x), of a dict function(**x)."""
    if isinstance(x, Mapping):
        return function(**x)
    return function(*x) if isinstance(x, tuple) else function(x)
