"""Orders of n items, better than `rng.permutation` in a loop: any n, any m, at once.

A maker below gives one block of rows that is even in some sense, always the same one, and of a
shorter one its first rows. Copies of it follow each other, each with its items relabelled by a uniform
permutation, which keeps every balance here and makes every row a uniform order: unbiased.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import check_choice, check_integer, check_rng, require_memory
from sparseaug.errors import ArgumentError
from sparseaug.qmc import middle, places

MAKERS: dict[str, Callable[[int, int], NDArray[np.int64]]] = {
    "middle": middle.reversed_pairs,
    "positions": places.latin_square,
    "pairs": places.latin_squares,
    "neighbours": places.williams_square,
    "first": places.chains,
}
"""n and m to a block of orders, always the same for n: all of it, or the first m rows."""

BALANCES = tuple(MAKERS)

STATISTICS = {
    "shapley": ("middle", "what an item adds to those before it: Shapley values, data valuation"),
    "precedence": ("middle", "whether a comes before b: inversions, order of addition"),
    "places": ("positions", "each item by its place: the last one, one place, discounted sums"),
    "two places": ("pairs", "two items by their two places"),
    "neighbours": ("neighbours", "what follows what: carry-over, tours, listwise judges"),
    "first": ("first", "the set of the first k: selection, caches, records"),
    "reversible": (
        "positions",
        "the same for an order and its reverse: distances, who of three is between",
    ),
    "anything": ("positions", "none of these, or not known"),
}
"""What is averaged to the balance that suits it, and what it is: one table, for the pages too."""

ANY_PLACES = ("positions", "pairs")
"""Balances that do not mind in which order the places are."""


def orders(
    n: int,
    m: int,
    *,
    for_: str | None = None,
    balance: str | None = None,
    rng: int | np.random.Generator = 0,
) -> NDArray[np.int64]:
    """m orders of n items, evenly chosen: for Shapley values, order effects, listwise judges.

    Every row is uniform among all n! orders, so averages over rows are unbiased; together the rows are
    more even than independent draws. `orders(n, m)[:k]` is `orders(n, k)`. Which balance is right
    depends on what is averaged: say it by `for_`. A wrong one may be worse than random orders: "middle",
    the default, has each order with its reverse, so for what is the same of both, such as the length of
    a tour, m rows are worth m/2 or less. Memory grows as n m.

    - for_="shapley", "precedence": what an item adds to those before it; a before b: "middle"
    - for_="places": the last item, one place, discounted sums: "positions"
    - for_="two places": two items by their places: "pairs"
    - for_="neighbours": what follows what, tours: "neighbours"
    - for_="first": the set of the first k: "first"
    - for_="reversible": the same for an order and its reverse, as the distance of two items:
      "positions", for even n of one item more, which is left out
    - for_="anything": none of these, or not known: "positions", hardly ever worse than random orders
      (distances, even n: 1.1 times)

    The balances:

    - "middle": each order is followed by its reverse, and of any three items each is in the middle as
      often as the others. Exact with 12 rows for up to 5 items, 24 for up to 7, 36 for up to 9, and 48,
      60, 72 for 10, 11, 12: Shapley values of games with interactions of up to four players are then
      exact. For other m, and up to 128 items, as even as a greedy choice is; above, as drawn.
    - "positions": every n rows are a Latin square: every item in every place once.
    - "pairs": also any two items in any two places; exact with n (n - 1) rows where n is a prime power.
    - "neighbours": every item follows every other equally often, in any place; n rows for even n
      (Williams 1949) and for 7, 9, 11, 13, 15, else 2 n. Places are even too but for 7, 11, 13.
    - "first": for every k the sets of the first k items are as even as a greedy choice is.

    Args:
        n: number of items, at least 1.
        m: number of orders, at least 1.
        for_: what is averaged, as above.
        balance: "middle", "positions", "pairs", "neighbours" or "first", instead of for_.
        rng: a seed, or a NumPy generator, which the call advances.

    Returns:
        Integers (m, n); row i lists the items 0..n-1 in the i-th order.

    Examples:
        >>> import sparseaug as sa
        >>> sa.orders(4, 4)
        array([[2, 3, 0, 1],
               [1, 0, 3, 2],
               [3, 2, 1, 0],
               [0, 1, 2, 3]])
        >>> print(sa.orders_report(sa.orders(5, 12)))
        m = 12, n = 5, with their reverses; as many random orders leave 1
        <BLANKLINE>
        balance     even                               left
        positions   each item in each place             1.8
        pairs       two items in two places             1.2
        middle      each of three in the middle       exact
        neighbours  each item right after each other   0.65
        first       each k items first, all k          0.24
        <BLANKLINE>
        Shapley values are exact for interactions of at most 4 players.

    References:
        Matousek and Stojakovic, On restricted min-wise independence of permutations (2003); Norin, A
        polynomial lower bound for the size of any k-min-wise independent set of permutations (2001).
        To fit a model of the order itself take a design of order-of-addition experiments (Voelkel,
        arXiv 1701.02786): the rows here make averages exact, and 12 of "middle" for 5 items determine
        7 of the 11 parameters of the pairwise-order model.
    """
    n, m = check_integer("n", n, at_least=1), check_integer("m", m, at_least=1)
    if for_ is not None and balance is not None:
        raise ArgumentError("for_ and balance exclude each other; give one of them.")
    if for_ is not None:
        balance = STATISTICS[check_choice("for_", for_, tuple(STATISTICS))][0]
    if for_ == "reversible" and n % 2 == 0:
        # in an even square of shifts, items half a turn apart meet in the same two places twice
        rows = orders(n + 1, m, balance=balance, rng=rng)
        return rows[rows < n].reshape(m, n)
    balance = check_choice("balance", "middle" if balance is None else balance, BALANCES)
    generator = check_rng(rng)
    require_memory(*(("n", n, m, "items") if n > m else ("m", m, n, "orders")))
    block = MAKERS[balance](n, m)
    copies = -(-m // len(block))
    labels, moved = np.moveaxis(
        generator.permuted(np.tile(np.arange(n), (copies, 2, 1)), axis=2), 1, 0
    )
    if balance in ANY_PLACES:
        blocks = np.stack([block[:, places] for places in moved])
    else:
        blocks = np.broadcast_to(block, (copies, *block.shape))
    rows = np.take_along_axis(labels[:, None], blocks, axis=2)
    return rows.reshape(-1, n)[:m].copy()
