"""Signed permutations: the row is the image array p followed by the sign bits s.

(g.x)[p(i)] = (-1)^s_i x[i], hence (p, s)(q, t) = (p q, t + s q).
"""

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
class Hyperoctahedral(Group):
    """B_n, the symmetries of the n-dimensional cube, of order 2^n n!."""

    n: int

    def __post_init__(self) -> None:
        check_integer("n", self.n, at_least=1)

    @property
    def name(self) -> str:
        """ "B" and the dimension."""
        return f"B{self.n}"

    @property
    def width(self) -> int:
        """n images and n sign bits."""
        return 2 * self.n

    @cached_property
    def radices(self) -> tuple[int, ...]:
        """Fisher-Yates digits, then the sign bits."""
        return (*range(self.n, 1, -1), *(2,) * self.n)

    @property
    def is_abelian(self) -> bool:
        """Only B_1 is."""
        return self.n == 1

    def from_digits(self, digits: Rows) -> Rows:
        """Shuffle the axes, append the signs."""
        axes, signs = digits[: self.n - 1], digits[self.n - 1 :]
        return np.concatenate([shuffle(axes, self.n), signs.T], axis=1)

    def to_digits(self, elements: Rows) -> Rows:
        """Undo the shuffle, append the signs."""
        axes, signs = self.split(elements)
        return np.concatenate([unshuffle(axes), signs.T])

    def compose(self, a: Rows, b: Rows) -> Rows:
        """(p, s)(q, t) = (p q, t + s q)."""
        (p, s), (q, t) = self.split(a), self.split(b)
        signs = compose_permutations(s, q) ^ t
        return np.concatenate([compose_permutations(p, q), signs], axis=-1)

    def inverse(self, a: Rows) -> Rows:
        """(p, s)^-1 = (p^-1, s p^-1)."""
        p, s = self.split(a)
        back = invert_permutations(p)
        return np.concatenate([back, compose_permutations(s, back)], axis=-1)

    def contains(self, elements: Rows) -> NDArray[np.bool_]:
        """Whether the first half is a permutation and the second half bits."""
        axes, signs = self.split(elements)
        return are_permutations(axes) & ((signs == 0) | (signs == 1)).all(axis=1)

    def generators(self) -> Rows:
        """The first sign, the first swap, the long cycle of the axes."""
        axes = np.arange(self.n)
        flip = np.concatenate([axes, axes == 0])
        swap = np.concatenate([axes[:2][::-1], axes[2:], 0 * axes])
        cycle = np.concatenate([np.roll(axes, -1), 0 * axes])
        return np.stack([flip, swap, cycle])[: min(self.n, 3)]

    def split(self, elements: Rows) -> tuple[Rows, Rows]:
        """Image arrays and sign bits of these rows."""
        return elements[..., : self.n], elements[..., self.n :]


def hyperoctahedral(n: int) -> Hyperoctahedral:
    """All signed permutations of n coordinates."""
    return Hyperoctahedral(check_integer("n", n, at_least=1))
