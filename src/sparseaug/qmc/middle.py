"""Pairs of an order and its reverse with which, of any three items, each is in the middle equally often.

Shapley values average, over orders, what a player adds to those before it. In the game that is worth 1
where all players of T are present, that is whether the player is the last of T. So orders are exact for
all games with interactions of at most k players if and only if in every T of at most k players each is
last equally often (k-restricted min-wise independence). With every order take its reverse. Then
- k = 2: each of two is last once.
- k = 3: each is first as often as last, so these are even if the middles are.
- k = 4: of a, b, c, d let a be last L times and, by the reverses, first L times. First is that none is
  before it: L = m - sum #(b before a) + sum #(b and c before a) - L, and the sums are of k = 2 and 3.
Leaving items out keeps middles even.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparseaug._records import orders_of
from sparseaug.qmc.field import Rows
from sparseaug.qmc.places import LARGEST_SEARCH

WORK = 60_000_000
"""n^3 times the pairs that are searched for, a second or so; then they are repeated."""

MOST = 6
"""Rows for each item of an exact set that is used: of a longer one the first rows are less even."""

MIDDLE_WEIGHT = 10
"""Weight of middles, of places 1, in the greedy choice: neither is much worse than if it were alone."""


def reversed_pairs(n: int, m: int) -> Rows:
    """Orders and their reverses, one after the other."""
    pairs = -(-m // 2)
    known = {size: rows for size, rows in orders_of("middle").items() if len(rows) <= MOST * size}
    if n <= max(known):
        rows = known[min(size for size in known if size >= n)][: 2 * pairs : 2]
        leading = rows[rows < n].reshape(-1, n)
    elif n <= LARGEST_SEARCH:
        leading = _greedy_orders(n, min(pairs, max(3, WORK // n**3)))
    else:
        leading = np.arange(n)[None]
    return np.stack([leading, leading[:, ::-1]], axis=1).reshape(-1, n)


def _greedy_orders(n: int, count: int) -> Rows:
    """Each order is the best that insertions find next to the ones before it.

    The sum of squares of the counts grows by 2 c + 1 for each item that is in the middle of two others
    and was so c times before. So an order costs the sum of the c of its middles. A little is added for
    an item that comes as far from the centre as before: interactions of many players depend on that.
    """
    rng = np.random.default_rng(n)
    met = np.zeros((n, n, n), np.float32)  # met[b, a, c]: 2 c - (orders so far), small integers
    visited = np.zeros((n, n))  # item and place
    offset = abs(2 * np.arange(n) - n + 1)
    distances = abs(offset[:, None] - offset)
    near = distances.sum(axis=1) - n * distances
    rows = np.empty((count, n), np.int64)
    for i in range(count):
        order: list[int] = []
        sides = np.zeros((n, n), np.float32)  # 1 where a is before b, -1 where it is after
        for item in (*rng.permutation(n).tolist(), *rng.permutation(n).tolist()):
            if len(order) == n:
                order.remove(item)
                sides[item] = sides[:, item] = 0
            _insert(order, item, sides, met, visited[item])
        rows[i] = order
        met -= sides[:, :, None] * sides[:, None]
        visited[order] += near
    return rows


def _insert(
    order: list[int],
    item: int,
    sides: NDArray[np.float32],
    met: NDArray[np.float32],
    visited: NDArray[np.float64],
) -> None:
    """Put an item where it costs least.

    Passing a, on its way up, it comes between a and each b that follows, where a was between it and b;
    and for each b before a it is the other way round. All numbers are integers below 2^53.
    """
    n, k = len(sides), len(order)
    step = np.einsum("ab,ab->a", met[item] - met[:, item], sides)[order]
    cost = np.concatenate([[0], np.cumsum(step)]) * (n * (n - 1) * MIDDLE_WEIGHT)
    cost += k * k * visited[np.arange(k + 1) * (n - 1) // max(k, 1)]
    place = int(cost.argmin())
    sides[order[:place], item] = sides[item, order[place:]] = 1
    sides[item, order[:place]] = sides[order[place:], item] = -1
    order.insert(place, item)
