"""The loop: against plain gradient descent, its best iterate, its trace, resume to the same bits."""

from __future__ import annotations

import os
import sys

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.descent import NonFiniteError
from sparseaug.errors import ArgumentError, FileFormatError
from sparseaug.kernels import arrays
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


def test_a_run_that_no_projection_touched_has_no_clipped_entries(problem):
    *parts, theta = problem
    risk, options = risks(*parts)["one-shot"](), {"step_size": 0.1, "num_steps": 30}
    free = sa.descend(risk, theta, **options)
    boxed = sa.descend(risk, theta, project=sa.descent.Box(10.0), **options)
    assert free.clipped == boxed.clipped == 0
    assert np.array_equal(free.last, boxed.last)
    assert "clipped" not in repr(boxed)


@pytest.mark.parametrize("method", ["none", "full", "one-shot", "streaming"])
def test_a_hundred_steps_check_theta_once(problem, method, monkeypatch):
    *parts, theta = problem
    risk, check, seen = risks(*parts)[method](), arrays.check_vector, []

    def counted(name, value, length):
        seen.append(name)
        return check(name, value, length)

    for name, module in list(sys.modules.items()):
        if name.startswith("sparseaug") and getattr(module, "check_vector", None) is check:
            monkeypatch.setattr(module, "check_vector", counted)
    sa.descend(risk, theta, step_size=0.1, num_steps=100)
    assert seen == ["theta"]
    risk.at_step(0).gradient(theta)
    assert seen == ["theta"] * 2


@pytest.mark.parametrize("method", ["one-shot", "streaming"])
def test_a_projection_to_single_precision_is_followed_as_it_was_checked(problem, method):
    """Only float64 vectors of NumPy are trusted: others go through the public gradient."""
    *parts, theta = problem
    make = risks(*parts)[method]

    def project(theta):
        return np.asarray(theta, np.float32)

    run = sa.descend(make(), theta, step_size=0.1, num_steps=10, project=project)
    risk = make()
    for step in range(10):
        theta = project(theta - 0.1 * risk.at_step(step).gradient(theta))
    assert np.array_equal(run.last, theta)


def test_the_trace_holds_what_was_evaluated(problem):
    *parts, theta = problem
    risk = risks(*parts)["streaming"]()
    rate = {"step_size": lambda step: 0.1 / (1 + step)}
    run = sa.descend(risk, theta, num_steps=30, eval_every=10, **rate)
    assert run.trace["step"].tolist() == [0, 10, 20, 30]
    assert run.trace["calls"].tolist() == [7, 27, 47, 65]
    assert not run.trace["gradient_norm"].flags.writeable
    assert run.trace.to_dict()["step"] == [0, 10, 20, 30]


@pytest.mark.parametrize("method", ["one-shot", "streaming"])
@pytest.mark.parametrize("stop", [1, 7, 10, 13, 25, 29])
def test_a_stopped_run_goes_on_to_the_same_bits(problem, method, stop, tmp_path):
    *parts, theta = problem
    options = {"step_size": 0.1, "num_steps": 30, "eval_every": 6}
    whole = sa.descend(risks(*parts)[method](), theta, **options)
    kept = {"checkpoint": sa.descent.Checkpoint(tmp_path / "run.safetensors", every=5)}
    with pytest.raises(KeyboardInterrupt):
        sa.descend(Stopping(risks(*parts)[method](), stop), theta, **kept, **options)
    resumed = sa.descend(risks(*parts)[method](), theta, **kept, **options)
    again = sa.descend(risks(*parts)[method](), theta, **kept, **options)
    for run in (resumed, again):
        assert np.array_equal(run.last, whole.last)
        assert np.array_equal(run.best, whole.best)
        assert run.trace.to_dict() == whole.trace.to_dict()
        assert (run.calls, run.best_step) == (whole.calls, whole.best_step)


def test_a_checkpoint_of_another_run_or_a_damaged_one_is_refused(problem, tmp_path):
    *parts, theta = problem
    path = tmp_path / "run.safetensors"
    sa.descend(risks(*parts)["full"](), theta, step_size=0.1, num_steps=10, checkpoint=path)
    before = path.read_bytes()
    with pytest.raises(FileFormatError, match="checkpoint of another run"):
        sa.descend(risks(*parts)["full"](), theta + 1, step_size=0.1, num_steps=10, checkpoint=path)
    for risk, rate in (("none", 0.1), ("full", 0.2)):
        with pytest.raises(FileFormatError, match="another run"):
            sa.descend(risks(*parts)[risk](), theta, step_size=rate, num_steps=10, checkpoint=path)
    assert path.read_bytes() == before
    path.write_bytes(before[:-9])
    with pytest.raises(FileFormatError):
        sa.descend(risks(*parts)["full"](), theta, step_size=0.1, num_steps=10, checkpoint=path)
    assert os.listdir(tmp_path) == ["run.safetensors"]


def test_a_run_that_diverges_stops_and_keeps_its_last_finite_checkpoint(problem, tmp_path):
    *parts, theta = problem
    path = tmp_path / "run.safetensors"
    with (
        pytest.raises(NonFiniteError, match=r"at step \d+; lower step_size") as stopped,
        np.errstate(all="ignore"),
    ):
        sa.descend(
            risks(*parts)["full"](),
            theta,
            step_size=1e6,
            num_steps=100,
            checkpoint=sa.descent.Checkpoint(path, every=1),
        )
    from sparseaug._archive import load_archive

    assert stopped.value.step > 0
    assert np.isfinite(stopped.value.best).all()
    arrays, _ = load_archive(path, "sparseaug.Checkpoint/3")
    assert np.isfinite(arrays["best"]).all()


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


def test_theta_may_be_a_tensor():
    class Quadratic:
        calls = 0

        def at_step(self, step):
            return self

        def value(self, theta):
            return float((theta**2).sum() / 2)

        def gradient(self, theta):
            return theta

    start = torch.ones(3, dtype=torch.float64)
    run = sa.descend(Quadratic(), start, step_size=0.5, num_steps=10, project=sa.descent.Box(0.4))
    assert torch.equal(run.last, torch.full((3,), 0.4 * 0.5**9, dtype=torch.float64))
    assert run.clipped == 3


@pytest.mark.parametrize(
    "theta",
    ["abc", None, 3.0, [1.0], {}, np.array(["a"]), np.array([1j]), torch.ones(2) * 1j, object()],
    ids=lambda theta: type(theta).__name__,
)
def test_a_box_answers_what_is_not_an_array_of_real_numbers_by_name(theta):
    with pytest.raises(ArgumentError, match=r"theta=.*give a dense array of real numbers"):
        sa.descent.Box(3.0)(theta)


def test_a_box_clips_integers_tensors_and_arrays_without_axes():
    assert (sa.descent.Box(1.0)(np.array([0, 5])) == [0, 1]).all()
    assert sa.descent.Box(1.0)(np.array(-4.0)) == -1.0
    assert torch.equal(sa.descent.Box(1.0)(torch.tensor([2.0, 0.5])), torch.tensor([1.0, 0.5]))


@pytest.mark.parametrize("name", [[], {}, ["step"], ([],)], ids=str)
def test_a_trace_answers_a_name_that_cannot_be_one(problem, name):
    *parts, theta = problem
    trace = sa.descend(risks(*parts)["none"](), theta, step_size=0.1, num_steps=3).trace
    with pytest.raises(ArgumentError, match=r"name=.* give one of step, gradient_norm, calls"):
        trace[name]
    with pytest.raises(KeyError):
        trace["other"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_steps": 0}, "num_steps=0"),
        ({"step_size": -1.0}, "step_size="),
        ({"step_size": "fast"}, "step_size="),
        ({"eval_every": 0}, "eval_every=0"),
        ({"method": "full"}, "method='full', but the risk is for 'none'"),
    ],
)
def test_bad_input_is_answered(problem, options, message):
    *parts, theta = problem
    with pytest.raises(ArgumentError, match=message):
        sa.descend(risks(*parts)["none"](), theta, **{"step_size": 0.1, "num_steps": 3, **options})
    with pytest.raises(ArgumentError, match="width"):
        sa.descent.Box(0.0)
    with pytest.raises(ArgumentError, match="every=0"):
        sa.descent.Checkpoint("x", every=0)


def test_every_row_of_the_trace_is_logged(caplog):
    act, x = sa.flip_signs(sa.sign_flips(2)), np.eye(2)
    model = sa.KernelModel(sa.GaussianKernel(1.0), x)
    risk = sa.augmented_risk(model, (x, [0, 1]), act, "full")
    with caplog.at_level("INFO", "sparseaug.descent"):
        trace = sa.descend(risk, np.ones(4), step_size=0.1, num_steps=60, eval_every=20).trace
    norms = [f"{norm:.4g}" for norm in trace["gradient_norm"][:3]]
    said = [record.getMessage() for record in caplog.records]
    assert said == [f"step {20 * i} of 60, gradient norm {norms[i]}" for i in range(3)]


def test_a_trace_is_drawn_on_a_log_axis():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot

    trace = sa.descent.Trace({"step": np.array([0, 5]), "gradient_norm": np.array([2.0, 0.5])})
    axes = trace.plot()
    assert axes.lines[0].get_xydata().tolist() == [[0, 2.0], [5, 0.5]]
    assert axes.get_yscale() == "log"
    pyplot.close(axes.figure)
