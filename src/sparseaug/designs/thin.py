"""The best m elements of a pool: a design for groups of which there is an oracle and little else."""

from __future__ import annotations

import numpy as np

from sparseaug._checks import check_integer
from sparseaug.designs.catalogue import LARGEST_ORDER, announce_search, averages, is_listed
from sparseaug.designs.descent import GREEDY_ORDER, PASS_ORDERS, Judge, Signs, judge
from sparseaug.designs.search import TIE, best, best_of_pool, first_least
from sparseaug.errors import ArgumentError, UnsupportedError, shorten
from sparseaug.groups import Rows, format_order
from sparseaug.groups.degrees.graded import require_degree
from sparseaug.sampling import GroupSample, Origin
from sparseaug.sampling.sample import require_sample

MOST_SWAPS = 2000
"""Exchanges that are tried after the greedy choice."""


def thin(S: GroupSample, m: int, degree: int | None = None) -> GroupSample:
    """The m elements of S that are best together, chosen greedily and then by swaps.

    Judged by the whole deviation in groups of up to a million elements, and with `degree` by
    functions of at most that degree: in every group that permutes points to degree 2, and to any
    degree where the irreps up to it are known.

    Args:
        S: the pool; each of its elements is taken at most as often as it occurs there.
        m: how many to keep, at most S.m.
        degree: judge functions of at most this degree.

    Returns:
        The chosen sample. Its `calls` are the pool's, all of them: they were made.

    Raises:
        ArgumentError: m is above the size of the pool, or degree above the group's highest.
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
        degree = require_degree(S.group, degree)
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


def _chosen(S: GroupSample, m: int, degree: int | None) -> Rows:
    group = S.group
    if degree is None or (group.moduli is not None and is_listed(group)):
        view = averages(group, degree)
        announce_search(group, view, m)
        return group.unrank(best(view, m, among=np.sort(group.rank(S.elements))))
    if degree <= 2 and set(group.moduli or ()) == {2}:
        return S.elements[_places(Signs((1, 2)[:degree]), S.elements, m)]
    if degree <= 2 and group.points is not None and not group.irreps_have_degrees:
        images = group.permutations(S.elements)
        return S.elements[_places(judge(images.shape[1], degree), images, m)]
    return S.elements[best_of_pool(group, S.elements, m, degree)]


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
