"""Lattices of shifts for every group that has shifts: grids, polygons, their products.

An element of such a group is a shift times one of a few turns and flips. S = L F, a lattice L of
shifts and all turns and flips F: on an irrep its mean is that of L times that of F. It vanishes
where the shifts have frequencies that are shorter than the shortest one of the dual of L, since
turns and flips keep lengths; and where the shifts have frequency 0, as F is everything there.

Subgroups of shifts that are good in low frequency: the best lattice of m points, and even turns.

The mean of a subgroup S of C_n1 x C_n2 x ... is 1 on the characters that are trivial on S, its
dual, and 0 on all others: S is exact for all frequencies shorter than the shortest one of its dual
but 0. The length of a frequency f is the root of sum_i min(f_i, n_i - f_i)^2, in cycles around each
axis.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate, product
from typing import Any

import numpy as np

from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Dihedral, GridSymmetries, Group, Rows

MOST_SHIFTS = 1 << 20
MOST_AXES = 3
"""Shifts and axes up to which all lattices are compared, in a second or two."""


@dataclass(frozen=True)
class Axes:
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


def lattice(group: Group, m: int) -> tuple[Rows, float]:
    """The best lattice of m elements with all turns and flips, and the frequency it is exact below."""
    shifts = axes(group)
    if shifts is None:
        raise ArgumentError(f"{group.name} has no shifts of which lattices are known.")
    count, left = divmod(m, len(shifts.rest))
    points = None if left or not count else best_lattice(shifts.moduli, count)
    if points is None:
        total = math.prod(shifts.moduli)
        sizes = [len(shifts.rest) * k for k in range(1, total + 1) if total % k == 0]
        below = max((size for size in sizes if size < m), default=sizes[0])
        above = min((size for size in sizes if size > m), default=sizes[-1])
        raise ArgumentError(
            f"m={shorten(m)} is not the size of a lattice of {group.name}; the nearest are "
            f"{below} and {above}."
        )
    rows = np.repeat(shifts.rest, len(points), axis=0)
    rows[:, list(shifts.columns)] = np.tile(points, (len(shifts.rest), 1))
    return rows, math.sqrt(shortest_dual(points, shifts.moduli))


def _axes(group: Group) -> Axes | None:
    if group.moduli is not None:
        return _of_shifts(group.moduli)
    if group.factors:
        return _of_product(group)
    find = _TURNED.get(type(group))
    return None if find is None else find(group)


def _of_shifts(moduli: tuple[int, ...]) -> Axes | None:
    if set(moduli) == {2}:  # sign flips: degrees, not frequencies
        return None
    return Axes(tuple(range(len(moduli))), moduli, np.zeros((1, len(moduli)), np.int64))


def _of_dihedral(group: Any) -> Axes:
    return Axes((0,), (group.n,), np.array([[0, 0], [0, 1]]))


def _of_grid(group: Any) -> Axes:
    rest = np.zeros((8, 4), np.int64)
    rest[:, 2:] = np.indices((4, 2)).reshape(2, -1).T
    return Axes((0, 1), (group.n, group.n), rest)


def _of_product(group: Group) -> Axes | None:
    parts = [_axes(factor) for factor in group.factors]
    starts = [0, *accumulate(factor.width for factor in group.factors)]
    columns: list[int] = []
    moduli: list[int] = []
    rest = np.zeros((1, 0), np.int64)
    for part, start in zip(parts, starts, strict=False):
        if part is None:
            return None
        columns += [start + column for column in part.columns]
        moduli += part.moduli
        rest = np.concatenate(
            [np.repeat(rest, len(part.rest), axis=0), np.tile(part.rest, (len(rest), 1))], axis=1
        )
    return Axes(tuple(columns), tuple(moduli), rest)


_TURNED: dict[type[Group], Callable[[Any], Axes]] = {
    Dihedral: _of_dihedral,
    GridSymmetries: _of_grid,
}
"""Families that turn or flip as well as shift."""


def best_lattice(moduli: tuple[int, ...], m: int) -> Rows | None:
    """The subgroup of m elements whose dual has the longest shortest frequency; None if there is none.

    Among equals the one with the fewest such frequencies, then the first.

    >>> best_lattice((4, 4), 8).tolist()
    [[0, 0], [0, 2], [1, 1], [1, 3], [2, 0], [2, 2], [3, 1], [3, 3]]
    """
    index, rest = divmod(math.prod(moduli), m)
    if rest:
        return None
    merits = [(_merit(basis, moduli), basis) for basis in _sublattices(moduli, index)]
    _, best = min(merits, key=lambda each: each[0])
    steps = np.array(moduli) // best.diagonal()
    rows = _box(steps) @ best % moduli
    return rows[np.lexsort(rows.T[::-1])]


def frequency_lengths(frequencies: Rows, moduli: tuple[int, ...]) -> Rows:
    """Squared lengths of frequencies (k, w)."""
    folded = np.minimum(frequencies, np.array(moduli) - frequencies)
    return (folded**2).sum(axis=1)


def shortest_dual(points: Rows, moduli: tuple[int, ...]) -> int:
    """The squared length of the shortest frequency but 0 that is trivial on all these points.

    For a subgroup of m points, below n1^2 + n2^2 + ... and one above it where every frequency is
    cancelled.

    >>> shortest_dual(best_lattice((8, 8), 32), (8, 8))
    32
    """
    indicator = np.zeros(moduli)
    indicator[tuple(points.T)] = 1.0
    dual = np.argwhere(np.abs(np.fft.fftn(indicator)) > 0.5 * len(points))
    lengths = frequency_lengths(dual, moduli)
    return int(lengths[lengths > 0].min(initial=sum(n * n for n in moduli) + 1))


def _merit(basis: Rows, moduli: tuple[int, ...]) -> tuple[int, int]:
    """Smaller is better: minus the square of the shortest dual length, and how many have it.

    f is in the dual if basis diag(1/n) f is whole, hence f = diag(n) basis^-1 z; since basis is
    triangular, z_i below its diagonal entry gives every f mod n once. diag(n) basis^-1 is whole, as
    the lattice holds all n_i e_i.
    """
    weights = np.rint(np.linalg.solve(basis.T.astype(float), np.diag(moduli)).T).astype(np.int64)
    dual = _box(basis.diagonal()) @ weights.T % moduli
    lengths = frequency_lengths(dual, moduli)[1:]  # the first is f = 0
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
                    yield np.block(
                        [
                            [np.array([[a]]), np.array([offset])],
                            [np.zeros((k - 1, 1), np.int64), inner],
                        ]
                    )


def _contains(basis: Rows, vector: Rows) -> bool:
    """Whether the lattice with this upper triangular basis holds the vector."""
    for i, row in enumerate(basis):
        times, rest = divmod(int(vector[i]), int(row[i]))
        if rest:
            return False
        vector = vector - times * row
    return True


def _box(sizes: Rows) -> Rows:
    """All vectors with 0 <= z_i < sizes[i], counted with the last entry fastest."""
    return np.indices(tuple(sizes.tolist())).reshape(len(sizes), -1).T
