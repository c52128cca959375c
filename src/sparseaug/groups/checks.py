"""The doors of a family's own methods: rows and digits of the right kind and shape, or a typed error."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from numpy.typing import ArrayLike

from sparseaug.errors import ElementError
from sparseaug.groups.base import Group, integer_array, integer_rows
from sparseaug.groups.digits import Rows

G = TypeVar("G", bound=Group)
T = TypeVar("T")


def on_rows(method: Callable[[G, Rows], T]) -> Callable[[G, ArrayLike], T]:
    """A method of rows (k, width) that refuses what is not an int64 array of that shape, by name."""

    @wraps(method)
    def checked(self: G, elements: ArrayLike) -> T:
        rows = integer_rows("elements", elements, self.width)
        try:
            return method(self, rows)
        except IndexError as error:
            raise ElementError(
                f"elements has rows that are not elements of {self.name}; see contains()."
            ) from error

    return checked


def on_digits(method: Callable[[G, Rows], Rows]) -> Callable[[G, ArrayLike], Rows]:
    """A method of digits (L, k) that refuses what is not an int64 array of that shape, by name."""

    @wraps(method)
    def checked(self: G, digits: ArrayLike) -> Rows:
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
