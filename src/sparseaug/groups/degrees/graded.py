"""What a group says of degrees: the part of `Group` that norms, profiles, plans and designs ask."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from sparseaug._checks import check_choice, check_flag, check_integer
from sparseaug.errors import ArgumentError, GroupTooLargeError, UnsupportedError, shorten
from sparseaug.groups.degrees.abelian import MEANINGS
from sparseaug.groups.degrees.blocks import Degrees, IrrepDegrees
from sparseaug.groups.degrees.counts import Count
from sparseaug.groups.degrees.points import Points
from sparseaug.groups.permutations import Rows
from sparseaug.groups.quotients import Multiset, coset_of
from sparseaug.groups.representations import Irrep

if TYPE_CHECKING:
    from sparseaug.groups.base import Group


class Graded:
    """The degrees of a group. A family replaces what it knows better.

    A family whose `irreps()` carry degrees says so, and gives its `highest_degree`: then it has all that
    goes by degree.

    Attributes:
        irreps_have_degrees: whether `irreps()` gives each a degree
        degree_meaning: what degrees count
        gradings: by what its functions can be ordered: "degree", and of abelian groups "frequency"
        quotients_at_once: how many of them are counted in the time of one of most groups
    """

    irreps_have_degrees: bool = False
    degree_meaning: str = "coordinates at a time"
    gradings: tuple[str, ...] = ("degree",)
    quotients_at_once: int = 1
    is_finite: bool
    factors: tuple[Group, ...]
    moduli: tuple[int, ...] | None

    if TYPE_CHECKING:  # what `Group` has

        @property
        def name(self) -> str: ...
        @property
        def points(self) -> int | None: ...
        def irreps(self) -> Iterator[Irrep]: ...

    def irreps_to(self, degree: int) -> Iterator[Irrep]:
        """The irreps of at most this degree, the trivial one first.

        Args:
            degree: of an irrep, as `Irrep.degree` has it.

        Raises:
            UnsupportedError: the irreps have no degree.
        """
        return self._irreps_to(check_integer("degree", degree))

    def _irreps_to(self, degree: int) -> Iterator[Irrep]:
        for irrep in self.irreps():
            if irrep.degree is None:
                raise UnsupportedError(f"the irreps of {self.name} have no degree.")
            if irrep.degree <= degree:
                yield irrep

    @property
    def highest_degree(self) -> int | None:
        """The degree that every function has at most; None where degrees are not defined."""
        return self.points

    def degrees(self, by: str | None = None, *, whole: bool = False) -> Degrees:
        """The blocks that the functions on the group fall into, the trivial one left out.

        Args:
            by: "degree" or "frequency" of an abelian group; frequency for shifts by default
            whole: whether all values of a function are known: then irreps one by one, where they can be

        Raises:
            UnsupportedError: degrees are not defined. GroupTooLargeError: they are out of reach.

        Examples:
            >>> import sparseaug as sa
            >>> blocks = sa.symmetric(4).degrees()
            >>> blocks.meaning, dict(zip(blocks.names, blocks.degrees))
            ('coordinates at a time', {'(3, 1)': 1, '(2, 2)': 2, '(2, 1, 1)': 2, '(1, 1, 1, 1)': 3})
        """
        grading = by if by is None else check_choice("by", by, tuple(MEANINGS))
        if grading not in (None, *self.gradings):
            raise ArgumentError(
                f'by="frequency" is for abelian groups, not {self.name}; leave it out.'
            )
        return self._degrees(grading, whole=check_flag("whole", whole))

    def _degrees(self, by: str | None, *, whole: bool) -> Degrees:
        group = cast("Group", self)
        return IrrepDegrees.of(group) if self.irreps_have_degrees else Points.of(group, whole=whole)

    def _counted(self, S: Multiset, most: int | None) -> list[Count] | None:
        """`counted`, where the family has characters in integers."""
        return None

    def _class_keys(self, elements: Rows) -> Rows:
        """An integer for each element, the same only for elements of one class."""
        return cast("Group", self).rank(elements)

    def _class_characters(self, element: Rows) -> dict[str, int] | None:
        """The characters of all irreps at an element, by name, but for 0; None without a formula."""
        return None

    def dimensions_by_degree(self, degree: int) -> tuple[list[int], bool]:
        """For each degree from 0 to this one the sum of d_pi over its irreps, or an upper bound.

        Args:
            degree: from 1 to the highest

        Returns:
            The sums, of which the first has the trivial irrep, and whether they are exact.

        Examples:
            >>> import sparseaug as sa
            >>> sa.symmetric(10).dimensions_by_degree(2)
            ([1, 9, 71], True)
        """
        return self._dimensions_by_degree(require_degree(self, degree))

    # all irreps of degree k together occur in the functions of k-tuples of points
    def _dimensions_by_degree(self, degree: int) -> tuple[list[int], bool]:
        if self.irreps_have_degrees:
            sums = [0] * (degree + 1)
            for irrep in self._irreps_to(degree):
                sums[irrep.degree or 0] += irrep.dimension
            return sums, True
        points = [math.perm(self.points or 0, k) for k in range(1, degree + 1)]
        return [1, *(max(0, size - 1) for size in points)], False


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


def require_degree(group: Graded, degree: int) -> int:
    """`degree` as an integer from 1 to the group's highest, or an error that says what there is."""
    degree = check_integer("degree", degree, at_least=1)
    highest = group.highest_degree
    if highest is None:
        lacking = next((f for f in group.factors if f.highest_degree is None), group)
        raise UnsupportedError(
            f"degree={shorten(degree)} has no meaning for {lacking.name}: degrees are for permutations, "
            "abelian and dihedral groups, signed permutations, rotations and their products; give m, "
            "or leave degree out."
        )
    if degree > highest:
        error: type[Exception] = ArgumentError
        reached = "the highest degree"
        if not group.is_finite:
            error, reached = GroupTooLargeError, "up to which the irreps are computed,"
        raise error(
            f"degree={shorten(degree)} is above {highest}, {reached} of {group.name}; give a smaller "
            "one."
        )
    return degree
