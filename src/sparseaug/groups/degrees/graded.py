"""Which degrees a group has, and characters counted in integers degree by degree."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sparseaug._checks import check_integer
from sparseaug.errors import ArgumentError, GroupTooLargeError, UnsupportedError, shorten
from sparseaug.groups.degrees.counts import Count
from sparseaug.groups.quotients import Multiset, coset_of

if TYPE_CHECKING:
    from sparseaug.groups.base import Group


def counted(S: Multiset, most: int | None = None, *, work: float = math.inf) -> list[Count] | None:
    """Characters summed over the quotients of S, in integers, of every degree up to `most`.

    None where the group has no such characters, where its quotients are too many, and where their rows
    hold more integers than `work`.
    """
    group = S.group
    size = len(S.counts()[0]) ** 2 * group.width
    if size > work * group.quotients_at_once and coset_of(S) is None:
        return None
    return group._counted(S, most)


def no_degrees(group: Group) -> UnsupportedError:
    """What to raise where degrees are asked for and there are none."""
    lacking = next((f for f in group.factors if f.highest_degree is None), group)
    return UnsupportedError(
        f"the irreps of {lacking.name} have no degree: degrees are for permutations, signed "
        "permutations, abelian and dihedral groups, rotations and their products; leave degree out."
    )


def require_degree(group: Group, degree: int) -> int:
    """`degree` as an integer from 1 to the group's highest, or an error that says what there is."""
    degree = check_integer("degree", degree, at_least=1)
    if group.highest_degree is None:
        raise no_degrees(group)
    if degree > group.highest_degree:
        error = ArgumentError if group.is_finite else GroupTooLargeError
        highest = f"{group.highest_degree}, the highest degree of {group.name}"
        raise error(f"degree={shorten(degree)} is above {highest}; lower it.")
    return degree
