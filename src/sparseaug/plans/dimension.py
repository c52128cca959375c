"""The sum of d_pi over the non-trivial irreps of a group: the D of the sharper bound.

The union over irreps in the sharper bound goes over those that are asked about, so on functions of at
most k coordinates D is the sum over the irreps of degree 1 to k (`deviation(degree=)` says which they
are). With s_j the sum over degree exactly j, the s_j of a product are those of its factors,
convolved, as degrees of tensor products add up and dimensions multiply. The bound grows with log D, so
an upper bound on D keeps it true.
"""

from __future__ import annotations

import math

from sparseaug.errors import GroupTooLargeError, shorten_text
from sparseaug.groups import DimensionSum, Group, as_group
from sparseaug.groups.degrees.graded import require_degree

MOST_BITS = 1 << 19
"""Of the order of a group: S_38000 is planned in two seconds."""

HIGHEST = 24
"""Degree up to which D is restricted; above, it is that of the whole group."""


def whole_dimension_sum(group: Group) -> DimensionSum:
    """`Group.dimension_sum` of a group that is not too large to plan for."""
    bits = math.ceil(group.log_order / math.log(2)) if group.is_finite else 0
    if bits > MOST_BITS:
        given = f"group={shorten_text(group.name)} has an order of {bits} bits"
        raise GroupTooLargeError(f"{given}, above {MOST_BITS}; use a smaller group.")
    return group.dimension_sum()  # of an infinite group it says what to do


def dimension_sum_to(group: Group, degree: int | None) -> DimensionSum:
    """Of the irreps up to a degree, or of all."""
    return whole_dimension_sum(group) if degree is None else degree_dimension_sum(group, degree)


def degree_dimension_sum(group: Group | str, degree: int) -> DimensionSum:
    """The sum of d_pi over the irreps of degree 1 to `degree`, or an upper bound on it.

    Exact for S_n, B_n, abelian groups, rotations and their products, and for permutation groups that
    turned out to be one. Of another group that permutes n points, all irreps of degree k together occur
    in the functions of k-tuples, so n! / (n - k)! - 1 bounds it.

    Args:
        group: one that has degrees, as `deviation(degree=)` knows them.
        degree: number of coordinates, at most.

    Returns:
        `value`, never above that of the whole group, and whether it is `exact`.

    Raises:
        UnsupportedError: if the group has no degrees.
        ArgumentError: if it has fewer coordinates.

    Examples:
        >>> import sparseaug as sa
        >>> from sparseaug.plans import degree_dimension_sum
        >>> degree_dimension_sum(sa.symmetric(10), 2)   # 9 + 35 + 36
        DimensionSum(value=80, exact=True)
        >>> degree_dimension_sum(sa.sign_flips(20), 2)  # 20 + 190
        DimensionSum(value=210, exact=True)
        >>> degree_dimension_sum(sa.rotations(3), 4)    # 3 + 5 + 7 + 9
        DimensionSum(value=24, exact=True)
    """
    group = as_group(group)
    whole = whole_dimension_sum(group) if group.is_finite else None
    degree = require_degree(group, degree)
    if degree > HIGHEST and whole is not None:
        return DimensionSum(whole.value, False)
    sums, exact = group.known_as().group.dimensions_by_degree(degree)
    value = sum(sums) - 1
    return DimensionSum(value if whole is None else min(value, whole.value), exact)
