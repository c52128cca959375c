"""Signs and the engines: strength by counting, rows uniform, sequences that go on."""

from __future__ import annotations

from itertools import combinations

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


def test_every_row_is_uniform():
    """Chi-square of rows 0, 3 and 6 over 2,000 seeds; by chance it fails once in 10^5 runs, each."""
    draws = np.array([sa.signs(4, 7, rng=seed) for seed in range(2000)])
    for row in (0, 3, 6):
        found = np.bincount((draws[:, row] > 0) @ (1, 2, 4, 8), minlength=16)
        assert ((found - 125) ** 2 / 125).sum() < chi2.isf(1e-5, 15)


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
