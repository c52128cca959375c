"""For how many samples the label stays: exact where all of G is tried, else a bound that covers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import sparseaug as sa
from sparseaug.certificate import audit_consistency

ACT = sa.roll(sa.cyclic(8), axes=(-1,))


def test_the_share_is_exact_where_the_group_is_listed_and_a_bound_elsewhere(rng):
    act, x = sa.permute_axis(sa.symmetric(5)), rng.normal(size=(60, 5))

    def label(x):
        return (x @ [2.0, 1.0, 1.0, 1.0, 1.0] > 0).astype(int)

    moved = label(act("full", x).reshape(-1, 5)).reshape(120, -1)
    agrees = (moved == label(x)).mean(axis=0)
    exact = audit_consistency(label, x, act, calls=7200)
    assert exact.lower == exact.estimate == (agrees == 1).mean()
    assert exact.share == 1
    missed = 0
    for seed in range(100):
        oracle = sa.Oracle(act.group, seed)
        found = audit_consistency(label, x, act, share=0.8, calls=900, oracle=oracle, delta=0.2)
        missed += found.lower > (agrees >= 0.8).mean()
    assert missed <= binom.isf(1e-6, 100, 0.2)


@pytest.mark.parametrize("share", [0.8, 0.9])
def test_samples_that_stay_on_just_less_than_the_share_are_not_counted(share):
    """All labels stay on 6 of 8 elements, and none on a share of `share`: A = 0."""
    wrong, x = 0, np.tile(np.arange(8), (200, 1))
    for seed in range(60):
        found = audit_consistency(
            lambda x: (x[:, 0] < 6).astype(int),
            x,
            ACT,
            share=share,
            calls=1200,
            delta=0.2,
            oracle=sa.Oracle(ACT.group, seed),
        )
        wrong += found.lower > 0
    assert wrong <= binom.isf(1e-6, 60, 0.2)


def test_a_share_near_all_of_G_takes_more_draws_for_each_sample(rng):
    act, x = sa.permute_axis(sa.symmetric(7)), rng.normal(size=(50, 7))
    found = audit_consistency(lambda x: np.zeros(len(x), int), x, act, share=0.99, calls=3000)
    assert (found.estimate, found.failure_probability) == (1, 0.05)
    assert 0.2 < found.lower < 1
    assert found.calls <= 3000
    one = audit_consistency(lambda x: np.zeros(len(x), int), x, act, share=0.5, calls=3000)
    assert one.lower > 0.98
