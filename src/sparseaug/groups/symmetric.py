"""Symmetric and alternating groups: a row is the image array, p[i] = g(i)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import final

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import LIMITS, check_integer
from sparseaug.groups import permutations, young
from sparseaug.groups.base import Group
from sparseaug.groups.degrees import Degrees
from sparseaug.groups.degrees.counts import Count, summed
from sparseaug.groups.degrees.shapes import Shapes
from sparseaug.groups.orders import MOST_MOVED
from sparseaug.groups.permutations import Rows, are_permutations, shuffle, unshuffle
from sparseaug.groups.quotients import Multiset
from sparseaug.groups.representations import DimensionSum, Irrep, involutions
from sparseaug.groups.young import (
    conjugate,
    dimension,
    each_partition,
    young_matrices,
    young_rounding,
)

LARGEST_ALTERNATING = 30
"""A_30 has 2,829 irreps, enumerated in a quarter of a second."""


class PermutationRows(Group):
    """Groups whose rows are image arrays: they permute as many points as a row has entries."""

    def _compose(self, a: Rows, b: Rows) -> Rows:
        return permutations.compose_permutations(a, b)

    def _inverse(self, a: Rows) -> Rows:
        return permutations.invert_permutations(a)

    @property
    def points(self) -> int | None:
        return self.width

    def _permutations(self, elements: Rows) -> Rows:
        return elements


@final
@dataclass(frozen=True)
class Symmetric(PermutationRows):
    """S_n, or A_n when only even permutations are kept. Built by `symmetric` and `alternating`."""

    n: int
    even: bool = False

    transform = "young"

    @property
    def name(self) -> str:
        return f"{'A' if self.even else 'S'}{self.n}"

    @property
    def width(self) -> int:
        return self.n

    @cached_property
    def radices(self) -> tuple[int, ...]:
        """Fisher-Yates digits; in A_n the last swap is fixed by the parity of the others."""
        return tuple(range(self.n, 2 if self.even else 1, -1))

    @property
    def has_integer_characters(self) -> bool:
        return not self.even

    def _from_digits(self, digits: Rows) -> Rows:
        """Shuffle; in A_n the swap of the first two points makes the parity even."""
        if self.even and self.n > 1:
            parity = np.count_nonzero(digits, axis=0) % 2
            digits = np.concatenate([digits, parity[None]])
        return shuffle(digits, self.n)

    def _to_digits(self, elements: Rows) -> Rows:
        digits = unshuffle(elements)
        return digits[: len(self.radices)] if self.even else digits

    def _contains(self, elements: Rows) -> NDArray[np.bool_]:
        valid = are_permutations(elements)
        if self.even:
            valid[valid] = np.count_nonzero(unshuffle(elements[valid]), axis=0) % 2 == 0
        return valid

    def _sift(self, rows: Rows) -> tuple[Rows, NDArray[np.bool_]]:
        return self._to_digits(rows), self._contains(rows)

    def generators(self) -> Rows:
        """S_n: (0 1) and the long cycle. A_n: (0 1 2) and the longest cycle that is even."""
        points = np.arange(self.n)
        if self.even:
            turn = np.concatenate([np.roll(points[:3], -1), points[3:]])
            first = 1 - self.n % 2
            cycle = np.concatenate([points[:first], np.roll(points[first:], -1)])
            return np.stack([turn, cycle])[: max(0, min(self.n - 2, 2))]
        swap = np.concatenate([points[:2][::-1], points[2:]])
        return np.stack([swap, np.roll(points, -1)])[: max(0, min(self.n - 1, 2))]

    def dimension_sum(self) -> DimensionSum:
        """S_n: the involutions, less the one for the trivial irrep; about sqrt(n!).

        It bounds the sum of A_n too: a partition and its conjugate share one irrep of A_n, and a
        self-conjugate one splits into two halves, so no dimension is new.
        """
        if not self.even or self.n > LARGEST_ALTERNATING:
            return DimensionSum(involutions(self.n) - 1, not self.even)
        shapes = (shape for shape in each_partition(self.n) if shape >= conjugate(shape))
        return DimensionSum(sum(map(dimension, shapes)) - 1, True)

    def _degrees(self, by: str | None, *, whole: bool) -> Degrees:
        return Shapes(self)

    def _counted(self, S: Multiset, most: int | None) -> list[Count] | None:
        parts = Shapes(self).counted(S, most)
        return None if parts is None else summed(parts, S.m)

    def _dimensions_by_degree(self, degree: int) -> tuple[list[int], bool]:
        if (
            self.n >= LIMITS["boxes"].most
            or young.partitions_up_to(degree) * self.n > young.MOST_BOXES
        ):
            return super()._dimensions_by_degree(degree)
        sums = [sum(map(dimension, young.below_first_row(self.n, k))) for k in range(degree + 1)]
        # restricted to A_n, an irrep of S_n stays whole, halves, or is that of another shape
        return sums, not self.even

    def irreps(self) -> Iterator[Irrep]:
        """One for each partition of n; those of A_n have no closed form here."""
        return self._irreps_to(self.n)

    def _irreps_to(self, degree: int) -> Iterator[Irrep]:
        if self.even:
            yield from super().irreps()
        for below in range(min(degree, self.n - 1) + 1):
            for shape in young.below_first_row(self.n, below):
                size = dimension(shape)
                rounding = young_rounding(self.n, size)
                yield Irrep(str(shape), size, partial(young_matrices, shape), rounding, below)


def symmetric(n: int) -> Symmetric:
    """All n! orderings of n things.

    Args:
        n: how many things, a million at most.

    Examples:
        >>> import sparseaug as sa
        >>> sa.symmetric(6).order
        720
    """
    return Symmetric(check_integer("n", n, at_least=1, below=MOST_MOVED + 1))


def alternating(n: int) -> Symmetric:
    """The even orderings of n things, n!/2 of them for n > 1.

    Args:
        n: how many things.

    Examples:
        >>> import sparseaug as sa
        >>> sa.alternating(5).order
        60
    """
    return Symmetric(check_integer("n", n, at_least=1, below=MOST_MOVED + 1), even=True)
