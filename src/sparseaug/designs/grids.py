"""Lattices of shifts for every group that has shifts: grids, polygons, their products.

An element of such a group is a shift times one of a few turns and flips. S = L F, a lattice L of
shifts and all turns and flips F: on an irrep its mean is that of L times that of F. It vanishes
where the shifts have frequencies that are shorter than the shortest one of the dual of L, since
turns and flips keep lengths; and where the shifts have frequency 0, as F is everything there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np

from sparseaug.designs.lattices import best_lattice, shortest_dual
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
