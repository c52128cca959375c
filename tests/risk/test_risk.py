"""R_n, R_n^S and R_n^G: by moments, by the plain sum, by torch's autograd."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import ArgumentError
from sparseaug.risk import DirectRisk
from tests.extras import optional

torch = optional("torch")


@pytest.fixture
def problem(rng):
    x = np.sort(rng.uniform(-1, 1, (10, 4)), axis=1)
    model = sa.KernelModel(sa.GaussianKernel(1.25), rng.uniform(-1, 1, (7, 4)))
    return model, (x, x.sum(axis=1)), sa.permute_axis(sa.symmetric(4)), rng.normal(0, 0.5, 14)


def plain_risk(model, data, permutations, theta):
    """The definition, in loops: mean over data and permutations of (f(g.x) - y)^2 / 2."""
    x, y = data
    total = 0.0
    for p in permutations:
        for xi, yi in zip(x, y, strict=True):
            moved = np.empty(4)
            for i in range(4):
                moved[p[i]] = xi[i]
            f = 0.0
            for r, z in enumerate(model.centers):
                k = np.exp(-np.sum((moved - z) ** 2) / (2 * model.kernel.sigma**2))
                f += theta[r] * theta[7 + r] * k
            total += 0.5 * (f - yi) ** 2
    return total / (len(x) * len(permutations))


def test_moments_give_the_risk_of_the_definition(problem):
    model, data, action, theta = problem
    S = sa.Oracle(action.group, seed=0).draw(5)
    everything = list(itertools.permutations(range(4)))
    for chosen, permutations in ((None, [range(4)]), (S, S.elements), ("full", everything)):
        risk = sa.augmented_risk(model, data, action, chosen)
        assert risk.value(theta) == pytest.approx(
            plain_risk(model, data, permutations, theta), rel=1e-12
        )


def test_the_gradient_is_the_one_of_autograd(problem):
    model, data, action, theta = problem
    S = sa.Oracle(action.group, seed=1).draw(6)
    moved = torch.tensor(np.array(action(S, data[0])).reshape(-1, 4))
    centers, targets = torch.tensor(np.array(model.centers)), torch.tensor(np.tile(data[1], 6))
    parameters = torch.tensor(theta, requires_grad=True)
    k = torch.exp(-(torch.cdist(moved, centers) ** 2) / (2 * 1.25**2))
    loss = 0.5 * ((k @ (parameters[:7] * parameters[7:]) - targets) ** 2).mean()
    loss.backward()
    for risk in (sa.augmented_risk(model, data, action, S), DirectRisk(model, data, action, S)):
        assert risk.value(theta) == pytest.approx(float(loss.detach()), rel=1e-12)
        assert np.abs(risk.gradient(theta) - parameters.grad.numpy()).max() < 1e-10


def test_a_theta_whose_products_overflow_has_an_infinite_risk_and_gradient(problem):
    """No warning, and no NaN; the products of 1e100 and the gradient along them are still finite."""
    risk = sa.augmented_risk(*problem[:3], None)
    for size, finite in ((1e20, True), (1e100, True), (1e140, False), (1e200, False)):
        theta = np.full(14, size)
        assert np.isfinite(risk.gradient(theta)).all() == finite
        assert not np.isnan(risk.gradient(theta)).any()
        assert not np.isnan(risk.value(theta))
    assert np.array_equal(risk.gradient(np.full(14, 1e200)), np.full(14, np.inf))


def test_the_sample_of_everything_is_the_full_group(problem):
    model, data, action, theta = problem
    S = sa.GroupSample(action.group, np.concatenate(list(action.group.elements())))
    full = sa.augmented_risk(model, data, action, "full")
    sampled = sa.augmented_risk(model, data, action, S)
    assert abs(full.value(theta) - sampled.value(theta)) < 1e-12
    assert np.abs(full.gradient(theta) - sampled.gradient(theta)).max() < 1e-12


def test_streaming_draws_and_counts_at_every_step(problem):
    model, data, action, theta = problem
    oracle = sa.Oracle(action.group, seed=3)
    risk = sa.risk.streaming_risk(model, data, action, oracle, batch=2)
    rows = sa.Oracle(action.group, seed=3).draw(6).elements
    for step in range(3):
        expected = DirectRisk(
            model, data, action, sa.GroupSample(action.group, rows[2 * step : 2 * step + 2])
        )
        assert risk.at_step(step).value(theta) == expected.value(theta)
        assert risk.calls == 2 * (step + 1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m, d, a: sa.augmented_risk(m, d, a, "half"), "S='half'"),
        (lambda m, d, a: sa.augmented_risk(m, d[0], a, None), "is not a pair"),
        (lambda m, d, a: sa.augmented_risk(m, (d[0], d[1][:3]), a, None), r"data\[1\] has shape"),
        (lambda m, d, a: sa.augmented_risk(m, (3, [1.0]), a, None), r"data\[0\] is a int"),
        (
            lambda m, d, a: sa.risk.streaming_risk(m, d, a, sa.Oracle(a.group), batch=10**7),
            r"batch=10000000 .* 5.6 GB",
        ),
    ],
)
def test_bad_input_is_answered(problem, call, message):
    with pytest.raises(ArgumentError, match=message):
        call(*problem[:3])
