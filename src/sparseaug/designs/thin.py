"""The best m elements of a pool: a design for groups of which there is an oracle and little else.

The best m of a pool of rotations, judged by all irreps up to a degree.

With F_j the entries of all these irreps at element j, in one row, the squared length of the mean of
the chosen rows is the sum of ||pi(S)||_F^2. Adding the element whose row has the least inner product
with the sum so far lowers it most; then one element at a time is exchanged for a better one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import check_integer
from sparseaug.designs import tuples
from sparseaug.designs.constructions import (
    LARGEST_ORDER,
    announce_search,
    averages,
    is_listed,
    searched_degrees,
)
from sparseaug.designs.descent import GREEDY_ORDER, PASS_ORDERS, Judge
from sparseaug.designs.search import TIE, best, first_least
from sparseaug.designs.signs import Signs
from sparseaug.errors import ArgumentError, GroupTooLargeError, UnsupportedError, shorten
from sparseaug.groups import Group, Rows, format_order
from sparseaug.groups.wigner import require_degree
from sparseaug.sampling import GroupSample, Origin
from sparseaug.sampling.sample import require_sample

MOST_SWAPS = 2000
"""Exchanges that are tried after the greedy choice."""


def thin(S: GroupSample, m: int, degree: int | None = None) -> GroupSample:
    """The m elements of S that are best together, chosen greedily and then by swaps.

    Judged by the whole deviation in groups of up to a million elements, and with `degree` by
    functions of one or two coordinates, in every group that permutes points and for sign flips; of
    rotations, and of their products with other groups, by functions of at most that degree.

    Args:
        S: the pool; each of its elements is taken at most as often as it occurs there.
        m: how many to keep, at most S.m.
        degree: judge functions of at most this many coordinates.

    Returns:
        The chosen sample. Its `calls` are the pool's, all of them: they were made.

    Raises:
        ArgumentError: m is above the size of the pool, or degree above 2 in a group too large to list.
        UnsupportedError: the group is too large to list, and degree is not given or has no meaning.

    Examples:
        >>> import sparseaug as sa
        >>> pool = sa.Oracle(sa.symmetric(5), seed=0).draw(100)
        >>> S = sa.thin(pool, 24)
        >>> S.m, S.calls, sa.deviation(S).value < 0.75 * sa.deviation(
        ...     sa.GroupSample(pool.group, pool.elements[:24])).value
        (24, 100, True)
    """
    require_sample(S)
    m = check_integer("m", m, at_least=1)
    if m > S.m:
        raise ArgumentError(
            f"m={shorten(m)} is above {S.m}, the size of the pool S; draw a larger pool."
        )
    if degree is not None:
        degree = _check_degree(S.group, check_integer("degree", degree, at_least=1))
    elif not S.group.is_finite:
        raise UnsupportedError(
            f"degree is not given, and {S.group.name} has infinitely many irreps; give degree=, the "
            "largest degree that counts."
        )
    elif not is_listed(S.group):
        raise UnsupportedError(
            f"degree is not given, and {S.group.name} of order {format_order(S.group)} has more than "
            f"{LARGEST_ORDER} elements, too many to judge a sample whole; give degree=1 or 2."
        )
    origin = Origin(
        "thin",
        parents=(S.sha256,),
        draws=S.origin.draws,
        sourced=S.origin.sourced,
        behind=S.origin.behind,
        design=S.origin.design,
    )
    return GroupSample(S.group, _chosen(S, m, degree), S.calls, origin)


def _check_degree(group: Group, degree: int) -> int:
    if not group.is_finite:
        require_degree(degree)
        return degree
    if group.moduli is not None:
        if degree > group.width:
            raise ArgumentError(
                f"degree={shorten(degree)} is above the {group.width} factors of {group.name}."
            )
        if not is_listed(group) and not (degree <= 2 and 2 in searched_degrees(group)):
            raise UnsupportedError(
                f"degree={shorten(degree)}: abelian groups are judged up to {LARGEST_ORDER} elements, "
                f"and {group.name} has {format_order(group)}; use design(group, degree=)."
            )
        return degree
    if group.points is None:
        raise UnsupportedError(
            f"degree={shorten(degree)} has no meaning for {group.name}, which does not permute points."
        )
    if degree > group.points:
        raise ArgumentError(
            f"degree={shorten(degree)} is above the {group.points} points of {group.name}."
        )
    if degree > 2:
        raise ArgumentError(
            f"degree={shorten(degree)}: pools of permutations are judged by degree 1 or 2."
        )
    return degree


def _chosen(S: GroupSample, m: int, degree: int | None) -> Rows:
    group = S.group
    if degree is not None and not group.is_finite:
        return S.elements[best_places(group, S.elements, m, degree)]
    if degree is not None and group.moduli is not None and not is_listed(group):
        return S.elements[_places(Signs((1, 2)[:degree]), S.elements, m)]
    if degree is None or group.moduli is not None:
        view = averages(group, degree)
        announce_search(group, view, m)
        return group.unrank(best(view, m, among=np.sort(group.rank(S.elements))))
    images = group.permutations(S.elements)
    return S.elements[_places(tuples.judge(images.shape[1], degree), images, m)]


def _places(by: Judge, rows: Rows, m: int) -> Rows:
    """Places in the pool: the greedy choice, then exchanges of one place for a better one."""
    places = np.lexsort(rows.T[::-1])  # S is a multiset: the order of the pool does not matter
    rows = rows[places]
    chosen = [0]
    while len(chosen) < m:
        free = np.setdiff1d(np.arange(len(rows)), chosen)
        scores = by.score(rows[chosen], GREEDY_ORDER)
        chosen.append(int(free[first_least(scores(rows[free]), 1)[0]]))
    return places[_exchanged(by, rows, chosen) if m > 1 else chosen]


def _exchanged(by: Judge, rows: Rows, chosen: list[int]) -> list[int]:
    least, best_so_far, tries = by.norm(rows[chosen]), list(chosen), MOST_SWAPS
    for k in PASS_ORDERS:
        energy, at = by.energy(rows[chosen], k), 0
        while at < len(chosen) and tries:
            rest = chosen[:at] + chosen[at + 1 :]
            free = np.setdiff1d(np.arange(len(rows)), rest)
            scores = by.score(rows[rest], k)(rows[free])
            tried = [*rest, int(free[first_least(scores, 1)[0]])]
            found = by.energy(rows[tried], k)
            tries -= 1
            if found < energy * (1.0 - TIE):
                chosen, energy = tried, found
            else:
                at += 1
        found = by.norm(rows[chosen])
        if found < least * (1.0 - TIE):
            least, best_so_far = found, list(chosen)
    return best_so_far


MOST_ENTRIES = 1 << 25
"""Complex numbers of all rows F_j, 0.5 GB."""

MOST_BAND_SWAPS = 20
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
    for _ in range(MOST_BAND_SWAPS):
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
