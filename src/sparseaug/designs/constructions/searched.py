"""Sets that are searched for by the worst case, or by degree: rows of any size."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from sparseaug.designs.constructions.base import Design
from sparseaug.designs.low_degree import (
    of_irreps,
    search_permutations,
    search_signs,
    searched_degrees,
)
from sparseaug.designs.worst_case import is_listed, worst_case
from sparseaug.groups import Group, Rows
from sparseaug.search.search import Places, search


def searched_designs(group: Group, m: int | None, degree: int | None) -> Iterator[Design]:
    """The greedy choice and exchanges, of m elements."""
    listed, degrees = is_listed(group), searched_degrees(group)
    if not listed and (not degrees or (degree is not None and degree not in degrees)):
        return
    ready = m is not None and (listed or degree is not None)
    yield Design(
        group,
        "search",
        m if ready else None,
        0,
        "greedy choice and exchanges",
        sizes="any" if listed else f"any, by degree {' or '.join(map(str, degrees))}",
        kind="search",
        build=partial(searched_rows, group, m or 1, degree) if ready else None,
    )


def searched_rows(group: Group, m: int, degree: int | None) -> Rows:
    """m elements by the worst function, or by the worst of those of at most this degree."""
    if degree is not None and degree in searched_degrees(group):
        if group.moduli is not None:
            return search_signs(group.width, m, degree)
        return search_permutations(group, m, degree)
    if degree is not None and group.irreps_have_degrees:
        rows = group.all_elements()
        places = Places(len(rows), None, True, np.arange(len(rows)))
        return rows[search(of_irreps(group, rows, degree), places, m)]
    objective = worst_case(group, m, degree)
    return group._unrank(search(objective, objective.places, m))


def full_design(group: Group) -> Iterator[Design]:
    """All of a group that can be listed."""
    if is_listed(group):
        yield Design(
            group,
            "full",
            group.order,
            group.highest_degree or 0,
            "every element once",
            0.0,
            kind="full",
            build=group.all_elements,
        )
