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

from sparseaug.balance.field import Rows
from sparseaug.balance.places import LARGEST_SEARCH

EVEN = {
    3: ("201 021 012 "),
    5: ("04312 30214 20341 01243 24301 31204 "),
    7: (
        "3641205 1435062 0613524 1652403 2403165 1250364 0541263 0624153 2635014 5324061 2130465 "
        "0312564 "
    ),
    9: (
        "472138065 126457083 042831567 816705423 067348125 574831026 361057284 286537014 "
        "708624315 231750486 385642107 463750218 018346275 178456203 627813504 150642378 "
        "580246173 207538164 "
    ),
    10: (
        "8261405379 3127980564 0234981675 1305982746 8043627159 2016983457 8150734269 4123895670 "
        "6301897452 8372516049 7012894563 5230896741 8274630519 8056412739 4532618907 3140759826 "
        "6710438925 8167523409 5603728914 0251469837 8345701629 1362579804 7421508936 2073649815 "
    ),
    11: (
        "150673a9824 a6294517308 a5183406297 476a8529103 938451a7602 594017a3268 a1749062853 "
        "716239a5480 698a0741325 a7305628419 372895a1046 254a6307981 032a4185769 810a2963547 "
        "a9527840631 a0638951742 587a9630214 605128a4379 a2850173964 261784a0935 143a5296870 "
        "a3961284075 921a3074658 709a1852436 827340a6591 a8416739520 049562a8713 a4072395186 "
        "483906a2157 365a7418092 "
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
"""Exact sets, found by annealing, ordered so that their first rows are nearly even; items in base 13."""

WORK = 60_000_000
"""n^3 times the pairs that are searched for, a second or so; then they are repeated."""


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
    and was so c times before. So an order costs the sum of the c of its middles.
    """
    rng = np.random.default_rng(n)
    met = np.zeros((n, n, n), np.float32)  # met[b, a, c]: 2 c - (orders so far), small integers
    rows = np.empty((count, n), np.int64)
    for i in range(count):
        order: list[int] = []
        sides = np.zeros((n, n), np.float32)  # 1 where a is before b, -1 where it is after
        for item in (*rng.permutation(n).tolist(), *rng.permutation(n).tolist()):
            if len(order) == n:
                order.remove(item)
                sides[item] = sides[:, item] = 0
            _insert(order, item, sides, met)
        rows[i] = order
        met -= sides[:, :, None] * sides[:, None]
    return rows


def _insert(
    order: list[int], item: int, sides: NDArray[np.float32], met: NDArray[np.float32]
) -> None:
    """Put an item where it costs least.

    Passing a, on its way up, it comes between a and each b that follows, where a was between it and b;
    and for each b before a it is the other way round.
    """
    step = np.einsum("ab,ab->a", met[item] - met[:, item], sides)[order]
    place = int(np.concatenate([[0], np.cumsum(step)]).argmin())
    sides[order[:place], item] = sides[item, order[place:]] = 1
    sides[item, order[:place]] = sides[order[place:], item] = -1
    order.insert(place, item)
