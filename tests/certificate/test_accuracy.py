"""The risk over all of G: against enumeration, and how often the bounds miss it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, norm

import sparseaug as sa
from sparseaug.certificate import BoundedLoss, audit_risk
from sparseaug.errors import ArgumentError

X = np.random.default_rng(0).normal(size=(60, 5))
Y = (X.sum(1) > 0).astype(int)
ACT = sa.permute_axis(sa.symmetric(5))
EVERY = sa.GroupSample.full(ACT.group)


def first(x):
    return (x[:, :4].sum(1) > 0).astype(int)


def weighted(x):
    return (x @ [0.2, 0.5, 1.0, 1.5, 2.0] > 0).astype(int)


def scores(x):
    return np.stack([np.zeros(len(x)), x @ [0.2, 0.5, 1.0, 1.5, 2.0]], axis=1)


def correct(model, x=X, y=Y):
    """Of every moved sample, (|G|, n)."""
    moved = ACT(EVERY, x)
    return (model(moved.reshape(-1, 5)).reshape(len(moved), -1) == y).astype(float)


def oracle(seed):
    return sa.Oracle(ACT.group, seed=seed)


def test_all_pairs_are_tried_where_that_is_no_more_work():
    found = audit_risk(weighted, (X, Y), ACT, calls=60 * 120)
    assert found.estimate == found.lower == found.upper == correct(weighted).mean()
    assert found.calls == 0
    assert found.evaluations == 7200
    assert found.failure_probability == 0
    assert "certain" in str(found)


@pytest.mark.parametrize("model", [first, weighted, scores])
@pytest.mark.parametrize("until", [None, 0.7])
def test_the_truth_is_missed_at_most_as_often_as_stated(model, until):
    """150 audits at delta 0.2; chance of a false alarm 1e-6."""
    plain = model if model is not scores else weighted
    truth, missed, alone = correct(plain).mean(), 0, 0
    for seed in range(150):
        found = audit_risk(
            model, (X, Y), ACT, oracle=oracle(seed), calls=150, delta=0.2, until=until
        )
        missed += not found.lower <= truth <= found.upper
        alone += found.at_least > truth
        assert found.calls == found.evaluations <= 150
    assert max(missed, alone) <= binom.isf(1e-6, 150, 0.2)


def test_a_running_stop_answers_early():
    found = audit_risk(weighted, (X, Y), ACT, calls=4000, until=0.5, oracle=oracle(1))
    assert found.at_least > 0.5
    assert found.answer == "above"
    assert found.calls < 400
    assert "wherever one stops" in found.holds
    assert "it is at least 0.5" in str(found)
    no = audit_risk(weighted, (X, Y), ACT, calls=4000, until=0.99, oracle=oracle(1))
    assert no.answer == "below"
    assert "at most 0.99" in str(no)
    few = audit_risk(weighted, (X, Y), ACT, calls=40, until=0.9, oracle=oracle(1))
    assert few.answer == "open"
    assert "open" in str(few)
    assert audit_risk(weighted, (X, Y), ACT, calls=7200, until=0.5).answer == "above"


def test_the_averaged_model_is_audited():
    S = oracle(5).draw(8)

    def averaged(x):
        return scores(ACT(S, x).reshape(-1, 5)).reshape(8, len(x), 2).mean(0).argmax(1)

    one = audit_risk(scores, (X, Y), ACT, average_over=S, calls=7200, oracle=oracle(9))
    assert one.estimate == pytest.approx(correct(averaged).mean(), abs=1e-12)
    assert one.evaluations == 7200 * 8
    votes = audit_risk(weighted, (X, Y), ACT, average_over=S, calls=7200, oracle=oracle(9))
    majority = correct(
        lambda x: (weighted(ACT(S, x).reshape(-1, 5)).reshape(8, -1).mean(0) > 0.5).astype(int)
    )
    assert votes.estimate == pytest.approx(majority.mean(), abs=1e-12)


def test_an_average_over_draws_that_the_audit_would_make_again_is_refused():
    S = oracle(5).draw(8)
    with pytest.raises(ArgumentError, match="seed 5"):
        audit_risk(scores, (X, Y), ACT, average_over=S, oracle=oracle(5))


def test_a_bounded_loss_is_bounded_by_betting_whatever_its_values_happen_to_be():
    loss = BoundedLoss(lambda y, out: np.minimum(abs(y - out), 2.0), bound=2.0)

    def near(x):
        return x[:, :4].sum(1)

    y = X.sum(1)
    truth = np.minimum(abs(y - near(ACT(EVERY, X).reshape(-1, 5)).reshape(120, -1)), 2.0).mean()
    found = audit_risk(near, (X, y), ACT, loss=loss, calls=1500)
    assert found.lower < truth < found.upper < found.lower + 0.25
    never = audit_risk(near, (X, y), ACT, loss=BoundedLoss(lambda y, out: 0 * out), calls=1500)
    exact = audit_risk(lambda x: np.zeros(len(x), int), (X, np.zeros(60, int)), ACT, calls=1500)
    # zeros that could have been anything below 1 say less
    assert 1 - exact.lower < never.upper
    with pytest.raises(ArgumentError, match="outside"):
        audit_risk(near, (X, y), ACT, loss=BoundedLoss(lambda y, out: 3 + 0 * out), calls=10)


@pytest.mark.parametrize("over", ["data", "population"])
def test_transformations_that_are_no_group_are_audited_too(over):
    """Noise on every entry, wrong where it turns the sign of the sum; 60 audits at delta 0.2."""
    act = sa.random_transform(lambda x, rng: x + rng.normal(size=x.shape), batch=False)
    x = np.random.default_rng(5).normal(size=(25, 4))
    y = (x.sum(1) > 0).astype(int)

    def sign(z):
        return (z.sum(1) > 0).astype(int)

    # the sum moves by a normal number of variance 4
    truth = float(np.mean(norm.cdf(abs(x.sum(1)) / 2)))
    missed = 0
    for seed in range(60):
        oracle = sa.Oracle(act.distribution, seed=seed)
        found = audit_risk(sign, (x, y), act, oracle=oracle, calls=50, delta=0.2, over=over)
        missed += over == "data" and not found.lower <= truth <= found.upper
        assert found.calls == 50
        assert 0 < found.lower < found.upper <= 1
    assert missed <= binom.isf(1e-6, 60, 0.2)


def test_every_sample_has_an_element_of_its_own():
    """Correct on half of the orders, the same for all: one shared element would be all or nothing."""
    x = np.tile(np.arange(5.0), (400, 1))
    found = audit_risk(
        lambda z: (z[:, 0] > z[:, 1]).astype(int),
        (x, np.ones(400, int)),
        ACT,
        over="population",
        calls=400,
    )
    assert 0.3 < found.estimate < 0.7
