"""How large a group and its arrays may be, and how large orders are counted and said."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sparseaug.errors import GroupTooLargeError, shorten

if TYPE_CHECKING:
    from sparseaug.groups.base import Group

ENUMERATION_LIMIT = 10_000_000

LARGEST_ARRAY = 1 << 27
"""Integers or floats in one array that a group makes, 1 GiB."""

LONGEST_ROW = 1 << 24
"""Integers in the row of one element, 128 MiB."""

LARGEST_SIZE = 1 << 62
"""Points or a modulus: the sum of two below it fits an int64."""

EXACT_LOGARITHMS = 1_000_000
"""Points up to which logarithms are added one by one, in a quarter of a second."""

LARGEST_ORDER = 1 << 22
"""Bits of an order, which takes half a second to compute; above, there is its logarithm."""


def require_rows(group: Group, count: int, what: str, width: int) -> None:
    """Raise a `GroupTooLargeError` where `what` would be an array of over a gibibyte."""
    if width > LONGEST_ROW or count * width > LARGEST_ARRAY:
        raise GroupTooLargeError(
            f"{what} of {group.name} takes {shorten(count)} rows of {width} numbers; at most "
            f"{LARGEST_ARRAY} numbers are made at once, and {LONGEST_ROW} in a row: ask for "
            "fewer at a time, or use a smaller group."
        )


def require_order_below(group: Group, limit: int, operation: str) -> None:
    """Raise a `GroupTooLargeError` that names the operation, unless the order is below."""
    if group.log_order > math.log(limit) + 1 or group.order >= limit:
        raise GroupTooLargeError(
            f"{operation} needs a group of at most {limit - 1} elements, but {group.name} has "
            f"{order_text(group)}; use sample() instead."
        )


def order_text(group: Group) -> str:
    """The order for people: exact up to 20 digits, then a power of ten (any size prints)."""
    if not group.is_finite:
        return "infinitely many"
    if group.log_order < 50 and group.order < 10**20:  # 10^20 = e^46
        return str(group.order)
    exponent = group.log_order / math.log(10)
    text = f"{10 ** (exponent % 1):.2f}e{int(exponent)}"
    return text if not text.startswith("10") else f"1.00e{int(exponent) + 1}"


def product(numbers: tuple[int, ...]) -> int:
    """math.prod by halves, which multiplies numbers of like size."""
    if len(numbers) < 64:
        return math.prod(numbers)
    middle = len(numbers) // 2
    return product(numbers[:middle]) * product(numbers[middle:])
