"""The study of accuracy: tables are read as audits move samples, and rivals fail as they must."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sparseaug.certificate.intervals import binomial
from studies.accuracy import (
    GROUPS,
    WAYS,
    closeness,
    evaluations,
    laws,
    peeked,
    populations,
    translated,
    unequal,
)


@pytest.mark.parametrize("order", GROUPS)
def test_a_translate_is_the_design_times_one_element(order):
    group, found = GROUPS[order], translated(order)
    S = group.all_elements()[found[:, group.rank(group.identity())[0]]]
    for h in (1, order - 1):
        products = group.compose(S, np.tile(group.all_elements()[h], (len(S), 1)))
        assert (group.rank(products) == found[:, h]).all()
    assert (np.sort(found, axis=1) == np.arange(order)).all()  # a permutation: unbiased for any S


def test_all_ways_estimate_the_same_risk():
    rng = np.random.default_rng(0)
    for table in laws(rng).values():
        for draw in WAYS.values():
            low, high = draw(table, 4000, rng)
            assert low - 0.02 <= table.mean() <= high + 0.02


def test_the_rows_of_the_study_and_what_must_fail():
    table = laws(np.random.default_rng(0))["clustered"]
    (row,) = closeness({"clustered": table}, 20)[1:2]
    assert 1 < row["upper/true"] < 1.35
    (row,) = evaluations({"clustered": table}, seeds=3)
    assert row["pairs, binomial"] < row["pairs, Hoeffding"]
    half = np.tile(np.arange(64) % 2.0, (200, 1))  # right on half of the elements, for all samples
    found = populations(half, 40)
    assert found["shared g, binomial: missed"] == 1
    assert found["S h_i, betting: missed"] <= 0.2
    rng = np.random.default_rng(1)
    assert sum(peeked(half, 600, rng) for _ in range(100)) > 10


@pytest.mark.parametrize("delta", [0.25, 0.05])
@pytest.mark.parametrize("count", [2, 6])
def test_unequal_trials_are_covered_where_the_binomial_interval_is_not(count, delta):
    """The worst of many probabilities, by the exact law of the sum."""
    grid = [delta / 2, delta * (1 + delta / 5), 0.3, 0.9, 1 - delta * (1 + delta / 5), 1.0, 0.0]
    rng = np.random.default_rng(0)
    cases = [
        (p,) * k + (q,) * (count - k) for p, q in product(grid, grid) for k in range(count + 1)
    ]
    cases += [tuple(rng.choice(grid, count)) for _ in range(50)]
    ends = [[b(k, count, delta).upper for k in range(count + 1)] for b in (unequal, binomial)]
    worst = np.zeros(2)
    for case in cases:
        law = np.array([1.0])
        for p in case:
            law = np.convolve(law, [1 - p, p])
        mean = np.mean(case)
        missed = [law[np.array(upper) < mean - 1e-12].sum() for upper in ends]
        worst = np.maximum(worst, missed)
    assert worst[0] <= delta * (1 + 1e-9)
    assert worst[1] > delta  # the correction is needed
