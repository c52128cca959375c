"""The units of abelian groups: characters one by one, or all of one weight or frequency together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug.errors import GroupTooLargeError
from sparseaug.groups import Group, Rows
from sparseaug.orbits.spectrum.units import Floats, quotient_squares, resampled
from sparseaug.sampling import GroupSample
from sparseaug.sampling.keys import keyed_rng
from sparseaug.spectral.profiles.counting import weight_coefficients
from sparseaug.spectral.profiles.result import Degree
from sparseaug.spectral.profiles.shifts import TABLE, frequency_labels

_TRIED = 256  # characters of a weight from which their spread is taken
_ENTRIES = 1 << 27  # of the characters of all frequencies on all elements


@dataclass(frozen=True, eq=False)
class Characters:
    """Every character for itself: exact, for groups up to 4 million elements."""

    group: Group
    labels: Rows
    meaning: str
    partners: None = None

    @classmethod
    def of(cls, group: Group, order: str) -> Characters:
        meaning = "frequency" if order == "frequency" else "non-zero frequencies"
        return cls(group, _labels(group, order)[1:], meaning)

    @property
    def names(self) -> tuple[str, ...]:
        """By their frequencies."""
        frequencies = np.ndindex(*(self.group.moduli or ()))
        next(frequencies)
        return tuple(f"chi{frequency}" for frequency in frequencies)

    @property
    def degrees(self) -> tuple[Degree, ...]:
        """Weights, or frequencies."""
        return tuple(self.labels.tolist())

    def characters(self, rows: Rows) -> tuple[Floats, Rows]:
        raise GroupTooLargeError(f"the characters of {self.group.name} are looked at one by one.")

    def mean_squares(self, S: GroupSample) -> Floats:
        table = np.bincount(self.group.rank(S.elements), minlength=self.group.order)
        return _power(self.group, table[:, None] * (self.group.order / S.m))

    def spreads(self, S: GroupSample) -> float:
        return 0.0

    def variances(self, values: NDArray[Any]) -> Floats:
        step = max(1, (1 << 24) // len(values))
        parts = range(0, values.shape[1], step)
        found = [_power(self.group, values[:, start : start + step]) for start in parts]
        return np.sum(found, axis=0)


def _power(group: Group, values: NDArray[Any]) -> Floats:
    """|mean of v(g) chi(g)|^2 of every character but the trivial one, summed over the columns."""
    moduli = group.moduli or ()
    cube = values.reshape(*moduli, -1)
    coefficients = np.fft.fftn(cube, axes=range(len(moduli))).reshape(len(values), -1)
    return np.asarray((np.abs(coefficients / len(values)) ** 2).sum(axis=1)[1:])


def _labels(group: Group, order: str) -> Rows:
    """The degree of every character, in rank order."""
    if group.order > TABLE:
        raise GroupTooLargeError(
            f"{group.name} has more than {TABLE} characters; give calls= and order='degree'."
        )
    moduli = group.moduli or ()
    frequencies = np.indices(moduli).reshape(len(moduli), -1).T
    if order == "frequency":
        return frequency_labels(frequencies, moduli)
    return np.count_nonzero(frequencies, axis=1)


@dataclass(frozen=True, eq=False)
class Frequencies:
    """All characters of one frequency together: phi is the mean of their values, a real number."""

    group: Group
    labels: Rows
    degrees: tuple[Degree, ...]
    meaning: str = "frequency"
    partners: None = None

    @classmethod
    def of(cls, group: Group) -> Frequencies:
        labels = _labels(group, "frequency")
        degrees = tuple(np.unique(labels[1:]).tolist())
        if len(degrees) * group.order > _ENTRIES:
            raise GroupTooLargeError(
                f"{group.name} has {len(degrees)} frequencies on {group.order} elements, too many; give "
                "order='degree'."
            )
        return cls(group, labels, degrees)

    @property
    def names(self) -> tuple[str, ...]:
        """The frequencies."""
        return tuple(str(degree) for degree in self.degrees)

    def characters(self, rows: Rows) -> tuple[Floats, Rows]:
        ranks, index = np.unique(self.group.rank(rows), return_inverse=True)
        moduli = self.group.moduli or ()
        table = np.empty((len(ranks), len(self.degrees)))
        for u, degree in enumerate(self.degrees):
            own = (self.labels == degree).reshape(moduli)
            own.reshape(-1)[0] = False  # the trivial one
            table[:, u] = np.fft.fftn(own).real.reshape(-1)[ranks] / own.sum()
        return table, index.reshape(-1)

    def mean_squares(self, S: GroupSample) -> Floats:
        squares = Characters.of(self.group, "frequency").mean_squares(S)
        labels = self.labels[1:]
        return np.array([squares[labels == degree].mean() for degree in self.degrees])

    def spreads(self, S: GroupSample) -> Floats:
        squares = Characters.of(self.group, "frequency").mean_squares(S)
        labels = self.labels[1:]
        return np.array([1.96 * squares[labels == degree].std() for degree in self.degrees])

    def variances(self, values: NDArray[Any]) -> Floats:
        each = Characters.of(self.group, "frequency").variances(values)
        labels = self.labels[1:]
        return np.array([each[labels == degree].sum() for degree in self.degrees])


@dataclass(frozen=True, eq=False)
class Weights:
    """All characters of one weight, the number of non-zero frequencies, together.

    Partners agree with g on a random set of coordinates. Where all moduli are the same, every set of a
    size is as likely as the others, and characters of one weight are alike.
    """

    group: Group
    kinds: tuple[int, ...]
    columns: tuple[tuple[int, ...], ...]
    meaning: str = "non-zero frequencies"

    @classmethod
    def of(cls, group: Group) -> Weights:
        moduli = group.moduli or ()
        kinds = tuple(sorted(set(moduli) - {1}))
        columns = tuple(tuple(i for i, n in enumerate(moduli) if n == kind) for kind in kinds)
        return cls(group, kinds, columns)

    @property
    def degrees(self) -> tuple[Degree, ...]:
        """From 1 to the number of coordinates."""
        return tuple(range(1, sum(map(len, self.columns)) + 1))

    @property
    def names(self) -> tuple[str, ...]:
        """The weights."""
        return tuple(str(degree) for degree in self.degrees)

    @property
    def partners(self) -> Any:
        """None where there is one coordinate, or several moduli."""
        return self._partners if len(self.kinds) == 1 and len(self.columns[0]) > 1 else None

    def _partners(self, g: Rows, k: Rows, rng: np.random.Generator) -> Rows:
        return resampled(g, k, [1] * self.group.width, rng)

    def characters(self, rows: Rows) -> tuple[Floats, Rows]:
        zeros = np.stack([(rows[:, axes] == 0).sum(axis=1) for axes in self.columns], axis=1)
        patterns, index = np.unique(zeros, axis=0, return_inverse=True)
        sizes, kinds = [len(axes) for axes in self.columns], list(self.kinds)
        most = sum(sizes)
        numbers = weight_coefficients(sizes, sizes, kinds, most)
        table = [
            [value / number for value, number in zip(found, numbers, strict=True)][1:]
            for found in (weight_coefficients(p, sizes, kinds, most) for p in patterns.tolist())
        ]
        return np.array(table), index.reshape(-1)

    def mean_squares(self, S: GroupSample) -> Floats:
        return quotient_squares(self, S)

    def spreads(self, S: GroupSample) -> Floats:
        """From some characters of each weight."""
        moduli = np.array(self.group.moduli or ())
        rows, counts = S.counts()
        rng = keyed_rng(0, "spreads of weights")
        axes = np.flatnonzero(moduli > 1)
        found = []
        for degree in range(1, len(axes) + 1):
            places = rng.permuted(np.tile(np.arange(len(axes)), (_TRIED, 1)), axis=1) < degree
            chosen = np.zeros((_TRIED, len(moduli)))
            chosen[:, axes] = places * rng.integers(1, moduli[axes], (_TRIED, len(axes)))
            angles = 2 * np.pi * ((chosen / moduli) @ rows.T)
            squares = np.abs(np.exp(1j * angles) @ (counts / S.m)) ** 2
            found.append(1.96 * float(squares.std()))
        return np.array(found)

    def variances(self, values: NDArray[Any]) -> Floats:
        each = Characters.of(self.group, "degree")
        found = each.variances(values)
        return np.array([found[each.labels == degree].sum() for degree in self.degrees])
