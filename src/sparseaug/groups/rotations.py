"""Rotations of the plane and of space, with reflections and without: SO(2), SO(3), O(2), O(3).

              row                       element
SO(2)         (angle)                   the turn by the angle, in radians, 0 <= angle < 2 pi
O(2)          (angle, bit)              first (x, y) -> (x, -y) if the bit is set, then the turn
SO(3)         (w, x, y, z)              v -> q v q^-1 (`quaternions`)
O(3)          (w, x, y, z, bit)         the rotation, times -1 if the bit is set

The bit is set where the determinant is -1. The element is the row in real arithmetic, and every claim
of this library is about that element: the rounding of a product is in the product's row, and the next
operation takes that row for exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparseaug._checks import check_integer, check_rows
from sparseaug._floats import UNIT
from sparseaug.errors import ElementError, shorten
from sparseaug.groups import quaternions
from sparseaug.groups.base import Group
from sparseaug.groups.degrees import Degrees
from sparseaug.groups.degrees.bands import Bands
from sparseaug.groups.degrees.graded import require_degree
from sparseaug.groups.permutations import Rows
from sparseaug.groups.representations import Irrep
from sparseaug.groups.wigner import HIGHEST_DEGREE, rotation_irreps

TURN = 2 * math.pi
"""The float below 2 pi, by `TURN_REST`."""

TURN_REST = 2.4492935982947064e-16

_CELLS = 1 << 30  # digits: cells of equal measure in each coordinate


@final
@dataclass(frozen=True)
class Rotations(Group):
    """SO(n) or, with reflections, O(n), for n = 2 and 3. Built by `rotations` and `orthogonal`.

    Args:
        n: the dimension of the space
        reflections: whether elements of determinant -1 belong to it
    """

    n: int
    reflections: bool = False

    row_dtype = np.dtype(np.float64)
    is_finite = False
    transform = "wigner"
    # A quaternion product: four sums of four products, each within gamma(4) |a| |b|, so the vector
    # within 2 gamma(4) |a| |b| = 8 u and its direction; each quotient by the length moves it by u.
    # Angles: a + b < 4 pi is within 8 u, less 2 pi in two parts within 4 u + u.
    rounding = 16 * UNIT
    row_hint = "; canonical(rows) brings angles and quaternions into the form that rows have"

    @property
    def rotates_space(self) -> bool:  # type: ignore[override]
        return self.n == 3

    @property
    def name(self) -> str:
        return f"{'' if self.reflections else 'S'}O{self.n}"

    @property
    def width(self) -> int:
        return (1 if self.n == 2 else 4) + self.reflections

    @property
    def radices(self) -> tuple[int, ...]:
        """Cells of equal measure: of the angle; of the angle, height and longitude of the axis."""
        return (_CELLS,) * (1 if self.n == 2 else 3) + (2,) * self.reflections

    @property
    def is_abelian(self) -> bool:
        return self.n == 2 and not self.reflections

    def identity(self) -> Rows:
        row = [0.0] if self.n == 2 else [1.0, 0.0, 0.0, 0.0]
        return self._joined(np.array([row]), np.zeros(1))

    def _contains(self, elements: Rows) -> NDArray[np.bool_]:
        turns, bits = self._split(elements)
        if self.n == 2:
            angle = turns[:, 0]
            inside = (angle >= 0) & (angle <= TURN) & ~np.signbit(angle)
        else:
            inside = quaternions.are_rows(turns)
        plain = ((bits == 0) & ~np.signbit(bits)) | (bits == 1)
        return inside & plain

    def _compose(self, a: Rows, b: Rows) -> Rows:
        (p, f), (q, g) = self._split(a), self._split(b)
        if self.n == 2:  # r^a s^f r^b s^g = r^(a + (-1)^f b) s^(f + g)
            mirrored = np.where(f[..., None] != 0, _negative(q), q)
            turns = _reduced(p + mirrored)
        else:
            turns = quaternions.composed(p, q)
        return self._joined(turns, np.abs(f - g) + 0.0 * turns[..., 0])

    def _inverse(self, a: Rows) -> Rows:
        turns, bits = self._split(a)
        if self.n == 3:
            return self._joined(quaternions.conjugate(turns), bits)
        return self._joined(np.where(bits[..., None] != 0, turns, _negative(turns)), bits)

    def distance(self, a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
        """The chord between turns, or between unit quaternions up to sign; 2 between parities."""
        (p, f), (q, g) = map(self._split, self._pair(self.check(a, "a"), self.check(b, "b")))
        if self.n == 2:
            chord = 2 * abs(np.sin((p - q)[..., 0] / 2))
        else:
            p, q = quaternions.unit(p), quaternions.unit(q)
            sign = np.where((p * q).sum(axis=-1) < 0, -1.0, 1.0)
            chord = np.sqrt(quaternions.squared_length(p - sign[..., None] * q))
        return np.where(f == g, chord, 2.0)

    def generators(self) -> Rows:
        """Elements whose products come arbitrarily close to every element."""
        if self.n == 2:
            turns = np.array([[1.0]])  # 1 radian: no multiple of it is a multiple of 2 pi
        else:  # a free group, dense in SO(3) (Lubotzky, Phillips, Sarnak 1986)
            turns = np.array([[1.0, 2, 0, 0], [1, 0, 2, 0], [1, 0, 0, 2]])
        rows = self._joined(turns, np.zeros(len(turns)))
        if not self.reflections:
            return rows
        mirror = self.identity()
        mirror[:, -1] = 1.0
        return np.concatenate([rows, mirror])

    def _draw(self, k: int, rng: np.random.Generator) -> Rows:
        if self.n == 2:
            words = rng.integers(0, 1 << 64, k, np.uint64) >> np.uint64(11)
            turns = (words.astype(np.float64) * 2.0**-53 * TURN)[:, None]
        else:
            turns = quaternions.uniform(k, rng)
        bits = np.zeros(k)
        if self.reflections:
            bits = (rng.integers(0, 1 << 64, k, np.uint64) >> np.uint64(63)).astype(np.float64)
        return self._joined(turns, bits)

    def _to_digits(self, elements: Rows) -> Rows:
        """The cell (L, k) of each element: uniform digits, for uniform elements.

        A uniform rotation by omega about the axis (a, b, c) has (omega - sin omega)/pi, (c + 1)/2 and
        the longitude of the axis over 2 pi independent and uniform.
        """
        turns, bits = self._split(self._rows("elements", elements))
        if self.n == 2:
            parts = [turns[:, 0] / TURN]
        else:
            w, x, y, z = np.nan_to_num(quaternions.unit(turns)).T
            omega = 2 * np.arctan2(np.sqrt(x * x + y * y + z * z), w)
            height = z / np.maximum(np.sqrt(x * x + y * y + z * z), quaternions.LEAST)
            longitude = np.arctan2(y, x) / TURN % 1.0
            parts = [(omega - np.sin(omega)) / math.pi, (height + 1) / 2, longitude]
        cells = [np.clip(part * _CELLS, 0, _CELLS - 1) for part in parts]
        return np.stack([*cells, np.clip(bits, 0, 1)][: len(self.radices)]).astype(np.int64)

    @property
    def degree_meaning(self) -> str:  # type: ignore[override]
        return "l" if self.n == 3 else "frequency"

    @property
    def highest_degree(self) -> int:
        """That of the irreps which are computed."""
        return HIGHEST_DEGREE

    def _degrees(self, by: str | None, *, whole: bool) -> Degrees:
        return Bands(self)

    def _dimensions_by_degree(self, degree: int) -> tuple[list[int], bool]:
        """SO(3): 2 l + 1; SO(2): 1, then two of each frequency; O(n): each with both parities."""
        if self.n == 3:
            return [(1 + self.reflections) * (2 * ell + 1) for ell in range(degree + 1)], True
        return [1 + self.reflections, *[2] * degree], True

    def _irreps_to(self, degree: int) -> Iterator[Irrep]:
        """Degree 0 to this one: l of SO(3), the frequency of SO(2); of O(n) with both parities."""
        require_degree(self, max(1, degree))
        return rotation_irreps(self.n, self.reflections, degree)

    def matrices(self, elements: ArrayLike) -> NDArray[np.float64]:
        """The orthogonal matrices (k, n, n), each entry within 12 units of rounding.

        Args:
            elements: rows (k, width).

        Examples:
            >>> import sparseaug as sa
            >>> sa.rotations(3).matrices([[1, 1, 0, 0]])[0].tolist()  # a quarter turn about x
            [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]
        """
        turns, bits = self._split(self.check(elements))
        sign = (1.0 - 2.0 * bits)[:, None, None]
        if self.n == 3:
            return sign * quaternions.matrices(turns) + 0.0
        cos, sin = np.cos(turns[:, 0]), np.sin(turns[:, 0])
        flip = 1.0 - 2.0 * bits
        return np.stack([np.stack([cos, -sin * flip], -1), np.stack([sin, cos * flip], -1)], -2)

    def canonical(self, elements: ArrayLike) -> Rows:
        """Rows as this group has them: quaternions of length 1 and positive sign, angles below 2 pi.

        Rows that have this form already are unchanged, to the bit.

        Args:
            elements: rows (k, width): quaternions (w, x, y, z) of any length but 0, angles of any size.

        Examples:
            >>> import sparseaug as sa
            >>> sa.rotations(3).canonical([[-2, 0, 0, 0]]).tolist()
            [[1.0, 0.0, 0.0, 0.0]]
        """
        rows = check_rows("elements", elements, self.width, np.float64)
        turns, bits = self._split(rows)
        zero = np.zeros(len(rows), np.bool_) if self.n == 2 else ~turns.any(axis=1)
        wrong = np.flatnonzero(~np.isfinite(rows).all(axis=1) | zero | ((bits != 0) & (bits != 1)))
        if wrong.size:
            first = f"elements[{wrong[0]}] = {shorten(rows[wrong[0]].tolist())}"
            raise ElementError(f"{first} is no element; give finite numbers, not 0, bits 0 or 1.")
        if self.n == 2:
            return self._joined(_reduced(turns), bits + 0.0)
        signed = quaternions.signed(turns)
        with np.errstate(over="ignore"):
            kept = quaternions.are_rows(signed) & (quaternions.squared_length(signed) < 1.5)
        rows = np.where(kept[:, None], signed, quaternions.signed(quaternions.unit(turns)))
        return self._joined(rows, bits + 0.0)

    def _split(self, rows: Rows) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Turns (..., 1 or 4) and bits (...)."""
        if self.reflections:
            return rows[..., :-1], rows[..., -1]
        return rows, np.zeros(rows.shape[:-1])

    def _joined(self, turns: NDArray[np.float64], bits: NDArray[np.float64]) -> Rows:
        if not self.reflections:
            return np.ascontiguousarray(turns)
        return np.concatenate([turns, bits[..., None]], axis=-1)


@np.errstate(all="ignore")  # of rows that are no elements: compose does not check
def _reduced(angle: NDArray[np.float64]) -> NDArray[np.float64]:
    """The angle less the multiple of 2 pi that leaves 0 <= angle <= TURN; no zero has a sign."""
    turns = np.floor(angle / TURN)
    rest = (angle - turns * TURN) - turns * TURN_REST
    rest = np.where(rest < 0, (rest + TURN) + TURN_REST, rest)
    return np.minimum(np.where(rest > TURN, (rest - TURN) - TURN_REST, rest), TURN) + 0.0


@np.errstate(all="ignore")
def _negative(angle: NDArray[np.float64]) -> NDArray[np.float64]:
    """2 pi - angle, and 0 for 0."""
    return np.where(angle == 0, 0.0, np.minimum(abs((TURN - angle) + TURN_REST), TURN))


def rotations(n: int) -> Rotations:
    """SO(n): all rotations of the plane or of space about the origin.

    Args:
        n: 2 or 3.

    Returns:
        The group. Its order is `math.inf`; its rows are float64: an angle, or a quaternion
        (w, x, y, z).

    Examples:
        >>> import sparseaug as sa
        >>> g = sa.rotations(3)
        >>> g.name, g.order, g.width
        ('SO3', inf, 4)
        >>> g.compose([[1, 1, 0, 0]], [[1, 1, 0, 0]]).tolist()  # two quarter turns about x
        [[0.0, 1.0, 0.0, 0.0]]
    """
    return Rotations(check_integer("n", n, at_least=2, below=4))


def orthogonal(n: int) -> Rotations:
    """O(n): all rotations and reflections of the plane or of space that fix the origin.

    Args:
        n: 2 or 3.

    Returns:
        The group. Its rows are those of rotations(n) with a bit that is 1 where the determinant is -1.

    Examples:
        >>> import sparseaug as sa
        >>> sa.orthogonal(3).matrices([[1, 0, 0, 0, 1]])[0].tolist()  # the inversion
        [[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]]
    """
    return Rotations(check_integer("n", n, at_least=2, below=4), True)
