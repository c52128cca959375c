"""What every plan has: rows, found by the name of their method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from sparseaug.errors import ArgumentError, shorten


class Named(Protocol):
    """A row of a plan."""

    @property
    def method(self) -> str:
        """The name of its method."""


Row = TypeVar("Row", bound=Named)


def row_of(rows: Sequence[Row], method: Any) -> Row:
    """The row of that method, or an `ArgumentError` with the names that there are."""
    for row in rows:
        if isinstance(method, str) and row.method == method:
            return row
    names = ", ".join(row.method for row in rows)
    raise ArgumentError(f"method={shorten(method)} is not planned for; give one of {names}.")
