"""What a set of orders averages exactly, and what it leaves compared with as many random ones.

Each balance counts how often something happens: an item in a place, two items in two places, an item
in the middle of three, an item right after another, a set of k items first. With c cases of equal chance
and m orders each count would be m / c; the imbalance is the sum of the squared differences. For random
orders it is m (1 - 1/c) on average; whole numbers allow no less than r (c - r) / c, r = m mod c.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from sparseaug._checks import check_array, require_memory
from sparseaug._tables import Shown, Table
from sparseaug.errors import ArgumentError
from sparseaug.qmc.field import Rows

LARGEST_COUNTED = 128
"""Items up to which any two places are counted; with more, any two orders are compared."""

MEANING = {
    "positions": "each item in each place",
    "pairs": "two items in two places",
    "middle": "each of three in the middle",
    "neighbours": "each item right after each other",
    "first": "each k items first, all k",
}


@final
@dataclass(frozen=True)
class Evenness:
    """The imbalance of one balance, that of random orders on average, and the least possible."""

    imbalance: Fraction
    random: Fraction
    least: Fraction

    @property
    def left(self) -> float:
        """Imbalance relative to random orders: 0 is exact, 1 is random."""
        return float(self.imbalance / self.random) if self.random else 0.0


@final
@dataclass(frozen=True)
class OrdersReport(Shown):
    """What m orders of n items are worth; made by `orders_report`.

    Attributes:
        n: number of items.
        m: number of orders.
        paired: whether each order occurs as often as its reverse; `middle` is then compared with
            random pairs of reverses.
        evenness: by balance, its `imbalance`, `random` and `least`; `left` is the first over the second.
        interactions: Shapley values of games with interactions of at most so many players are exact.
        lower_bound: fewer orders cannot be exact for so many (Norin 2001).
    """

    n: int
    m: int
    paired: bool
    evenness: dict[str, Evenness]
    interactions: int
    lower_bound: int

    @property
    def exact(self) -> tuple[str, ...]:
        """The balances that hold exactly."""
        return tuple(name for name, found in self.evenness.items() if not found.imbalance)

    @property
    def left(self) -> dict[str, float]:
        """The imbalance of each kind of balance, relative to random orders."""
        return {name: found.left for name, found in self.evenness.items()}

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON data."""
        found = {
            name: {
                "imbalance": float(e.imbalance),
                "random": float(e.random),
                "least": float(e.least),
            }
            for name, e in self.evenness.items()
        }
        return {
            **{"n": self.n, "m": self.m, "paired": self.paired, "evenness": found},
            **{"interactions": self.interactions, "lower_bound": self.lower_bound},
        }

    def _table(self) -> Table:
        rows = []
        for name, found in self.evenness.items():
            least = float(found.least / found.random) if found.random else 0.0
            word = "exact" if not found.imbalance else f"{found.left:.2g}"
            rows.append((name, MEANING[name], word, f"{least:.2g}" if least else "0"))
        pairs = ", with their reverses" if self.paired else ""
        note = f"Shapley values are exact for interactions of at most {self.interactions} players"
        if self.lower_bound > 1:
            note += f"; fewer than {self.lower_bound} orders cannot be"
        header = ("balance", "even", "left", "least")
        title = f"m = {self.m}, n = {self.n}{pairs}; as many random orders leave 1"
        return Table(header, rows, numbers=[2, 3], title=title, notes=[f"{note}."])


def orders_report(rows: ArrayLike) -> OrdersReport:
    """What the given orders average exactly, and what they leave compared with as many random orders.

    Args:
        rows: integers (m, n), each row the items 0..n-1 in some order, such as `orders(n, m)`.

    Returns:
        An `OrdersReport`, which prints as a table.

    Examples:
        >>> import sparseaug as sa
        >>> report = sa.orders_report(sa.orders(7, 24))
        >>> report.exact, report.interactions, report.lower_bound
        (('middle',), 4, 6)
    """
    given = check_array("rows", rows)
    shape = given.shape
    if given.ndim != 2 or not given.size:
        raise ArgumentError(f"rows has shape {shape}; give orders (m, n), one per row.")
    m, n = shape
    if (np.sort(given, axis=1) != np.arange(n)).any():
        raise ArgumentError(
            f"rows are not orders of {n} items; give each of 0..{n - 1} once in a row."
        )
    if n > LARGEST_COUNTED:
        require_memory("rows", m, m, "pairs of orders")
    paired = _closed_under_reversal(given)
    last, middles = _thirds(given)
    positions, pairs = _in_places(given)
    unit = 2 if paired else 1
    triples = comb(n, 3)
    evenness = {
        "positions": _evenness(positions, n, n, m),
        "pairs": _evenness(pairs, n * (n - 1), n * (n - 1), m),
        "middle": _evenness(middles, triples, 3, m, unit),
        "neighbours": _neighbours(given),
        "first": _first(given),
    }
    interactions = _interactions(given, paired, last, not evenness["middle"].imbalance)
    bound = comb(n - 1, (interactions - 1) // 2)
    return OrdersReport(n, m, paired, evenness, interactions, bound)


def _evenness(squares: int, groups: int, cases: int, m: int, unit: int = 1) -> Evenness:
    """From the sum of squared counts of `groups` times `cases` cases; orders come `unit` at a time."""
    if groups < 1 or cases < 2:
        return Evenness(Fraction(0), Fraction(0), Fraction(0))
    rest = m // unit % cases
    random = Fraction(groups * m * unit * (cases - 1), cases)
    least = Fraction(groups * unit**2 * rest * (cases - rest), cases)
    return Evenness(Fraction(squares) - Fraction(groups * m * m, cases), random, least)


def _closed_under_reversal(rows: Rows) -> bool:
    there, back = (part[np.lexsort(part.T)] for part in (rows, rows[:, ::-1]))
    return bool((there == back).all())


def _in_places(rows: Rows) -> tuple[int, int]:
    """Sums of squared counts of positions and of ordered pairs: counted, or by the places rows share.

    The number of (row, row', place) with one item there is the sum over places and items of the count
    squared, and of ordered pairs of places likewise.
    """
    n = rows.shape[1]
    one = two = 0
    if n > LARGEST_COUNTED:
        for row in rows:
            shared = (rows == row).sum(axis=1)
            one += int(shared.sum())
            two += int((shared * (shared - 1)).sum())
        return one, two
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
    if any(
        (2 * (place[:, [a]] < np.delete(place, a, axis=1)).sum(axis=0) != m).any() for a in range(n)
    ):
        return 1
    return min(n, 3 if last else 2)


def _neighbours(rows: Rows) -> Evenness:
    m, n = rows.shape
    counts = np.unique(rows[:, :-1] * n + rows[:, 1:], return_counts=True)[1]
    total, cases = m * (n - 1), n * (n - 1)
    found = _evenness(int((counts * counts).sum()), 1, cases, total)
    return Evenness(found.imbalance, Fraction(total * (n - 1), n), found.least)


def _first(rows: Rows) -> Evenness:
    """All k together."""
    m, n = rows.shape
    chosen = np.zeros((m, n), np.bool_)
    parts = []
    for k in range(1, n):
        chosen[np.arange(m), rows[:, k - 1]] = True
        packed = np.packbits(chosen, axis=1)
        counts = np.unique(packed, axis=0, return_counts=True)[1]
        parts.append(_evenness(int((counts * counts).sum()), 1, comb(n, k), m))
    sums = [
        sum((getattr(p, name) for p in parts), Fraction(0))
        for name in ("imbalance", "random", "least")
    ]
    return Evenness(*sums)
