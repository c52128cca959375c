"""Blocks of functions on a group: irreps one by one where they are few, else all of one degree together.

A block u is one irrep, or several of the same degree. It has a label, a degree, and

    phi_u(q) = sum over pi in u of d_pi chi_pi(q), over the sum of d_pi^2: of one irrep chi / d.

For g uniform and q a uniform element of its class, E <v(g), v(g q)> = sum_u var_u phi_u(q) where v has
mean 0 and var_u is the part of its variance in u: d_pi ||mean of v(g) pi(g)||_F^2, summed over u. The
mean of phi_u over the m^2 quotients of S is its mean square on u: of one irrep ||pi(S)||_F^2 / d_pi.
Where a block holds several irreps, the variance may sit in any of them: the worst is the largest mean
square of an irrep of the block, or an upper bound of it, 1 at most.

Of several irreps in one block, phi_u is that of the block as a whole: the equation above holds in the
mean over q uniform, where the phi_u of different blocks are orthogonal, and whenever q is as likely as
its images under the automorphisms that make the irreps of a block alike (for sign flips: the coordinates
permuted).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparseaug.errors import GroupTooLargeError
from sparseaug.groups.degrees.counts import Degree
from sparseaug.groups.fourier import irrep_means
from sparseaug.groups.permutations import Rows
from sparseaug.groups.quotients import Multiset, quotients, too_many
from sparseaug.groups.representations import Irrep, listed_irreps

if TYPE_CHECKING:
    from sparseaug.groups.base import Group

Floats: TypeAlias = NDArray[np.float64]
Partners: TypeAlias = Callable[[Rows, Rows, np.random.Generator], Rows]

_CHUNK = 1 << 24  # entries of matrices held at a time
_VALUES = 1 << 22  # characters held at a time
_KEPT = 1 << 22  # characters that are cached


class Degrees(ABC):
    """The blocks of one group.

    Attributes:
        group: of the rows that `characters` takes
        partners: from uniform g and k to g q, with q in a class that k and the generator choose, near
            the identity: v(g) and v(g q) differ little in low degrees. None where draws come alone.
    """

    group: Group
    partners: Partners | None = None

    @property
    def meaning(self) -> str:
        """What degrees count."""
        return self.group.degree_meaning

    @property
    @abstractmethod
    def degrees(self) -> tuple[Degree, ...]:
        """Of each block."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of each block; its degree where it holds all of it."""
        return tuple(str(degree) for degree in self.degrees)

    @property
    def levels(self) -> Floats:
        """The degree of each block as a number of at least 1."""
        return np.maximum(1.0, np.array(self.degrees, np.float64))

    @property
    def sizes(self) -> Floats:
        """The sum of d_pi^2 of each block, beside the others of its degree."""
        return np.ones(len(self.degrees))

    def prior(self) -> Floats:
        """Shares of the variance where nothing was measured: that of degree k is as 1 / k^3.

        Within a degree they are as d_pi^2, the same for every function of norm 1 there.
        """
        index = np.unique(self.levels, return_inverse=True)[1]
        within = self.sizes / np.bincount(index, self.sizes)[index]
        found = within / self.levels**3
        return np.asarray(found / found.sum())

    @property
    def low(self) -> dict[int, int]:
        """The blocks that are one irrep of degree 1: place and dimension, where they are known."""
        return {}

    @property
    def alone(self) -> Degrees | None:
        """The same irreps one by one, where a block holds several and they can be listed; else None."""
        return None

    @property
    def owners(self) -> Rows:
        """Which block each of `alone` belongs to; without `alone` every block is its own."""
        if self.alone is None:
            return np.arange(len(self.degrees))
        place = {degree: i for i, degree in enumerate(self.degrees)}
        return np.array([place[degree] for degree in self.alone.degrees], np.int64)

    @property
    def copies(self) -> Floats:
        """How many irreps each block of `alone`, or of these, stands for; infinite where unknown."""
        return np.ones(len((self.alone or self).degrees))

    @abstractmethod
    def characters(self, rows: Rows) -> tuple[Floats, Rows]:
        """phi (K, blocks) on K kinds of elements, and the kind of each row."""

    def exactly(self, rows: Rows) -> Floats:
        """phi (k, blocks) of each row, at its own angle where it is a rotation."""
        table, index = self.characters(rows)
        return table[index]

    def mean_squares(self, S: Multiset) -> Floats:
        """What S leaves of each block: the mean of phi over its m^2 quotients."""
        chunks = quotients(S)
        if chunks is None:
            raise too_many(S)
        total = np.zeros(len(self.degrees))
        step = max(1, _VALUES // max(1, len(total)))
        for rows, often in chunks:
            for start in range(0, len(rows), step):
                part = slice(start, start + step)
                table, index = self.characters(rows[part])
                total += np.bincount(index, often[part], minlength=len(table)) @ table
        return np.maximum(total / S.m**2, 0.0)

    def worst_squares(self, S: Multiset, squares: Floats) -> Floats:
        """Of the irreps in each block whose mean squares these are, the largest, or an upper bound."""
        if self.alone is not None:
            found = np.zeros(len(squares))
            np.maximum.at(found, self.owners, of_copies(self.alone.mean_squares(S), self.copies))
        else:
            found = self._bounds(S, squares)
        return np.maximum(squares, np.minimum(found, 1.0))

    def _bounds(self, S: Multiset, squares: Floats) -> Floats:
        """`worst_squares` where the irreps cannot be looked at one by one."""
        return of_copies(squares, self.copies)

    def variances(self, values: NDArray[Any]) -> Floats:
        """Of each block, from the values (order, p) on all elements in rank order, summed over p."""
        raise GroupTooLargeError(f"{self.group.name} is too large to be listed; give calls=.")


def of_copies(squares: Floats, copies: Floats) -> Floats:
    """The mean of k numbers from 0 to 1 is at least the largest over k."""
    known = np.isfinite(copies)
    return np.where(known, np.where(known, copies, 1.0) * squares, 1.0)


@dataclass(frozen=True, eq=False)
class IrrepDegrees(Degrees):
    """Irreps one by one: what every group has whose `irreps()` carry a degree."""

    group: Group
    irreps: tuple[Irrep, ...]  # all but the trivial one

    @classmethod
    @lru_cache(maxsize=16)
    def of(cls, group: Group) -> IrrepDegrees:
        """Those of a group; a `GroupTooLargeError` if they are too many, or if one is too large."""
        return cls(group, tuple(listed_irreps(group)))

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(irrep.name for irrep in self.irreps)

    @cached_property
    def degrees(self) -> tuple[Degree, ...]:
        return tuple(irrep.degree or 0 for irrep in self.irreps)

    @property
    def sizes(self) -> Floats:
        return np.array([float(irrep.dimension) ** 2 for irrep in self.irreps])

    @property
    def low(self) -> dict[int, int]:
        return {u: one.dimension for u, one in enumerate(self.irreps) if one.degree == 1}

    def characters(self, rows: Rows) -> tuple[Floats, Rows]:
        keys, first, index = np.unique(
            self.group._class_keys(rows), return_index=True, return_inverse=True
        )
        known, keys = self._by_class, keys.tolist()
        if len(known) * len(self.irreps) > _KEPT:
            known.clear()
        new = [i for i, key in enumerate(keys) if key not in known]
        for i, values in zip(new, self._at(rows[first[new]]), strict=True):
            known[keys[i]] = values
        table = np.array([known[key] for key in keys]).reshape(len(keys), len(self.irreps))
        return table, index.reshape(-1)

    @cached_property
    def _by_class(self) -> dict[int, Floats]:
        """chi / d of all irreps, of the classes that were met."""
        return {}

    def _at(self, elements: Rows) -> Floats:
        """chi / d of all irreps (k, irreps) at these elements."""
        table = np.empty((len(elements), len(self.irreps)))
        for k, element in enumerate(elements):
            if (found := self.group._class_characters(element)) is None:
                break
            table[k] = [found.get(one.name, 0) / one.dimension for one in self.irreps]
        else:
            return table
        for u, irrep in enumerate(self.irreps):
            for part, matrices in _matrices(irrep, elements):
                table[part, u] = np.einsum("kii->k", matrices).real / irrep.dimension
        return table

    def mean_squares(self, S: Multiset) -> Floats:
        quick = self.group._class_characters(self.group.identity()[0]) is not None
        if quick and quotients(S) is not None:
            return super().mean_squares(S)
        found = {block.label: block.values for block in irrep_means(S)}
        return np.array([np.linalg.norm(found[n]) ** 2 / len(found[n]) for n in self.names])

    def variances(self, values: NDArray[Any]) -> Floats:
        elements = self.group.all_elements()
        found = []
        for irrep in self.irreps:
            size = irrep.dimension**2
            total: Any = 0.0
            for part, matrices in _matrices(irrep, elements):
                total = total + values[part].T @ matrices.reshape(-1, size)
            found.append(irrep.dimension * float(np.linalg.norm(total / len(elements)) ** 2))
        return np.array(found)


def _matrices(irrep: Irrep, elements: Rows) -> Iterable[tuple[slice, NDArray[Any]]]:
    step = max(1, _CHUNK // irrep.dimension**2)
    for start in range(0, len(elements), step):
        part = slice(start, start + step)
        yield part, irrep.matrices(elements[part])


def resample(g: Rows, k: Rows, widths: list[int], rng: np.random.Generator) -> Rows:
    """Rows of k on a random set of coordinates, each of `widths` columns; of g on the others.

    The size of the set is uniform from 1 to one less than all.
    """
    d = len(widths)
    sizes = rng.integers(1, max(2, d), len(g))
    places = rng.permuted(np.tile(np.arange(d), (len(g), 1)), axis=1)
    return np.where(np.repeat(places < sizes[:, None], widths, axis=1), k, g)
