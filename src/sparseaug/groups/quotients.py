"""The quotients g_i^-1 g_j of S, counted: ||pi(S)||_F^2 = (1/m^2) sum_ij chi_pi(g_i^-1 g_j).

There are m^2 of them. Where S is a coset g H of a subgroup, each as often, they are the elements of H,
each m^2 / |H| times: |H| rows instead of m^2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import require_work
from sparseaug.errors import UnsupportedError
from sparseaug.groups.permutations import Rows

if TYPE_CHECKING:
    from sparseaug.groups.base import Group

Floats: TypeAlias = NDArray[np.float64]


class Multiset(Protocol):
    """What is asked of S here: m elements of a group, the distinct ones, and how often each occurs."""

    @property
    def group(self) -> Group: ...
    @property
    def elements(self) -> Rows: ...
    @property
    def m(self) -> int: ...
    def counts(self) -> tuple[Rows, Rows]: ...


WORK = 1 << 31
"""Integers in the rows of all quotients, at most: some ten seconds."""

_CHUNK = 1 << 21  # integers of rows held at a time
_VALUES = 1 << 22  # values held at a time


def quotients(S: Multiset) -> Iterator[tuple[Rows, Rows]] | None:
    """Rows of quotients and how often each occurs, in chunks, m^2 in all; None above `WORK`."""
    rows, counts = S.counts()
    subgroup = coset_of(S)
    if subgroup is not None:
        return iter([(subgroup, np.full(len(rows), int(counts[0]) * S.m))])
    if len(rows) ** 2 * S.group.width > WORK:
        return None
    step = max(1, _CHUNK // (len(rows) * max(1, S.group.width)))
    return _pairs(S.group, rows, counts, step)


def too_many(S: Multiset, instead: str = "") -> UnsupportedError:
    """What to raise where `quotients` are None; `instead` is what may be used besides."""
    return UnsupportedError(
        f"m={S.m} is too large to count the quotients of S in {S.group.name}; use fewer "
        f"elements{instead}."
    )


def coset_of(S: Multiset) -> Rows | None:
    """The subgroup H if S is a coset g H, each element as often; None otherwise.

    Then pi(S) = pi(g) P with the projection P onto the vectors that H fixes: its norm is 0 or 1.
    """
    rows, counts = S.counts()
    return subgroup_of(S.group, rows) if counts.min() == counts.max() else None


def _pairs(group: Group, rows: Rows, counts: Rows, step: int) -> Iterator[tuple[Rows, Rows]]:
    """The quotients of all pairs and their weights, `step` rows with all others at a time."""
    inverses = group._inverse(rows)
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        products = group._compose(inverses[part, None], rows[None])
        weights = counts[part, None] * counts[None]
        yield products.reshape(-1, group.width), weights.ravel()


def subgroup_of(group: Group, rows: Rows) -> Rows | None:
    """H if the distinct rows are a coset g H of a subgroup, else None.

    T = g_1^-1 S holds the identity. If T t = T for some elements t of T, and right products with them
    lead from the identity to all of T, then T is the subgroup that they generate. Each new t at least
    doubles what is reached, so there are log2(m) of them.
    """
    from scipy.sparse import csr_array  # takes a tenth of a second to import
    from scipy.sparse.csgraph import connected_components

    translated = group._compose(group._inverse(rows[:1]), rows)
    size = len(translated)
    edges: list[Rows] = []
    reached = np.arange(size) == 0  # g_1^-1 g_1
    while not reached.all():
        t = translated[[int(reached.argmin())]]
        both = np.concatenate([translated, group._compose(translated, t)])
        small = group.log_order < 43  # ranks are integers of 62 bits
        keys = group._rank(both) if small else both
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


def over_quotients(S: Multiset, values: Callable[[Rows], Floats], width: int) -> Floats:
    """The mean over all quotients of so many values of each."""
    rows, counts = S.counts()
    what = f"the mean squares of m={S.m} rotations"
    require_work("rotations in quotients", len(rows), what, remedy="use fewer")
    total = np.zeros(width)
    step = max(1, _VALUES // (len(rows) * width))
    for products, weights in _pairs(S.group, rows, counts, step):
        total += weights @ values(products)
    return total / S.m**2


def tally(codes: Rows, weights: Rows) -> Iterator[tuple[Any, int]]:
    """Each code that occurs, or row of codes, and the sum of its weights."""
    unique, places = np.unique(codes, axis=0, return_inverse=True)
    sums = np.zeros(len(unique), np.int64)
    np.add.at(sums, places.reshape(-1), weights)
    return zip(unique.tolist(), sums.tolist(), strict=True)
