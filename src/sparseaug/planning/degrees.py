"""The sum of d_pi over the irreps of low degree: the D of the sharper bound on a restricted norm.

The union over irreps in the sharper bound goes over those that are asked about, so on functions of at
most k coordinates D is the sum over the irreps of degree 1 to k (`deviation(degree=)` says which they
are). With s_j the sum over degree exactly j, the s_j of a product are those of its factors,
convolved, as degrees of tensor products add up and dimensions multiply.
"""

from __future__ import annotations

import math
from collections import Counter
from functools import reduce

from sparseaug.errors import check_integer
from sparseaug.groups import DimensionSum, Group
from sparseaug.groups.young import LARGEST_SHAPE, Partition, dimension, each_partition
from sparseaug.planning.dimension import find_dimension_sum
from sparseaug.spectral.methods import restricted

MOST_BOXES = 1 << 21
"""Boxes of all shapes whose dimensions are computed, about a second."""

HIGHEST = 24
"""Degree up to which D is restricted; above, it is that of the whole group."""


def degree_dimension_sum(group: Group, degree: int) -> DimensionSum:
    """The sum of d_pi over the irreps of degree 1 to `degree`, or an upper bound on it.

    Exact for S_n, B_n, abelian groups and their products, and for permutation groups that turned out to
    be one. Of another group that permutes n points, all irreps of degree k together occur in the
    functions of k-tuples, so n! / (n - k)! - 1 bounds it.

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
        >>> degree_dimension_sum(sa.symmetric(10), 2)   # 9 + 35 + 36
        DimensionSum(value=80, exact=True)
        >>> degree_dimension_sum(sa.sign_flips(20), 2)  # 20 + 190
        DimensionSum(value=210, exact=True)
    """
    whole = find_dimension_sum(group)
    degree = check_integer("degree", degree, at_least=1)
    restricted(group, degree)
    if degree > HIGHEST:
        return DimensionSum(whole.value, False)
    known = group.known_as()
    family = group if known is None or not known.same_degrees else known.group
    parts = [_by_degree(factor, degree) for factor in family.factors or (family,)]
    sums = reduce(lambda a, b: _convolved(a, b, degree), (part for part, _ in parts))
    value = sum(sums[1:])
    exact = all(known for _, known in parts)
    return DimensionSum(min(value, whole.value), exact)


def _by_degree(group: Group, k: int) -> tuple[list[int], bool]:
    """s_0 = 1 for the trivial irrep, s_1, ..., s_k, or upper bounds; and whether they are exact."""
    if group.moduli is not None:
        runs = Counter(group.moduli).items()
        parts = [[math.comb(c, w) * (n - 1) ** w for w in range(k + 1)] for n, c in runs]
        return reduce(lambda a, b: _convolved(a, b, k), parts, [1] + [0] * k), True
    n = group.signed_axes or group.width
    small = n < LARGEST_SHAPE  # the hook formula ends there
    if group.transform == "young" and small and _boxes(k) * n <= MOST_BOXES:
        sums = [sum(map(dimension, _shapes(n, j))) for j in range(k + 1)]
        # restricted to A_n, an irrep of S_n stays whole, halves, or is that of another shape
        return sums, not group.even
    if group.signed_axes and small and _boxes(k) ** 2 * n <= MOST_BOXES:
        return [_signed(n, j) for j in range(k + 1)], True
    if group.signed_axes:
        points = [2**j * math.perm(n, j) for j in range(k + 1)]
    else:
        points = [math.perm(group.degree or 0, j) for j in range(k + 1)]
    return [1, *(max(0, size - 1) for size in points[1:])], False


def _shapes(n: int, j: int) -> list[Partition]:
    """Partitions of n with j boxes below the first row: the irreps of S_n of degree j."""
    if j > n:
        return []
    if j == n:
        return [] if n else [()]
    return [(n - j, *rest) for rest in each_partition(j) if not rest or rest[0] <= n - j]


def _signed(n: int, j: int) -> int:
    """B_n: beta has b boxes, and alpha, of n - b, has j - b of them below its first row."""
    total = 0
    for b in range(min(j, n) + 1):
        alphas = sum(map(dimension, _shapes(n - b, j - b)))
        total += math.comb(n, b) * alphas * sum(map(dimension, each_partition(b)))
    return total


def _boxes(k: int) -> int:
    """Number of partitions of 0, ..., k, as coefficients of the product of 1 / (1 - x^i)."""
    counts = [1] + [0] * k
    for i in range(1, k + 1):
        for j in range(i, k + 1):
            counts[j] += counts[j - i]
    return sum(counts)


def _convolved(a: list[int], b: list[int], k: int) -> list[int]:
    return [sum(a[i] * b[j - i] for i in range(j + 1)) for j in range(k + 1)]
