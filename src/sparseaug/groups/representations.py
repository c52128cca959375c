"""What a group can be seen as: matrices, permutations of points, another group.

Sums of d_pi over the irreps of a group: counted, or bounded by the number of conjugacy classes.

If every irrep of a group is real, the sum of d_pi over all irreps is the number of solutions of
g^2 = 1 (Frobenius and Schur). That is so for S_n, B_n and the dihedral groups.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import require_work
from sparseaug.errors import GroupTooLargeError, UnsupportedError
from sparseaug.groups.permutations import Rows

if TYPE_CHECKING:
    from sparseaug.groups.base import Group


@dataclass(frozen=True)
class Irrep:
    """An irreducible unitary representation: `matrices(rows)` is (k, dimension, dimension).

    The rows are an array of elements, which is not checked.

    `rounding` bounds the Frobenius norm of (computed - true) for each element.

    Args:
        name: of the irrep within its group
        dimension: d_pi
        matrices: a function from rows to matrices (k, dimension, dimension)
        rounding: bound on the Frobenius norm of (computed - true), for each element
        degree: how many coordinates at a time a function looks at before this irrep occurs in it, or,
            of a dihedral group, its frequency; None where the group has no such notion
        total: the sum of the matrices with weights, where that takes less than all of them one by one
    """

    name: str
    dimension: int
    matrices: Callable[[Rows], NDArray[Any]]
    rounding: float
    degree: int | None = None
    total: Callable[[Rows, NDArray[Any]], NDArray[Any]] | None = None


class Faithful(NamedTuple):
    """A permutation of a few points for each element, different ones for different elements."""

    points: int
    images: Callable[[Rows], Rows]
    """From elements (k, width) to image arrays (k, points)."""


class Isomorphism(NamedTuple):
    """A group of a known family, the map from rows to its rows, and the way back.

    Functions of k points are those of k coordinates of the family.
    """

    group: Group
    rows: Callable[[Rows], Rows] = lambda rows: rows
    back: Callable[[Rows], Rows] = lambda rows: rows


MOST_IRREPS = 10_000
"""Irreps whose dimensions are added."""

MOST_ELEMENTS = 100_000
"""Largest order whose conjugacy classes are counted, less than a second."""


class DimensionSum(NamedTuple):
    """The sum of d_pi over the non-trivial irreps, or an upper bound on it where it is not exact."""

    value: int
    exact: bool


LARGEST_REGULAR = 4096
"""Order up to which a group permutes its own elements where it has no other points."""


def left_multiplication(group: Group) -> Faithful | None:
    """The permutations h -> g h of a group's own elements; None where they are too many."""
    if group.log_order > math.log(LARGEST_REGULAR) + 1 or group.order > LARGEST_REGULAR:
        return None

    def images(elements: Rows) -> Rows:
        products = group._compose(elements[:, None], group.all_elements())
        return group._rank(products.reshape(-1, group.width)).reshape(len(elements), group.order)

    return Faithful(group.order, images)


def involutions(n: int, signs: int = 1) -> int:
    """How many permutations of n things are their own inverse; with signs=2, signed permutations.

        a(n) = signs (a(n-1) + (n-1) a(n-2)):  n keeps its place with any sign, or changes places
        with one of n-1 and both signs agree

    Examples:
        >>> from sparseaug.groups.representations import involutions
        >>> [involutions(n) for n in range(6)], [involutions(n, signs=2) for n in range(6)]
        ([1, 1, 2, 4, 10, 26], [1, 2, 6, 20, 76, 312])
    """
    require_work("involutions", n, "the number of involutions", remedy="use a smaller group")
    before, now = 0, 1
    for k in range(1, n + 1):
        before, now = now, signs * (now + (k - 1) * before)
    return now


def bound_by_classes(order: int, classes: int) -> int:
    """The sum of d_pi is at most sqrt((k - 1)(|G| - 1)) for k conjugacy classes (Cauchy and Schwarz).

    There are k - 1 non-trivial irreps, and their d_pi^2 sum to |G| - 1.

    Examples:
        >>> from sparseaug.groups.representations import bound_by_classes
        >>> bound_by_classes(60, 5)  # A_5: 3 + 3 + 4 + 5 = 15
        15
    """
    square = (min(classes, order) - 1) * (order - 1)
    shift = max(0, square.bit_length() - (1 << 14)) // 2  # what is cut off is rounded up
    return math.isqrt(square >> 2 * shift) + 1 << shift if shift else math.isqrt(square)


def convolve(a: list[int], b: list[int]) -> list[int]:
    """Sums by degree of a product, from those of its factors: degrees add up, dimensions multiply."""
    return [sum(a[i] * b[j - i] for i in range(j + 1)) for j in range(len(a))]


def infinite(group: Group) -> UnsupportedError:
    """What to raise where every irrep is asked for, and there are infinitely many."""
    return UnsupportedError(
        f"{group.name} has infinitely many irreps; give degree=, the largest degree that counts."
    )


def counted_dimension_sum(group: Group) -> DimensionSum:
    """From the irreps if they are known, else from the conjugacy classes, else from the order."""
    if not group.is_finite:
        raise infinite(group)
    if group.is_abelian:
        return DimensionSum(group.order - 1, True)
    try:
        dimensions = [irrep.dimension for irrep in islice(group.irreps(), MOST_IRREPS + 1)]
        if len(dimensions) <= MOST_IRREPS:
            return DimensionSum(sum(dimensions) - 1, True)
    except (UnsupportedError, GroupTooLargeError):
        pass
    if group.order <= MOST_ELEMENTS:
        return DimensionSum(
            bound_by_classes(group.order, int(class_labels(group).max()) + 1), False
        )
    return DimensionSum(group.order - 1, False)  # d <= d^2, which sum to |G| - 1


def class_labels(group: Group) -> Rows:
    """The class of each rank: components of the graph with an edge from g to s g s^-1, s a generator."""
    from scipy.sparse import coo_array  # takes a tenth of a second to import
    from scipy.sparse.csgraph import connected_components

    elements = group.all_elements()
    count = len(elements)
    ends = [
        group._rank(group._compose(group._compose(s[None], elements), group._inverse(s[None])))
        for s in group.generators()
    ]
    starts = np.tile(np.arange(count), len(ends))
    targets = np.concatenate([np.zeros(0, np.int64), *ends])
    graph = coo_array((np.ones(len(starts), np.int8), (starts, targets)), shape=(count, count))
    return connected_components(graph, directed=False)[1].astype(np.int64)


def listed_irreps(group: Group, degree: int | None = None) -> list[Irrep]:
    """All irreps but the trivial one, or those up to a degree; a `GroupTooLargeError` if too many."""
    found: list[Irrep] = []
    what, remedy = f"the list of the irreps of {group.name}", "use a lower degree= or action="
    limit = "irreps" if degree is None else "irreps of low degree"
    for irrep in islice(group.irreps() if degree is None else group.irreps_to(degree), 1, None):
        found.append(irrep)
        require_work("dimension of an irrep", irrep.dimension, what, remedy=remedy)
        require_work(limit, len(found), what, remedy=remedy)
    return found
