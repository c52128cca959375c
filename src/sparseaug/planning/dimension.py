"""The sum of d_pi over the non-trivial irreps of a group: the D of the sharper bound.

The bound grows with log D, so an upper bound on D keeps it true. What D is, the group says.
"""

from __future__ import annotations

import math

from sparseaug.errors import ArgumentError, GroupTooLargeError, shorten, shorten_text
from sparseaug.groups import DimensionSum, Group

MOST_BITS = 1 << 19
"""Of the order of a group: S_38000 is planned in two seconds."""

MOST_INTEGERS = 1 << 22
"""In the row of an element; the order of such a group is not even computed."""


def dimension_sum(group: Group) -> int:
    """D, or the least upper bound on it that is known without much work; never above |G| - 1.

    Args:
        group: a group whose order has at most 2^19 bits.

    Returns:
        The sum of d_pi over the irreps but the trivial one, or an upper bound.

    Raises:
        GroupTooLargeError: if the group is larger than that.

    Examples:
        >>> import sparseaug as sa
        >>> dimension_sum(sa.symmetric(6)), dimension_sum(sa.sign_flips(20))
        (75, 1048575)
        >>> dimension_sum(sa.group("S3xZ2^4")), dimension_sum_is_exact(sa.group("S3xZ2^4"))
        (63, True)
        >>> dimension_sum(sa.mathieu(11)), dimension_sum_is_exact(sa.mathieu(11))
        (266, False)
    """
    return find_dimension_sum(group).value


def dimension_sum_is_exact(group: Group) -> bool:
    """Whether `dimension_sum` is D itself, and not only an upper bound.

    Args:
        group: any group
    """
    return find_dimension_sum(group).exact


def is_finite(group: Group) -> bool:
    """Whether the group has finitely many elements; an `ArgumentError` where it is not a group."""
    if not isinstance(group, Group):
        raise ArgumentError(
            f"group={shorten(group)} is not a group; give one such as symmetric(6)."
        )
    return group.is_finite


def find_dimension_sum(group: Group) -> DimensionSum:
    """`Group.dimension_sum` of a group that is not too large to plan for."""
    if not is_finite(group):
        return group.dimension_sum()  # which says what to do
    if group.width > MOST_INTEGERS:
        raise GroupTooLargeError(
            f"group={shorten_text(group.name)} has rows of {group.width} integers; plans are for groups "
            f"with rows of at most {MOST_INTEGERS}."
        )
    bits = math.ceil(group.log_order / math.log(2))
    if bits > MOST_BITS:
        raise GroupTooLargeError(
            f"group={shorten_text(group.name)} has an order of {bits} bits; plans are for orders of at "
            f"most {MOST_BITS} bits, such as that of symmetric(38000)."
        )
    return group.dimension_sum()
