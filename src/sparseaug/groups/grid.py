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
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import check_integer
from sparseaug._floats import UNIT
from sparseaug.groups.base import Group
from sparseaug.groups.dihedral import Dihedral
from sparseaug.groups.permutations import Rows
from sparseaug.groups.representations import DimensionSum, Faithful, Irrep

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

    def irreps(self) -> Iterator[Irrep]:
        """Those induced from the stabiliser in D_4 of one shift frequency of each orbit."""
        half = self.n // 2
        for w in ((a, b) for a in range(half + 1) for b in range(a + 1)):
            orbit, cosets, stabiliser = _orbit(w, self.n)
            for number, inner in enumerate(_stabiliser_irreps(stabiliser)):
                size = len(orbit) * inner.shape[1]
                matrices = partial(_induced, self.n, orbit, cosets, inner)
                yield Irrep(f"chi{w}.{number}", size, matrices, _ROUNDING * math.sqrt(size))

    # Every irrep of a grid is real, so their dimensions sum to the number of solutions of g^2 = 1. A
    # shift t with d = d^-1 is one where A_d t = -t: gcd(2, n)^2 shifts for d = 1, all n^2 for the half
    # turn, n gcd(2, n) for each flip along an axis, n for each along a diagonal.
    def dimension_sum(self) -> DimensionSum:
        """The involutions, less the one for the trivial irrep."""
        return DimensionSum((self.n + math.gcd(2, self.n)) ** 2 + 2 * self.n - 1, True)


# Mackey and Wigner: D_4 moves the characters chi_w(t) = exp(2 pi i w.t / n) of the shifts by w -> A_d w.
# With c_j in D_4 that take w to the points w_j of its orbit, and rho an irrep of the stabiliser of w,
#     pi(t, d)[i, j] = chi_(w_i)(t) rho(c_i^-1 d c_j)   where A_d w_j = w_i, and 0 elsewhere,
# is irreducible, and orbits and rho give every irrep once. Each column of pi holds one entry that is
# not 0, a phase times +-1: the phase errs by 64 u as in `abelian`, and dim of them by sqrt(dim) 64 u.
_ROUNDING = 64 * UNIT


def _induced(
    n: int, orbit: Rows, cosets: Rows, inner: NDArray[np.float64], elements: Rows
) -> NDArray[Any]:
    """Of the frequencies w_j (p, 2), the c_j (p, 2), and rho (8, q, q) by rank, 0 off the stabiliser."""
    shift, d = elements[:, :2], elements[:, None, 2:]
    target = turned(d, orbit) % n  # (k, p, 2)
    to = (target[:, :, None] == orbit).all(axis=3).argmax(axis=2)
    back = SQUARE._inverse(cosets[to])
    rest = SQUARE._rank(SQUARE._compose(back, SQUARE._compose(d, cosets[None])).reshape(-1, 2))
    turns = (target * shift[:, None]) % n  # each below 2^31
    phase = np.exp(2j * np.pi * ((turns.sum(axis=2) % n) / n))
    k, p, q = len(elements), len(orbit), inner.shape[1]
    result = np.zeros((k, p, q, p, q), np.complex128)
    blocks = inner[rest].reshape(k, p, q, q) * phase[:, :, None, None]
    result[np.arange(k)[:, None], to, :, np.arange(p), :] = blocks
    return result.reshape(k, p * q, p * q)


def turned(d: Rows, points: Rows) -> Rows:
    """A_d p for rows (a, f) and points, integer vectors: p2 changes sign if f, then a quarter turns."""
    d, points = np.broadcast_arrays(d, points)
    x, y = points[..., 0], points[..., 1] * (1 - 2 * d[..., 1])
    a = d[..., 0]
    swap, sign_x, sign_y = a % 2 == 1, np.where((a == 1) | (a == 2), -1, 1), np.where(a >= 2, -1, 1)
    return np.stack([sign_x * np.where(swap, y, x), sign_y * np.where(swap, x, y)], axis=-1)


def _orbit(w: tuple[int, int], n: int) -> tuple[Rows, Rows, Rows]:
    """The frequencies A_d w modulo n, one d that leads to each, and the d that keep w."""
    square = SQUARE.all_elements()
    images = turned(square, np.array(w)) % n
    orbit, first = np.unique(images, axis=0, return_index=True)
    return orbit, square[first], square[(images == np.array(w) % n).all(axis=1)]


def _stabiliser_irreps(subgroup: Rows) -> Iterator[NDArray[np.float64]]:
    """Irreps (8, q, q) by rank in D_4: signs, and for D_4 itself its own action on the plane.

    Every other subgroup that keeps a frequency is a product of groups of order 2: r w = w only
    where w1 = w2 = -w1, which all of D_4 keeps.
    """
    ranks = SQUARE._rank(subgroup)
    table = SQUARE._rank(SQUARE._compose(subgroup[:, None], subgroup[None]).reshape(-1, 2))
    table = table.reshape(len(ranks), len(ranks))
    for signs in product((1.0, -1.0), repeat=len(ranks) - 1):
        values = np.zeros(8)
        values[ranks] = (1.0, *signs)  # the identity has rank 0
        if np.array_equal(values[table], np.outer(values[ranks], values[ranks])):
            yield values[:, None, None]
    if len(ranks) == 8:
        columns = turned(SQUARE.all_elements()[:, None], np.eye(2, dtype=np.int64))
        yield columns.swapaxes(1, 2).astype(np.float64)


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
