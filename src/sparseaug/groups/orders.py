"""How many elements: orders of any size, in words, and the sizes of the largest groups."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sparseaug._checks import LIMITS

if TYPE_CHECKING:
    from sparseaug.groups.base import Group

ENUMERATION_LIMIT = LIMITS["listing"].most
"""Elements of the largest group that is enumerated."""

LARGEST_MODULUS = 1 << 62
"""The sum of two below it fits an int64."""

MOST_MOVED = 1_000_000
"""Things that a family permutes: the logarithm of its order takes a quarter of a second."""


def format_order(group: Group) -> str:
    """The order for people: exact up to 15 digits, then a power of ten (any size prints)."""
    if not group.is_finite:
        return "infinitely many"
    if group.log_order < 35 and group.order < 10**15:  # e^34.5
        return f"{group.order:,}"
    exponent = group.log_order / math.log(10)
    text = f"{10 ** (exponent % 1):.2f}e{int(exponent)}"
    return text if not text.startswith("10") else f"1.00e{int(exponent) + 1}"


def product_by_halves(numbers: tuple[int, ...]) -> int:
    """math.prod by halves, which multiplies numbers of like size."""
    if len(numbers) < 64:
        return math.prod(numbers)
    middle = len(numbers) // 2
    return product_by_halves(numbers[:middle]) * product_by_halves(numbers[middle:])
