"""The characters of an abelian group: one by one, or all of one weight or frequency together.

The weight of a character is the number of its non-zero frequencies; its frequency the length of the
vector of min(a_i, n_i - a_i), rounded up.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import LIMITS, require_work
from sparseaug.groups.degrees.blocks import Degrees, Floats, resample
from sparseaug.groups.degrees.counts import Count, Degree
from sparseaug.groups.permutations import Rows
from sparseaug.groups.quotients import WORK, Multiset, coset_of, quotients, tally

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


SIGNS_AT_ONCE = 64
"""Of sign flips, quotients that are counted in the time of one of other groups."""

_WORK = 1 << 31  # products of characters of single coordinates

MOST_ALONE = 1 << 16
"""Characters of a group that are looked at one by one, beside those of their weight together."""

LABELS = {"frequency": frequency_labels, "degree": weight_labels}
MEANINGS = {"degree": "non-zero frequencies", "frequency": "frequency"}


@dataclass(frozen=True, eq=False)
class Characters(Degrees):
    """Every character for itself: for groups up to 4 million elements."""

    group: Group
    by: str

    def __post_init__(self) -> None:
        what = f"the list of the characters of {self.group.name}"
        require_work("characters", self.group.order, what, remedy="give calls= and by='degree'")

    @property
    def meaning(self) -> str:
        return MEANINGS[self.by]

    @cached_property
    def labels(self) -> Rows:
        """The degree of every character, in rank order."""
        moduli = self.group.moduli or ()
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
        ranks, index = np.unique(self.group._rank(rows), return_inverse=True)
        frequencies = np.indices(tuple(moduli)).reshape(len(moduli), -1).T[1:]
        angles = 2 * np.pi * ((self.group._unrank(ranks) / moduli) @ frequencies.T)
        return np.cos(angles), index.reshape(-1)

    def mean_squares(self, S: Multiset) -> Floats:
        table = np.bincount(self.group._rank(S.elements), minlength=self.group.order)
        return self.power(table[:, None] * (self.group.order / S.m))

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

    def __post_init__(self) -> None:
        what, entries = f"the table of frequencies of {self.group.name}", len(self.degrees)
        entries *= self.group.order
        require_work("characters of frequencies", entries, what, remedy="give by='degree'")

    @cached_property
    def alone(self) -> Characters:
        return Characters(self.group, "frequency")

    @cached_property
    def degrees(self) -> tuple[Degree, ...]:
        return tuple(np.unique(self.alone.labels[1:]).tolist())

    def characters(self, rows: Rows) -> tuple[Floats, Rows]:
        ranks, index = np.unique(self.group._rank(rows), return_inverse=True)
        moduli = self.group.moduli or ()
        table = np.empty((len(ranks), len(self.degrees)))
        for u, degree in enumerate(self.degrees):
            own = (self.alone.labels == degree).reshape(moduli)
            own.reshape(-1)[0] = False  # the trivial one
            table[:, u] = np.fft.fftn(own).real.reshape(-1)[ranks] / own.sum()
        return table, index.reshape(-1)

    def mean_squares(self, S: Multiset) -> Floats:
        squares, labels = self.alone.mean_squares(S), self.owners
        return np.asarray(np.bincount(labels, squares) / np.bincount(labels))

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
        patterns, index = np.unique(self._zeros_in(rows), axis=0, return_inverse=True)
        sizes, kinds = [len(axes) for axes in self.columns], list(self.moduli)
        most = sum(sizes)
        numbers = weight_coefficients(sizes, sizes, kinds, most)
        table = []
        for pattern in patterns.tolist():
            found = weight_coefficients(pattern, sizes, kinds, most)
            table.append([value / number for value, number in zip(found, numbers, strict=True)][1:])
        return np.array(table), index.reshape(-1)

    def _bounds(self, S: Multiset, squares: Floats) -> Floats:
        """Weights 1 to 3 by products of the characters of single coordinates; 1 above."""
        rows, counts = S.counts()
        moduli = np.array(self.group.moduli or ())
        count, found = sum(moduli.tolist()) - len(moduli), np.ones(len(squares))
        if count**2 * len(rows) > _WORK:
            return found
        owner = np.repeat(np.arange(len(moduli)), moduli - 1)
        steps = np.concatenate([np.arange(1, n) / n for n in moduli])
        chi: Any = np.exp(2j * np.pi * steps * rows[:, owner])
        chi = chi.real if moduli.max() <= 2 else chi
        weighted, apart = (counts / S.m)[:, None] * chi, owner[:, None] != owner
        found[0] = (np.abs(weighted.sum(axis=0)) ** 2).max()
        found[1:2] = (np.abs(chi.T @ weighted) ** 2 * apart).max()
        if count**3 * len(rows) <= _WORK:
            each = (np.abs(chi.T @ (chi[:, [i]] * weighted)) ** 2 * apart for i in range(count))
            found[2:3] = max((e * apart[i] * apart[i, :, None]).max() for i, e in enumerate(each))
        return found

    def counted(self, S: Multiset, most: int | None) -> list[Count] | None:
        """By number of non-zero frequencies: the coefficients of prod_i (1 + x (n_i [q_i = 0] - 1)).

        Coordinates of the same modulus count alike: only how many of them are 0 matters.
        """
        sizes, kinds = [len(axes) for axes in self.columns], list(self.moduli)
        most = sum(sizes) if most is None else min(most, sum(sizes))
        if not most:
            return []
        patterns = self._zeros(S) if kinds != [2] else self._agreements(S)
        if patterns is None:
            return None
        totals = [0] * (most + 1)
        for zeros, weights in patterns:
            for pattern, total in tally(zeros, weights):
                for w, value in enumerate(weight_coefficients(pattern, sizes, kinds, most)):
                    totals[w] += total * value
        numbers = weight_coefficients(sizes, sizes, kinds, most)
        return [Count(w, numbers[w], totals[w]) for w in range(1, most + 1)]

    def _zeros(self, S: Multiset) -> Iterator[tuple[Rows, Rows]] | None:
        """How many coordinates of each kind are 0 in the quotients, and how often each case occurs."""
        chunks = quotients(S)
        if chunks is None:
            return None
        return ((self._zeros_in(rows), weights) for rows, weights in chunks)

    def _zeros_in(self, rows: Rows) -> Rows:
        return np.stack([(rows[:, axes] == 0).sum(axis=1) for axes in self.columns], axis=1)

    def _agreements(self, S: Multiset) -> Iterator[tuple[Rows, Rows]] | None:
        """`_zeros` of sign flips: products of signs, d - 2 * distance, by a matrix product in integers.

        float32 holds them below 2^24; 64 of them take as long as one integer of a row of quotients.
        """
        rows, counts = S.counts()
        (axes,), k = self.columns, len(rows)
        if coset_of(S) is not None:
            return self._zeros(S)
        d = len(axes)
        if k * k * d > SIGNS_AT_ONCE * WORK or d >= 1 << 24:
            return None
        signs = (1 - 2 * rows[:, axes]).astype(np.float32)
        step = max(1, (1 << 21) // k)

        def chunks() -> Iterator[tuple[Rows, Rows]]:
            for start in range(0, k, step):
                part = slice(start, start + step)
                zeros = (d + (signs[part] @ signs.T).astype(np.int64)) // 2
                yield zeros.reshape(-1, 1), (counts[part, None] * counts[None]).ravel()

        return chunks()

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
