"""Arrays of the right kind and shape, or a typed error that names them.

The subgroup that some elements generate: in a group that can be listed, or listed by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparseaug.errors import ArgumentError, ElementError, GroupTooLargeError, shorten
from sparseaug.groups.limits import require_order_below
from sparseaug.groups.permutations import Rows

if TYPE_CHECKING:
    from sparseaug.groups.base import Group


def require_unmasked(name: str, value: object, error: type[ArgumentError] = ArgumentError) -> None:
    """Raise an error that names it if `value` is a masked array or a list of them.

    NumPy makes a plain array of it without a word, with all that the mask was to hide.
    """
    parts = value if isinstance(value, list | tuple) else (value,)
    if any(isinstance(part, np.ma.MaskedArray) for part in parts):
        raise error(
            f"{name} is a masked array, and its mask would be ignored; give its data, or the rows that "
            "are not masked."
        )


def integer_array(
    name: str, value: ArrayLike, error: type[ArgumentError] = ArgumentError
) -> NDArray[np.int64]:
    """`value` as an int64 array, or an error that names it."""
    require_unmasked(name, value, error)
    try:
        array = np.asarray(value)
    except Exception as problem:  # ragged lists, foreign objects
        raise error(f"{name}={shorten(value)} is not an array of integers.") from problem
    if array.dtype.kind not in "iu" or array.dtype == np.uint64:
        if array.size:
            raise error(f"{name} has dtype {array.dtype}; give integers that fit 64 bits.")
        return np.empty(array.shape, np.int64)
    return array.astype(np.int64, copy=False)


def real_array(
    name: str, value: ArrayLike, error: type[ArgumentError] = ArgumentError
) -> NDArray[np.float64]:
    """`value` as a float64 array, or an error that names it; NaN and infinity pass."""
    require_unmasked(name, value, error)
    try:
        array = np.asarray(value)
    except Exception as problem:  # ragged lists, foreign objects
        raise error(f"{name}={shorten(value)} is not an array of numbers.") from problem
    if array.dtype.kind not in "iuf" and array.size:
        raise error(f"{name} has dtype {array.dtype}; give real numbers.")
    return array.astype(np.float64, copy=False)


def row_array(name: str, value: ArrayLike, group: Group) -> Rows:
    """`value` in the type of a group's rows, of any shape, or an `ElementError` that names it."""
    as_array: Callable[..., Any] = real_array if group.row_dtype == np.float64 else integer_array
    return as_array(name, value, ElementError)


def typed_rows(name: str, value: ArrayLike, group: Group) -> Rows:
    """`value` as rows (k, width) in the type of a group's rows, or an `ElementError`."""
    if group.row_dtype == np.int64:
        return integer_rows(name, value, group.width)
    rows = row_array(name, value, group)
    if rows.ndim != 2 or rows.shape[1] != group.width:
        raise ElementError(
            f"{name} has shape {rows.shape}; give numbers of shape (k, {group.width}), one row per "
            "element."
        )
    return rows


def integer_rows(name: str, value: ArrayLike, width: int) -> Rows:
    """`value` as int64 rows (k, width), or an `ElementError` that names it."""
    rows = integer_array(name, value, ElementError)
    if rows.ndim != 2 or rows.shape[1] != width:
        raise ElementError(
            f"{name} has shape {rows.shape}; give an integer array of shape (k, {width}), one row "
            "per element."
        )
    return rows


def on_rows(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method of rows (k, width) that refuses what is not an array of that shape and type, by name."""

    @wraps(method)
    def checked(self: Group, elements: ArrayLike) -> Any:
        rows = typed_rows("elements", elements, self)
        try:
            return method(self, rows)
        except IndexError as error:
            raise ElementError(
                f"elements has rows that are not elements of {self.name}; see contains()."
            ) from error

    return checked


def on_digits(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method of digits (L, k) that refuses what is not an int64 array of that shape, by name."""

    @wraps(method)
    def checked(self: Group, digits: ArrayLike) -> Any:
        array = integer_array("digits", digits, ElementError)
        if array.ndim != 2 or len(array) != len(self.radices):
            raise ElementError(
                f"digits has shape {array.shape}; elements of {self.name} have digits of shape "
                f"({len(self.radices)}, k)."
            )
        try:
            return method(self, array)
        except IndexError as error:
            raise ElementError(f"digits must be below the radices of {self.name}.") from error

    return checked


LARGEST_CLOSURE = 1 << 17
"""Order up to which subgroups are listed, in about a second."""


def closure(group: Group, elements: Rows) -> tuple[NDArray[np.bool_], Rows]:
    """For each rank whether it is in the subgroup, and those of the elements that generate it.

    What is new is multiplied by the generators, and all that is known by something new, which
    reaches the n-th power of a generator in log2(n) rounds.
    """
    require_order_below(group, LARGEST_CLOSURE + 1, "closure")
    ranks = group.rank(elements)
    reached = np.arange(group.order) == 0
    chosen = elements[:0]
    while not reached[ranks].all():
        chosen = np.concatenate([chosen, elements[[reached[ranks].argmin()]]])
        new = np.flatnonzero(reached)
        while new.size:
            rows, known = group.unrank(new), group.unrank(np.flatnonzero(reached))
            products = [group.compose(rows, g) for g in chosen[:, None]]
            found = group.rank(np.concatenate([*products, group.compose(known, rows[-1:])]))
            new = np.unique(found[~reached[found]])
            reached[new] = True
    return reached, chosen


def listed_subgroup(group: Group, generators: Rows) -> Rows:
    """All elements of the subgroup, in lexicographic order of their rows, however large the group is.

    What is new is multiplied by the generators until nothing new is found; as the group is finite, the
    words in the generators are then all of the subgroup.
    """
    new = group.identity()
    known, seen = [new], {new.tobytes()}
    while len(new):
        products = np.concatenate([new[:0], *(group.compose(new, g) for g in generators[:, None])])
        fresh = []
        for place, row in enumerate(products):
            if (key := row.tobytes()) not in seen:
                seen.add(key)
                fresh.append(place)
        new = products[fresh]
        known.append(new)
        if len(seen) > LARGEST_CLOSURE:
            raise GroupTooLargeError(
                f"generators generate more than {LARGEST_CLOSURE} elements of {group.name}, too many "
                "to list; give fewer generators."
            )
    return np.unique(np.concatenate(known), axis=0)
