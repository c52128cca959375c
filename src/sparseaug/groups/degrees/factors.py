"""The blocks of direct products: tensor products of the factors' blocks, or whole sets of factors.

The character of a tensor product is the product of the factors' characters. Partners of g differ from
it on a random set of factors: on some by the factor's own partner, on the others by a fresh element.

The degree that is shown of a block is the set of factors on which it is not trivial, an analysis of
variance; `degree=` counts the coordinates of all factors together, as degrees of tensor products add up.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from sparseaug.errors import GroupTooLargeError, UnsupportedError, shorten_text
from sparseaug.groups.degrees.blocks import Degrees, Floats, IrrepDegrees, Partners, resample
from sparseaug.groups.degrees.counts import Count, Degree
from sparseaug.groups.permutations import Rows
from sparseaug.groups.quotients import Multiset, over_quotients, quotients, tally

if TYPE_CHECKING:
    from sparseaug.groups.base import Group
    from sparseaug.groups.product import Product, Tensor

MOST_TENSORS = 400
"""Blocks of a product that draws can separate; above, those of the largest factors are put together."""

_ROUNDED = 1e-9  # so near to the identity is g^-1 g of rotations

MOST_SETS = 1 << 12
"""Sets of factors that are listed where quotients are counted."""

MOST_ALONE = 1 << 14
"""Tensor products of irreps that are looked at one by one, beside those of one block together."""


def product_degrees(group: Product, *, whole: bool) -> Degrees:
    """The blocks of a direct product; with whole=True its irreps, if they can be listed."""
    try:
        if whole and group.is_finite:
            return ProductIrreps.of(group)
        factors = [factor.degrees() for factor in group.factors]
    except (GroupTooLargeError, UnsupportedError):
        return FactorSets(group)
    for i in sorted(range(len(factors)), key=lambda i: -len(factors[i].degrees)):
        many = _count(factors) > MOST_TENSORS
        if many and group.factors[i].is_finite and len(factors[i].degrees) > 1:
            factors[i] = Together.of(group.factors[i], factors[i])
    return Tensors(group, tuple(factors)) if _count(factors) <= MOST_TENSORS else FactorSets(group)


def _count(factors: Iterable[Degrees]) -> int:
    """How many tensor products of their blocks there are, the trivial ones among them."""
    return math.prod(1 + len(blocks.degrees) for blocks in factors)


def factor_sets(group: Group) -> dict[tuple[int, ...], str]:
    """The non-empty sets of factors that have an irrep, and their names: small sets first."""
    names = [factor.name for factor in group.factors]
    names = [name if names.count(name) == 1 else f"{name}[{i}]" for i, name in enumerate(names)]
    axes = [i for i, factor in enumerate(group.factors) if factor.order > 1]
    return {
        chosen: " x ".join(shorten_text(names[i]) for i in chosen)
        for size in range(1, len(axes) + 1)
        for chosen in combinations(axes, size)
    }


@dataclass(frozen=True, eq=False)
class Together(Degrees):
    """Some irreps of a factor, and all others but the trivial one in one block.

    The sum of d_pi^2 phi_pi(q) over all irreps is |G| [q = e]: what it is of the others is left of it.
    """

    group: Group
    own: Degrees
    # place among the own blocks, and dimension, of each irrep that stands alone
    kept: dict[int, int]

    @classmethod
    def of(cls, group: Group, own: Degrees) -> Together:
        """With the irreps of degree 1 alone where that makes the blocks fewer."""
        return cls(group, own, own.low if len(own.low) + 1 < len(own.degrees) else {})

    @property
    def degrees(self) -> tuple[Degree, ...]:
        return (*(self.own.degrees[u] for u in self.kept), "others")

    @property
    def names(self) -> tuple[str, ...]:
        return (*(self.own.names[u] for u in self.kept), "others")

    @property
    def alone(self) -> Degrees:
        return self.own.alone or self.own

    @property
    def owners(self) -> Rows:
        place = {u: i for i, u in enumerate(self.kept)}
        return np.array([place.get(u, len(place)) for u in self.own.owners.tolist()], np.int64)

    @property
    def copies(self) -> Floats:
        return self.own.copies

    @property
    def partners(self) -> Partners | None:  # type: ignore[override]
        return self.own.partners

    def prior(self) -> Floats:
        shares = self.own.prior()
        alone = shares[list(self.kept)]
        return np.append(alone, shares.sum() - alone.sum())

    def characters(self, rows: Rows) -> tuple[Floats, Rows]:
        table, index = self.own.characters(rows)
        same = self.group.distance(rows, self.group.identity()) < _ROUNDED
        kinds, index = np.unique(2 * index + same, return_inverse=True)
        alone, squares = table[kinds // 2][:, list(self.kept)], [d * d for d in self.kept.values()]
        others = self.group.order - 1 - sum(squares)  # perhaps above all floats
        rest = -(1 + alone @ np.array(squares, np.float64)) * (1 / others)
        return np.column_stack([alone, np.where(kinds % 2, 1.0, rest)]), index.reshape(-1)


def tensors_alone(group: Product, factors: tuple[Degrees, ...]) -> Tensors | None:
    """Of the factors' irreps one by one; None where they are too many."""
    alone = tuple(own.alone or own for own in factors)
    return Tensors(group, alone) if _count(alone) <= MOST_ALONE else None


class ProductIrreps(IrrepDegrees):
    """Irreps one by one, by sets of factors."""

    @cached_property
    def degrees(self) -> tuple[Degree, ...]:
        trivial = [next(factor.irreps()).name for factor in self.group.factors]
        sets = factor_sets(self.group)
        tensors = [cast("Tensor", irrep.matrices) for irrep in self.irreps]
        return tuple(sets[tensor.support(trivial)] for tensor in tensors)


@dataclass(frozen=True, eq=False)
class Tensors(Degrees):
    """One unit of each factor, or the trivial irrep (place 0), but not everywhere."""

    group: Product
    factors: tuple[Degrees, ...]

    @cached_property
    def places(self) -> tuple[tuple[int, ...], ...]:
        """Of each block, its place among the blocks of every factor."""
        return tuple(product(*(range(1 + len(own.degrees)) for own in self.factors)))[1:]

    @cached_property
    def alone(self) -> Tensors | None:
        if all(own.alone is None for own in self.factors):
            return None
        return tensors_alone(self.group, self.factors)

    @property
    def owners(self) -> Rows:
        if self.alone is None:
            return np.arange(len(self.places))
        each = [np.append(0, 1 + own.owners) for own in self.factors]
        sizes = [1 + len(own.degrees) for own in self.factors]
        return np.ravel_multi_index(np.meshgrid(*each, indexing="ij"), sizes).ravel()[1:] - 1

    @property
    def copies(self) -> Floats:
        own = self.factors if self.alone is None else self.alone.factors
        if self.alone is None and any(each.alone for each in own):
            return np.full(len(self.places), math.inf)
        found = np.ones(1)
        for each in own:
            found = np.outer(found, np.append(1.0, each.copies)).ravel()
        return found[1:]

    @property
    def names(self) -> tuple[str, ...]:
        own = [("trivial", *blocks.names) for blocks in self.factors]
        return tuple(
            " * ".join(names[at] for names, at in zip(own, place, strict=True))
            for place in self.places
        )

    @property
    def degrees(self) -> tuple[Degree, ...]:
        sets = factor_sets(self.group)
        return tuple(sets[tuple(i for i, at in enumerate(place) if at)] for place in self.places)

    def prior(self) -> Floats:
        """1 / k^3 for all effects of k factors together, shared as the factors' own priors are."""
        found = np.ones(1)
        for own in self.factors:
            found = np.outer(found, np.append(1.0, own.prior())).ravel()
        found = found[1:] / np.count_nonzero(self.places, axis=1) ** 3
        return np.asarray(found / found.sum())

    def characters(self, rows: Rows) -> tuple[Floats, Rows]:
        parts = zip(self.factors, self.group.split(rows), strict=True)
        found = [blocks.characters(part) for blocks, part in parts]
        kinds, index = np.unique(
            np.stack([kind for _, kind in found], axis=1), axis=0, return_inverse=True
        )
        tables = [own[kind] for (own, _), kind in zip(found, kinds.T, strict=True)]
        return _tensors(tables), index.reshape(-1)

    def exactly(self, rows: Rows) -> Floats:
        parts = zip(self.factors, self.group.split(rows), strict=True)
        return _tensors([blocks.exactly(part) for blocks, part in parts])

    def mean_squares(self, S: Multiset) -> Floats:
        if self.group.is_finite:
            return super().mean_squares(S)
        return np.maximum(over_quotients(S, self.exactly, len(self.places)), 0.0)

    def partners(self, g: Rows, k: Rows, rng: np.random.Generator) -> Rows:
        """On every other couple fresh factors, on the rest the factors' own partners."""
        parts = zip(self.factors, self.group.split(g), self.group.split(k), strict=True)
        near = [k_ if own.partners is None else own.partners(g_, k_, rng) for own, g_, k_ in parts]
        fresh = rng.random(len(g)) < 0.5
        other = np.where(fresh[:, None], k, np.concatenate(near, axis=1))
        return resample(g, other, [factor.width for factor in self.group.factors], rng)


def _tensors(parts: list[Floats]) -> Floats:
    """Products (k, blocks) of the factors' characters (k, own blocks) and 1, but not of 1 alone."""
    table = ones = np.ones((len(parts[0]), 1))
    for part in parts:
        each = np.concatenate([ones, part], axis=1)
        table = (table[:, :, None] * each[:, None]).reshape(len(each), -1)
    return table[:, 1:]


@dataclass(frozen=True, eq=False)
class FactorSets(Degrees):
    """Products by the set of factors on which an irrep is not trivial: an analysis of variance.

    phi_F(q) is the product over the factors i in F of (|G_i| [q_i = e] - 1) / (|G_i| - 1), which is
    [q_i = e] for rotations, where g^-1 g is the identity up to rounding. Partners agree with g on a
    random set of factors, and are independent of it on the others.
    """

    group: Product

    @cached_property
    def sets(self) -> tuple[tuple[int, ...], ...]:
        """Of factors, those of which the irreps are not trivial on exactly these."""
        return tuple(factor_sets(self.group))

    @cached_property
    def degrees(self) -> tuple[Degree, ...]:
        return tuple(factor_sets(self.group).values())

    @property
    def levels(self) -> Floats:
        return np.array([float(len(chosen)) for chosen in self.sets])

    @cached_property
    def alone(self) -> Tensors | None:
        try:
            return tensors_alone(self.group, tuple(own.degrees() for own in self.group.factors))
        except (GroupTooLargeError, UnsupportedError):
            return None

    @property
    def copies(self) -> Floats:
        return np.full(len(self.degrees), math.inf) if self.alone is None else self.alone.copies

    def characters(self, rows: Rows) -> tuple[Floats, Rows]:
        factors = self.group.factors
        patterns, index = np.unique(self._patterns(rows), return_inverse=True)
        same = patterns[:, None] >> np.arange(len(factors)) & 1
        other = np.array([-1.0 / (f.order - 1) if f.order > 1 else 1.0 for f in factors])
        each = np.where(same, 1.0, other)
        table = np.stack([each[:, list(chosen)].prod(axis=1) for chosen in self.sets], axis=1)
        return table, index.reshape(-1)

    def _patterns(self, rows: Rows) -> Rows:
        """Of each row the factors in which it is the identity, as bits."""
        code = np.zeros(len(rows), np.int64)
        for i, (own, part) in enumerate(
            zip(self.group.factors, self.group.split(rows), strict=True)
        ):
            code += (own.distance(part, own.identity()) < _ROUNDED).astype(np.int64) << i
        return code

    def counted(self, S: Multiset) -> list[Count] | None:
        """The irreps that are non-trivial on exactly the factors F have
        sum of d chi(q) = product over i in F of (|G_i| [q_i = e] - 1)."""
        orders = [factor.order for factor in self.group.factors]
        chunks = quotients(S) if 1 << len(orders) <= MOST_SETS else None
        if chunks is None:
            return None
        patterns: dict[int, int] = {}
        for rows, weights in chunks:
            for pattern, total in tally(self._patterns(rows), weights):
                patterns[pattern] = patterns.get(pattern, 0) + total
        found = []
        for chosen, name in factor_sets(self.group).items():
            total = sum(
                count * math.prod(orders[i] * (pattern >> i & 1) - 1 for i in chosen)
                for pattern, count in patterns.items()
            )
            found.append(Count(name, math.prod(orders[i] - 1 for i in chosen), total))
        return found

    def partners(self, g: Rows, k: Rows, rng: np.random.Generator) -> Rows:
        """k on a random set of factors, neither none nor all of them; g elsewhere."""
        return resample(g, k, [factor.width for factor in self.group.factors], rng)

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
