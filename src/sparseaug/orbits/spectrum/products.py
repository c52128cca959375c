"""The units of direct products: tensor products of the factors' units, or whole sets of factors.

The character of a tensor product is the product of the factors' characters. Partners of g differ from
it on a random set of factors: on some by the factor's own partner, on the others by a fresh element.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug.errors import GroupTooLargeError, UnsupportedError
from sparseaug.groups import Group, Rows
from sparseaug.orbits.spectrum.units import (
    Floats,
    ListedIrreps,
    Units,
    quotient_squares,
    resampled,
    spread_between,
    units_of,
)
from sparseaug.sampling import GroupSample
from sparseaug.spectral.profiles.counting import factor_sets
from sparseaug.spectral.profiles.result import Degree

MOST_TENSORS = 400
"""Units of a product that are fitted; above, one for each set of factors."""


def product_units(group: Group, *, whole: bool) -> Units:
    """The units of a direct product; with whole=True its irreps, if they can be listed."""
    if whole:
        try:
            return ListedIrreps.of(group)
        except GroupTooLargeError:
            return FactorSets.of(group)
    try:
        factors = tuple(units_of(factor, None, whole=False) for factor in group.factors)
    except (GroupTooLargeError, UnsupportedError):
        return FactorSets.of(group)
    if math.prod(1 + len(units.degrees) for units in factors) > MOST_TENSORS:
        return FactorSets.of(group)
    return Tensors.of(group, factors)


@dataclass(frozen=True, eq=False)
class Tensors:
    """One unit of each factor, or the trivial irrep (place 0), but not everywhere."""

    group: Group
    factors: tuple[Units, ...]
    places: tuple[tuple[int, ...], ...]
    meaning: str = "factors together"

    @classmethod
    def of(cls, group: Group, factors: tuple[Units, ...]) -> Tensors:
        places = product(*(range(1 + len(units.degrees)) for units in factors))
        return cls(group, factors, tuple(places)[1:])

    @property
    def names(self) -> tuple[str, ...]:
        """Those of the factors' units, side by side."""
        own = [("trivial", *units.names) for units in self.factors]
        return tuple(
            " * ".join(names[at] for names, at in zip(own, place, strict=True))
            for place in self.places
        )

    @property
    def degrees(self) -> tuple[Degree, ...]:
        """Sets of factors."""
        sets = factor_sets(self.group)
        return tuple(sets[tuple(i for i, at in enumerate(place) if at)] for place in self.places)

    @property
    def _widths(self) -> list[int]:
        return [factor.width for factor in self.group.factors]

    def characters(self, rows: Rows) -> tuple[Floats, Rows]:
        parts = np.split(rows, np.cumsum(self._widths)[:-1], axis=1)
        found = [units.characters(part) for units, part in zip(self.factors, parts, strict=True)]
        kinds, index = np.unique(
            np.stack([kind for _, kind in found], axis=1), axis=0, return_inverse=True
        )
        table = np.ones((len(kinds), 1))
        for (own, _), kind in zip(found, kinds.T, strict=True):
            each = np.concatenate([np.ones((len(kinds), 1)), own[kind]], axis=1)
            table = (table[:, :, None] * each[:, None]).reshape(len(kinds), -1)
        return table[:, 1:], index.reshape(-1)

    def partners(self, g: Rows, k: Rows, rng: np.random.Generator) -> Rows:
        """On every other couple fresh factors, on the rest the factors' own partners."""
        ends = np.cumsum(self._widths)[:-1]
        parts = zip(self.factors, np.split(g, ends, axis=1), np.split(k, ends, axis=1), strict=True)
        near = [k_ if u.partners is None else u.partners(g_, k_, rng) for u, g_, k_ in parts]
        fresh = rng.random(len(g)) < 0.5
        return resampled(
            g, np.where(fresh[:, None], k, np.concatenate(near, axis=1)), self._widths, rng
        )

    def mean_squares(self, S: GroupSample) -> Floats:
        return quotient_squares(self, S)

    def spreads(self, S: GroupSample) -> Floats:
        """Of tensor products that hold a unit of several irreps: its own spreads are an array."""
        parts = np.split(S.elements, np.cumsum(self._widths)[:-1], axis=1)
        samples = map(GroupSample, self.group.factors, parts)
        own = [units.spreads(T) for units, T in zip(self.factors, samples, strict=True)]
        several = np.array([isinstance(spread, np.ndarray) for spread in own])
        mixed = ((np.array(self.places) > 0) & several).any(axis=1)
        return np.where(mixed, spread_between(self.mean_squares(S)), 0.0)

    def variances(self, values: NDArray[Any]) -> Floats:
        raise GroupTooLargeError(
            f"{self.group.name} is not listed; its irreps are looked at one by one."
        )


@dataclass(frozen=True, eq=False)
class FactorSets:
    """Products by the set of factors on which an irrep is not trivial: an analysis of variance.

    phi_F(q) is the product over the factors i in F of (|G_i| [q_i = e] - 1) / (|G_i| - 1). Partners
    agree with g on a random set of factors, and are independent of it on the others.
    """

    group: Group
    sets: tuple[tuple[int, ...], ...]
    names: tuple[str, ...]
    meaning: str = "factors together"

    @classmethod
    def of(cls, group: Group) -> FactorSets:
        named = factor_sets(group)
        return cls(group, tuple(named), tuple(named.values()))

    @property
    def degrees(self) -> tuple[Degree, ...]:
        """The sets by name."""
        return self.names

    def characters(self, rows: Rows) -> tuple[Floats, Rows]:
        factors = self.group.factors
        parts = np.split(rows, np.cumsum([factor.width for factor in factors])[:-1], axis=1)
        code = np.zeros(len(rows), np.int64)
        for i, (factor, part) in enumerate(zip(factors, parts, strict=True)):
            code += (part == factor.identity()).all(axis=1).astype(np.int64) << i
        patterns, index = np.unique(code, return_inverse=True)
        same = patterns[:, None] >> np.arange(len(factors)) & 1
        other = np.array([-1.0 / (f.order - 1) if f.order > 1 else 1.0 for f in factors])
        each = np.where(same, 1.0, other)
        table = np.stack([each[:, list(chosen)].prod(axis=1) for chosen in self.sets], axis=1)
        return table, index.reshape(-1)

    def partners(self, g: Rows, k: Rows, rng: np.random.Generator) -> Rows:
        """k on a random set of factors, neither none nor all of them; g elsewhere."""
        return resampled(g, k, [factor.width for factor in self.group.factors], rng)

    def mean_squares(self, S: GroupSample) -> Floats:
        return quotient_squares(self, S)

    def spreads(self, S: GroupSample) -> Floats:
        return spread_between(self.mean_squares(S))

    def variances(self, values: NDArray[Any]) -> Floats:
        """Means over the factors outside of F; those of the subsets of F are subtracted."""
        cube = values.reshape(*(factor.order for factor in self.group.factors), -1)
        axes = range(len(self.group.factors))
        squares: dict[tuple[int, ...], float] = {(): 0.0}
        effects: dict[tuple[int, ...], Any] = {(): cube.mean(axis=tuple(axes), keepdims=True)}
        for chosen in self.sets:
            others = tuple(i for i in axes if i not in chosen)
            effect = cube.mean(axis=others, keepdims=True)
            for below, known in effects.items():
                if set(below) < set(chosen):
                    effect = effect - known
            effects[chosen] = effect
            count = math.prod(self.group.factors[i].order for i in chosen)
            squares[chosen] = float(np.linalg.norm(effect) ** 2) / count
        return np.array([squares[chosen] for chosen in self.sets])
