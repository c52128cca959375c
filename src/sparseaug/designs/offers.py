"""What is known for a group: offers of designs, and the table that shows them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias, final

from sparseaug._floats import text_up
from sparseaug._tables import Shown, Table
from sparseaug.groups import Group, Rows

Build: TypeAlias = Callable[[], Rows]

MOST_ENTRIES = 1 << 26
"""Integers in the rows of a design: 0.5 GB; making and checking them takes some three times as much."""


@final
@dataclass(frozen=True)
class Offer:
    """One design that is known for one group.

    Attributes:
        name: of the construction, with its numbers: "AGL(1,7)"
        m: number of elements; None where any size of `sizes` can be had
        degree: D_S is exactly 0 on all functions of at most this degree; 0 where none is promised. Of
            rotations, up to the rounding of their rows, which `deviation(S, degree=)` bounds
        source: who found it, or why it is true
        deviation: the whole deviation, where a theorem gives it
        promise: what else it is good for
        sizes: which m can be had, in words, where m is None
        is_record: whether it is the best known of its size, or the smallest of its degree
    """

    name: str
    m: int | None
    degree: int
    source: str
    deviation: float | None = None
    promise: str = ""
    sizes: str = ""
    is_record: bool = False
    build: Build | None = field(default=None, compare=False, repr=False)

    def fits(self, width: int) -> bool:
        """Whether its rows can be made."""
        return self.m is not None and self.m * width <= MOST_ENTRIES

    def to_dict(self) -> dict[str, Any]:
        """All of it but the way to build it, as JSON data."""
        return {
            "name": self.name,
            "m": self.m,
            "sizes": self.sizes,
            "exact_to_degree": self.degree,
            "deviation": self.deviation,
            "promise": self.promise,
            "source": self.source,
        }

    def cells(self) -> tuple[str, str, str, str, str]:
        """Its row in a table for people."""
        return (
            self.name,
            self.sizes if self.m is None else f"{self.m:,}",
            str(self.degree or "-"),
            "-" if self.deviation is None else text_up(self.deviation, 4),
            "; ".join(filter(None, (self.promise, self.source))),
        )


@final
@dataclass(frozen=True)
class Designs(Shown):
    """The designs that are known for a group, the smallest first; made by `sparseaug.designs`."""

    group: Group
    offers: tuple[Offer, ...]

    def __iter__(self) -> Iterator[Offer]:
        return iter(self.offers)

    def __len__(self) -> int:
        return len(self.offers)

    def to_dict(self) -> dict[str, Any]:
        """The table as JSON data."""
        return {"group": self.group.name, "designs": [offer.to_dict() for offer in self.offers]}

    def _table(self) -> Table:
        header = ("design", "m", "exact to", "deviation", "source")
        return Table(header, [offer.cells() for offer in self.offers], numbers=(1, 2, 3))
