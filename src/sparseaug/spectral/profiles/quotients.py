"""The quotients g_i^-1 g_j of S, counted: ||pi(S)||_F^2 = (1/m^2) sum_ij chi_pi(g_i^-1 g_j).

There are m^2 of them. Where S is a coset g H of a subgroup, each as often, they are the elements of H,
each m^2 / |H| times: |H| rows instead of m^2.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from sparseaug.groups import Group, Rows
from sparseaug.sampling import GroupSample

WORK = 1 << 31
"""Integers in the rows of all quotients, at most: some ten seconds."""

_CHUNK = 1 << 21  # integers of rows held at a time


def quotients(S: GroupSample, work: int | None = None) -> Iterator[tuple[Rows, Rows]] | None:
    """Rows of quotients and how often each occurs, in chunks, m^2 in all; None if they are too many.

    `work` is how many integers their rows may hold, `WORK` by default.
    """
    rows, counts = S.counts()
    subgroup = coset_of(S)
    if subgroup is not None:
        return iter([(subgroup, np.full(len(rows), int(counts[0]) * S.m))])
    if len(rows) ** 2 * S.group.width > (WORK if work is None else work):
        return None
    return _pairs(S.group, rows, counts)


def coset_of(S: GroupSample) -> Rows | None:
    """The subgroup H if S is a coset g H, each element as often; None otherwise.

    Then pi(S) = pi(g) P with the projection P onto the vectors that H fixes: its norm is 0 or 1.
    """
    rows, counts = S.counts()
    return subgroup_of(S.group, rows) if counts.min() == counts.max() else None


def _pairs(group: Group, rows: Rows, counts: Rows) -> Iterator[tuple[Rows, Rows]]:
    k = len(rows)
    inverses = group.inverse(rows)
    step = max(1, _CHUNK // (k * max(1, group.width)))
    for start in range(0, k, step):
        part = slice(start, start + step)
        products = group.compose(inverses[part, None], rows[None])
        weights = counts[part, None] * counts[None]
        yield products.reshape(-1, group.width), weights.ravel()


def subgroup_of(group: Group, rows: Rows) -> Rows | None:
    """H if the distinct rows are a coset g H of a subgroup, else None.

    T = g_1^-1 S holds the identity. If T t = T for some elements t of T, and right products with them
    lead from the identity to all of T, then T is the subgroup that they generate. Each new t at least
    doubles what is reached, so there are log2(m) of them.
    """
    translated = group.compose(group.inverse(rows[:1]), rows)
    size = len(translated)
    edges: list[Rows] = []
    reached = np.arange(size) == 0  # g_1^-1 g_1
    while not reached.all():
        t = translated[[int(reached.argmin())]]
        both = np.concatenate([translated, group.compose(translated, t)])
        small = group.log_order < 43  # ranks are integers of 62 bits
        keys = group.rank(both) if small else both
        unique, number = np.unique(keys, axis=0, return_inverse=True)
        if len(unique) > size:
            return None
        number = number.reshape(-1)
        place = np.empty(size, np.int64)
        place[number[:size]] = np.arange(size)
        edges.append(place[number[size:]])
        sources = np.tile(np.arange(size), len(edges))
        graph = csr_array(
            (np.ones(len(sources)), (sources, np.concatenate(edges))), shape=(size, size)
        )
        labels = connected_components(graph, directed=False)[1]
        reached = labels == labels[0]
    return translated
