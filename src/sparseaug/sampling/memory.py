"""How many rows a sample may have."""

from __future__ import annotations

from sparseaug.errors import ArgumentError, shorten

MOST_BYTES = 1 << 30
"""Rows of one sample; making and checking them takes some three times as much."""


def require_memory(name: str, count: int, width: int, what: str) -> None:
    """Raise an `ArgumentError` if `count` rows of `width` numbers would not fit `MOST_BYTES`."""
    size = 8 * count * width
    if size > MOST_BYTES:
        raise ArgumentError(
            f"{name}={shorten(count)} is too many: so many {what} take {shorten(size)} bytes, and the "
            f"limit is {MOST_BYTES}; give {name} of at most {MOST_BYTES // (8 * width)}."
        )
