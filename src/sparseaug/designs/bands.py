"""The best m of a pool of rotations, judged by all irreps up to a degree.

With F_j the entries of all these irreps at element j, in one row, the squared length of the mean of
the chosen rows is the sum of ||pi(S)||_F^2. Adding the element whose row has the least inner product
with the sum so far lowers it most; then one element at a time is exchanged for a better one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparseaug.designs.search import TIE, first_least
from sparseaug.errors import GroupTooLargeError
from sparseaug.groups import Group, Rows

MOST_ENTRIES = 1 << 25
"""Complex numbers of all rows F_j, 0.5 GB."""

MOST_SWAPS = 20
"""Passes over the chosen elements."""


def best_places(group: Group, rows: Rows, m: int, degree: int) -> Rows:
    """Places of m rows of the pool, each at most once."""
    places = np.lexsort(rows.T[::-1])  # S is a multiset: the order of the pool does not matter
    F = _entries(group, rows[places], degree)
    free = np.ones(len(rows), np.bool_)
    total = np.zeros(F.shape[1], F.dtype)
    chosen: list[int] = []
    for _ in range(m):
        chosen.append(_least(F, total, free))
        free[chosen[-1]] = False
        total = total + F[chosen[-1]]
    for _ in range(MOST_SWAPS):
        moved = False
        for at, old in enumerate(chosen):
            rest = total - F[old]
            free[old] = True
            new = _least(F, rest, free)
            better = np.vdot(rest, F[new]).real < np.vdot(rest, F[old]).real - TIE * m
            chosen[at] = new if better else old
            free[chosen[at]] = False
            total = rest + F[chosen[at]]
            moved |= bool(better)
        if not moved:
            break
    return places[chosen]


def _least(
    F: NDArray[np.complex128], total: NDArray[np.complex128], free: NDArray[np.bool_]
) -> int:
    places = np.flatnonzero(free)
    scores = (F @ total.conj()).real[places]
    return int(places[first_least(scores, 1)[0]])


def _entries(group: Group, rows: Rows, degree: int) -> NDArray[np.complex128]:
    irreps = list(group.irreps_to(degree))[1:]
    size = sum(irrep.dimension**2 for irrep in irreps)
    if size * len(rows) > MOST_ENTRIES:
        raise GroupTooLargeError(
            f"degree={degree} of {group.name} has {size} matrix entries, too many for a pool of "
            f"{len(rows)}: at most {MOST_ENTRIES} are held; lower degree, or use a smaller pool."
        )
    parts = [irrep.matrices(rows).reshape(len(rows), -1) for irrep in irreps]
    return np.concatenate(parts, axis=1).astype(np.complex128)
