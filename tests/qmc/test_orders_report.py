"""The report beside counts of its own, and what random orders leave beside draws."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
from math import comb

import numpy as np
import pytest

import sparseaug as sa


def counted(rows):
    """The imbalance of each balance, by listing all cases."""
    m, n = rows.shape
    place = np.argsort(rows, axis=1)

    def spread(found, cases, groups=1, total=m):
        return sum(Fraction(c) ** 2 for c in found.values()) - Fraction(groups * total**2, cases)

    positions = Counter((j, x) for row in rows.tolist() for j, x in enumerate(row))
    pairs = Counter(
        (j, k, row[j], row[k]) for row in rows.tolist() for j, k in permutations(range(n), 2)
    )
    middle = Counter(
        (t, sorted(t, key=lambda x: p[x])[1])
        for p in place.tolist()
        for t in combinations(range(n), 3)
    )
    after = Counter(pair for row in rows.tolist() for pair in pairwise(row))
    first = [Counter(frozenset(row[:k]) for row in rows.tolist()) for k in range(1, n)]
    return {
        "positions": spread(positions, n, n),
        "pairs": spread(pairs, n * (n - 1), n * (n - 1)),
        "middle": spread(middle, 3, comb(n, 3)),
        "neighbours": spread(after, n * (n - 1), 1, m * (n - 1)),
        "first": sum(spread(each, comb(n, k)) for k, each in enumerate(first, 1)),
    }


@pytest.mark.parametrize(("n", "m"), [(3, 4), (4, 7), (6, 11), (7, 24)])
def test_imbalances_are_those_that_are_counted(n, m):
    rows = np.random.default_rng(n).permuted(np.tile(np.arange(n), (m, 1)), axis=1)
    for given in (rows, sa.orders(n, m), sa.orders(n, m, balance="neighbours")):
        report = sa.orders_report(given)
        imbalance = counted(given)
        assert report.exact == tuple(name for name, found in imbalance.items() if not found)
        cases = {"positions": (n, n), "pairs": (n * (n - 1),) * 2, "middle": (comb(n, 3), 3)}
        for name, (groups, each) in cases.items():
            unit = 2 if name == "middle" and report.paired else 1
            random = Fraction(groups * m * unit * (each - 1), each)
            assert report.left[name] == float(imbalance[name] / random)


@pytest.mark.parametrize("paired", [False, True])
def test_random_orders_leave_one_in_the_mean(paired):
    """600 draws; each mean is within 5 standard errors, which fails by chance in 10^5 runs at most."""
    rng = np.random.default_rng(0)
    values = []
    for _ in range(600):
        rows = rng.permuted(np.tile(np.arange(6), (8, 1)), axis=1)
        found = sa.orders_report(np.concatenate([rows, rows[:, ::-1]]) if paired else rows)
        assert found.paired is paired
        values.append([found.left["middle"]] if paired else list(found.left.values()))
    mean, error = np.mean(values, axis=0), np.std(values, axis=0) / np.sqrt(600)
    assert (abs(mean - 1) < 5 * error).all()


def last_exact(rows, k):
    """Whether in every k items each is last equally often."""
    place = np.argsort(rows, axis=1)
    counts = (
        np.bincount(place[:, players].argmax(axis=1), minlength=k)
        for players in combinations(range(rows.shape[1]), k)
    )
    return all((found * k == len(rows)).all() for found in counts)


def test_interactions_are_those_by_definition():
    every = np.array([*permutations(range(4))])
    even = sa.design(sa.symmetric(5), degree=3).elements
    cases = [
        sa.orders(n, m, balance=b) for n, m, b in product((5, 6), (12, 24, 60), ("middle", "pairs"))
    ]
    for rows in (every, even, *cases, sa.orders(5, 20, balance="pairs")):
        highest = max(k for k in range(1, 5) if all(last_exact(rows, j) for j in range(1, k + 1)))
        assert sa.orders_report(rows).interactions == highest
