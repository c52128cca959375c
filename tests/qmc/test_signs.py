"""Signs and the engines: strength by counting, rows uniform, sequences that go on."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from scipy.stats import chi2

import sparseaug as sa


def strength(rows):
    """The largest t up to 5 with all products of at most t columns of sum 0."""
    d = rows.shape[1]
    for t in range(1, min(d, 5) + 1):
        if any(rows[:, columns].prod(axis=1).sum() for columns in combinations(range(d), t)):
            return t - 1
    return min(d, 5)


@pytest.mark.parametrize(
    ("d", "m", "t"),
    [
        *((2, 4, 2), (3, 4, 2), (3, 8, 3), (7, 8, 2), (8, 16, 3), (11, 12, 2), (12, 24, 3)),
        *((19, 20, 2), (19, 40, 3), (10, 48, 3), (10, 40, 3), (15, 256, 4), (16, 512, 5)),
        *((6, 32, 5), (30, 6, 1), (9, 2, 1), (15, 128, 4), (16, 256, 5), (8, 64, 4), (20, 512, 4)),
    ],
)
def test_rows_have_the_highest_strength_that_is_known_for_so_many(d, m, t):
    rows = sa.signs(d, m, rng=4)
    assert rows.shape == (m, d)
    assert set(np.unique(rows)) == {-1, 1}
    assert strength(rows) >= t


@pytest.mark.parametrize(("d", "m"), [(7, 32), (12, 2048), (16, 768)])
def test_what_follows_an_array_is_an_array_of_other_rows(d, m):
    """Not random rows in the places of those that the first one has, too."""
    for seed in range(3):
        rows = sa.signs(d, m, rng=seed)
        assert len(np.unique(rows, axis=0)) == m
        assert strength(rows) >= 3


@pytest.mark.parametrize("d", [1, 2, 5, 13, 3000, 20_000])
def test_any_number_of_rows_is_made(d):
    for m in (1, 2, 3, 7, 50, 101) if d < 3000 else (1, 9):
        rows = sa.signs(d, m)
        assert rows.shape == (m, d)
        assert (abs(rows) == 1).all()


def test_few_rows_are_as_orthogonal_as_so_few_can_be():
    """The sum over columns of (x_j . x_k)^2 is at least m d^2, with equality for orthogonal rows."""
    for d, m in ((12, 6), (16, 8), (20, 10)):
        half = sa.signs(d, m)[::2]
        assert ((half.T @ half) ** 2).sum() == len(half) * d**2


@pytest.mark.parametrize(("m", "even"), [(7, False), (12, False), (7, True), (12, True)])
def test_every_row_is_uniform(m, even):
    """Chi-square of rows 0, 3 and 6 over 2,000 seeds; by chance it fails once in 10^5 runs, each."""
    draws = np.array([sa.signs(4, m, even=even, rng=seed) for seed in range(2000)])
    for row in (0, 3, 6):
        found = np.bincount((draws[:, row] > 0) @ (1, 2, 4, 8), minlength=16)
        assert ((found - 125) ** 2 / 125).sum() < chi2.isf(1e-5, 15)


SIZES = [
    *((d, m) for d in (1, 2, 3, 5) for m in range(1, 2**d + 1)),
    *((8, 200), (10, 300), (10, 700), (12, 2100), (17, 4096), (40, 1024), (100, 2048)),
]


@pytest.mark.parametrize("even", [False, True])
def test_no_row_occurs_twice_and_of_an_even_set_none_with_its_negative(even):
    for d, m in SIZES:
        rows = sa.signs(d, m, even=even)
        assert len(np.unique(rows, axis=0)) == m
        if even:
            first = rows[: 2 ** (d - 1)]
            assert len(np.unique(first * first[:, :1], axis=0)) == len(first)


@pytest.mark.parametrize("even", [False, True])
@pytest.mark.parametrize("d", [1, 3, 4])
def test_rows_beyond_all_repeat_each_of_them_equally_often(d, even):
    counts = np.unique(sa.signs(d, 3 << d, even=even), axis=0, return_counts=True)[1]
    assert (len(counts), set(counts.tolist())) == (2**d, {3})


@pytest.mark.parametrize(("d", "m", "weights"), [(12, 12, [2]), (16, 128, [2, 4]), (64, 64, [2])])
def test_even_functions_are_exact_with_half_of_the_rows(d, m, weights):
    rows = sa.signs(d, m, even=True, rng=2)
    for weight in weights:
        products = (rows[:, c].prod(axis=1).sum() for c in combinations(range(d), weight))
        assert not any(products)


def left(rows):
    """Of products of 1 to 4 signs, the mean square of their sums, relative to random rows."""
    m, d = rows.shape
    r = (rows @ rows.T).astype(float)  # the elementary symmetric functions of d signs with this sum
    sums = (r, (r**2 - d) / 2, (r**3 - (3 * d - 2) * r) / 6)
    sums += ((r**4 - (6 * d - 8) * r**2 + 3 * d * (d - 2)) / 24,)
    return {w: each.sum() / (m * comb(d, w)) for w, each in enumerate(sums, 1)}


@pytest.mark.parametrize("d", [5, 8, 13, 24, 40, 100])
def test_signs_are_not_worse_than_random_ones_for_what_they_serve(d):
    """What random rows leave is 1, for every product. An array that is even for products of two leaves
    more of those of three or four: 1 + (d - 1) C(d/2, 2) / C(d, 4) = 1 + 3 / (d - 3) for d columns; with
    every row its negative leaves twice that of four. Which columns are taken is random: the mean of 6
    seeds is within 6 standard errors, which fails by chance in 10^4 runs at most."""
    share = 1 + 3 / (d - 3)
    most = {False: {1: 1, 2: 2, 3: share, 4: 2 * share}, True: {2: 1, 4: share}}
    for m in (2, 3, 6, d - 1, d + 2, 2 * d, 3 * d, 100, 300, 1000):
        for even, bounds in most.items():
            found = [left(sa.signs(d, m, even=even, rng=seed)) for seed in range(6)]
            for weight, bound in bounds.items():
                each = [one[weight] for one in found]
                assert np.mean(each) <= bound + 6 * np.std(each, ddof=1) / np.sqrt(6) + 1e-9


@pytest.mark.parametrize("balance", ["middle", "first"])
def test_permutations_go_on_where_they_stopped(balance):
    engine = sa.qmc.Permutations(6, balance=balance, rng=9)
    whole = sa.orders(6, 70, balance=balance, rng=9)
    parts = [engine.random(k) for k in (1, 0, 4, 25)]
    assert (np.concatenate(parts) == whole[:30]).all()
    engine.fast_forward(10)
    assert (engine.random(30) == whole[40:]).all()
    assert engine.num_generated == 70
    engine.reset()
    assert (engine.random(3) == whole[:3]).all()


def test_signs_of_each_call_are_an_array_of_their_own():
    engine = sa.qmc.Signs(7, rng=1)
    first, second = engine.random(8), engine.random(16)
    assert strength(first) == 2
    assert strength(second) == 3
    engine.reset()
    assert (engine.random(8) == first).all()


def test_rotations_are_solids_turned_each_uniform():
    group = sa.rotations(3)
    rows = sa.qmc.Rotations(rng=2).random(180)
    assert abs((rows * rows).sum(axis=1) - 1).max() < 1e-14
    for start in (0, 60, 120):
        assert set(range(1, 6)) <= set(sa.inspect(rows[start : start + 60], group=group).exact)
    assert {1, 2} <= set(sa.inspect(rows[12:24], group=group).exact)
    # 1,500 seeds: the mean of w^2 of a uniform rotation is 1/4, its variance 1/16: 5 standard errors
    draws = np.array([sa.qmc.Rotations(rng=seed).random(90)[[0, 70]] for seed in range(1500)])
    assert (abs((draws**2).mean(axis=0) - 1 / 4) < 5 / 4 / np.sqrt(1500)).all()
