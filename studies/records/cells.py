"""Permutations b of which each sends tuples y into classes: all cells (y, class) are to be met evenly.

Symmetries join cells: one stands for all that pairs (f, g), with which b becomes f b g^-1, make of it.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from studies.records import Rows


def cells_of(given: Rows, tuples: Rows, label: NDArray[np.int64], sizes: NDArray[np.int64]) -> Rows:
    """Orbits of the pairs on (y, O_j): connected components."""
    (C, t), J, n = tuples.shape, len(sizes), given.shape[1] // 2
    weights = n ** np.arange(t)[::-1]
    place = np.full(n**t, -1)
    place[tuples @ weights] = np.arange(C)
    codes = np.array([int(np.flatnonzero(label == j)[0]) for j in range(J)])
    members = codes[:, None] // weights % n
    here = np.arange(C * J)
    links = []
    for pair in given:
        y, x = pair[n:][tuples] - n, pair[:n][members]
        sorting = np.argsort(y, axis=1)
        to = place[np.take_along_axis(y, sorting, axis=1) @ weights]
        there = label[x[:, sorting] @ weights].T
        links.append((to[:, None] * J + there).ravel())
    graph = coo_array(
        (np.ones(len(here) * len(links)), (np.tile(here, len(links)), np.concatenate(links))),
        shape=(len(here), len(here)),
    )
    return connected_components(graph, directed=False)[1].reshape(C, J).astype(np.int64)


@njit(cache=True)
def anneal(b, off, tuples, cells, label, starts, members, warmth, steps, rng):  # type: ignore[no-untyped-def]
    """Exchanges of two images at one temperature; returns the sum of squares of `off`."""
    k, n = b.shape
    t = tuples.shape[1]
    cost = 0
    for e in range(len(off)):
        cost += off[e] * off[e]
    for _ in range(steps):
        if cost == 0:
            return 0
        i = rng.integers(0, k)
        p = rng.integers(0, n)
        q = rng.integers(0, n - 1)
        if q >= p:
            q += 1
        x, y = b[i, p], b[i, q]
        change = 0
        for back in range(2):
            for place in range(starts[p * n + q], starts[p * n + q + 1]):
                row = members[place]
                old = new = 0
                for s in range(t):
                    point = tuples[row, s]
                    image = b[i, point]
                    old = old * n + image
                    if image == x:
                        image = y
                    elif image == y:
                        image = x
                    new = new * n + image
                before, after = cells[row, label[old]], cells[row, label[new]]
                if before != after:
                    change += 2 * (off[after] - off[before]) + 2
                    off[before] -= 1
                    off[after] += 1
            b[i, p], b[i, q] = b[i, q], b[i, p]
            if back == 0 and (change <= 0 or rng.random() < np.exp(-change / warmth)):
                cost += change
                break
            x, y = b[i, p], b[i, q]
    return cost


def through(tuples: Rows, n: int) -> tuple[Rows, Rows]:
    """The tuples through p or q: where their list starts, at p n + q, and all lists."""
    lists = [
        np.flatnonzero(((tuples == p) | (tuples == q)).any(axis=1))
        if p != q
        else np.empty(0, np.int64)
        for p in range(n)
        for q in range(n)
    ]
    return np.cumsum([0, *map(len, lists)]), np.concatenate(lists)
