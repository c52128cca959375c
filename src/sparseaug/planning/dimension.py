"""The sum of d_pi over the non-trivial irreps of a group: the D of the sharper bound.

The bound grows with log D, so an upper bound on D keeps it true. Families have D in closed form;
other groups have their irreps counted, or only their conjugacy classes.
"""

from __future__ import annotations

import math
from itertools import islice

import numpy as np

from sparseaug.errors import (
    ArgumentError,
    GroupTooLargeError,
    UnsupportedError,
    shorten,
    shorten_text,
)
from sparseaug.groups import Dihedral, Group, Hyperoctahedral, Product, Symmetric
from sparseaug.theory import (
    abelian_dimension_sum,
    dihedral_dimension_sum,
    dimension_sum_bound,
    hyperoctahedral_dimension_sum,
    product_dimension_sum,
    symmetric_dimension_sum,
)

LARGEST_ALTERNATING = 30
"""A_30 has 2,829 irreps, enumerated in a quarter of a second."""

MOST_IRREPS = 10_000
"""Irreps of other groups that are enumerated one by one."""

MOST_BITS = 1 << 19
"""Of the order of a group: S_38000 is planned in two seconds."""

MOST_INTEGERS = 1 << 22
"""In the row of an element; the order of such a group is not even computed."""

MOST_ELEMENTS = 100_000
"""Largest order whose conjugacy classes are counted, less than a second."""


def dimension_sum(group: Group) -> int:
    """D, or the least upper bound on it that is known without much work; never above |G| - 1.

    Examples:
        >>> import sparseaug as sa
        >>> dimension_sum(sa.symmetric(6)), dimension_sum(sa.sign_flips(20))
        (75, 1048575)
        >>> dimension_sum(sa.group("S3xZ2^4")), dimension_sum_is_exact(sa.group("S3xZ2^4"))
        (63, True)
        >>> dimension_sum(sa.mathieu(11)), dimension_sum_is_exact(sa.mathieu(11))
        (266, False)
    """
    return find_dimension_sum(group)[0]


def dimension_sum_is_exact(group: Group) -> bool:
    """Whether `dimension_sum` is D itself, and not only an upper bound."""
    return find_dimension_sum(group)[1]


def find_dimension_sum(group: Group) -> tuple[int, bool]:
    """`dimension_sum` and whether it is exact, found once."""
    if not isinstance(group, Group):
        raise ArgumentError(
            f"group={shorten(group)} is not a group; give one such as symmetric(6)."
        )
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
    return _find(group)


def _find(group: Group) -> tuple[int, bool]:
    if group.is_abelian:
        return abelian_dimension_sum(group.order), True
    match group:
        case Symmetric(n=n, even=False):
            return symmetric_dimension_sum(n), True
        case Symmetric(n=n) if n > LARGEST_ALTERNATING:  # A_n, no dimension of which is new
            return symmetric_dimension_sum(n), False
        case Hyperoctahedral(n=n):
            return hyperoctahedral_dimension_sum(n), True
        case Dihedral(n=n):
            return dihedral_dimension_sum(n), True
        case Product(factors=factors):
            found = [_find(factor) for factor in factors]
            return product_dimension_sum(*(D for D, _ in found)), all(exact for _, exact in found)
    counted = _from_irreps(group)
    if counted is not None:
        return counted, True
    if group.order <= MOST_ELEMENTS:
        return dimension_sum_bound(group.order, _conjugacy_classes(group)), False
    return group.order - 1, False  # d <= d^2, which sum to |G| - 1


def _from_irreps(group: Group) -> int | None:
    try:
        dimensions = [irrep.dimension for irrep in islice(group.irreps(), MOST_IRREPS + 1)]
    except (UnsupportedError, GroupTooLargeError):
        return None
    return sum(dimensions) - 1 if len(dimensions) <= MOST_IRREPS else None


def _conjugacy_classes(group: Group) -> int:
    """The components of the graph with an edge from each g to s g s^-1, s a generator."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    elements = group.all_elements()
    numbers = np.arange(group.order)
    ends = [
        group.rank(group.compose(group.compose(s[None], elements), group.inverse(s[None])))
        for s in group.generators()
    ]
    starts = np.tile(numbers, len(ends))
    edges = (np.ones(len(starts), np.int8), (starts, np.concatenate(ends)))
    graph = coo_array(edges, shape=(group.order, group.order))
    return int(connected_components(graph, directed=False, return_labels=False))
