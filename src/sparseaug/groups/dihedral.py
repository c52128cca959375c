"""Symmetries of a regular n-gon: the row (a, f) is r^a s^f, which moves point i to a + (-1)^f i."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import check_integer
from sparseaug._floats import UNIT
from sparseaug.groups.base import Group
from sparseaug.groups.permutations import Rows
from sparseaug.groups.representations import DimensionSum, Irrep


@final
@dataclass(frozen=True)
class Dihedral(Group):
    """D_n, of order 2n (D4 are the eight symmetries of the square). Built by `dihedral`."""

    n: int

    transform = "dihedral"
    irreps_have_degrees = True
    degree_meaning = "frequency"
    shift_axes = 1

    @property
    def name(self) -> str:
        return f"D{self.n}"

    @property
    def radices(self) -> tuple[int, ...]:
        return (self.n, 2)

    def _compose(self, a: Rows, b: Rows) -> Rows:
        """r^a s^f r^b s^h = r^(a + (-1)^f b) s^(f + h)."""
        turn, flip = a[..., 0], a[..., 1]
        turn = (turn + (1 - 2 * flip) * b[..., 0]) % self.n
        return np.stack([turn, flip ^ b[..., 1]], axis=-1)

    def _inverse(self, a: Rows) -> Rows:
        """Turns change sign; flips r^a s are their own inverses."""
        turn, flip = a[..., 0], a[..., 1]
        return np.stack([(2 * flip - 1) * turn % self.n, flip], axis=-1)

    def generators(self) -> Rows:
        return np.array([[1, 0], [0, 1]] if self.n > 1 else [[0, 1]])

    @property
    def points(self) -> int | None:
        """The corners (for n below 3 the group does not act faithfully on them, and has none)."""
        return self.n if self.n >= 3 else None

    def _permutations(self, elements: Rows) -> Rows:
        """Corner i goes to a + (-1)^f i."""
        turn, flip = elements[:, :1], elements[:, 1:]
        return (turn + (1 - 2 * flip) * np.arange(self.n)) % self.n

    def dimension_sum(self) -> DimensionSum:
        """The involutions: n mirrors, and a half turn if n is even."""
        return DimensionSum(self.n + 1 if self.n % 2 == 0 else self.n, True)

    @property
    def highest_degree(self) -> int:
        """The largest frequency."""
        return self.n // 2

    def irreps(self) -> Iterator[Irrep]:
        """Two or four signs, then the turns by multiples 1 <= j < n/2 of the smallest angle."""
        return self._irreps_to(self.n)

    def _irreps_to(self, degree: int) -> Iterator[Irrep]:
        for turn_sign in (1, -1) if self.n % 2 == 0 else (1,):
            for flip_sign in (1, -1):
                name = f"sign({turn_sign:+d},{flip_sign:+d})"
                own = 0 if turn_sign == 1 else self.n // 2
                if own <= degree:
                    yield Irrep(name, 1, partial(_sign, turn_sign, flip_sign), 0.0, own)
        for j in range(1, min((self.n + 1) // 2, degree + 1)):
            yield Irrep(f"turn({j})", 2, partial(_turn, self.n, j), _ROUNDING, j)


# The angle errs by 2 pi * 4 u (an exact integer, a quotient, two products), cosine and sine by 4 ulp
# more at most: 34 u for each of four entries.
_ROUNDING = 128 * UNIT


def _sign(turn_sign: int, flip_sign: int, elements: Rows) -> NDArray[Any]:
    turn, flip = elements.T
    values = np.where(turn % 2, turn_sign, 1)
    return (values * np.where(flip, flip_sign, 1.0))[:, None, None]


def _turn(n: int, j: int, elements: Rows) -> NDArray[Any]:
    turn, bits = elements.T
    angle = 2 * np.pi * (turn * j % n) / n
    cos, sin, flip = np.cos(angle), np.sin(angle), 1 - 2 * bits
    return np.stack([np.stack([cos, -sin * flip], -1), np.stack([sin, cos * flip], -1)], -2)


def dihedral(n: int) -> Dihedral:
    """The 2n symmetries of a regular n-gon.

    Args:
        n: how many corners.

    Examples:
        >>> import sparseaug as sa
        >>> sa.dihedral(4).order, sa.dihedral(4).name
        (8, 'D4')
    """
    return Dihedral(check_integer("n", n, at_least=1, below=1 << 31))
