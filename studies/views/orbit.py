"""A model's outputs on whole orbits, and the exact mean over the group.

Every scheme of averaging is then an indexing: `at(rows)` has f(g x_i) for any elements g. A finite group
is enumerated once. Rotations are integrated: the mean is that over a product grid of so high a degree
that a second, larger grid agrees with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, final

import numpy as np
from scipy.integrate import lebedev_rule
from scipy.spatial.transform import Rotation

from sparseaug.actions import Action, PreparedAction
from sparseaug.groups import Group, Rows, rotations
from sparseaug.kernels.arrays import Floats
from sparseaug.sampling import GroupSample
from sparseaug.spectrum import Spectrum
from sparseaug.spectrum.measure import measure

Predict = Callable[[Floats], Floats]
"""From inputs (n, ...) to outputs (n, p)."""

_CHUNK = 1 << 14  # moved inputs that go through the model at a time
_BANDS = 20  # l of which each has its share
_LARGEST = 47  # degree of the grid that finds them


class Orbit(Protocol):
    """What the schemes are measured on."""

    @property
    def group(self) -> Group:
        """What moves the inputs."""

    @property
    def mean(self) -> Floats:
        """The mean over the group (n, p)."""

    @property
    def variance(self) -> float:
        """The mean-square distance of one uniform view from the mean: summed over outputs, per input."""

    def at(self, rows: Rows) -> Floats:
        """Outputs (m, n, p) at rows (m, n, width): element [j, i] moves input i."""

    @property
    def shares(self) -> dict[str, float]:
        """Of the degrees in the variance."""

    def predict(self, rows: Rows, weights: Floats | None) -> float | None:
        """What the spectrum says: the error of the mean over k S h, over that of one view."""

    def doubt(self) -> float:
        """How far the mean may be from the truth, over the root of the variance; 0 if enumerated."""


@final
@dataclass(frozen=True, eq=False)
class Listed:
    """All of a finite group.

    Examples:
        >>> from sparseaug.actions import flip
        >>> found = Listed.of(lambda x: x[:, :1], flip(axis=-1), np.array([[1.0, 3.0]]))
        >>> found.mean, found.variance
        (array([[2.]]), 1.0)
    """

    group: Group
    values: Floats  # (order, n, p)

    @classmethod
    def of(cls, predict: Predict, action: Action, x: Floats) -> Listed:
        """Evaluate at every element."""
        elements, n = action.group.all_elements(), len(x)
        parts = []
        for some in _slices(len(elements), n):
            moved = np.asarray(action(elements[some], x))
            outputs = predict(moved.reshape(-1, *x.shape[1:]))
            parts.append(outputs.reshape(len(moved), n, -1))
        return cls(action.group, np.concatenate(parts))

    @cached_property
    def mean(self) -> Floats:
        """Over the group."""
        return np.asarray(self.values.mean(axis=0))

    @cached_property
    def variance(self) -> float:
        """Over the group."""
        return mean_square(self.values - self.mean)

    def at(self, rows: Rows) -> Floats:
        ranks = self.group.rank(rows.reshape(-1, self.group.width)).reshape(rows.shape[:2])
        return np.asarray(self.values[ranks, np.arange(rows.shape[1])])

    @cached_property
    def spectrum(self) -> Spectrum:
        """What `sparseaug.orbit_spectrum` finds, from the values that are here already."""
        flat = self.values.reshape(len(self.values), -1)
        wanted = measure(self.group, calls=self.group.order)
        return wanted.spectrum([flat], inputs=self.values.shape[1])

    @property
    def shares(self) -> dict[str, float]:
        """Exact."""
        return {str(degree): share for degree, share in self.spectrum.shares.items()}

    def predict(self, rows: Rows, weights: Floats | None) -> float | None:
        """`Spectrum.predict`; None with weights, which it does not know."""
        if weights is not None:
            return None
        return float(self.spectrum.predict(GroupSample(self.group, rows)).relative ** 0.5)

    def doubt(self) -> float:
        """Every element was evaluated."""
        return 0.0


@final
@dataclass(frozen=True, eq=False)
class Turned:
    """Rotations of points x (n, atoms, 3), integrated by `product_grid(degree, degree + 1)`."""

    model: Predict
    x: Floats
    degree: int

    @property
    def group(self) -> Group:
        """SO(3)."""
        return rotations(3)

    @cached_property
    def mean(self) -> Floats:
        """Over the grid."""
        return self._moments[0]

    @cached_property
    def variance(self) -> float:
        """Over the grid: a product of two outputs has twice the degree, and is as smooth."""
        mean, square = self._moments
        return float((square - mean**2).sum(axis=1).mean())

    @cached_property
    def _grid(self) -> tuple[Rows, Floats]:
        return product_grid(self.degree, self.degree + 1)

    @cached_property
    def _moments(self) -> tuple[Floats, Floats]:
        rows, weights = self._grid
        total: Any = 0.0
        square: Any = 0.0
        for some in _slices(len(rows), len(self.x)):
            values = self.at(np.repeat(rows[some, None], len(self.x), axis=1))
            total = total + np.tensordot(weights[some], values, 1)
            square = square + np.tensordot(weights[some], values**2, 1)
        return np.asarray(total), np.asarray(square)

    def at(self, rows: Rows) -> Floats:
        m, n = rows.shape[:2]
        # SciPy's quaternions end with the real part
        turns = Rotation.from_quat(np.roll(rows.reshape(-1, 4), -1, axis=1)).as_matrix()
        moved = np.einsum("mnij,naj->mnai", turns.reshape(m, n, 3, 3), self.x)
        return self.model(moved.reshape(m * n, *self.x.shape[1:])).reshape(m, n, -1)

    @cached_property
    def _bands(self) -> Floats:
        """var_l = (2 l + 1) ||integral of v(g) D^l(g)||_F^2 for l = 1, ..., 20, and what is above."""
        rows, weights = product_grid(min(self.degree, _LARGEST), min(self.degree, _LARGEST) + 1)
        n = len(self.x)
        irreps = list(self.group.irreps_to(min(_BANDS, self.degree // 2)))[1:]
        sums: list[Any] = [0.0] * len(irreps)
        for some in _slices(len(rows), n):
            values = self.at(np.repeat(rows[some, None], n, axis=1)) - self.mean
            weighted = weights[some, None] * values.reshape(len(values), -1)
            for i, irrep in enumerate(irreps):
                sums[i] += weighted.T @ irrep.matrices(rows[some]).reshape(len(values), -1)
        found = [
            irrep.dimension * float(np.linalg.norm(total) ** 2) / n
            for irrep, total in zip(irreps, sums, strict=True)
        ]
        return np.array([*found, max(0.0, self.variance - sum(found))])

    @property
    def shares(self) -> dict[str, float]:
        """Of every l."""
        names = [*map(str, range(1, len(self._bands))), "above"]
        return dict(zip(names, (self._bands / self.variance).tolist(), strict=True))

    def predict(self, rows: Rows, weights: Floats | None) -> float:
        """As for finite groups, by l; above the last l as if the rotations had been drawn."""
        shares = np.full(len(rows), 1 / len(rows)) if weights is None else weights
        irreps = list(self.group.irreps_to(len(self._bands) - 1))[1:]
        left = [
            np.linalg.norm(np.tensordot(shares, irrep.matrices(rows), 1)) ** 2 / irrep.dimension
            for irrep in irreps
        ]
        square = self._bands @ np.array([*left, (shares**2).sum()])
        return float(np.sqrt(square / self.variance))

    def doubt(self) -> float:
        """The largest difference from the mean over the next larger grid."""
        larger = Turned(self.model, self.x, next(n for n in LEBEDEV if n > self.degree))
        return float(np.abs(larger.mean - self.mean).max() / np.sqrt(self.variance))


def _slices(count: int, n: int) -> Iterator[slice]:
    step = max(1, _CHUNK // n)
    return (slice(start, start + step) for start in range(0, count, step))


def product_grid(degree: int, angles: int) -> tuple[Rows, Floats]:
    """Lebedev's rule of at least this degree x even angles: R_z(a) R_y(b) R_z(c), and weights.

    Examples:
        >>> rows, weights = product_grid(3, 7)
        >>> len(rows), round(float(weights.sum()), 12)
        (42, 1.0)
    """
    (x, y, z), shares = lebedev_rule(next(n for n in LEBEDEV if n >= degree))
    turns = 2 * np.pi * np.arange(angles) / angles
    euler = np.empty((len(z), angles, 3))
    euler[..., 0], euler[..., 1] = np.arctan2(y, x)[:, None], np.arccos(z)[:, None]
    euler[..., 2] = turns
    quaternions = Rotation.from_euler("ZYZ", euler.reshape(-1, 3)).as_quat()
    rows = rotations(3).canonical(quaternions[:, [3, 0, 1, 2]])
    return rows, np.repeat(shares / shares.sum() / angles, angles)


LEBEDEV = (*range(3, 33, 2), *range(35, 132, 6))
"""Degrees of Lebedev's rules (Lebedev and Laikov 1999)."""


def mean_square(values: Any) -> float:
    """Squares summed over the last axis, averaged over all others."""
    return float(np.square(values).sum(axis=-1).mean())


def moved_at_random(action: Action, x: Any, rng: np.random.Generator) -> Any:
    """Each input moved by a uniform element of its own."""
    rows = action.group.sample(len(x), rng)
    return PreparedAction(action, rows, memory=0).each(x, np.arange(len(x)))
