"""The sum of d_pi over the non-trivial irreps of a group: the D of the sharper bound.

The bound grows with log D, so an upper bound on D keeps it true. What D is, the group says.

The sum of d_pi over the irreps of low degree: the D of the sharper bound on a restricted norm.

The union over irreps in the sharper bound goes over those that are asked about, so on functions of at
most k coordinates D is the sum over the irreps of degree 1 to k (`deviation(degree=)` says which they
are). With s_j the sum over degree exactly j, the s_j of a product are those of its factors,
convolved, as degrees of tensor products add up and dimensions multiply.

How many draws typically reach a deviation: an expectation beside the bounds, never in their place.

The bounds have log|G| for every group. Measured (docs/evidence.md), it is there only where irreps are
many and small:

    abelian          the largest of |G| - 1 means of m signs or phases: at most about sqrt(2 log|G| / m)
    |G| >= 4 D       few and large irreps, as of S_n and B_n: near the norm of m free unitaries,
                     2 sqrt(m - 1) / m (Akemann and Ostrand 1976), whatever |G| is

|G| / D is a mean dimension, weighted by d_pi: 1 for abelian groups, below 2 for dihedral ones, 4.8 for
S_5.
"""

from __future__ import annotations

import math

from sparseaug.errors import GroupTooLargeError, shorten_text
from sparseaug.groups import DimensionSum, Group, as_group
from sparseaug.groups.degrees.graded import require_degree

MOST_BITS = 1 << 19
"""Of the order of a group: S_38000 is planned in two seconds."""

MOST_INTEGERS = 1 << 22
"""In the row of an element; the order of such a group is not even computed."""


def find_dimension_sum(group: Group) -> DimensionSum:
    """`Group.dimension_sum` of a group that is not too large to plan for."""
    if not group.is_finite:
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


HIGHEST = 24
"""Degree up to which D is restricted; above, it is that of the whole group."""


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
    whole = find_dimension_sum(group) if group.is_finite else None
    degree = require_degree(group, degree)
    if degree > HIGHEST and whole is not None:
        return DimensionSum(whole.value, False)
    sums, exact = group.known_as().group.dimensions_by_degree(degree)
    value = sum(sums) - 1
    return DimensionSum(value if whole is None else min(value, whole.value), exact)


_LARGE = 4  # |G| / D from which irreps count as large: S_5 and B_4 have 4.8 and 5.1


def typical_draws(group: Group, deviation: float, dimension_sum: int) -> int | None:
    """The m whose typical deviation is the one that is asked for; None where that is not known.

    Args:
        group: what is drawn from
        deviation: to reach
        dimension_sum: D of the group, or an upper bound of it

    Examples:
        >>> import sparseaug as sa
        >>> from sparseaug.plans.dimension import typical_draws
        >>> typical_draws(sa.symmetric(10), 0.25, 9495)
        63
        >>> typical_draws(sa.sign_flips(10), 0.25, 1023)
        222
        >>> typical_draws(sa.dihedral(10), 0.25, 11) is None
        True
    """
    if group.is_abelian:
        return max(1, math.ceil(2 * group.log_order / deviation**2))
    if group.order < _LARGE * dimension_sum:
        return None
    # m tau^2 / 4 = (m - 1) / m, the larger root
    return math.ceil(2 * (1 + math.sqrt(1 - deviation**2)) / deviation**2)
