"""The loop: against plain gradient descent, its best iterate, its trace, resume to the same bits."""

from __future__ import annotations

import numpy as np
import pytest

import sparseaug as sa
from tests.extras import optional
from tests.runs import Stopping

torch = optional("torch")


@pytest.fixture
def problem(rng):
    x = np.sort(rng.uniform(-1, 1, (10, 4)), axis=1)
    model = sa.KernelModel(sa.GaussianKernel(1.25), rng.uniform(-1, 1, (7, 4)))
    action = sa.permute_axis(sa.symmetric(4))
    return model, (x, x.sum(axis=1)), action, rng.normal(0, 0.5, 14)


def used_oracle(group):
    """An oracle that has drawn before: a run begins where it stands."""
    oracle = sa.Oracle(group, seed=9)
    oracle.draw(5)
    return oracle


def risks(model, data, action):
    S = sa.Oracle(action.group, seed=0).draw(5)
    return {
        "none": lambda: sa.augmented_risk(model, data, action, None),
        "full": lambda: sa.augmented_risk(model, data, action, "full"),
        "one-shot": lambda: sa.augmented_risk(model, data, action, S),
        "streaming": lambda: sa.risk.streaming_risk(
            model, data, action, used_oracle(action.group), batch=2
        ),
    }


@pytest.mark.parametrize("method", ["none", "full", "one-shot", "streaming"])
def test_the_loop_is_plain_gradient_descent(problem, method):
    """alg:sparse-aug: the iterate with the smallest gradient norm of the risk followed."""
    *parts, theta = problem
    make = risks(*parts)[method]
    run = sa.descend(
        make(), theta, method=method, step_size=0.1, num_steps=40, project=sa.descent.Box(1.0)
    )
    risk, norms, iterates = make(), [], []
    for step in range(40):
        gradient = risk.at_step(step).gradient(theta)
        norms.append(np.linalg.norm(gradient))
        iterates.append(theta)
        theta = np.clip(theta - 0.1 * gradient, -1.0, 1.0)
    best = int(np.argmin(norms))
    assert np.array_equal(run.last, theta)
    assert run.best_step == best
    assert np.array_equal(run.best, iterates[best])
    assert run.best_gradient_norm == pytest.approx(norms[best], rel=1e-15)
    assert run.calls == {"none": 0, "full": 0, "one-shot": 5, "streaming": 85}[method]
    assert run.trace["gradient_norm"][:-1] == pytest.approx(norms[::25], rel=1e-15)


def clip_in_place(theta):
    return np.clip(theta, -0.6, 0.6, out=theta)


@pytest.mark.parametrize("project", [sa.descent.Box(0.6), clip_in_place], ids=["box", "in place"])
@pytest.mark.parametrize("stop", [None, 1, 13])
def test_a_run_counts_the_entries_that_its_projection_changed(problem, project, stop, tmp_path):
    *parts, theta = problem
    options = {"step_size": 0.4, "num_steps": 30, "project": project}
    options["checkpoint"] = sa.descent.Checkpoint(tmp_path / "run", every=5)
    if stop is not None:
        with pytest.raises(KeyboardInterrupt):
            sa.descend(Stopping(risks(*parts)["one-shot"](), stop), theta, **options)
    run = sa.descend(risks(*parts)["one-shot"](), theta, **options)
    risk, expected = risks(*parts)["one-shot"](), 0
    for _ in range(30):
        free = theta - 0.4 * risk.gradient(theta)
        theta = np.clip(free, -0.6, 0.6)
        expected += np.count_nonzero(abs(free) > 0.6)
    assert run.clipped == expected > 30
    assert f"{expected} entries clipped" in repr(run)


def test_the_trace_holds_what_was_evaluated(problem):
    *parts, theta = problem
    risk = risks(*parts)["streaming"]()
    rate = {"step_size": lambda step: 0.1 / (1 + step)}
    run = sa.descend(risk, theta, num_steps=30, eval_every=10, **rate)
    assert run.trace["step"].tolist() == [0, 10, 20, 30]
    assert run.trace["calls"].tolist() == [7, 27, 47, 65]
    assert not run.trace["gradient_norm"].flags.writeable
    assert run.trace.to_dict()["step"] == [0, 10, 20, 30]


def test_the_best_of_equal_gradient_norms_is_the_first():
    class Plane:
        calls = 0

        def at_step(self, step):
            return self

        def gradient(self, theta):
            return np.array([3.0, 4.0])

    run = sa.descend(Plane(), np.zeros(2), step_size=0.5, num_steps=10)
    assert (run.best_step, run.best_gradient_norm) == (0, 5.0)
    assert np.array_equal(run.best, np.zeros(2))


def test_the_last_state_is_kept_however_rarely_states_are(problem, tmp_path):
    *parts, theta = problem
    options = {"step_size": 0.1, "num_steps": 10, "checkpoint": tmp_path / "run"}
    run = sa.descend(risks(*parts)["full"](), theta, **options)
    assert (tmp_path / "run").exists()
    resumed = sa.descend(Stopping(risks(*parts)["full"](), 0), theta, **options)  # no step is left
    assert np.array_equal(resumed.last, run.last)
