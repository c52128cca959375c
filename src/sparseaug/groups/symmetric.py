"""Symmetric and alternating groups: a row is the image array, p[i] = g(i)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, final

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
    Partition,
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
        """One for each partition of n; on A_n one for each pair of conjugates, and two halves of
        each self-conjugate one.
        """
        return self._irreps_to(self.n)

    def _irreps_to(self, degree: int) -> Iterator[Irrep]:
        for below in range(min(degree, self.n - 1) + 1):
            for shape in young.below_first_row(self.n, below):
                size = dimension(shape)
                rounding = young_rounding(self.n, size)
                # of two conjugates, which are one irrep of A_n, the longer first row is `shape`'s
                if self.even and shape == conjugate(shape) and size > 1:
                    for sign, mark in ((1, "+"), (-1, "-")):
                        half = partial(_half, shape, sign)
                        # four products of an entry with 1/2 and a sign or i: gamma(4) 2 sqrt(d) more
                        yield Irrep(f"{shape}{mark}", size // 2, half, 2 * rounding, below)
                elif not self.even or shape >= conjugate(shape):
                    yield Irrep(str(shape), size, partial(young_matrices, shape), rounding, below)


# The associator of a self-conjugate shape: C e_T = e(T) e_T' with T' the transposed tableau and e(T)
# the sign of T as a permutation of the boxes. Transposing negates the distances r in Young's form and
# an adjacent transposition changes e(T), so C pi(s) = -pi(s) C, and C commutes with pi on A_n. Its
# square is a constant c = e(T) e(T') = 1 or -1; the two halves are its eigenspaces, of eigenvalue
# w = sqrt(c) and -w, spanned by (e_T + e(T) e_T' / w) / sqrt(2), one for each pair T, T'.
def _half(shape: Partition, sign: int, elements: Rows) -> NDArray[Any]:
    first, second, signs, square = _transposed_pairs(shape)
    weight = signs / (sign * (1 if square == 1 else 1j))
    p = young_matrices(shape, elements)
    upper = p[:, first][:, :, first] + p[:, first][:, :, second] * weight
    lower = p[:, second][:, :, first] + p[:, second][:, :, second] * weight
    return (upper + weight.conj()[:, None] * lower) / 2


def _transposed_pairs(shape: Partition) -> tuple[Rows, Rows, Rows, int]:
    """Indices of T and of T', each pair once; the signs e(T); and the constant e(T) e(T')."""
    contents = young.tableaux(shape)
    index = {row.tobytes(): i for i, row in enumerate(contents)}
    partner = np.array([index[row.tobytes()] for row in -contents])
    boxes = np.empty_like(contents)
    for k in range(contents.shape[1]):
        content = contents[:, k]
        depth = (contents[:, :k] == content[:, None]).sum(axis=1)  # how far along its diagonal
        boxes[:, k] = (
            (depth + np.maximum(-content, 0)) * len(contents[0]) + depth + np.maximum(content, 0)
        )
    signs = 1 - 2 * (np.count_nonzero(unshuffle(np.argsort(boxes, axis=1)), axis=0) % 2)
    first = np.flatnonzero(np.arange(len(contents)) < partner)
    return first, partner[first], signs[first], int(signs[0] * signs[partner[0]])


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
