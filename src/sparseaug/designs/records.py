"""Records: the best known sets, each with its proof, a lower bound, and where it is from.

`make records` verifies every one from its rows alone, in integers or in directed rounding, by code that
shares nothing with the search that found it. `design` and `choose` take them from here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, cast, final

import numpy as np

from sparseaug._archive import fields_as_json
from sparseaug._floats import down, text_down, text_up, up
from sparseaug._records import FAMILIES, Fields, decoded, table
from sparseaug._tables import Shown, Table
from sparseaug.designs.rotations import coset_rows, with_reflections
from sparseaug.groups import Group, Rotations, Rows, as_group, direct_product, rotations
from sparseaug.groups.subgroups import listed_subgroup
from sparseaug.sampling import GroupSample, Origin

CRITERIA = {
    "exact": "exact",
    "deviation": "least deviation",
    "middle": "orders with even middles",
    "neighbours": "orders with even neighbours",
}
"""What a record is best at. Where the deviation is the least one, m is given; else m is the least."""


_AS_STORED = ("criterion", "degree", "m", "because", "source", "sha256")


@final
@dataclass(frozen=True)
class Record:
    """The best known set for one question.

    Attributes:
        group: of its elements
        criterion: "exact" to a degree, "deviation" for the least one with m elements; of orders,
            "middle" and "neighbours" as in `orders`
        degree: of the functions that count; None for all
        m: number of elements
        value: its deviation is at most this
        lower: and at least this
        bound: no set can be better: no set of m elements has a smaller deviation, or, where m is to be
            small, no set has fewer elements
        optimal: whether it meets the bound
        because: where the bound comes from
        source: how the set was found
        sha256: of the rows in the table as text, one a line with blanks between the entries, sorted
        stored: its line in the table
    """

    group: Group
    criterion: str
    degree: int | None
    m: int
    value: float
    lower: float
    bound: float
    optimal: bool
    because: str
    source: str
    sha256: str
    stored: Fields = field(compare=False, repr=False)

    @property
    def name(self) -> str:
        """What it is best at, in words."""
        degree = "" if self.degree is None else f" to degree {self.degree}"
        return CRITERIA[self.criterion] + degree

    @property
    def design(self) -> str:
        """Its name among the designs of the group."""
        size = f", m = {self.m}" if self.criterion == "deviation" else ""
        return f"record: {self.name}{size}"

    def sample(self) -> GroupSample:
        """The set."""
        return GroupSample(self.group, self.rows(), 0, Origin("design", design=self.design))

    def rows(self) -> Rows:
        """Its elements."""
        family, _, back = self.group.known_as()
        if family.name in ("O3", self.stored["group"]):
            return back(expand(family, self.stored))
        other = expand(_in_table(family), self.stored)
        return back(np.roll(other, family.factors[0].width, axis=1))

    def to_dict(self) -> dict[str, Any]:
        """All of it but the rows, as JSON data."""
        return {"group": self.group.name} | fields_as_json(self, "group", "stored")

    def cells(self) -> tuple[str, str, str, str, str]:
        """Its row in a table for people."""
        sized = self.criterion == "deviation"
        bound = text_down(self.bound, 4) if sized else f"m = {self.bound:,.0f}"
        value = text_up(self.value, 4) if sized else "-"
        return self.name, f"{self.m:,}", value, "optimal" if self.optimal else bound, self.source


@final
@dataclass(frozen=True)
class Records(Shown):
    """The records of a group; made by `sparseaug.records`."""

    group: Group
    found: tuple[Record, ...]

    def __iter__(self) -> Iterator[Record]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, index: int) -> Record:
        return self.found[index]

    def to_dict(self) -> dict[str, Any]:
        """The table as JSON data."""
        return {"group": self.group.name, "records": [record.to_dict() for record in self]}

    def _table(self) -> Table:
        if not self.found:
            return Table(("",), [(f"No record of {self.group.name} is kept.",)])
        header = ("best known", "m", "deviation", "at best", "source")
        return Table(header, [record.cells() for record in self], numbers=(1, 2, 3))


def records(group: Group | str) -> Records:
    """The best known sets for a group, each with its deviation, what no set can beat, and its source.

    Every record is verified from its rows alone, in integers or in directed rounding. `design` and
    `choose` take them where they are best. How to submit a better one is in CONTRIBUTING.md.

    Args:
        group: the group, or its name.

    Returns:
        A table to print, to iterate over, or to turn into JSON data by `to_dict()`; each record has
        `sample()`, the set itself.

    Examples:
        >>> import sparseaug as sa
        >>> best = sa.records("S7")[-1]
        >>> best.name, best.m, best.optimal, best.sample().elements.shape
        ('orders with even neighbours', 7, True, (7, 7))
    """
    group = as_group(group)
    return Records(group, tuple(records_of(group)))


def records_of(group: Group) -> Iterator[Record]:
    """Those of the family that the group is known to be; of O(3), those of SO(3) with the inversion."""
    family = group.known_as()[0]
    twice = 2 if family.name == "O3" else 1
    for stored in _by_group().get(_in_table(family).name, ()):
        if twice == 1 or stored["criterion"] == "exact":
            record = _read(group, stored)
            yield replace(record, m=twice * record.m, bound=twice * record.bound)


def _in_table(family: Group) -> Group:
    """The group whose records these are: SO(3) for O(3), and two factors in the order of the table."""
    if family.name == "O3":
        return rotations(3)
    if len(family.factors) == 2 and family.name not in _by_group():
        return direct_product(*reversed(family.factors))
    return family


@lru_cache(maxsize=1)
def _by_group() -> dict[str, list[Fields]]:
    found: dict[str, list[Fields]] = {}
    for family in FAMILIES:
        for stored in table(family):
            found.setdefault(stored["group"], []).append(stored)
    return found


def record_counts() -> dict[str, int]:
    """How many records each group has, by name and then by number: S9 before S10."""
    parts = {name: re.split(r"(\d+)", name) for name in _by_group()}
    keys = {name: [int(p) if p.isdigit() else p for p in each] for name, each in parts.items()}
    return {name: len(_by_group()[name]) for name in sorted(keys, key=keys.__getitem__)}


def _read(group: Group, stored: Fields) -> Record:
    lower, value = ends(stored["value"])
    best = "value" if stored["criterion"] == "deviation" else "m"
    return Record(
        group,
        **{name: stored[name] for name in _AS_STORED},
        value=value,
        lower=lower,
        bound=ends(stored["bound"])[0],
        optimal=str(stored[best]) == stored["bound"],
        stored=stored,
    )


@lru_cache(maxsize=4096)
def ends(text: str) -> tuple[float, float]:
    """Floats on both sides of what is written: a number, a root, or two ends with .. between them.

    >>> from sparseaug.designs.records import ends
    >>> ends("1/4"), ends("0.125..0.25"), ends("sqrt(1/4)")[0] < 0.5 < ends("sqrt(1/4)")[1]
    ((0.25, 0.25), (0.125, 0.25), True)
    """
    if text.startswith("sqrt("):
        root = math.sqrt(Fraction(text[5:-1]))
        return down(down(root)), up(up(root))
    low, _, high = text.partition("..")
    least, most = Fraction(low), Fraction(high or low)
    return _below(least), 0.0 - _below(-most)


def _below(number: Fraction) -> float:
    near = float(number)
    return near if near <= number else down(near)


def expand(group: Group, stored: Fields) -> Rows:
    """All rows of a record: those that are written down, times the subgroup of its generators."""
    more = stored.get("generators", "")
    if group.transform == "wigner":
        turns = coset_rows(more or "C1", stored["rows"].split())
        return with_reflections(cast(Rotations, group), turns)
    rows = decoded(stored["rows"], group.width)
    H = listed_subgroup(group, decoded(more, group.width))
    return group.compose(rows[:, None], H[None]).reshape(-1, group.width)
