"""The subgroup that some elements generate: in a group that can be listed, or listed by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import LIMITS, require_work
from sparseaug.groups.permutations import Rows

if TYPE_CHECKING:
    from sparseaug.groups.base import Group


def closure(group: Group, elements: Rows) -> tuple[NDArray[np.bool_], Rows]:
    """For each rank whether it is in the subgroup, and those of the elements that generate it.

    What is new is multiplied by the generators, and all that is known by something new, which
    reaches the n-th power of a generator in log2(n) rounds.
    """
    group.require_order(LIMITS["subgroup"].most, "closure")
    ranks = group.rank(elements)
    reached = np.arange(group.order) == 0
    chosen = elements[:0]
    while not reached[ranks].all():
        chosen = np.concatenate([chosen, elements[[reached[ranks].argmin()]]])
        new = np.flatnonzero(reached)
        while new.size:
            rows, known = group.unrank(new), group.unrank(np.flatnonzero(reached))
            products = [group.compose(rows, g) for g in chosen[:, None]]
            found = group.rank(np.concatenate([*products, group.compose(known, rows[-1:])]))
            new = np.unique(found[~reached[found]])
            reached[new] = True
    return reached, chosen


def listed_subgroup(group: Group, generators: Rows) -> Rows:
    """All elements of the subgroup, in lexicographic order of their rows, however large the group is.

    What is new is multiplied by the generators until nothing new is found; as the group is finite, the
    words in the generators are then all of the subgroup.
    """
    new = group.identity()
    known, seen = [new], {new.tobytes()}
    while len(new):
        products = np.concatenate([new[:0], *(group.compose(new, g) for g in generators[:, None])])
        fresh = []
        for place, row in enumerate(products):
            if (key := row.tobytes()) not in seen:
                seen.add(key)
                fresh.append(place)
        new = products[fresh]
        known.append(new)
        what = f"the subgroup of {group.name} that generators generate"
        require_work("subgroup", len(seen), what, remedy="give fewer generators")
    return np.unique(np.concatenate(known), axis=0)
