"""The table of constructions: every way to make S without an oracle, one row each.

A row says which groups it is for and which designs it has for one of them. A new construction is one
file and one row here. `design`, `choose`, `plan`, `pilot.plan`, `inspect`, `records` and the command ask
nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

from sparseaug.designs.constructions.base import Design
from sparseaug.designs.constructions.crossed import product_designs, signed_designs
from sparseaug.designs.constructions.lattices import lattice_designs, polygon_designs
from sparseaug.designs.constructions.permutations import permutation_designs
from sparseaug.designs.constructions.recorded import recorded
from sparseaug.designs.constructions.rotations import rotation_designs
from sparseaug.designs.constructions.searched import full_design, searched_designs
from sparseaug.designs.constructions.shifts import shift_designs
from sparseaug.designs.constructions.signs import sign_designs
from sparseaug.groups import Group
from sparseaug.norms import deviation as exact_deviation

__all__ = [
    "Design",
    "best_by_degree",
    "constructions_of",
    "fixed_designs",
    "known_designs",
    "sized_designs",
]


def constructions_of(
    group: Group, m: int | None = None, degree: int | None = None
) -> tuple[Design, ...]:
    """All designs of a group but records; those of any size for this m and degree.

    A group that is known to be one of a family has the family's designs: neither norms nor degrees
    change, only the highest one where some points stay or move in pairs.
    """
    family, _, back = group.known_as()
    found = tuple(
        one
        for transform, designs in CONSTRUCTIONS
        if transform in ("", family.transform)
        for one in designs(family, m, degree)
    )
    if family is group:
        return found

    def carried(one: Design) -> Design:
        make, everything = one.build, one.degree == family.highest_degree
        return replace(
            one,
            group=group,
            degree=group.highest_degree or 0 if everything else one.degree,
            build=None if make is None else lambda: back(make()),
        )

    return tuple(map(carried, found))


@lru_cache(maxsize=64)
def known_designs(
    group: Group, m: int | None = None, degree: int | None = None
) -> tuple[Design, ...]:
    """All designs of a group: records, where no construction is as good, and constructions."""
    found = constructions_of(group, m, degree)
    fixed = [one for one in found if one.m is not None and not one.sizes]
    best = (
        one
        for one in recorded(group)
        if one.criterion in ("exact", "deviation") and not any(_is_as_good(c, one) for c in fixed)
    )
    return *best, *found


def fixed_designs(
    group: Group,
    *,
    most: float = math.inf,
    degree: int | None = None,
    deviation: float | None = None,
    m: int | None = None,
) -> list[Design]:
    """The designs of fixed size that can be made, the smallest first: where every choice starts.

    Args:
        group: of the designs
        most: elements
        degree: only those that are exact to it
        deviation: only those whose whole deviation is at most this, by a theorem
        m: that was asked for, where the sizes of a construction are many
    """
    found = [
        one
        for one in known_designs(group, m, m and degree)
        if one.m is not None
        and not (m and one.sizes)
        and one.m <= most
        and one.fits
        and (degree is None or one.degree >= degree)
        and (deviation is None or (one.deviation is not None and one.deviation <= deviation))
    ]
    return sorted(found, key=lambda one: one.m or 0)


def sized_designs(group: Group, m: int, degree: int | None = None) -> list[Design]:
    """The designs that are made for this m and degree: lattices, searches."""
    return [one for one in known_designs(group, m, degree) if one.sizes and one.build is not None]


def best_by_degree(group: Group, m: int, degree: int) -> Design | None:
    """The smallest design of at most m elements that is exact to a degree, else the best by it."""
    exact = fixed_designs(group, most=m, degree=degree, m=m)
    if exact:
        return exact[0]
    made = sized_designs(group, m, degree)
    search = next((one for one in made if one.kind == "search"), None)
    judged = [
        one
        for one in recorded(group)
        if one.criterion == "deviation" and (one.by_degree or 0) >= degree and (one.m or 0) <= m
    ]
    record = min(judged, key=lambda one: one.value or 0.0, default=None)
    if record is None or search is None:
        return search if record is None else record
    if (record.m, record.by_degree) == (m, degree):
        return record
    rows = search.rows()
    made_here = replace(search, build=lambda: rows)
    left = exact_deviation(made_here.sample(), degree=degree).value
    return record if (record.value or 0.0) <= left else made_here


def _is_as_good(one: Design, record: Design) -> bool:
    """Whether a construction, which has a name, makes the record unnecessary."""
    if (one.m or 0) > (record.m or 0):
        return False
    if record.by_degree is not None:
        return one.degree >= record.by_degree
    return one.deviation is not None and one.deviation <= (record.value or 0.0)


def _smallest(group: Group, degree: int) -> Design | None:
    """The smallest design that is exact to this degree."""
    return next(iter(fixed_designs(group, degree=degree)), None) if degree else None


CONSTRUCTIONS: tuple[tuple[str, Callable[[Any, int | None, int | None], Iterator[Design]]], ...] = (
    ("wigner", lambda group, m, degree: rotation_designs(group, m)),
    ("young", lambda group, m, degree: permutation_designs(group)),
    ("signed", lambda g, m, degree: signed_designs(g, m, degree, _smallest, best_by_degree)),
    ("dihedral", lambda group, m, degree: polygon_designs(group)),
    ("characters", lambda group, m, degree: sign_designs(group)),
    ("characters", lambda group, m, degree: shift_designs(group)),
    ("", lambda g, m, degree: product_designs(g, m, degree, _smallest, best_by_degree)),
    ("", lambda group, m, degree: lattice_designs(group, m)),
    ("", searched_designs),
    ("", lambda group, m, degree: full_design(group)),
)
"""Every construction: the `transform` of the groups it is for, where empty of all, and its designs of a
group, for the m and degree that were asked for, or None. Of designs of one size the earlier is taken."""
