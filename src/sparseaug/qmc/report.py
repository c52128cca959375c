"""What a set of orders averages exactly, and what it leaves compared with as many random ones.

Each balance counts how often something happens: an item in a place, two items in two places, an item
in the middle of three, an item right after another, a set of k items first. With c cases of equal chance
and m orders each count would be m / c; the imbalance is the sum of the squared differences. For random
orders it is m (1 - 1/c) on average.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from sparseaug._archive import fields_as_json
from sparseaug._checks import check_array
from sparseaug._tables import Shown, Table
from sparseaug.errors import ArgumentError
from sparseaug.qmc.field import Rows

MEANING = {
    "positions": "each item in each place",
    "pairs": "two items in two places",
    "middle": "each of three in the middle",
    "neighbours": "each item right after each other",
    "first": "each k items first, all k",
}


@final
@dataclass(frozen=True)
class OrdersReport(Shown):
    """What m orders of n items are worth; made by `orders_report`.

    Attributes:
        n: number of items.
        m: number of orders.
        paired: whether each order occurs as often as its reverse; `middle` is then compared with
            random pairs of reverses.
        left: by balance, its imbalance relative to random orders: 0 is exact, 1 is random.
        interactions: Shapley values of games with interactions of at most so many players are exact.
    """

    n: int
    m: int
    paired: bool
    left: dict[str, float]
    interactions: int

    @property
    def exact(self) -> tuple[str, ...]:
        """The balances that hold exactly."""
        return tuple(name for name, left in self.left.items() if not left)

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON data."""
        return fields_as_json(self)

    def _table(self) -> Table:
        rows = [
            (name, MEANING[name], f"{left:.2g}" if left else "exact")
            for name, left in self.left.items()
        ]
        pairs = ", with their reverses" if self.paired else ""
        title = f"m = {self.m}, n = {self.n}{pairs}; as many random orders leave 1"
        note = f"Shapley values are exact for interactions of at most {self.interactions} players."
        return Table(("balance", "even", "left"), rows, numbers=[2], title=title, notes=[note])


def orders_report(rows: ArrayLike) -> OrdersReport:
    """What the given orders average exactly, and what they leave compared with as many random orders.

    Args:
        rows: integers (m, n), each row the items 0..n-1 in some order, such as `orders(n, m)`.

    Returns:
        An `OrdersReport`, which prints as a table.

    Examples:
        >>> import sparseaug as sa
        >>> report = sa.orders_report(sa.orders(7, 24))
        >>> report.exact, report.interactions
        (('middle',), 4)
    """
    given = check_array("rows", rows)
    each = np.arange(given.shape[-1] if given.ndim == 2 else 0)
    if not given.size or not each.size or (np.sort(given, axis=1) != each).any():
        raise ArgumentError(f"rows of shape {given.shape} are not (m, n) orders of 0..n-1.")
    m, n = given.shape
    there, back = (part[np.lexsort(part.T)] for part in (given, given[:, ::-1]))
    paired = bool((there == back).all())
    last, middles = _thirds(given)
    positions, pairs = _in_places(given)
    left = {
        "positions": _left(positions, n, n, m),
        "pairs": _left(pairs, n * (n - 1), n * (n - 1), m),
        "middle": _left(middles, comb(n, 3), 3, m, unit=2 if paired else 1),
        "neighbours": _neighbours(given),
        "first": _first(given),
    }
    return OrdersReport(n, m, paired, left, _interactions(given, paired, last, not left["middle"]))


def _left(squares: int, groups: int, cases: int, m: int, *, unit: int = 1) -> float:
    """From the sum of squared counts of `groups` times `cases` cases; orders come `unit` at a time."""
    random = groups * m * unit * (cases - 1)
    return (squares * cases - groups * m * m) / random if random else 0.0


def _in_places(rows: Rows) -> tuple[int, int]:
    """Sums of squared counts of positions, and of two items in ordered pairs of places."""
    n = rows.shape[1]
    one = two = 0
    for j, k in combinations_with_replacement(range(n), 2):
        counts = np.bincount(rows[:, j] * n + rows[:, k])
        squares = int(counts @ counts)
        one, two = (one + squares, two) if j == k else (one, two + 2 * squares)
    return one, two


def _thirds(rows: Rows) -> tuple[bool, int]:
    """Whether each of three is last equally often, and the sum of squares of the middles.

    b is last of a, b, c where both others are before it, and in the middle where one is.
    """
    m, n = rows.shape
    place = np.argsort(rows, axis=1)
    last_even, squares = True, 0
    for b in range(n):
        others = np.delete(place, b, axis=1)
        before = (others < place[:, [b]]).astype(np.float64)
        both = before.T @ before  # integers below 2^53
        alone = before.sum(axis=0)
        middle = (alone[:, None] + alone - 2 * both)[np.triu_indices(n - 1, 1)]
        squares += int((middle * middle).sum())
        last_even &= bool((3 * both[np.triu_indices(n - 1, 1)] == m).all())
    return last_even, squares


def _interactions(rows: Rows, paired: bool, last: bool, middle: bool) -> int:
    """The largest k up to 4, and up to n, to which Shapley values are exact."""
    m, n = rows.shape
    if paired:
        return min(n, 4 if middle else 2)
    place = np.argsort(rows, axis=1)
    before = ((place[:, [a]] < np.delete(place, a, axis=1)).sum(axis=0) for a in range(n))
    if any((2 * often != m).any() for often in before):
        return 1
    return min(n, 3 if last else 2)


def _neighbours(rows: Rows) -> float:
    m, n = rows.shape
    if n < 2:
        return 0.0
    counts = np.unique(rows[:, :-1] * n + rows[:, 1:], return_counts=True)[1]
    total, squares = m * (n - 1), int((counts * counts).sum())
    return float((squares - Fraction(total, n) * m) / Fraction(total * (n - 1), n))


def _first(rows: Rows) -> float:
    """All k together."""
    m, n = rows.shape
    chosen = np.zeros((m, n), np.bool_)
    imbalance = random = Fraction(0)
    for k in range(1, n):
        chosen[np.arange(m), rows[:, k - 1]] = True
        counts = np.unique(np.packbits(chosen, axis=1), axis=0, return_counts=True)[1]
        imbalance += int((counts * counts).sum()) - Fraction(m * m, comb(n, k))
        random += m * (1 - Fraction(1, comb(n, k)))
    return float(imbalance / random) if random else 0.0
