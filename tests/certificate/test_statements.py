"""What an audit says is in one unit, and each statement covers what it is about."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import sparseaug as sa
from sparseaug.certificate import BoundedLoss, audit_risk
from sparseaug.certificate.accuracy import bounds, draw_pairs

ACT = sa.roll(sa.cyclic(8), axes=(-1,))
TABLE = (np.random.default_rng(0).random((40, 8)) < 0.7).astype(float)
X = np.arange(40)[:, None] * 8 + np.arange(8)[None]  # entry 0 of a moved sample names the pair
Y = np.ones(40, int)


def model(x):
    return TABLE.reshape(-1)[x[:, 0]].astype(int)


def oracle(seed):
    return sa.Oracle(ACT.group, seed=seed)


def missed(truth, found):
    """Both ends, and each alone."""
    inside = found.lower <= truth <= found.upper
    return np.array([not inside, found.at_least > truth, found.at_most < truth])


def test_pairs_are_drawn_with_replacement_each_with_an_element_of_its_own():
    """800 pairs; a sample's count is binomial(800, 1/40), and all 320 pairs are equally likely."""
    rows, which = draw_pairs(oracle(3), 40, 800)
    counts = np.bincount(which, minlength=40)
    assert counts.min() < 20 < counts.max()  # all equal, as without replacement: chance 1e-35
    seen = np.bincount(which * 8 + rows[:, 0], minlength=320)
    chi = ((seen - 2.5) ** 2 / 2.5).sum()
    assert 200 < chi < 480  # 319 degrees of freedom: 1e-6 either side


@pytest.mark.parametrize("delta", [0.2, 0.5])
def test_asking_for_the_truth_itself_is_answered_wrongly_at_most_as_often_as_stated(delta):
    """A stop at `until` = truth is always wrong; 200 audits, a false alarm in 1e-6."""
    truth, wrong = TABLE.mean(), np.zeros(3)
    for seed in range(200):
        found = audit_risk(
            model, (X, Y), ACT, oracle=oracle(seed), calls=300, delta=delta, until=truth
        )
        wrong += missed(truth, found)
    assert wrong.max() <= binom.isf(1e-6, 200, delta)
    assert wrong[1] + wrong[2] <= binom.isf(1e-6, 200, min(1, 2 * delta))


@pytest.mark.parametrize("calls", [60, 150, 600])
def test_the_population_is_covered_by_draws_designs_and_all_of_a_small_group(calls):
    """Test sets of 60 drawn from the table, sorted so that the worst come last, as no one should
    rely on: one element each, S h_i, and all of G. 150 audits at delta 0.2.
    """
    truth, wrong = TABLE.mean(), np.zeros(3)
    for seed in range(150):
        which = np.random.default_rng(seed).integers(40, size=60)
        which = which[np.argsort(-TABLE[which].mean(1))]
        data = X[which], Y[which]
        wrong += missed(
            truth,
            audit_risk(
                model, data, ACT, over="population", calls=calls, delta=0.2, oracle=oracle(seed)
            ),
        )
    assert wrong.max() <= binom.isf(1e-6, 150, 0.2)


@pytest.mark.parametrize("side", [1, -1])
def test_the_order_of_a_test_set_does_not_matter_to_the_population(side):
    """All right or all wrong by sample, sorted: betting in that order would miss in every run."""
    wrong = np.zeros(3)
    for seed in range(100):
        y = np.sort(np.random.default_rng(seed).random(200) < 0.5)[::side].astype(int)
        x = np.zeros((200, 8))
        found = audit_risk(
            lambda x: np.ones(len(x), int),
            (x, y),
            ACT,
            over="population",
            calls=1600,
            delta=0.2,
            oracle=oracle(seed),
        )
        wrong += missed(0.5, found)
    assert wrong.max() <= binom.isf(1e-6, 100, 0.2)


def test_until_and_the_bounds_of_a_loss_are_in_its_own_unit():
    loss = BoundedLoss(lambda y, out: 5.0 * (out != y), bound=10.0)
    truth = 5.0 * (1 - TABLE.mean())
    found = audit_risk(model, (X, Y), ACT, loss=loss, until=3.0, calls=300, oracle=oracle(0))
    assert found.answer == "below"
    assert found.lower <= truth <= found.upper <= 5.0
    high = audit_risk(model, (X, Y), ACT, loss=loss, until=0.5, calls=300, oracle=oracle(0))
    assert (high.answer, high.calls) == ("above", 32)
    assert "at most" in str(found)


def test_the_difference_of_two_models_is_in_points_of_accuracy():
    worse = lambda x: model(x) * (x[:, 0] % 3 > 0)  # noqa: E731
    truth = TABLE.mean() - (TABLE.reshape(-1) * (np.arange(320) % 3 > 0)).mean()
    found = audit_risk((model, worse), (X, Y), ACT, calls=300, until=0.0, oracle=oracle(1))
    assert found.answer == "above"  # the first is better
    assert found.lower <= truth <= found.upper
    assert "of the first model less that of the second" in str(found)
    exact = audit_risk((model, worse), (X, Y), ACT)
    assert exact.estimate == pytest.approx(truth, abs=1e-15)


def test_842_of_1000_as_the_textbooks_have_it():
    found = bounds(np.r_[np.ones(842), np.zeros(158)], 0.05, binary=True)
    ends = [round(end, 4) for end in (*found.alone, *found.both)]
    assert ends == [0.8218, 0.8607, 0.8179, 0.8641]


def test_losses_that_happen_to_be_0_or_1_say_no_more_than_betting():
    loss = BoundedLoss(lambda y, out: (out != y) * 1.0)
    found = audit_risk(model, (X, Y), ACT, loss=loss, calls=300, oracle=oracle(2))
    exact = audit_risk(model, (X, Y), ACT, calls=300, oracle=oracle(2))
    assert found.estimate == pytest.approx(1 - exact.estimate)
    assert found.upper - found.lower > exact.upper - exact.lower
