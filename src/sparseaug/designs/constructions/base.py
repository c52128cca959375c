"""A design: one S that can be made without an oracle, by construction or from the table of records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias, final

from sparseaug._floats import text_down, text_up
from sparseaug.errors import GroupTooLargeError, shorten
from sparseaug.groups import Group, Rows
from sparseaug.sampling import GroupSample, Origin

Build: TypeAlias = Callable[[], Rows]

MOST_ENTRIES = 1 << 26
"""Integers in the rows of a design: 0.5 GB; making and checking them takes some three times as much."""


@final
@dataclass(frozen=True)
class Design:
    """One design of a group, made by `sparseaug.records`: a construction, or the best known set.

    Attributes:
        group: of its elements
        name: of the construction, with its numbers: "AGL(1,7)"; `design(group, name=)` makes it
        m: number of elements; None where any size of `sizes` can be had
        degree: D_S is exactly 0 on all functions of at most this degree; 0 where none is promised. Of
            rotations, up to the rounding of their rows, which `deviation(S, degree=)` bounds
        source: who found it, or why it is true
        value: its deviation is at most this, where a theorem or a proof gives it
        by_degree: the deviation is on the functions of at most this degree; None for all functions
        sizes: which m can be had, in words, where m is None
        kind: "construction"; "record", the best known of its size, or the smallest of its degree;
            "lattice" and "search", which are made for m; "full"
        criterion: what a record is best at: "exact" to a degree, "deviation" for the least one with m
            elements; of orders, "middle" and "neighbours" as in `orders`. Empty for the others
        lower: of a record: its deviation is at least this
        bound: of a record: no set of m elements has a smaller deviation or, where m is to be small, no
            set has fewer elements
        optimal: whether a record meets the bound
        because: where the bound comes from
        sha256: of a record: of the rows in the table as text, one per line, with blanks between the
            entries, sorted
        build: makes the rows
        table: of a record: the family that it is stored with
    """

    group: Group
    name: str
    m: int | None
    degree: int
    source: str
    value: float | None = None
    by_degree: int | None = None
    sizes: str = ""
    kind: str = "construction"
    criterion: str = ""
    lower: float = 0.0
    bound: float = 0.0
    optimal: bool = False
    because: str = ""
    sha256: str = ""
    build: Build | None = field(default=None, compare=False, repr=False)
    table: str = field(default="", compare=False, repr=False)

    @property
    def deviation(self) -> float | None:
        """On all functions, where it is known."""
        return self.value if self.by_degree is None else None

    @property
    def fits(self) -> bool:
        """Whether its rows can be made."""
        return self.m is not None and self.m * self.group.width <= MOST_ENTRIES

    def rows(self) -> Rows:
        """Its elements; a `GroupTooLargeError` if they are too many."""
        if self.build is None or not self.fits:
            given = f"m={shorten(self.m)} elements of {self.group.width} integers, of {self.name},"
            raise GroupTooLargeError(f"{given} are above {MOST_ENTRIES} integers; lower m.")
        return self.build()

    def sample(self) -> GroupSample:
        """The set, with an origin that names it."""
        return GroupSample(self.group, self.rows(), 0, Origin("design", design=self.name))

    def to_dict(self) -> dict[str, Any]:
        """All of it but the rows, as JSON data."""
        record = ("criterion", "lower", "bound", "optimal", "because", "sha256")
        return {
            "name": self.name,
            "m": self.m,
            "sizes": self.sizes,
            "exact_to_degree": self.degree,
            "deviation": self.value,
            "by_degree": self.by_degree,
            "source": self.source,
            "kind": self.kind,
        } | ({name: getattr(self, name) for name in record} if self.criterion else {})

    def cells(self) -> tuple[str, str, str, str, str, str]:
        """Its row in a table for people."""
        value, bound = "-", "-"
        sizes = f"m {self.sizes}" if self.m is None and self.sizes != "any" else ""
        if self.value is not None and not (self.degree and self.by_degree):
            value = text_up(self.value, 4)
            value += "" if self.by_degree is None else f" to {self.by_degree}"
        if self.criterion:
            least = (
                text_down(self.bound, 4)
                if self.criterion == "deviation"
                else f"m = {self.bound:,.0f}"
            )
            bound = "optimal" if self.optimal else least
        return (
            self.name,
            "any" if self.m is None else f"{self.m:,}",
            str(self.degree or "-"),
            value,
            bound,
            "; ".join(filter(None, (sizes, self.source))),
        )
