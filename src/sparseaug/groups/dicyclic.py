"""Quaternion groups Q_(4n): the row (a, f) is r^a s^f, with r^(2n) = 1, s^2 = r^n, s r = r^-1 s."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import check_integer, check_rows
from sparseaug._floats import UNIT
from sparseaug.errors import GroupError
from sparseaug.groups.base import Group
from sparseaug.groups.dihedral import Sign
from sparseaug.groups.permutations import Rows
from sparseaug.groups.representations import DimensionSum, Irrep


@final
@dataclass(frozen=True)
class Dicyclic(Group):
    """Q_(4n), of order 4n: Q8 is that of the quaternions 1, i, j, k and their negatives."""

    n: int

    @property
    def name(self) -> str:
        return f"Q{4 * self.n}"

    @property
    def radices(self) -> tuple[int, ...]:
        return (2 * self.n, 2)

    def _compose(self, a: Rows, b: Rows) -> Rows:
        """r^a s^f r^b s^h = r^(a + (-1)^f b) s^(f + h), and s^2 = r^n."""
        turn, flip = a[..., 0], a[..., 1]
        turn = (turn + (1 - 2 * flip) * b[..., 0] + self.n * (flip & b[..., 1])) % (2 * self.n)
        return np.stack([turn, flip ^ b[..., 1]], axis=-1)

    def _inverse(self, a: Rows) -> Rows:
        """Turns change sign; (r^a s)^2 = r^n, so r^a s has the inverse r^(a + n) s."""
        turn, flip = a[..., 0], a[..., 1]
        return np.stack([np.where(flip, turn + self.n, -turn) % (2 * self.n), flip], axis=-1)

    def generators(self) -> Rows:
        return np.array([[1, 0], [0, 1]])

    def dimension_sum(self) -> DimensionSum:
        return DimensionSum(3 + 2 * (self.n - 1), True)

    def irreps(self) -> Iterator[Irrep]:
        """Four of dimension 1, where r is 1 or -1 and s^2 = r^n; and n - 1 of dimension 2."""
        for turn in (1, -1):
            root = 1 if turn**self.n == 1 else 1j
            for flip in (root, -root):
                yield Irrep(f"sign({turn:+d},{flip})", 1, Sign(turn, flip), 0.0)
        for j in range(1, self.n):
            yield Irrep(f"turn({j})", 2, _Turn(self.n, j), _ROUNDING)


# An exact integer, a quotient and two products give an angle within 2 pi * 4 u, and cosine and sine err
# by 4 ulp more at most: each of the two entries that are not 0 is within 64 u, as in `abelian`.
_ROUNDING = 128 * UNIT


# r = diag(z, 1/z), z = exp(pi i j / n), and s = [[0, (-1)^j], [1, 0]]: s^2 = (-1)^j = r^n, s r = r^-1 s
@dataclass(frozen=True)
class _Turn:
    n: int
    j: int

    def __call__(self, elements: Rows) -> NDArray[Any]:
        elements = check_rows("elements", elements, 2)
        z = np.exp(2j * np.pi * (elements[:, 0] * self.j % (2 * self.n) / (2 * self.n)))
        flip = elements[:, 1]
        stays, sign = np.where(flip, 0.0, z), (-1) ** self.j
        moves = np.where(flip, z, 0.0)
        return np.stack(
            [np.stack([stays, sign * moves], -1), np.stack([moves.conj(), stays.conj()], -1)], -2
        )


def dicyclic(n: int) -> Dicyclic:
    """The quaternion group Q_(4n), of order 4n.

    Args:
        n: 2 or more; 2 gives the quaternions 1, i, j, k and their negatives.

    Examples:
        >>> dicyclic(2).name, dicyclic(3).order
        ('Q8', 12)
    """
    return Dicyclic(check_integer("n", n, at_least=2, below=1 << 29))


def of_order(order: int) -> Dicyclic:
    """The quaternion group of this order, a multiple of 4."""
    if order < 8 or order % 4:
        raise GroupError(f"Q{order} is not a group; quaternion groups are Q8, Q12, Q16, ...")
    return dicyclic(order // 4)
