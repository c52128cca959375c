"""Symmetric and alternating groups: a row is the image array, p[i] = g(i)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from numpy.typing import NDArray

from sparseaug.errors import check_integer
from sparseaug.groups.base import Group, Rows
from sparseaug.groups.shuffle import (
    are_permutations,
    compose_permutations,
    invert_permutations,
    shuffle,
    unshuffle,
)


@final
@dataclass(frozen=True)
class Symmetric(Group):
    """S_n, or A_n when only even permutations are kept."""

    n: int
    even: bool = False

    def __post_init__(self) -> None:
        check_integer("n", self.n, at_least=1)

    @property
    def name(self) -> str:
        """ "S" or "A" and the number of points."""
        return f"{'A' if self.even else 'S'}{self.n}"

    @property
    def width(self) -> int:
        """One image per point."""
        return self.n

    @cached_property
    def radices(self) -> tuple[int, ...]:
        """Fisher-Yates digits; in A_n the last swap is fixed by the parity of the others."""
        return tuple(range(self.n, 2 if self.even else 1, -1))

    @property
    def is_abelian(self) -> bool:
        """S_1, S_2, A_1, A_2 and A_3 are."""
        return self.n <= (3 if self.even else 2)

    def from_digits(self, digits: Rows) -> Rows:
        """Shuffle; in A_n the swap of the first two points makes the parity even."""
        if self.even and self.n > 1:
            parity = np.count_nonzero(digits, axis=0) % 2
            digits = np.concatenate([digits, parity[None]])
        return shuffle(digits, self.n)

    def to_digits(self, elements: Rows) -> Rows:
        """Undo the shuffle."""
        digits = unshuffle(elements)
        return digits[: len(self.radices)] if self.even else digits

    def compose(self, a: Rows, b: Rows) -> Rows:
        """(ab)(i) = a(b(i))."""
        return compose_permutations(a, b)

    def inverse(self, a: Rows) -> Rows:
        """Inverse image arrays."""
        return invert_permutations(a)

    def contains(self, elements: Rows) -> NDArray[np.bool_]:
        """Whether the row is a permutation (an even one in A_n)."""
        valid = are_permutations(elements)
        if self.even:
            valid[valid] = np.count_nonzero(unshuffle(elements[valid]), axis=0) % 2 == 0
        return valid

    def generators(self) -> Rows:
        """S_n: (0 1) and the long cycle. A_n: the 3-cycles (0 1 i)."""
        points = np.arange(self.n)
        if self.even:
            rows = np.tile(points, (max(self.n - 2, 0), 1))
            for row, i in zip(rows, range(2, self.n), strict=True):
                row[[0, 1, i]] = [1, i, 0]
            return rows
        swap = np.concatenate([points[:2][::-1], points[2:]])
        return np.stack([swap, np.roll(points, -1)])[: max(0, min(self.n - 1, 2))]

    @property
    def degree(self) -> int | None:
        """The n points."""
        return self.n

    def permutations(self, elements: Rows) -> Rows:
        """The rows themselves."""
        return elements


def symmetric(n: int) -> Symmetric:
    """All n! orderings of n things."""
    return Symmetric(check_integer("n", n, at_least=1))


def alternating(n: int) -> Symmetric:
    """The even orderings of n things, n!/2 of them for n > 1."""
    return Symmetric(check_integer("n", n, at_least=1), even=True)
