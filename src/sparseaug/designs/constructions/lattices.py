"""Lattices of shifts, with all turns and flips: exact on low frequencies.

The mean of a subgroup S of C_n1 x C_n2 x ... is 1 on the characters that are trivial on S,
its dual, and 0 on all others: S is exact for all frequencies shorter than the shortest one of its dual
but 0. The length of a frequency f is the root of sum_i min(f_i, n_i - f_i)^2, in cycles around each
axis. An element of a grid, of a polygon or of their products is a shift times one of a few turns and
flips. S = L F, a lattice L of shifts and all turns and flips F: on an irrep its mean is that of L times
that of F. It vanishes where the shifts have frequencies that are shorter than the shortest one of the
dual of L, since turns and flips keep lengths; and where the shifts have frequency 0, as F is everything
there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from itertools import accumulate, product
from typing import NamedTuple

import numpy as np

from sparseaug.designs.constructions.base import Design
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Dihedral, Group, Rows

_LARGEST_ROUNDED = 2048  # points; all generators of as many are tried

MOST_SHIFTS = 1 << 20
MOST_AXES = 3
"""Shifts and axes up to which all lattices are compared, in a second or two."""


def lattice_designs(group: Group, m: int | None) -> Iterator[Design]:
    """One row: of m elements, where m is given."""
    shifts = axes(group)
    if shifts is None:
        return
    several = len(shifts.rest)
    sizes = "any" if len(shifts.moduli) <= 2 else f"any divisor of {math.prod(shifts.moduli)}"
    yield Design(
        group,
        "lattice",
        m,
        0,
        "exact on low frequencies; subgroup whose dual has the longest shortest frequency",
        sizes=sizes if several == 1 else f"{several} x {sizes}",
        kind="lattice",
        build=None if m is None else lambda: lattice(group, m),
    )


def polygon_designs(group: Dihedral) -> Iterator[Design]:
    """Of a polygon, whose degree is the frequency: k even turns are exact below k, for each k of n."""
    source = "a lattice with its mirrors; k even turns are exact below frequency k"
    for k in range(2, min(group.n, _LARGEST_ROUNDED)):
        if group.n % k == 0:
            build = partial(_even_turns, group.n, k)
            name = f"{k} even turns and their mirrors"
            yield Design(group, name, 2 * k, k - 1, source, 1.0, build=build)


def _even_turns(n: int, k: int) -> Rows:
    turns, flips = np.divmod(np.arange(2 * k), 2)
    return np.stack([turns * (n // k), flips], axis=1)


class Axes(NamedTuple):
    """Which columns of a row are shifts, modulo what, and what the other columns may be."""

    columns: tuple[int, ...]
    moduli: tuple[int, ...]
    rest: Rows  # (turns and flips, width), 0 in the columns of shifts


def axes(group: Group) -> Axes | None:
    """The shifts of the group; None if it has none, or more than are compared."""
    found = _axes(group)
    if found is None or len(found.moduli) > MOST_AXES:
        return None
    return found if 1 < math.prod(found.moduli) <= MOST_SHIFTS else None


def lattice(group: Group, m: int) -> Rows:
    """The best lattice of m elements with all turns and flips."""
    shifts = axes(group)
    if shifts is None:
        raise ArgumentError(f"{group.name} has no shifts of which lattices are known.")
    count, left = divmod(m, len(shifts.rest))
    points = None if left or not count else best_lattice(shifts.moduli, count)
    if points is None and not left and count and len(shifts.moduli) <= 2:
        points = rounded_lattice(shifts.moduli, count)
    if points is None:
        sizes = f"{len(shifts.rest)} times a divisor of {math.prod(shifts.moduli)}"
        raise ArgumentError(f"m={shorten(m)} is no lattice size of {group.name}; give {sizes}.")
    rows = np.repeat(shifts.rest, len(points), axis=0)
    rows[:, list(shifts.columns)] = np.tile(points, (len(shifts.rest), 1))
    return rows


def _axes(group: Group) -> Axes | None:
    """Of shifts, of polygons and grids that are turned as well, and of products of these."""
    k = group.shift_axes
    if not k:
        return _axes_of_product(group) if group.factors else None
    rest = [(0,) * k + others for others in product(*map(range, group.radices[k:]))]
    return Axes(tuple(range(k)), group.radices[:k], np.array(rest))


def _axes_of_product(group: Group) -> Axes | None:
    starts = [0, *accumulate(factor.width for factor in group.factors)]
    columns: list[int] = []
    moduli: list[int] = []
    rest = np.zeros((1, 0), np.int64)
    for factor, start in zip(group.factors, starts, strict=False):
        part = _axes(factor)
        if part is None:
            return None
        columns += [start + column for column in part.columns]
        moduli += part.moduli
        rest = np.concatenate(
            [np.repeat(rest, len(part.rest), axis=0), np.tile(part.rest, (len(rest), 1))], axis=1
        )
    return Axes(tuple(columns), tuple(moduli), rest)


def best_lattice(moduli: tuple[int, ...], m: int) -> Rows | None:
    """The subgroup of m elements whose dual has the longest shortest frequency; None if there is none.

    Among equals the one with the fewest such frequencies, then the first.

    >>> from sparseaug.designs.constructions.lattices import best_lattice
    >>> best_lattice((4, 4), 8).tolist()
    [[0, 0], [0, 2], [1, 1], [1, 3], [2, 0], [2, 2], [3, 1], [3, 3]]
    """
    index, rest = divmod(math.prod(moduli), m)
    if rest:
        return None
    merits = [(_merit(basis, moduli), basis) for basis in _sublattices(moduli, index)]
    _, best = min(merits, key=lambda each: each[0])
    steps = np.array(moduli) // best.diagonal()
    rows = _all_below(steps) @ best % moduli
    return rows[np.lexsort(rows.T[::-1])]


def rounded_lattice(moduli: tuple[int, ...], m: int) -> Rows | None:
    """m even points of one or two axes, rounded to shifts: where no lattice has m elements.

    On two axes they are (i, z i) / m with the z whose shortest dual frequency is longest.

    >>> from sparseaug.designs.constructions.lattices import rounded_lattice
    >>> rounded_lattice((10,), 4).ravel().tolist(), rounded_lattice((7, 7), 3).tolist()
    ([0, 2, 5, 8], [[0, 0], [2, 2], [5, 5]])
    """
    if m > min(math.prod(moduli), _LARGEST_ROUNDED):
        return None
    i, z = np.arange(m), np.arange(m)
    if len(moduli) == 2:
        first = (-z[:, None] * np.arange(m)) % m  # f1 + z f2 = 0 mod m
        squares = np.minimum(first, m - first) ** 2 + np.minimum(i, m - i) ** 2
        squares[:, 0] = m * m
        z = z[squares.min(axis=1).argmax()] * i % m
    turns = np.stack([i, z], axis=1)[:, : len(moduli)] / m
    return np.rint(turns * np.array(moduli)).astype(np.int64) % moduli


def _merit(basis: Rows, moduli: tuple[int, ...]) -> tuple[int, int]:
    """Smaller is better: minus the square of the shortest dual length, and how many have it.

    f is in the dual if basis diag(1/n) f is whole, hence f = diag(n) basis^-1 z; since basis is
    triangular, z_i below its diagonal entry gives every f mod n once. diag(n) basis^-1 is whole, as
    the lattice holds all n_i e_i.
    """
    weights = np.rint(np.linalg.solve(basis.T.astype(float), np.diag(moduli)).T).astype(np.int64)
    dual = _all_below(basis.diagonal()) @ weights.T % moduli
    folded = np.minimum(dual, np.array(moduli) - dual)
    lengths = (folded**2).sum(axis=1)[1:]  # the first is f = 0
    shortest = int(lengths.min(initial=1 << 62))
    return -shortest, int((lengths == shortest).sum())


def _sublattices(moduli: tuple[int, ...], index: int) -> Iterator[Rows]:
    """Lattices of this index in Z^k that hold all n_i e_i: triangular bases in normal form."""
    n, k = moduli[0], len(moduli)
    if k == 1:
        if n % index == 0:
            yield np.array([[index]])
        return
    for a in range(1, n + 1):
        if n % a or index % a:
            continue
        for inner in _sublattices(moduli[1:], index // a):
            for offset in product(*(range(d) for d in inner.diagonal().tolist())):
                if _contains(inner, np.array(offset) * (n // a)):
                    below = np.zeros((k - 1, 1), np.int64)
                    yield np.block([[np.array([[a]]), np.array([offset])], [below, inner]])


def _contains(basis: Rows, vector: Rows) -> bool:
    """Whether the lattice with this upper triangular basis holds the vector."""
    for i, row in enumerate(basis):
        times, rest = divmod(int(vector[i]), int(row[i]))
        if rest:
            return False
        vector = vector - times * row
    return True


def _all_below(sizes: Rows) -> Rows:
    """All vectors with 0 <= z_i < sizes[i], counted with the last entry fastest."""
    return np.indices(tuple(sizes.tolist())).reshape(len(sizes), -1).T
