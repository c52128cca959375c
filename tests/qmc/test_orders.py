"""Orders: even by counting, exact for Shapley values by enumeration, uniform by a chi-square test."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from collections import Counter
from itertools import combinations, pairwise, permutations

import numpy as np
import pytest
from scipy.stats import chi2

import sparseaug as sa
from sparseaug._records import orders_of
from sparseaug.qmc.orders import BALANCES, MAKERS

EXACT_ROWS = {3: 6, 4: 12, 5: 12, 6: 24, 7: 24, 8: 36, 9: 36, 10: 48, 11: 60, 12: 72}


def middles(rows):
    """For every three items, how often each is between the others; counted one by one."""
    counts = Counter()
    for row in rows.tolist():
        for a, b, c in combinations(row, 3):
            counts[frozenset((a, b, c)), b] += 1
    return counts


@pytest.mark.parametrize(("n", "m"), EXACT_ROWS.items())
def test_of_any_three_items_each_is_in_the_middle_equally_often(n, m):
    counts = middles(sa.orders(n, m, rng=5))
    assert len(counts) == n * (n - 1) * (n - 2) // 2
    assert set(counts.values()) == {m // 3}


def test_the_stored_sets_are_different_orders_and_none_is_the_reverse_of_another():
    for n, rows in orders_of("middle").items():
        assert (np.sort(rows, axis=1) == np.arange(n)).all()
        assert (rows[1::2] == rows[::2, ::-1]).all()
        assert len(np.unique(rows, axis=0)) == len(rows)


def shapley(rows, worth):
    """The mean over orders of what each player adds; `worth` takes a set of players as bits."""
    n = rows.shape[1]
    total = np.zeros(n)
    for row in rows.tolist():
        have = 0
        for player in row:
            total[player] += worth[have | 1 << player] - worth[have]
            have |= 1 << player
    return total / len(rows)


def random_game(n, order, rng):
    """Interactions of at most `order` players, and its Shapley values by their definition."""
    worth = np.zeros(1 << n)
    for size in range(1, order + 1):
        for players in combinations(range(n), size):
            members = sum(1 << p for p in players)
            worth[(np.arange(1 << n) & members) == members] += rng.normal()
    weights = np.zeros(n)
    factorial = [1.0]
    for k in range(1, n + 1):
        factorial.append(factorial[-1] * k)
    for player in range(n):
        for others in range(1 << n):
            if not others >> player & 1:
                k = others.bit_count()
                share = factorial[k] * factorial[n - 1 - k] / factorial[n]
                weights[player] += share * (worth[others | 1 << player] - worth[others])
    return worth, weights


@pytest.mark.parametrize("order", [3, 4])
@pytest.mark.parametrize("n", [4, 5, 6, 7])
def test_shapley_values_of_games_of_order_three_and_four_are_exact(n, order):
    worth, truth = random_game(n, order, np.random.default_rng(n))
    assert abs(shapley(sa.orders(n, EXACT_ROWS[n], rng=3), worth) - truth).max() < 1e-10


def test_shapley_values_of_order_five_are_not_and_of_order_two_one_pair_is_enough():
    worth, truth = random_game(6, 5, np.random.default_rng(1))
    assert abs(shapley(sa.orders(6, 24), worth) - truth).max() > 1e-3
    worth, truth = random_game(6, 2, np.random.default_rng(1))
    assert abs(shapley(sa.orders(6, 2), worth) - truth).max() < 1e-10


@pytest.mark.parametrize("balance", BALANCES)
@pytest.mark.parametrize("n", range(1, 17))
def test_any_number_of_orders_is_made_and_fewer_are_the_first_of_more(n, balance):
    whole = sa.orders(n, 200, balance=balance, rng=7)
    assert whole.shape == (200, n)
    assert whole.dtype == np.int64
    assert (np.sort(whole, axis=1) == np.arange(n)).all()
    for m in range(1, 200) if n < 9 else (1, 2, 3, n, 2 * n + 1, 199):
        assert (sa.orders(n, m, balance=balance, rng=7) == whole[:m]).all()


@pytest.mark.parametrize("balance", BALANCES)
@pytest.mark.parametrize("n", [4, 5])
def test_every_row_is_a_uniform_order(n, balance):
    """Chi-square of rows 0, 1, 6 and 13 over 2,400 seeds; by chance it fails once in 10^5 runs, each."""
    index = {order: i for i, order in enumerate(permutations(range(n)))}
    draws = [sa.orders(n, 14, balance=balance, rng=seed) for seed in range(2400)]
    for row in (0, 1, 6, 13):
        found = np.bincount(
            [index[tuple(rows[row].tolist())] for rows in draws], minlength=len(index)
        )
        expected = len(draws) / len(index)
        assert ((found - expected) ** 2 / expected).sum() < chi2.isf(1e-5, len(index) - 1)


@pytest.mark.parametrize("n", [1, 2, 5, 6, 9, 30])
@pytest.mark.parametrize("balance", ["positions", "pairs", "neighbours", "first"])
def test_every_n_rows_are_a_latin_square(n, balance):
    rows = sa.orders(n, 5 * n, balance=balance, rng=2)
    for square in rows.reshape(5, n, n):
        assert (np.sort(square, axis=0) == np.arange(n)[:, None]).all()


@pytest.mark.parametrize("n", [2, 3, 4, 5, 7, 8, 9, 11])
def test_two_items_are_in_two_places_once_where_n_is_a_prime_power(n):
    rows = sa.orders(n, n * (n - 1), balance="pairs", rng=1)
    for places in combinations(range(n), 2):
        assert len({tuple(pair) for pair in rows[:, places].tolist()}) == n * (n - 1)


def test_pairs_leave_less_than_random_orders_and_latin_squares_where_n_is_no_prime_power():
    for n in (6, 10, 12, 15):
        left = sa.orders_report(sa.orders(n, n * (n - 1), balance="pairs")).left["pairs"]
        latin = sa.orders_report(sa.orders(n, n * (n - 1), balance="positions")).left["pairs"]
        assert left < latin < 1.1
        assert left < 0.55


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 7, 9, 11, 12, 13, 15, 19, 100])
def test_every_item_follows_every_other_equally_often(n):
    m = n if n % 2 == 0 or n in (7, 9, 11, 13, 15) else 2 * n
    for rows in (sa.orders(n, k * m, balance="neighbours", rng=4) for k in (1, 2, 3)):
        follow = Counter(pair for row in rows.tolist() for pair in pairwise(row))
        assert len(follow) == n * (n - 1)
        assert len(set(follow.values())) == 1
    rows = sa.orders(n, m, balance="neighbours", rng=4)
    follow = Counter(pair for row in rows.tolist() for pair in pairwise(row))
    assert len(follow) == n * (n - 1)
    assert set(follow.values()) == {m // n}


@pytest.mark.parametrize("n", [3, 5, 6, 7, 9, 19])
def test_no_order_of_a_block_of_neighbours_comes_twice(n):
    block = MAKERS["neighbours"](n, 4 * n)
    assert len(np.unique(block, axis=0)) == len(block)


def test_first_items_are_exact_for_five_and_as_even_as_whole_numbers_allow_for_nine():
    rows = sa.orders(5, 10, balance="first")
    for k in (1, 2, 3, 4):
        found = Counter(frozenset(row[:k]) for row in rows.tolist())
        assert len(found) * min(found.values()) == 10
    rows = sa.orders(9, 72, balance="first")
    for k in range(1, 9):
        found = Counter(frozenset(row[:k]) for row in rows.tolist())
        assert max(found.values()) - min(found[frozenset(c)] for c in combinations(range(9), k)) < 2


@pytest.mark.parametrize(
    ("n", "m", "most"), [(10, 42, 0.13), (12, 500, 0.01), (16, 60, 0.3), (30, 60, 0.45)]
)
def test_middles_leave_little_beside_random_pairs(n, m, most):
    assert sa.orders_report(sa.orders(n, m)).left["middle"] <= most
    random = np.random.default_rng(0).permuted(np.tile(np.arange(n), (m // 2, 1)), axis=1)
    pairs = sa.orders_report(np.concatenate([random, random[:, ::-1]])).left["middle"]
    assert 0.7 < pairs < 1.3


def by_place(rows, table):
    """The sum of a random weight for each item in its place."""
    return table[np.arange(rows.shape[1]), rows].sum(axis=1)


def by_step(rows, table):
    return table[rows[:, :-1], rows[:, 1:]].sum(axis=1)


GUIDE = {
    "middle: last of three": ("middle", lambda r, w: w[0, rows_last(r, 3)]),
    "middle: inversions": ("middle", lambda r, w: np.triu(place_before(r), 1).sum(axis=(1, 2))),
    "positions: item by place": ("positions", by_place),
    "positions: discounted sum": ("positions", lambda r, w: w[0][r] @ 0.7 ** np.arange(r.shape[1])),
    "pairs: two items by two places": ("pairs", lambda r, w: by_place(r, w) ** 2),
    "neighbours: carry-over": ("neighbours", by_step),
    "neighbours: tour": ("neighbours", lambda r, w: by_step(r, w + w.T)),
    "first: the first half": (
        "first",
        lambda r, w: abs(w[r[:, : r.shape[1] // 2]].sum(axis=1)).sum(1),
    ),
    "not known: tour": ("positions", lambda r, w: by_step(r, w + w.T)),
    "not known: square of a sum": ("positions", lambda r, w: by_place(r, w) ** 2),
    "not known: largest partial sum": (
        "positions",
        lambda r, w: np.cumsum((w[0] - w[0].mean())[r], 1).max(axis=1),
    ),
    "not known: shapley of three": ("positions", lambda r, w: w[0, rows_last(r, 3)]),
}


def place_before(rows):
    place = np.argsort(rows, axis=1)
    return place[:, :, None] < place[:, None]


def rows_last(rows, k):
    """Which of the first k items comes last."""
    return np.argsort(rows, axis=1)[:, :k].argmax(axis=1)


def relative_error(statistic, balance, n, draws):
    """By draw of the weights: m times the squared error of the mean, over the variance of one order."""
    every = np.array([*permutations(range(n))])
    found = []
    for seed in range(draws):
        weights = np.random.default_rng((n, seed)).normal(size=(n, n))
        values = statistic(every, weights)
        mean = statistic(sa.orders(n, 2 * n, balance=balance, rng=seed), weights).mean()
        found.append(2 * n * (mean - values.mean()) ** 2 / values.var())
    return np.array(found)


@pytest.mark.parametrize("name", GUIDE)
@pytest.mark.parametrize("n", [5, 6, 7])
def test_the_balance_of_the_guide_is_not_worse_than_random_orders(name, n):
    """100 random weights; 5 standard errors are exceeded by chance in 10^5 runs at most, each."""
    balance, statistic = GUIDE[name]
    found = relative_error(statistic, balance, n, 100)
    assert found.mean() <= 1 + 5 * found.std() / 10


def test_the_default_is_worse_than_random_for_what_reversal_does_not_change():
    found = relative_error(GUIDE["neighbours: tour"][1], "middle", 6, 100)
    assert found.mean() > 1 + 2 * found.std() / 10


@pytest.mark.parametrize("balance", BALANCES)
def test_few_orders_of_many_items_take_memory_for_few(balance):
    """No table of n^2: its 7,000^2 numbers would be 1,750 times what two orders take."""
    sa.orders(7000, 2, balance=balance)  # tables of records are read once
    tracemalloc.start()
    rows = sa.orders(7000, 2, balance=balance)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 30 * rows.nbytes


def test_a_generator_is_advanced_and_a_seed_says_all():
    rng = np.random.default_rng(3)
    first, second = sa.orders(9, 5, rng=rng), sa.orders(9, 5, rng=rng)
    assert (first == sa.orders(9, 5, rng=3)).all()
    assert (first != second).any()


def test_orders_signs_and_engines_need_numpy_alone():
    code = (
        "import sys, sparseaug as sa; sa.orders_report(sa.orders(9, 30)); sa.signs(5, 9); "
        "sa.qmc.Permutations(5).random(3); sa.qmc.Rotations().random(3); sa.orders(20, 9); "
        "print(*sorted({m.split('.')[0] for m in sys.modules} & {'scipy', 'torch', 'numba', 'joblib'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
