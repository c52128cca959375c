"""`records`: what is known for a group, constructions and best known sets, as one table."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, final

from sparseaug._tables import Shown, Table
from sparseaug.designs.constructions import Design, constructions_of
from sparseaug.designs.constructions.recorded import recorded
from sparseaug.groups import Group, as_group


@final
@dataclass(frozen=True)
class Records(Shown):
    """The designs of a group, the smallest first; made by `sparseaug.records`. Those that are exact to a
    degree are printed before the others.

    Attributes:
        group: of the designs
        designs: what is known
    """

    group: Group
    designs: tuple[Design, ...]

    def __iter__(self) -> Iterator[Design]:
        return iter(self.designs)

    def __len__(self) -> int:
        return len(self.designs)

    def to_dict(self) -> dict[str, Any]:
        """The table as JSON data."""
        return {"group": self.group.name, "designs": [one.to_dict() for one in self]}

    def _table(self) -> Table:
        if not self.designs:
            return Table(("",), [(f"No design of {self.group.name} is known.",)])
        header = ("design", "m", "exact to", "deviation", "at best", "source")
        exact_first = sorted(self, key=lambda one: not one.degree)
        return Table(header, [one.cells() for one in exact_first], numbers=(1, 2, 3, 4))


def records(group: Group | str) -> Records:
    """The designs that are known for a group: constructions, and the best known sets.

    Each has its name, m, the degree it is exact to, its deviation where a theorem or a proof gives one,
    and its source; a best known set also what no set can beat, and is verified from its rows alone, in
    integers or in directed rounding. A proper subgroup has deviation 1 on all functions, which is not a
    defect where it is exact to the degree that matters. `design` and `choose` take them where they are
    best. How to submit a better one is in studies/records/SUBMIT.md.

    Args:
        group: the group, or its name.

    Returns:
        A table to print, to iterate over, or to turn into JSON data by `to_dict()`; each `Design` has
        `sample()`, the set itself.

    Examples:
        >>> import sparseaug as sa
        >>> for one in sa.records("S7"):
        ...     if one.degree in (2, 5, 7) and one.kind != "record":
        ...         print(one.name, one.m, one.degree)
        AGL(1,7) 42 2
        A7 2520 5
        full 5040 7
        >>> best = [one for one in sa.records("S7") if one.criterion == "neighbours"][0]
        >>> best.m, best.optimal, best.sample().elements.shape
        (7, True, (7, 7))
    """
    group = as_group(group)
    found = [*constructions_of(group), *recorded(group)]
    found.sort(key=lambda one: math.inf if one.m is None else one.m)
    return Records(group, tuple(found))
