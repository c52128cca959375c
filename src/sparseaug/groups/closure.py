"""The subgroup that some elements generate, in a group that can be listed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sparseaug.groups.digits import Rows

if TYPE_CHECKING:
    from sparseaug.groups.base import Group

LARGEST_CLOSURE = 1 << 17
"""Order up to which subgroups are listed, in about a second."""


def closure(group: Group, elements: Rows) -> tuple[NDArray[np.bool_], Rows]:
    """For each rank whether it is in the subgroup, and those of the elements that generate it.

    What is new is multiplied by the generators, and all that is known by something new, which
    reaches the n-th power of a generator in log2(n) rounds.
    """
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
