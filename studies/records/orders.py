"""Sets of orders: each item in the middle of any three equally often, or right after each other one.

Middle: with every order comes its reverse, so a set of m rows is a perfect sequence covering array
PSCA(n, 3, m/6) that is closed under reversal: every ordered triple is a subsequence of m/6 rows (Yuster
2020). Sought are sets which a group of relabellings of the items leaves as they are.
Neighbours: m = n orders are the complete directed graph in Hamiltonian paths (Tillson 1980).
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numba import njit

from studies.records import Record, Rows, groups
from studies.records.cells import anneal, cells_of, through
from studies.records.sizes import middle_size, neighbours_size
from studies.records.table import encoded

LARGEST_MIDDLE = 16
LARGEST_NEIGHBOURS = 16


def tasks() -> list[Record]:
    """Middles for 3 to 16 items, neighbours for 2 to 16."""
    middle = [_question("middle", n) for n in range(3, LARGEST_MIDDLE + 1)]
    return middle + [_question("neighbours", n) for n in range(2, LARGEST_NEIGHBOURS + 1)]


def _question(criterion: str, n: int) -> Record:
    return {"group": f"S{n}", "criterion": criterion, "degree": None}


def known() -> Iterator[Record]:
    """The squares of Williams (1949)."""
    for n in range(2, LARGEST_NEIGHBOURS + 1):
        j = np.arange(n)
        zigzag = np.where(j % 2, (j + 1) // 2, (n - j // 2) % n)
        square = (j[:, None] + zigzag) % n
        both = square if n % 2 == 0 else np.concatenate([square, square[:, ::-1]])
        yield neighbours_record(both, "the shifts of 0, 1, n-1, 2, n-2, ... (Williams 1949)")


def middle_record(orders: Rows, source: str) -> Record:
    """A candidate: each order, then its reverse."""
    n = orders.shape[1]
    rows = np.stack([orders, orders[:, ::-1]], axis=1).reshape(-1, n)
    return _record("middle", rows, source)


def neighbours_record(rows: Rows, source: str) -> Record:
    """A candidate."""
    return _record("neighbours", rows, source)


def _record(criterion: str, rows: Rows, source: str) -> Record:
    given = {"m": len(rows), "value": "0", "source": source, "rows": encoded(rows)}
    return _question(criterion, rows.shape[1]) | given


def improve(task: Record, best: Record | None, seed: int, seconds: float) -> Record | None:
    """Annealing with random symmetries, until the time is over."""
    n = int(task["group"][1:])
    rng = np.random.default_rng(seed)
    end = time.monotonic() + seconds
    if task["criterion"] == "neighbours":
        return _paths(n, best, rng, end)
    least = middle_size(n)[0]
    most = 12 * n if best is None else best["m"] - 12
    while most >= least and time.monotonic() < end:
        found = _middle(n, least, most, rng, min(end, time.monotonic() + max(seconds / 6, 2)))
        if found is not None:
            return found
    return None


def _middle(n: int, least: int, most: int, rng: np.random.Generator, end: float) -> Record | None:
    """One group of relabellings and one number of orders."""
    if rng.random() < 0.15:
        name, given, G = "no symmetry", np.arange(n)[None], np.arange(n)[None]
    else:
        name, _, given, G = groups.subgroup(n, rng, most // 2)
    numbers = [m // 2 // len(G) for m in range(least, most + 1, 12) if m // 2 % len(G) == 0]
    if not numbers:
        return None
    k = int(rng.choice(numbers[-3:]))
    tuples = np.array(list(combinations(range(n), 3)))
    label = np.zeros(n**3, np.int64)  # which of three places is in the middle
    places = np.indices((n, n, n)).reshape(3, -1)
    label[:] = np.argsort(places, axis=0, kind="stable")[1]
    label[(places[0] == places[1]) | (places[1] == places[2]) | (places[0] == places[2])] = -1
    pairs = np.array([np.r_[np.arange(n), n + g] for g in given])
    cells = cells_of(pairs, tuples, label, np.ones(3, np.int64))
    each = np.bincount(cells.ravel())
    if (k * each % 3).any():
        return None
    near = through(tuples, n)
    steps = 60_000
    while time.monotonic() < end:
        b = np.array([rng.permutation(n) for _ in range(k)])  # the place of each item
        met = label[b[:, tuples] @ n ** np.arange(3)[::-1]]
        flat = cells[np.arange(len(tuples)), met]
        off = np.bincount(flat.ravel(), minlength=len(each)) - k * each // 3
        for warmth in np.geomspace(4.0, 0.3, 24):
            rest = anneal(b, off, tuples, cells, label, *near, warmth, steps // 24, rng)
            if rest == 0 or time.monotonic() > end:
                break
        if rest == 0:
            orders = np.concatenate([G[:, row] for row in np.argsort(b, axis=1)])
            if has_even_middles(orders):
                how = name if len(G) == 1 else f"as it is under {name}"
                return middle_record(_spread(orders), f"search: annealing, {how}")
        steps *= 2
    return None


def middles(orders: Rows) -> Rows:
    """For each order and each three items which of them is in the middle."""
    n = orders.shape[1]
    places = np.argsort(orders, axis=1)
    return np.argsort(places[:, list(combinations(range(n), 3))], axis=2)[:, :, 1]


def has_even_middles(orders: Rows) -> bool:
    """Whether each of three is in the middle equally often."""
    met = middles(orders)
    return all(3 * (met == j).sum(axis=0).max() == len(orders) for j in range(3))


def _spread(orders: Rows) -> Rows:
    """The same orders, each next one the one whose middles were met least."""
    met = np.eye(3, dtype=np.int64)[middles(orders)]
    counts = np.zeros(met.shape[1:], np.int64)
    left, chosen = list(range(len(orders))), []
    while left:
        best = min(left, key=lambda i: int((counts * met[i]).sum()))
        left.remove(best)
        chosen.append(best)
        counts += met[best]
    return orders[chosen]


def _paths(n: int, best: Record | None, rng: np.random.Generator, end: float) -> Record | None:
    """n orders in which each item follows each other once, the same under turns of blocks of p."""
    if best is not None and int(best["m"]) <= neighbours_size(n)[0]:
        return None
    p = int(rng.choice([p for p in range(2, n) if n % p == 0 and p * p <= 2 * n] or [1]))
    items = np.arange(n)
    turn = np.array([items // p * p + (items % p + s) % p for s in range(p)])
    follow = np.full((n, n), -1)
    kinds = 0
    for a, b in np.argwhere(~np.eye(n, dtype=bool)):
        if follow[a, b] < 0:
            follow[turn[:, a], turn[:, b]] = kinds
            kinds += 1
    steps = 10_000
    while time.monotonic() < end:
        rows = np.array([rng.permutation(n) for _ in range(n // p)])
        for warmth in np.geomspace(1.5, 0.2, 40):
            rest = _anneal_neighbours(rows, follow, kinds, warmth, steps, rng)
            if rest == 0:
                found = np.concatenate([turn[:, row] for row in rows])
                how = f" with a symmetry of order {p}" if p > 1 else ""
                return neighbours_record(found, f"search: annealing{how}")
        steps += steps // 2
    return None


@njit(cache=True)
def _anneal_neighbours(rows, follow, kinds, warmth, steps, rng):  # type: ignore[no-untyped-def]
    """An item goes to another place of its row, or not; the cost counts steps taken twice."""
    k, n = rows.shape
    met = np.zeros(kinds, np.int64)
    for i in range(k):
        for j in range(1, n):
            met[follow[rows[i, j - 1], rows[i, j]]] += 1
    cost = (met * (met - 1)).sum()
    old = np.empty(n, np.int64)
    for _ in range(steps):
        if cost == 0:
            return 0
        row = rows[rng.integers(0, k)]
        p = rng.integers(0, n)
        q = rng.integers(0, n)
        change = 0
        old[:] = row
        for there in range(2):
            for j in range(1, n):
                s = follow[row[j - 1], row[j]]
                change += 2 * met[s] if there else -2 * (met[s] - 1)
                met[s] += 1 if there else -1
            if there:
                break
            if p < q:
                row[p:q] = old[p + 1 : q + 1]
            else:
                row[q + 1 : p + 1] = old[q:p]
            row[q] = old[p]
        if change <= 0 or rng.random() < np.exp(-change / warmth):
            cost += change
            continue
        for j in range(1, n):
            met[follow[row[j - 1], row[j]]] -= 1
            met[follow[old[j - 1], old[j]]] += 1
        row[:] = old
    return cost
