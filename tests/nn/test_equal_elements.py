"""Equal elements of S are moved once and weigh as many as they are, wherever a mean over S is taken."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import Ridge
from torch import nn

import sparseaug as sa
from sparseaug import nn as sann
from sparseaug.nn.risk import module_risk
from sparseaug.nn.risk.certified import in_double
from sparseaug.sklearn import OneShotClassifier, OneShotRegressor

TURN = sa.rotate_grid(sa.dihedral(4))
MANY = sa.Oracle(TURN.group, seed=0).draw(512)
X = torch.randn(5, 2, 4, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
Y = torch.randn(5, 3, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


class Counting(nn.Module):
    """A network that counts the samples it has seen."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(2)
        self.inner = nn.Sequential(
            nn.Flatten(), nn.Linear(32, 6), nn.Tanh(), nn.Linear(6, 3)
        ).double()
        self.seen = 0

    def forward(self, x):
        self.seen += len(x)
        return self.inner(x)


def over_all(model, x=X):
    """The outputs of all 512 copies, one element at a time: (m, B, ...)."""
    return torch.stack([model(TURN(row[None], x)[0]) for row in MANY.elements])


@pytest.mark.parametrize("chunk_size", [None, 1, 13])
def test_the_orbit_average_sees_each_distinct_element_once(chunk_size):
    model = Counting()
    expected = over_all(model)
    model.seen = 0
    average = sann.OrbitAverage(model, TURN, MANY, chunk_size=chunk_size)
    torch.testing.assert_close(average(X), expected.mean(0), rtol=1e-12, atol=1e-12)
    assert model.seen == 8 * 5
    statistics = average.statistics(X)
    torch.testing.assert_close(statistics.std, expected.std(0), rtol=1e-12, atol=1e-12)
    assert statistics.m == 512


def test_gradients_through_the_average_are_those_of_the_multiset():
    model, x = Counting(), X.clone().requires_grad_()
    sann.OrbitAverage(model, TURN, MANY)(x).square().sum().backward()
    ours, ours_x = [p.grad.clone() for p in model.parameters()], x.grad.clone()
    model.zero_grad()
    x.grad = None
    over_all(model, x).mean(0).square().sum().backward()
    torch.testing.assert_close(x.grad, ours_x, rtol=1e-10, atol=1e-10)
    for parameter, grad in zip(model.parameters(), ours, strict=True):
        torch.testing.assert_close(parameter.grad, grad, rtol=1e-10, atol=1e-10)


def test_outputs_that_move_are_moved_back_by_the_right_elements():
    shift = sa.permute_axis(sa.cyclic(4))
    S = sa.GroupSample(shift.group, [[1], [3], [1], [0], [1]])
    x = torch.randn(2, 4, dtype=torch.float64)
    weight = torch.randn(4, 4, dtype=torch.float64)
    average = sann.OrbitAverage(lambda x: torch.tanh(x @ weight), shift, S, output_action=shift)
    expected = sum(
        torch.roll(torch.tanh(torch.roll(x, int(g), -1) @ weight), -int(g), -1)
        for g in S.elements[:, 0]
    )
    torch.testing.assert_close(average(x), expected / 5, rtol=1e-12, atol=1e-12)


def test_another_S_from_a_state_dict_brings_its_own_counts():
    model = Counting()
    average = sann.OrbitAverage(model, TURN, MANY)
    few = sa.GroupSample(TURN.group, [[1, 0], [1, 0], [2, 1]])
    average.load_state_dict(sann.OrbitAverage(model, TURN, few).state_dict())
    expected = (2 * model(TURN(few, X)[0]) + model(TURN(few, X)[2])) / 3
    torch.testing.assert_close(average(X), expected)
    with torch.no_grad():
        average.orbit.elements[1] = torch.tensor([2, 1])  # as another rank's, broadcast in place
    average.orbit._prepare(average.orbit._like)
    expected = (model(TURN(few, X)[0]) + 2 * model(TURN(few, X)[2])) / 3
    torch.testing.assert_close(average(X), expected)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_weights_are_exact_in_half_precision(dtype):
    S = sa.GroupSample(sa.cyclic(3), [[0]] * 7 + [[1]] * 5 + [[2]] * 3)
    ones = sann.OrbitAverage(lambda x: x, sa.permute_axis(S.group), S)(
        torch.ones(2, 3, dtype=dtype)
    )
    assert torch.equal(ones, torch.ones(2, 3, dtype=dtype))


def test_it_compiles_whole():
    average = sann.OrbitAverage(nn.Flatten(), TURN, MANY)
    expected = average(X)
    torch.compiler.reset()
    compiled = torch.compile(average, fullgraph=True, backend="eager")
    torch.testing.assert_close(compiled(X), expected)


@pytest.mark.parametrize("chunk_size", [None, 3, 7])
@pytest.mark.parametrize("reduction", ["mean", "none"])
def test_the_risk_is_that_of_all_copies_at_the_cost_of_eight(chunk_size, reduction):
    model = Counting()
    loss = nn.MSELoss(reduction=reduction)
    risk = sann.ModuleRisk(model, loss, (X, Y), TURN, MANY, chunk_size=chunk_size)
    copies, targets = sa.augment(TURN, MANY, X, Y)
    whole = nn.functional.mse_loss(model(copies), targets)
    wanted = torch.cat([p.reshape(-1) for p in torch.autograd.grad(whole, risk.parameters)])
    model.seen = 0
    value, gradient = risk.value_and_gradient(risk.theta)
    assert model.seen == 8 * 5
    assert float(value) == pytest.approx(float(whole.detach()), rel=1e-12)
    torch.testing.assert_close(gradient, wanted, rtol=1e-10, atol=1e-12)
    assert risk.copies == 512 * 5
    assert risk.calls == 512


@pytest.mark.parametrize("ranks", [2, 3, 5])
def test_ranks_share_the_distinct_copies_and_their_sum_is_the_risk(ranks, monkeypatch):
    risk = sann.ModuleRisk(Counting(), nn.MSELoss(), (X, Y), TURN, MANY, chunk_size=7)
    value, gradient = risk.value_and_gradient(risk.theta)
    parts = []
    for rank in range(ranks):
        monkeypatch.setattr(module_risk, "this_rank", lambda rank=rank: (rank, ranks))
        parts.append(risk.value_and_gradient(risk.theta))
    torch.testing.assert_close(sum(part[0] for part in parts), value, rtol=1e-12, atol=0)
    torch.testing.assert_close(sum(part[1] for part in parts), gradient, rtol=1e-10, atol=1e-12)
    assert sum(weight for *_, weight in risk._make_chunks(0, 40)) == pytest.approx(1, abs=1e-12)


def test_an_audit_computes_the_gradient_of_equal_draws_once():
    model = Counting()
    risk = sann.ModuleRisk(model, nn.MSELoss(), (X, Y), TURN, None)
    seen: list[int] = []
    model.register_forward_pre_hook(lambda module, given: seen.append(len(given[0])))
    in_double(risk, risk.theta)
    trial = sum(seen)  # of the module as it is now, before the first draw
    found = sann.audit(risk, risk.theta, sa.Oracle(TURN.group, seed=5), calls=64, largest=1e3)
    assert (found.calls, sum(seen) - 2 * trial) == (64, 8 * 5)


def test_invariance_errors_and_the_metric_look_at_each_element_once():
    model = Counting()
    each = [
        sa.invariance_error(model, TURN, sa.GroupSample(TURN.group, row[None]), X).mean
        for row in MANY.elements[:64]
    ]
    some = sa.GroupSample(TURN.group, MANY.elements[:64])
    model.seen = 0
    report = sa.invariance_error(model, TURN, some, X)
    assert model.seen == 9 * 5
    np.testing.assert_allclose(report.errors, each, rtol=1e-12, atol=1e-15)
    metric = sann.InvarianceMetric(model, TURN, some, chunk_size=12)
    model.seen = 0
    metric.update(X)
    assert model.seen == 9 * 5
    assert float(metric.compute()) == pytest.approx(report.mean, rel=1e-12)


class Rows(Ridge):
    """A regression that counts the rows it predicts."""

    seen = 0

    def predict(self, X):
        Rows.seen += len(X)
        return super().predict(X)


def test_predictions_of_estimators_cost_what_the_distinct_elements_cost():
    x, y = X.numpy().reshape(5, 32)[:, :16], Y.numpy()
    given = {"action": TURN, "S": MANY, "sample_shape": (4, 4), "average": "same"}
    model = OneShotRegressor(Rows(), **given).fit(x, y)
    expected = np.mean(
        [model.estimator_.predict(c.reshape(5, 16)) for c in TURN(MANY, x.reshape(5, 4, 4))], 0
    )
    Rows.seen = 0
    np.testing.assert_allclose(model.predict(x), expected, rtol=1e-11, atol=1e-13)
    assert Rows.seen == 8 * 5


class Votes(ClassifierMixin, BaseEstimator):
    """A label by the place of the largest entry, and no scores."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[X.argmax(axis=1)]


def test_a_tie_of_votes_goes_to_the_first_class_whatever_the_counts():
    shift = sa.permute_axis(sa.cyclic(3))
    S = sa.GroupSample(shift.group, [[0]] * 3 + [[1]] * 3 + [[2]] * 1)
    model = OneShotClassifier(Votes(), action=shift, S=S, average="same")
    model.fit(np.eye(3), ["a", "b", "c"])
    # votes of a row whose largest entry is the first: a 3, b 3, c 1; of the second: b 3, c 3, a 1
    assert model.predict(np.eye(3)[:2]).tolist() == ["a", "b"]
