"""What a spectrum is made of: irreps one by one where they are few, else all of one degree together.

A unit u is one irrep, or several of the same degree. Three things are asked of a group's units:

characters     phi_u(q) = sum over pi in u of d_pi chi_pi(q), over the sum of d_pi^2: of one irrep
               chi / d. For g uniform and q a uniform element of its class,
               E <v(g), v(g q)> = sum_u var_u phi_u(q) where v has mean 0
mean_squares   of S: ||pi(S)||_F^2 / d_pi, in a unit of several with weights d_pi^2: the mean of phi_u
               over the m^2 quotients of S
spreads        of S: how far irreps of a unit are from its mean square, in 19 of 20 cases; the number
               0.0 where every unit is one irrep
variances      var_u from the values on all of the group: d_pi ||mean of v(g) pi(g)||_F^2

Of several irreps in one unit, phi_u is that of the unit as a whole: the equation above holds in the mean
over q uniform, where the phi_u of different units are orthogonal, and whenever q is as likely as its
images under the automorphisms that make the irreps of a unit alike (for sign flips: the coordinates
permuted).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparseaug.errors import ArgumentError, UnsupportedError, shorten
from sparseaug.groups import Group, Irrep, Rows
from sparseaug.sampling import GroupSample
from sparseaug.spectral.irreps import irrep_means, listed_irreps
from sparseaug.spectral.methods import known_by_degree
from sparseaug.spectral.profiles.blocks import irrep_degrees
from sparseaug.spectral.profiles.counting import fixed_points, quotients
from sparseaug.spectral.profiles.result import Degree
from sparseaug.spectral.profiles.shifts import TABLE

Floats: TypeAlias = NDArray[np.float64]
Partners: TypeAlias = Callable[[Rows, Rows, np.random.Generator], Rows]
"""From uniform g and k to g q, where q lies in a class that k and the generator choose."""

MOST_LISTED = 50_000
"""Order of groups that are not abelian and are transformed whole: |G|^2 operations for each output."""

_CHUNK = 1 << 24  # entries of matrices held at a time


class Units(Protocol):
    """The units of one group."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of the units."""

    @property
    def degrees(self) -> tuple[Degree, ...]:
        """Of the units."""

    @property
    def meaning(self) -> str:
        """What degrees count."""

    @property
    def partners(self) -> Partners | None:
        """How elements come in couples; None where they come alone."""

    def characters(self, rows: Rows) -> tuple[Floats, Rows]:
        """phi (K, units) on K kinds of elements, and the kind of each row."""

    def mean_squares(self, S: GroupSample) -> Floats:
        """Of S on each unit."""

    def spreads(self, S: GroupSample) -> Floats | float:
        """Of the mean squares within each unit."""

    def variances(self, values: NDArray[Any]) -> Floats:
        """Of each unit, from the values (order, p) on all elements in rank order, summed over p."""


@dataclass(frozen=True, eq=False)
class ListedIrreps:
    """Groups whose irreps are known one by one: dihedral groups, B_n, products, small S_n and A_n."""

    group: Group
    irreps: tuple[Irrep, ...]
    names: tuple[str, ...]
    degrees: tuple[Degree, ...]
    meaning: str
    partners: Partners | None = None

    @classmethod
    def of(cls, group: Group) -> ListedIrreps:
        irreps = tuple(listed_irreps(group)[1:])
        degrees = irrep_degrees(group, list(irreps))
        meaning = "factors together" if group.factors else "coordinates at a time"
        if group.transform == "dihedral":
            meaning = "frequency"
        names = tuple(irrep.name for irrep in irreps)
        return cls(group, irreps, names, tuple(degrees[name] for name in names), meaning)

    def characters(self, rows: Rows) -> tuple[Floats, Rows]:
        keys = _class_keys(self.group, rows)
        _, first, index = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        elements = rows[first]
        table = np.empty((len(elements), len(self.irreps)))
        for u, irrep in enumerate(self.irreps):
            for part, matrices in _matrices(irrep, elements):
                table[part, u] = np.einsum("kii->k", matrices).real / irrep.dimension
        return table, index.reshape(-1)

    def mean_squares(self, S: GroupSample) -> Floats:
        blocks = {block.label: block.values for block in irrep_means(S)}
        return np.array(
            [np.linalg.norm(blocks[name]) ** 2 / len(blocks[name]) for name in self.names]
        )

    def spreads(self, S: GroupSample) -> float:
        return 0.0

    def variances(self, values: NDArray[Any]) -> Floats:
        return fourier_variances(self.group, self.irreps, values)


# A cycle of length d of a signed permutation q is positive or negative, by the product of its signs; q^k
# fixes the axes of the cycles with d | k, and keeps the signs of the positive ones and of those with
# k / d even. So the numbers of both for k = 1, ..., n give those of positive and of negative cycles of
# every length: the class of q.
def _class_keys(group: Group, rows: Rows) -> Rows:
    """A row of integers for each element, the same only for elements of one class."""
    n, faithful = group.signed_axes, group.faithful()
    if not n or faithful is None:
        return group.rank(rows)[:, None]
    points = faithful.images(rows)
    axes = fixed_points(points[:, :n] % n, n)
    return np.stack([*axes, *fixed_points(points, n)], axis=1)


def quotient_squares(units: Units, S: GroupSample) -> Floats:
    """The mean of phi over the quotients of S."""
    chunks = quotients(S)
    if chunks is None:
        raise UnsupportedError(
            f"m={S.m} is too large to count the quotients of S in {S.group.name}; use fewer elements."
        )
    total = np.zeros(len(units.degrees))
    for rows, often in chunks:
        table, index = units.characters(rows)
        total += np.bincount(index, often, minlength=len(table)) @ table
    return np.maximum(total / S.m**2, 0.0)


def spread_between(squares: Floats) -> Floats:
    """How far numbers from 0 to 1 with these means are from them, at most, in 19 of 20 cases."""
    mean = np.minimum(squares, 1.0)
    return np.asarray(1.96 * np.sqrt(mean * (1 - mean)))


def _matrices(irrep: Irrep, elements: Rows) -> Iterable[tuple[slice, NDArray[Any]]]:
    step = max(1, _CHUNK // irrep.dimension**2)
    for start in range(0, len(elements), step):
        part = slice(start, start + step)
        yield part, irrep.matrices(elements[part])


def fourier_variances(group: Group, irreps: Iterable[Irrep], values: NDArray[Any]) -> Floats:
    """d_pi ||mean of v(g) pi(g)||_F^2 of each irrep, summed over the columns of `values` (order, p)."""
    elements = group.all_elements()
    found = []
    for irrep in irreps:
        size = irrep.dimension**2
        total: Any = 0.0
        for part, matrices in _matrices(irrep, elements):
            total = total + values[part].T @ matrices.reshape(-1, size)
        found.append(irrep.dimension * float(np.linalg.norm(total / len(elements)) ** 2))
    return np.array(found)


def resampled(g: Rows, k: Rows, widths: list[int], rng: np.random.Generator) -> Rows:
    """Rows of k on a random set of coordinates, each of `widths` columns; of g on the others.

    The size of the set is uniform from 1 to one less than all.
    """
    d = len(widths)
    sizes = rng.integers(1, max(2, d), len(g))
    places = rng.permuted(np.tile(np.arange(d), (len(g), 1)), axis=1)
    return np.where(np.repeat(places < sizes[:, None], widths, axis=1), k, g)


def units_of(group: Group, order: str | None, *, whole: bool) -> Units:
    """The units of a group; with whole=True, those for the values on all of it.

    Args:
        group: of a family that is known: not one of which `known_by_degree` knows better
        order: "frequency" or "degree" of abelian groups; None for what `usual_order` says
        whole: whether all values are known: then each irrep of an abelian group or product is a unit
    """
    from sparseaug.orbits.spectrum.bands import Bands, Points
    from sparseaug.orbits.spectrum.products import product_units
    from sparseaug.orbits.spectrum.shapes import Shapes
    from sparseaug.orbits.spectrum.shifts import Characters, Frequencies, Weights

    if group.moduli is not None:
        order = order or usual_order(group)
        if whole:
            return Characters.of(group, order)
        return Frequencies.of(group) if order == "frequency" else Weights.of(group)
    if order == "frequency":
        raise ArgumentError(
            f'order="frequency" is for abelian groups, not {group.name}; leave it out.'
        )
    if group.transform == "wigner":
        return Bands.of(group)
    if not group.is_finite:
        raise UnsupportedError(
            f"{group.name} has infinitely many irreps of several factors; measure the rotations alone."
        )
    if group.transform == "young":
        return Shapes.of(group)
    if group.factors:
        return product_units(group, whole=whole)
    try:
        return ListedIrreps.of(group)
    except UnsupportedError:
        return Points.of(group, whole=whole)


def family(group: Group) -> tuple[Group, Callable[[Rows], Rows]]:
    """The family whose degrees the group is known to have, and how its rows become that family's."""
    known = known_by_degree(group)
    return (group, lambda rows: rows) if known is None else (known.group, known.rows)


def usual_order(group: Group) -> str:
    """ "frequency" for shifts, as far as every character can be looked at; else "degree"."""
    shifts = max(group.moduli or (1,)) > 2
    return "frequency" if shifts and group.order <= TABLE else "degree"


def check_order(order: Any) -> str | None:
    """`order` if it is one."""
    if order is not None and (not isinstance(order, str) or order not in ("degree", "frequency")):
        raise ArgumentError(f"order={shorten(order)} is not known; give 'degree' or 'frequency'.")
    return order
