"""Direct products: the row of an element is its factors' rows side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import accumulate, chain, groupby
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparseaug._checks import require_work
from sparseaug._floats import UNIT
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups.abelian import Abelian
from sparseaug.groups.base import Group
from sparseaug.groups.degrees import Degrees
from sparseaug.groups.degrees.counts import Count
from sparseaug.groups.degrees.factors import FactorSets, product_degrees
from sparseaug.groups.permutations import Rows
from sparseaug.groups.quotients import Multiset
from sparseaug.groups.representations import DimensionSum, Faithful, Irrep, Isomorphism, convolve
from sparseaug.groups.young import require_matrices

_TOGETHER = 4096  # elements whose matrices are held at a time
_EXACT = 2.0**53  # below, every integer is a float64


@final
@dataclass(frozen=True)
class Product(Group):
    """G x H x ..., every operation factor by factor. Built by `direct_product`."""

    factors: tuple[Group, ...] = field()  # required, whatever the base class has

    degree_meaning = "factors together"

    def __repr__(self) -> str:
        return f"Product(factors={shorten(self.factors)})"

    @property
    def name(self) -> str:
        parts: list[str] = []
        for factor, run in groupby(self.factors):
            k = len(list(run))
            parts.append(factor.name if k == 1 else f"{factor.name}^{k}")
        return "x".join(parts)

    @cached_property
    def row_dtype(self) -> np.dtype[Any]:  # type: ignore[override]
        return np.result_type(*(factor.row_dtype for factor in self.factors))

    @cached_property
    def is_finite(self) -> bool:  # type: ignore[override]
        return all(factor.is_finite for factor in self.factors)

    @cached_property
    def rounding(self) -> float:  # type: ignore[override]
        return max(factor.rounding for factor in self.factors)

    @cached_property
    def width(self) -> int:
        return sum(factor.width for factor in self.factors)

    @cached_property
    def radices(self) -> tuple[int, ...]:
        return tuple(chain.from_iterable(factor.radices for factor in self.factors))

    @property
    def is_abelian(self) -> bool:
        return all(factor.is_abelian for factor in self.factors)

    @property
    def has_integer_characters(self) -> bool:
        return all(factor.has_integer_characters for factor in self.factors)

    def _from_digits(self, digits: Rows) -> Rows:
        ends = list(accumulate(len(factor.radices) for factor in self.factors[:-1]))
        parts = zip(self.factors, np.split(digits, ends), strict=True)
        return np.concatenate([factor._from_digits(part) for factor, part in parts], axis=1)

    def identity(self) -> Rows:
        return np.concatenate([factor.identity() for factor in self.factors], axis=1)

    def _draw(self, k: int, rng: np.random.Generator) -> Rows:
        if self.is_finite:
            return super()._draw(k, rng)
        return np.concatenate([factor._draw(k, rng) for factor in self.factors], axis=1)

    def distance(self, a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
        """The largest of the factors'."""
        parts = self._each(lambda factor, a, b: factor.distance(a, b), *self._pair(a, b))
        return np.maximum.reduce(np.broadcast_arrays(*parts))

    def _to_digits(self, elements: Rows) -> Rows:
        return np.concatenate(self._each(lambda factor, a: factor._to_digits(a), elements))

    def _compose(self, a: Rows, b: Rows) -> Rows:
        parts = self._each(lambda factor, a, b: factor._compose(a, b), a, b)
        return np.concatenate(parts, axis=-1)

    def _inverse(self, a: Rows) -> Rows:
        return np.concatenate(self._each(lambda factor, a: factor._inverse(a), a), axis=-1)

    def _contains(self, elements: Rows) -> NDArray[np.bool_]:
        whole = np.ones(len(elements), np.bool_)
        if not self.is_finite:  # rows of floats, in which integer factors must have integers
            whole &= np.isfinite(elements).all(axis=1)
            for factor, part in zip(self.factors, np.split(elements, self._ends, 1), strict=True):
                if factor.row_dtype == np.int64:
                    plain = (part == np.rint(part)) & (abs(part) < _EXACT)
                    whole &= (plain & ~(np.signbit(part) & (part == 0))).all(axis=1)
            elements = np.where(whole[:, None], elements, self.identity())
        parts = self._each(lambda factor, a: factor._contains(a), elements)
        return np.logical_and.reduce([whole, *parts])

    def generators(self) -> Rows:
        parts = [factor.generators() for factor in self.factors]
        self.require_rows(sum(map(len, parts)), "generators()")
        blocks = []
        start = 0
        for factor, own in zip(self.factors, parts, strict=True):
            block = np.repeat(self.identity(), len(own), axis=0)
            block[:, start : start + factor.width] = own
            blocks.append(block)
            start += factor.width
        return np.concatenate(blocks)

    def faithful(self) -> Faithful | None:
        """The factors' points side by side."""
        parts = [factor.faithful() for factor in self.factors]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        starts = list(accumulate((part.points for part in known), initial=0))

        def images(elements: Rows) -> Rows:
            rows = zip(known, self.split(elements), starts[:-1], strict=True)
            return np.concatenate([part.images(own) + start for part, own, start in rows], axis=1)

        return Faithful(starts[-1], images)

    def known_as(self) -> Isomorphism:
        """The product of the families that its factors turned out to be."""
        known = [factor.known_as() for factor in self.factors]
        if all(one.group is factor for one, factor in zip(known, self.factors, strict=True)):
            return super().known_as()
        family = direct_product(*(one.group for one in known))
        ends = np.cumsum([one.group.width for one in known])[:-1]

        def rows(elements: Rows) -> Rows:
            parts = zip(known, self.split(elements), strict=True)
            return np.concatenate([one.rows(part) for one, part in parts], axis=1)

        def elements(rows: Rows) -> Rows:
            parts = zip(known, np.split(rows, ends, axis=1), strict=True)
            pieces = [one.back(part.astype(one.group.row_dtype)) for one, part in parts]
            return np.concatenate(pieces, axis=1)

        return Isomorphism(family, rows, elements)

    def dimension_sum(self) -> DimensionSum:
        """Irreps are tensor products, so sums with the trivial irrep multiply."""
        values, exact = zip(*(factor.dimension_sum() for factor in self.factors), strict=True)
        return DimensionSum(math.prod(1 + value for value in values) - 1, all(exact))

    @property
    def highest_degree(self) -> int | None:
        """Those of the factors, added up; with rotations, what is computed of them."""
        parts = [factor.highest_degree for factor in self.factors]
        add = sum if self.is_finite else max
        return None if None in parts else add(part for part in parts if part is not None)

    def _degrees(self, by: str | None, *, whole: bool) -> Degrees:
        return product_degrees(self, whole=whole)

    def _counted(self, S: Multiset, most: int | None) -> list[Count] | None:
        return FactorSets(self).counted(S)

    def _dimensions_by_degree(self, degree: int) -> tuple[list[int], bool]:
        parts = [factor._dimensions_by_degree(degree) for factor in self.factors]
        return reduce(convolve, (sums for sums, _ in parts)), all(exact for _, exact in parts)

    def irreps(self) -> Iterator[Irrep]:
        last = _LastMade()
        for irreps in _combinations(self.factors, lambda factor: factor.irreps()):
            yield self._tensor(irreps, None, last)

    def _irreps_to(self, degree: int) -> Iterator[Irrep]:
        """Degrees of tensor products add up."""
        for irreps in _combinations(self.factors, lambda factor: factor.irreps_to(degree)):
            total = sum(irrep.degree or 0 for irrep in irreps)
            if total <= degree:
                yield self._tensor(irreps, total)

    def _tensor(
        self, irreps: tuple[Irrep, ...], degree: int | None, last: _LastMade | None = None
    ) -> Irrep:
        name = " * ".join(irrep.name for irrep in irreps)
        dimension = math.prod(irrep.dimension for irrep in irreps)
        tensor = Tensor(self, irreps, last or _LastMade())
        return Irrep(name, dimension, tensor, _rounding(irreps), degree, tensor.total)

    def to_dict(self) -> dict[str, Any]:
        return {"product": [factor.to_dict() for factor in self.factors]}

    def split(self, elements: Rows) -> list[Rows]:
        """The factors' rows in these elements, each in the type of its factor."""
        parts = np.split(elements, self._ends, axis=-1)
        pairs = zip(self.factors, parts, strict=True)
        return [part.astype(factor.row_dtype, copy=False) for factor, part in pairs]

    @cached_property
    def _ends(self) -> list[int]:
        """Where the rows of all factors but the last one end."""
        return list(accumulate(factor.width for factor in self.factors[:-1]))

    def _each(self, operation: Callable[..., Any], *batches: Rows) -> list[Any]:
        """`operation(factor, part, ...)` for every factor and its part of each batch."""
        parts = zip(*map(self.split, batches), strict=True)
        return [operation(factor, *part) for factor, part in zip(self.factors, parts, strict=True)]


class _LastMade:
    """Matrices of an irrep of the first factor: tensors that follow each other have the same one."""

    def __init__(self) -> None:
        self._made: tuple[Irrep, Rows, NDArray[Any]] | None = None

    def matrices(self, irrep: Irrep, rows: Rows) -> NDArray[Any]:
        """Those of these rows, and no others are held."""
        made = self._made
        if made is None or made[0] is not irrep or not np.array_equal(made[1], rows):
            self._made = made = (irrep, rows, irrep.matrices(rows))
        return made[2]


@dataclass(frozen=True)
class Tensor:
    """The matrices of a tensor product of one irrep of each factor."""

    group: Product
    irreps: tuple[Irrep, ...]
    last: _LastMade = field(default_factory=_LastMade, compare=False, repr=False)

    def support(self, trivial: list[str]) -> tuple[int, ...]:
        """The factors on which it is not trivial, by the names of their trivial irreps."""
        pairs = enumerate(zip(self.irreps, trivial, strict=True))
        return tuple(i for i, (irrep, name) in pairs if irrep.name != name)

    def __call__(self, elements: Rows) -> NDArray[Any]:
        """Formed for each element, (k, dimension, dimension)."""
        require_matrices(len(elements), math.prod(irrep.dimension for irrep in self.irreps))
        parts = self.group.split(elements)
        result: NDArray[Any] = np.ones((len(elements), 1, 1))
        for irrep, part in zip(self.irreps, parts, strict=True):
            result = _pairwise_kron(result, irrep.matrices(part))
        return result

    def total(self, rows: Rows, counts: NDArray[Any]) -> NDArray[Any]:
        """The weighted sum of X_j (x) Y_j by matrix products over j, without the single products.

        Y_j is the largest factor, X_j the product of the others: norms do not depend on their order.
        """
        sums: Any = 0.0
        for start in range(0, len(rows), _TOGETHER):
            parts = self.group.split(rows[start : start + _TOGETHER])
            each = [i.matrices(part) for i, part in zip(self.irreps[1:], parts[1:], strict=True)]
            each.append(self.last.matrices(self.irreps[0], parts[0]))
            each.sort(key=lambda matrices: matrices.shape[1])
            left, right = reduce(_pairwise_kron, each[:-1]), each[-1]
            k, c, d = len(left), left.shape[1], right.shape[1]
            weighted = (left * counts[start : start + _TOGETHER, None, None]).reshape(k, c * c)
            right = right.reshape(k, d * d)
            if np.isrealobj(right):  # which a product with complex numbers would copy
                sums = sums + weighted.real.T @ right
                sums = sums + 1j * (weighted.imag.T @ right) if np.iscomplexobj(weighted) else sums
            else:
                sums = sums + weighted.T @ right
        return np.asarray(sums.reshape(c, c, d, d).transpose(0, 2, 1, 3).reshape(c * d, c * d))


def _pairwise_kron(left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
    size = left.shape[1] * right.shape[1]
    return np.einsum("kab,kcd->kacbd", left, right).reshape(len(left), size, size)


# A tensor product of X, Y within x, y of unitary ones of dimension c, d is within
# x sqrt(d) + y sqrt(c) + x y of the true one, and its products are rounded: 4 u sqrt(c d) will do,
# a complex product being within 2.83 u.
def _rounding(irreps: tuple[Irrep, ...]) -> float:
    error, size = 0.0, 1
    for irrep in irreps:
        c, d, x, y = size, irrep.dimension, error, irrep.rounding
        size = c * d
        error = x * math.sqrt(d) + y * math.sqrt(c) + x * y + 4 * UNIT * math.sqrt(size)
    return error * (1 + 2.0**-20)


def _combinations(
    factors: tuple[Group, ...], irreps: Callable[[Group], Iterator[Irrep]]
) -> Iterator[tuple[Irrep, ...]]:
    """One irrep of each factor, in every way, without holding any factor's list."""
    if not factors:
        yield ()
        return
    for first in irreps(factors[0]):
        for rest in _combinations(factors[1:], irreps):
            yield (first, *rest)


def direct_product(*factors: Group | str) -> Group:
    """G x H x ...; nested products are flattened and neighbouring abelian factors are joined.

    Args:
        *factors: groups, or their names; at least one.

    Returns:
        The product; the group itself if there is one.

    Examples:
        >>> import sparseaug as sa
        >>> from sparseaug.groups import cyclic, dihedral, symmetric
        >>> sa.direct_product(symmetric(3), cyclic(2), cyclic(2)).name
        'S3xZ2^2'
        >>> sa.direct_product(dihedral(4), dihedral(4)).order
        64
    """
    if not factors:
        raise ArgumentError("factors is empty; give at least one group.")
    from sparseaug.groups.catalogue import as_group  # whose names are products of groups

    flat = chain.from_iterable(f.factors or (f,) for f in (as_group(f, "factor") for f in factors))
    joined: list[Group] = []
    for are_abelian, run in groupby(flat, key=lambda factor: factor.moduli is not None):
        if are_abelian:
            joined.append(Abelian(tuple(chain.from_iterable(f.moduli or () for f in run))))
        else:
            joined += run
    require_work("factors", len(joined), "the product", remedy="give fewer factors")
    return Product(tuple(joined)) if len(joined) > 1 else joined[0]
