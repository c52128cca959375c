"""Risks of any loss: the same numbers as the kernel model's, every method, batches that resume."""

from __future__ import annotations

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import ArgumentError
from tests.runs import Stopping

X = np.random.default_rng(0).uniform(-1, 1, (12, 3))
Y = X.sum(1) ** 2
ACT = sa.permute_axis(sa.symmetric(3))
MODEL = sa.KernelModel(sa.GaussianKernel(1.0), X[:4])
S = sa.Oracle(ACT.group, seed=0).draw(5)
THETA = np.random.default_rng(1).normal(size=8)


def custom(of=S, **options):
    return sa.custom_risk(MODEL.losses, (X, Y), ACT, of, **options)


@pytest.mark.parametrize("of", [S, "full", None])
def test_the_kernel_models_loss_gives_the_kernel_models_risk(of):
    one, other = custom(of), sa.augmented_risk(MODEL, (X, Y), ACT, of)
    assert np.isclose(one.value(THETA), other.value(THETA), rtol=1e-12)
    assert np.allclose(one.gradient(THETA), other.gradient(THETA), rtol=1e-10, atol=1e-12)
    assert (one.method, one.calls) == (other.method, other.calls)


@pytest.mark.parametrize("method", ["none", "full", "one-shot", "streaming"])
def test_every_method_follows_it(method):
    of = {"none": None, "full": "full", "one-shot": S, "streaming": sa.Oracle(ACT.group, seed=4)}[
        method
    ]
    run = sa.descend(custom(of, batch=2), THETA, step_size=0.05, num_steps=40, method=method)
    assert run.calls == {"none": 0, "full": 0, "one-shot": 5, "streaming": 80}[method]
    assert custom("full").value(run.last) < custom("full").value(THETA)


def test_certificates_say_what_they_rest_on():
    run = sa.descend(custom(largest=100.0), THETA, step_size=0.05, num_steps=40)
    truth = np.linalg.norm(sa.augmented_risk(MODEL, (X, Y), ACT, "full").gradient(run.best))
    found = sa.certify(run, oracle=sa.Oracle(ACT.group, seed=9), audit_calls=500)
    assert found["exact"].truth == pytest.approx(truth)
    assert found["exact"].bound >= truth * (1 - 1e-12)
    assert found["audited"].bound >= truth
    assert "largest=100.0" in found["audited"].holds
    assert set(found.omitted) == {"a-priori", "spectral", "words", "kernel"}
    low = sa.descend(custom(largest=1e-6), THETA, step_size=0.05, num_steps=5)
    with pytest.raises(ArgumentError, match="largest"):
        sa.certify(low, kinds=["audited"], oracle=sa.Oracle(ACT.group, seed=9))
    with pytest.raises(sa.errors.UnsupportedError, match="largest="):
        sa.certify(
            sa.descend(custom(), THETA, step_size=0.05, num_steps=5),
            kinds=["audited"],
            oracle=sa.Oracle(ACT.group, seed=9),
        )


def test_what_a_function_returns_is_checked():
    for wrong in (
        lambda theta, x, y: np.zeros(len(y)),
        lambda theta, x, y: (np.zeros(len(y)), np.zeros((len(y), 3))),
        lambda theta, x, y: (0.0, np.zeros((len(y), 8))),
    ):
        with pytest.raises(ArgumentError, match="return losses"):
            sa.custom_risk(wrong, (X, Y), ACT, S).gradient(THETA)


@pytest.mark.parametrize("make", [custom, lambda: sa.augmented_risk(MODEL, (X, Y), ACT, S)])
def test_batches_are_unbiased_cost_no_calls_and_resume_to_the_same_bits(make, tmp_path):
    risk = make()
    batches = sa.risk.minibatch(risk, 4, seed=7)
    mean = np.mean([batches.at_step(t).gradient(THETA) for t in range(4000)], axis=0)
    spread = np.std([batches.at_step(t).gradient(THETA) for t in range(400)], axis=0)
    assert (abs(mean - risk.gradient(THETA)) < 6 * spread / 4000**0.5).all()
    options = {"step_size": 0.05, "num_steps": 60}
    whole = sa.descend(batches, THETA, **options)
    file = sa.descent.Checkpoint(tmp_path / "run", every=10)
    with pytest.raises(KeyboardInterrupt):
        sa.descend(Stopping(batches, 35), THETA, checkpoint=file, **options)
    again = sa.descend(sa.risk.minibatch(make(), 4, seed=7), THETA, checkpoint=file, **options)
    assert np.array_equal(whole.last, again.last)
    assert again.calls == 5
    assert sa.certify(whole)["exact"].truth == pytest.approx(
        np.linalg.norm(sa.augmented_risk(MODEL, (X, Y), ACT, "full").gradient(whole.best))
    )


def test_algorithm_1_promises_and_keeps():
    found = sa.one_shot(MODEL, (X, Y), ACT, eps=1.5, theta0=0.3 * np.ones(8))
    assert found.kept
    assert found.certificates["exact"].truth <= 1.5
    few = sa.one_shot(
        MODEL, (X, Y), sa.permute_axis(sa.symmetric(3)), eps=60.0, theta0=0.3 * np.ones(8)
    )
    assert few.bound != "all of the group"
    assert few.run.calls == few.sample.m == 1
    with pytest.raises(ArgumentError, match="steps of 1/L"):
        sa.one_shot(MODEL, (X, Y), ACT, eps=1e-6)
    assert "promised" in str(found)
    assert found.to_dict()["kept"]
    of_risk = sa.one_shot(few.run.risk, eps=1.5, theta0=0.3 * np.ones(8))
    assert of_risk.to_dict() == found.to_dict()
    with pytest.raises(ArgumentError, match="those of the risk"):
        sa.one_shot(few.run.risk, (X, Y), eps=1.5)


@pytest.mark.parametrize("size", [4, 30])
def test_a_loss_whose_constants_nobody_knows_is_planned_by_a_pilot_and_promises_nothing(size):
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(40, size)), rng.normal(size=size)
    y, act = np.sign(x @ w), sa.permute_axis(sa.symmetric(size))
    largest = float(np.linalg.norm(x, axis=1).max()) * 1.001  # permutations keep lengths

    def logistic(theta, x, y):
        margin = y * (x @ theta)
        return np.log1p(np.exp(-margin)), -(y / (1 + np.exp(margin)))[:, None] * x

    risk = sa.custom_risk(logistic, (x, y), act, None, largest=largest)
    found = sa.one_shot(risk, eps=0.3, theta0=np.zeros(size))
    assert found.delta is None
    assert "no promise" in str(found)
    assert found.certificates.best.bound < 0.6
    if size == 4:
        assert found.certificates["exact"].truth <= 0.3
    else:
        assert found.constants["pilot calls"] >= 64
        unbounded = sa.custom_risk(logistic, (x, y), act, None)
        blind = sa.one_shot(unbounded, eps=0.3, theta0=np.zeros(size))
        assert "not certified" in str(blind)
        assert blind.to_dict()["delta"] is None
    with pytest.raises(ArgumentError, match="box=2"):
        sa.one_shot(risk, eps=0.3, theta0=np.zeros(size), box=2)
