"""Integers of any size, for people and for JSON."""

from __future__ import annotations

import math
from typing import Any

_IN_FULL = 10**7
_LARGEST_JSON = 1 << 53  # beyond it a reader that takes numbers for floats would change them


def format_count(number: int) -> str:
    """With thousands separators up to seven digits, then as a power of ten, rounded up.

    Examples:
        >>> format_count(43811), format_count(3 * 10**8), format_count(10**12 + 1)
        ('43,811', '3.00e8', '1.01e12')
    """
    return _format(number, up=True)


def format_count_down(number: int) -> str:
    """The same rounded down, for numbers that others are at least.

    Examples:
        >>> format_count_down(43811), format_count_down(10**12 - 1)
        ('43,811', '9.99e11')
    """
    return _format(number, up=False)


def is_in_full(number: int) -> bool:
    """Whether `format_count` prints all digits."""
    return number < _IN_FULL


def format_real(number: float) -> str:
    """A number that was given or is used as it stands: all digits that tell it from others.

    Examples:
        >>> format_real(0.05), format_real(2.0), format_real(1e-9)
        ('0.05', '2', '1e-09')
    """
    return repr(number).removesuffix(".0")


def _format(number: int, *, up: bool) -> str:
    if is_in_full(number):
        return f"{number:,}"
    exponent = int(math.log10(number))  # takes integers of any size, and may be off by one
    exponent += (number >= 10 ** (exponent + 1)) - (number < 10**exponent)
    unit = 10 ** (exponent - 2)
    digits = -(-number // unit) if up else number // unit
    if digits == 1000:
        digits, exponent = 100, exponent + 1
    return f"{digits // 100}.{digits % 100:02d}e{exponent}"


def to_json(value: Any) -> Any:
    """The same as JSON holds it: integers above 2^53 as hexadecimal text, which `int(text, 0)`
    reads at any size, and infinite numbers as null.

    Examples:
        >>> to_json(720), to_json(2**64), to_json(math.inf)
        (720, '0x10000000000000000', None)
    """
    if isinstance(value, int) and abs(value) > _LARGEST_JSON:
        return hex(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
