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

import numpy as np
from numpy.typing import NDArray

from sparseaug.balance.field import Rows
from sparseaug.balance.places import LARGEST_SEARCH

EVEN = {
    3: ("201 021 012 "),
    5: ("04312 30214 20341 01243 24301 31204 "),
    6: ("430215 235410 532014 034512 540231 025413 315402 452031 234015 035214 530412 015234"),
    7: (
        "3641205 1435062 0613524 1652403 2403165 1250364 0541263 0624153 2635014 5324061 2130465 "
        "0312564 "
    ),
    9: (
        "601783245 824560713 405183267 210576438 713482605 641275830 236704158 102468357 "
        "047815236 158623047 820675134 324075186 752083641 830164752 021387546 513264078 "
        "605371824 712864053 "
    ),
    10: (
        "2136847509 8307294165 8125096347 6537891420 8470523169 0314865729 4289630715 6089412537 "
        "4715893602 8652701349 3498251760 1698073542 2798140653 0598362471 8763412059 5426890713 "
        "7189523604 5389701426 8541630279 3207854619 7604892531 8014395276 1025876439 8236197054 "
    ),
    11: (
        "392a4815076 847a9360521 a5286470391 a0731925846 958a0471632 403a5926187 a4175369280 "
        "2971a604853 8537a260419 a6397581402 6315a048297 4193a826075 a1842036957 3082a715964 "
        "7426a159308 a9620814735 1860a593742 0759a482631 5204a937186 9648a371520 514a6037298 "
        "069a1582743 a2953147068 a7408692513 a8519703624 736a8259410 625a7148309 281a3704965 "
        "170a2693854 a3064258179 "
    ),
    12: (
        "4726180a59b3 80597624b3a1 7a594b318026 69483a207b15 0491ba683725 8b6a50429137 "
        "b2918375046a 361507b948a2 481532a07b69 03a29486157b a1807264b359 2504b6a83791 "
        "907b6153a248 a27b98461503 14b3a5972680 26b3108a5947 5837291b6a04 6a375402918b "
        "3704219b6a58 916a873504b2 592643b1807a b380a9572614 7b2a01564893 a25134897b06 "
        "158467b0a239 48b79a231560 5908ab342671 37a68912045b 6a19b0453782 047356ab9128 "
        "914023786ab5 b362459a8017 26957801b34a 803b126759a4 7b486513a290 15a20b794836 "
    ),
}
"""Exact sets, found by annealing, ordered so that the first are nearly even; items in base 13."""

WORK = 60_000_000
"""n^3 times the pairs that are searched for, a second or so; then they are repeated."""

MIDDLE_WEIGHT = 10
"""Middles beside places in the greedy choice: with it neither is much worse than if it were alone."""


def reversed_pairs(n: int, m: int) -> Rows:
    """Orders and their reverses, one after the other."""
    pairs = -(-m // 2)
    if n <= max(EVEN):
        known = EVEN[min(size for size in EVEN if size >= n)].split()
        rows = [[x for x in (int(c, 13) for c in row) if x < n] for row in known[:pairs]]
        leading = np.array(rows, np.int64)
    elif n <= LARGEST_SEARCH:
        leading = _greedy_orders(n, min(pairs, max(3, WORK // n**3)))
    else:
        leading = np.arange(n)[None]
    return np.stack([leading, leading[:, ::-1]], axis=1).reshape(-1, n)


def _greedy_orders(n: int, count: int) -> Rows:
    """Each order is the best that insertions find beside the ones before it.

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
