"""The best known sets, each with its proof, a lower bound, and where it is from: `tables/*.jsonl`.

`make records` verifies every one from its rows alone, in integers or in directed rounding, by code that
shares nothing with the search that found it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import cast

import numpy as np

from sparseaug._floats import down, up
from sparseaug._records import FAMILIES, Fields, decoded, table
from sparseaug.designs.constructions.base import Design
from sparseaug.designs.constructions.rotations import coset_rows, with_reflections
from sparseaug.groups import Group, Rotations, Rows, direct_product, rotations
from sparseaug.groups.subgroups import listed_subgroup

CRITERIA = {
    "exact": "exact",
    "deviation": "least deviation",
    "middle": "orders with even middles",
    "neighbours": "orders with even neighbours",
}
"""What a record is best at. Where the deviation is the least one, m is given; else m is the least."""


@lru_cache(maxsize=64)
def recorded(group: Group) -> tuple[Design, ...]:
    """Those of the family that the group is known to be; of O(3), those of SO(3) with the inversion."""
    return tuple(_recorded(group))


def _recorded(group: Group) -> Iterator[Design]:
    family, _, back = group.known_as()
    twice = 2 if family.name == "O3" else 1
    turned = family.name != _in_table(family).name and twice == 1
    for place, stored in _by_group().get(_in_table(family).name, ()):
        if twice == 2 and stored["criterion"] != "exact":
            continue
        lower, value = ends(stored["value"])
        criterion, degree, m = stored["criterion"], stored["degree"], stored["m"]
        best = "value" if criterion == "deviation" else "m"
        to = "" if degree is None else f" to degree {degree}"
        size = f", m = {m}" if criterion == "deviation" else ""
        yield Design(
            group,
            f"record: {CRITERIA[criterion]}{to}{size}",
            twice * m,
            degree if criterion == "exact" else 0,
            stored["source"],
            value=value if criterion in ("exact", "deviation") else None,
            by_degree=degree,
            kind="record",
            criterion=criterion,
            lower=lower,
            bound=twice * ends(stored["bound"])[0],
            optimal=str(stored[best]) == stored["bound"],
            because=stored["because"],
            sha256=stored["sha256"],
            build=lambda s=stored: back(_rows(family, s, turned)),  # type: ignore[misc]
            table=place,
        )


def _rows(family: Group, stored: Fields, turned: bool) -> Rows:
    if not turned:
        return expand(family, stored)
    return np.roll(expand(_in_table(family), stored), family.factors[0].width, axis=1)


def _in_table(family: Group) -> Group:
    """The group whose records these are: SO(3) for O(3), and two factors in the order of the table."""
    if family.name == "O3":
        return rotations(3)
    if len(family.factors) == 2 and family.name not in _by_group():
        return direct_product(*reversed(family.factors))
    return family


@lru_cache(maxsize=1)
def _by_group() -> dict[str, list[tuple[str, Fields]]]:
    found: dict[str, list[tuple[str, Fields]]] = {}
    for family in FAMILIES:
        for stored in table(family):
            found.setdefault(stored["group"], []).append((family, stored))
    return found


def record_counts() -> dict[str, int]:
    """How many records each group has, by name and then by number: S9 before S10."""
    parts = {name: re.split(r"(\d+)", name) for name in _by_group()}
    keys = {name: [int(p) if p.isdigit() else p for p in each] for name, each in parts.items()}
    return {name: len(_by_group()[name]) for name in sorted(keys, key=keys.__getitem__)}


@lru_cache(maxsize=4096)
def ends(text: str) -> tuple[float, float]:
    """Floats on both sides of what is written: a number, a root, or two ends with .. between them.

    >>> from sparseaug.designs.constructions.recorded import ends
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
    return group._compose(rows[:, None], H[None]).reshape(-1, group.width)
