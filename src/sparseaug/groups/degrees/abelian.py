"""The characters of an abelian group: one by one, or all of one weight or frequency together.

The weight of a character is the number of its non-zero frequencies; its frequency the length of the
vector of min(a_i, n_i - a_i), rounded up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import LIMITS, require_work
from sparseaug.groups.degrees.blocks import Degree, Degrees, Floats, resample
from sparseaug.groups.permutations import Rows

if TYPE_CHECKING:
    from sparseaug.groups.base import Group


def abelian_degrees(group: Group, by: str | None, *, whole: bool) -> Degrees:
    """Characters where all values are known, else frequencies of shifts and weights of the rest."""
    by = by or usual_grading(group)
    if whole:
        return Characters(group, by)
    return Frequencies(group) if by == "frequency" else Weights(group)


def usual_grading(group: Group) -> str:
    """ "frequency" for shifts, as far as every character can be looked at; else "degree"."""
    shifts = max(group.moduli or (1,)) > 2
    return "frequency" if shifts and group.order <= LIMITS["characters"].most else "degree"


def frequency_labels(frequencies: Rows, moduli: tuple[int, ...]) -> Rows:
    """The length of min(a_i, n_i - a_i), rounded up, of each row of frequencies."""
    squares = (np.minimum(frequencies, np.array(moduli) - frequencies) ** 2).sum(axis=1)
    root = np.floor(np.sqrt(squares)).astype(np.int64)
    return root + (root * root < squares)


def weight_labels(frequencies: Rows, moduli: tuple[int, ...] = ()) -> Rows:
    """The number of non-zero entries of each row of frequencies."""
    return np.count_nonzero(frequencies, axis=1)


MOST_ALONE = 1 << 16
"""Characters of a group that are looked at one by one, beside those of their weight together."""

LABELS = {"frequency": frequency_labels, "degree": weight_labels}
MEANINGS = {"frequency": "frequency", "degree": "non-zero frequencies"}


@dataclass(frozen=True, eq=False)
class Characters(Degrees):
    """Every character for itself: for groups up to 4 million elements."""

    group: Group
    by: str
    kind = "characters"

    @property
    def meaning(self) -> str:
        return MEANINGS[self.by]

    @cached_property
    def labels(self) -> Rows:
        """The degree of every character, in rank order."""
        moduli = self.group.moduli or ()
        require_work(
            *("characters", self.group.order, f"the list of the characters of {self.group.name}"),
            remedy="give calls= and by='degree'",
        )
        return LABELS[self.by](np.indices(moduli).reshape(len(moduli), -1).T, moduli)

    @property
    def names(self) -> tuple[str, ...]:
        frequencies = np.ndindex(*(self.group.moduli or ()))
        next(frequencies)
        return tuple(f"chi{frequency}" for frequency in frequencies)

    @cached_property
    def degrees(self) -> tuple[Degree, ...]:
        return tuple(self.labels[1:].tolist())

    @property
    def levels(self) -> Floats:
        return self.labels[1:].astype(np.float64)

    def characters(self, rows: Rows) -> tuple[Floats, Rows]:
        moduli = np.array(self.group.moduli)
        ranks, index = np.unique(self.group.rank(rows), return_inverse=True)
        frequencies = np.indices(tuple(moduli)).reshape(len(moduli), -1).T[1:]
        angles = 2 * np.pi * ((self.group.unrank(ranks) / moduli) @ frequencies.T)
        return np.cos(angles), index.reshape(-1)

    def variances(self, values: NDArray[Any]) -> Floats:
        step = max(1, (1 << 24) // len(values))
        parts = range(0, values.shape[1], step)
        found = [self.power(values[:, start : start + step]) for start in parts]
        return np.sum(found, axis=0)

    def variances_of(self, degrees: tuple[Degree, ...], values: NDArray[Any]) -> Floats:
        """Summed over the characters of each degree."""
        found, labels = self.variances(values), self.labels[1:]
        return np.array([found[labels == degree].sum() for degree in degrees])

    def power(self, values: NDArray[Any]) -> Floats:
        """|mean of v(g) chi(g)|^2 of every character but the trivial one, summed over the columns."""
        moduli = self.group.moduli or ()
        cube = values.reshape(*moduli, -1)
        coefficients = np.fft.fftn(cube, axes=range(len(moduli))).reshape(len(values), -1)
        return np.asarray((np.abs(coefficients / len(values)) ** 2).sum(axis=1)[1:])


@dataclass(frozen=True, eq=False)
class Frequencies(Degrees):
    """All characters of one frequency together: phi is the mean of their values, a real number."""

    group: Group
    meaning = "frequency"
    kind = "frequencies"

    def __post_init__(self) -> None:
        require_work(
            *("characters of frequencies", len(self.degrees) * self.group.order),
            f"the table of the {len(self.degrees)} frequencies of {self.group.name}",
            remedy="give by='degree'",
        )

    @cached_property
    def alone(self) -> Characters:
        return Characters(self.group, "frequency")

    @cached_property
    def degrees(self) -> tuple[Degree, ...]:
        return tuple(np.unique(self.alone.labels[1:]).tolist())

    def characters(self, rows: Rows) -> tuple[Floats, Rows]:
        ranks, index = np.unique(self.group.rank(rows), return_inverse=True)
        moduli = self.group.moduli or ()
        table = np.empty((len(ranks), len(self.degrees)))
        for u, degree in enumerate(self.degrees):
            own = (self.alone.labels == degree).reshape(moduli)
            own.reshape(-1)[0] = False  # the trivial one
            table[:, u] = np.fft.fftn(own).real.reshape(-1)[ranks] / own.sum()
        return table, index.reshape(-1)

    def variances(self, values: NDArray[Any]) -> Floats:
        return self.alone.variances_of(self.degrees, values)


@dataclass(frozen=True, eq=False)
class Weights(Degrees):
    """All characters of one weight together.

    Partners agree with g on a random set of coordinates. Where all moduli are the same, every set of a
    size is as likely as the others, and characters of one weight are alike.
    """

    group: Group
    meaning = "non-zero frequencies"
    kind = "weights"

    @cached_property
    def moduli(self) -> tuple[int, ...]:
        """The different moduli above 1."""
        return tuple(sorted(set(self.group.moduli or ()) - {1}))

    @cached_property
    def columns(self) -> tuple[tuple[int, ...], ...]:
        """Which coordinates have each of them."""
        every = self.group.moduli or ()
        return tuple(tuple(i for i, n in enumerate(every) if n == own) for own in self.moduli)

    @property
    def degrees(self) -> tuple[Degree, ...]:
        return tuple(range(1, sum(map(len, self.columns)) + 1))

    @cached_property
    def alone(self) -> Characters | None:
        return Characters(self.group, "degree") if self.group.order <= MOST_ALONE else None

    @property
    def copies(self) -> Floats:
        return super().copies if self.alone else np.full(len(self.degrees), math.inf)

    @property
    def partners(self) -> Any:  # type: ignore[override]
        return self._partners if len(self.moduli) == 1 and len(self.columns[0]) > 1 else None

    def _partners(self, g: Rows, k: Rows, rng: np.random.Generator) -> Rows:
        return resample(g, k, [1] * self.group.width, rng)

    def characters(self, rows: Rows) -> tuple[Floats, Rows]:
        if not self.columns:  # the trivial group
            return np.empty((1, 0)), np.zeros(len(rows), np.int64)
        zeros = np.stack([(rows[:, axes] == 0).sum(axis=1) for axes in self.columns], axis=1)
        patterns, index = np.unique(zeros, axis=0, return_inverse=True)
        sizes, kinds = [len(axes) for axes in self.columns], list(self.moduli)
        most = sum(sizes)
        numbers = weight_coefficients(sizes, sizes, kinds, most)
        table = [
            [value / number for value, number in zip(found, numbers, strict=True)][1:]
            for found in (weight_coefficients(p, sizes, kinds, most) for p in patterns.tolist())
        ]
        return np.array(table), index.reshape(-1)

    def variances(self, values: NDArray[Any]) -> Floats:
        return Characters(self.group, "degree").variances_of(self.degrees, values)


def weight_coefficients(
    zeros: list[int], sizes: list[int], kinds: list[int], most: int
) -> list[int]:
    """Of prod over the kinds n of (1 + (n - 1) x)^zeros (1 - x)^(size - zeros), up to x^most.

    With a = n - 1 each factor P has (1 + (a - 1) x - a x^2) P' = (n zeros - size - a size x) P: its
    coefficients follow one from the two before it.
    """
    found = [1]
    for z, size, n in zip(zeros, sizes, kinds, strict=True):
        factor, before, a = [1], 0, n - 1
        for k in range(min(size, most)):
            next_ = (n * z - size - (a - 1) * k) * factor[-1] + a * (k - 1 - size) * before
            before = factor[-1]
            factor.append(next_ // (k + 1))
        found = [
            sum(
                found[w - j] * factor[j]
                for j in range(max(0, w + 1 - len(found)), min(w + 1, len(factor)))
            )
            for w in range(min(most + 1, len(found) + len(factor) - 1))
        ]
    return found
