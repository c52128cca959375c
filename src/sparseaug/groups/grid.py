"""Shifts, quarter turns and flips of a periodic n x n grid: the row (t1, t2, a, f) is t r^a s^f.

The flip s comes first, then a quarter turns r, then the shift t = (t1, t2). As maps of cells, modulo n,
    s: (i, j) -> (i, n-1-j)      r: (i, j) -> (n-1-j, i)      t: (i, j) -> (i + t1, j + t2),
which are `numpy.fliplr`, `numpy.rot90` and `numpy.roll`. Turns and flips keep the centre of the grid, so
d = r^a s^f is p -> A_d p + c_d with A_d an integer matrix and c_(de) = A_d c_e + c_d. Hence
    t d (u e) p = A_d (A_e p + c_e + u) + c_d + t = (t + A_d u) + (A_(de) p + c_(de)):
(t, d)(u, e) = (t + A_d u, d e), wherever the centre is: C_n^2 x| D_4, of order 8 n^2 for every n.

It moves the n^2 cells faithfully for n >= 3, where the eight A_d differ modulo n. For n = 1 it is D_4,
which a single cell does not show, and for n = 2 only 8 of the 32 elements move 2 x 2 cells differently:
a larger grid, shifted in steps, shows all of them (`move_grid`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from sparseaug._checks import check_integer
from sparseaug.groups.base import Group
from sparseaug.groups.dihedral import Dihedral
from sparseaug.groups.permutations import Rows
from sparseaug.groups.representations import DimensionSum, Faithful

SQUARE = Dihedral(4)
"""The turns and flips."""


@final
@dataclass(frozen=True)
class GridSymmetries(Group):
    """C_n^2 x| D_4, built by `grid_symmetries`."""

    n: int

    shift_axes = 2

    @property
    def name(self) -> str:
        return f"Grid{self.n}"

    @property
    def radices(self) -> tuple[int, ...]:
        return (self.n, self.n, 4, 2)

    def _compose(self, a: Rows, b: Rows) -> Rows:
        """(t, d)(u, e) = (t + A_d u, d e)."""
        a, b = np.broadcast_arrays(a, b)
        shift = (a[..., :2] + turned(a[..., 2:], b[..., :2])) % self.n
        return np.concatenate([shift, SQUARE._compose(a[..., 2:], b[..., 2:])], axis=-1)

    def _inverse(self, a: Rows) -> Rows:
        """(t, d)^-1 = (-A_(d^-1) t, d^-1)."""
        back = SQUARE._inverse(a[..., 2:])
        return np.concatenate([-turned(back, a[..., :2]) % self.n, back], axis=-1)

    def generators(self) -> Rows:
        """A shift by one row (turned, it is one by a column), the quarter turn, the flip."""
        return np.eye(4, dtype=np.int64)[[0, 2, 3] if self.n > 1 else [2, 3]]

    @property
    def points(self) -> int | None:
        """The n^2 cells, row by row (for n below 3 they do not show every element: none)."""
        return self.n**2 if self.n >= 3 else None

    def _permutations(self, elements: Rows) -> Rows:
        """Cell i n + j goes to that of A_d (i, j) + c_d + t."""
        grid = np.stack(np.divmod(np.arange(self.n**2), self.n), axis=-1)  # (i, j) of every cell
        centred = 2 * grid - (self.n - 1)  # turns and flips keep the centre
        moved = (turned(elements[:, None, 2:], centred) + (self.n - 1)) // 2
        moved = (moved + elements[:, None, :2]) % self.n
        return moved[..., 0] * self.n + moved[..., 1]

    def faithful(self) -> Faithful:
        """The 4 n oriented lines: few points that show every element."""
        return Faithful(4 * self.n, self._lines)

    def _lines(self, elements: Rows) -> Rows:
        """The line k n + v is where e_k . p = v, with e_k = r^k (1, 0). From p' = A_d p + t and
        A_d e_k = e_k' follows e_k' . p' = v + e_k' . t.
        """
        directions = SQUARE._permutations(elements[:, 2:])  # (k, 4)
        units = np.array([[1, 0], [0, 1], [-1, 0], [0, -1]])
        steps = (units[directions] * elements[:, None, :2]).sum(axis=2)
        values = (np.arange(self.n) + steps[:, :, None]) % self.n
        return (directions[:, :, None] * self.n + values).reshape(len(elements), 4 * self.n)

    # Every irrep of a grid is real, so their dimensions sum to the number of solutions of g^2 = 1. A
    # shift t with d = d^-1 is one where A_d t = -t: gcd(2, n)^2 shifts for d = 1, all n^2 for the half
    # turn, n gcd(2, n) for each flip along an axis, n for each along a diagonal.
    def dimension_sum(self) -> DimensionSum:
        """The involutions, less the one for the trivial irrep."""
        return DimensionSum((self.n + math.gcd(2, self.n)) ** 2 + 2 * self.n - 1, True)


def turned(d: Rows, points: Rows) -> Rows:
    """A_d p for rows (a, f) and points, integer vectors: p2 changes sign if f, then a quarter turns."""
    d, points = np.broadcast_arrays(d, points)
    x, y = points[..., 0], points[..., 1] * (1 - 2 * d[..., 1])
    a = d[..., 0]
    swap, sign_x, sign_y = a % 2 == 1, np.where((a == 1) | (a == 2), -1, 1), np.where(a >= 2, -1, 1)
    return np.stack([sign_x * np.where(swap, y, x), sign_y * np.where(swap, x, y)], axis=-1)


def grid_symmetries(n: int) -> GridSymmetries:
    """Shifts, quarter turns and flips of an n x n periodic grid, 8 n^2 elements; see `move_grid`.

    Args:
        n: shifts along each axis.

    Examples:
        >>> import sparseaug as sa
        >>> group = sa.grid_symmetries(28)
        >>> group.order, group.name
        (6272, 'Grid28')
        >>> turn, shift = [[0, 0, 1, 0]], [[1, 0, 0, 0]]
        >>> group.compose(turn, shift), group.compose(shift, turn)  # a turn takes rows to columns
        (array([[0, 1, 1, 0]]), array([[1, 0, 1, 0]]))
    """
    return GridSymmetries(check_integer("n", n, at_least=1, below=1 << 31))
