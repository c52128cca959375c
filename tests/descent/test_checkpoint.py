"""A checkpoint belongs to one run: others are refused by name, its own ends in the same bits."""

from __future__ import annotations

import numpy as np
import pytest

import sparseaug as sa
from sparseaug._archive import load_archive, save_archive
from sparseaug.descent import NonFiniteError
from sparseaug.errors import FileFormatError
from tests.extras import optional
from tests.runs import Stopping

torch = optional("torch")

RNG = np.random.default_rng(3)
X = np.sort(RNG.uniform(-1, 1, (10, 4)), axis=1)
CENTERS = RNG.uniform(-1, 1, (7, 4))
THETA = RNG.normal(0, 0.5, 14)
G = sa.symmetric(4)
CYCLE = sa.permutation_group([[1, 2, 3, 0]])
STEPS = 30


def permuted(g, x):
    return x[:, np.argsort(g, axis=1)].swapaxes(0, 1)


def permuted_backwards(g, x):
    """The same group acting through another numbering of the coordinates."""
    return permuted(g, x[:, ::-1])[..., ::-1]


def one_shot(*, x=X, y=None, sigma=1.25, centers=CENTERS, act=None, seed=0, m=5):
    act = act or sa.permute_axis(G)
    S = sa.Oracle(act.group, seed=seed).draw(m)
    model = sa.KernelModel(sa.GaussianKernel(sigma), centers)
    return sa.augmented_risk(model, (x, x.sum(axis=1) if y is None else y), act, S)


def streaming(*, seed=9, start=5, batch=2, source=None, x=X):
    oracle = sa.Oracle(G, seed=seed, source=source)
    if start:
        oracle.advance_to(start)
    model = sa.KernelModel(sa.GaussianKernel(1.25), CENTERS)
    return sa.risk.streaming_risk(model, (x, X.sum(1)), sa.permute_axis(G), oracle, batch=batch)


def decaying(step):
    return 0.1 / (1 + step)


def decaying_but_once(step):
    return 0.05 if step == 17 else 0.1 / (1 + step)


def run(path, risk, theta=THETA, *, stop=None, **options):
    given = {"step_size": 0.1, "num_steps": STEPS, "eval_every": 6, **options}
    kept = None if path is None else sa.descent.Checkpoint(path, every=5)
    risk = Stopping(risk, stop) if stop else risk
    return sa.descend(risk, theta, checkpoint=kept, **given)


def assert_same(one, two):
    assert np.array_equal(one.last, two.last)
    assert np.array_equal(one.best, two.best)
    assert one.trace.to_dict() == two.trace.to_dict()
    assert (one.calls, one.best_step, one.clipped) == (two.calls, two.best_step, two.clipped)


CHANGES = {
    "S": (one_shot, {"seed": 1}, {}),
    "inputs": (one_shot, {"x": X + 1e-9, "y": X.sum(1)}, {}),
    "targets": (one_shot, {"y": X.sum(1) + 1e-9}, {}),
    "kernel": (one_shot, {"sigma": 1.2500001}, {}),
    "centers": (one_shot, {"centers": CENTERS + 1e-9}, {}),
    "action": (one_shot, {"act": sa.custom_action(G, permuted_backwards)}, {}),
    "theta0": (one_shot, {}, {"theta": THETA + 1e-12}),
    "project": (one_shot, {}, {"project": sa.descent.Box(0.9)}),
    "step_size": (one_shot, {}, {"step_size": 0.2}),
    "num_steps": (one_shot, {}, {"num_steps": STEPS + 1}),
    "eval_every": (one_shot, {}, {"eval_every": 7}),
    "oracle seed": (streaming, {"seed": 10}, {}),
    "first draw": (streaming, {"start": 4}, {}),
    "batch": (streaming, {"batch": 3}, {}),
}


@pytest.mark.parametrize("name", list(CHANGES))
def test_a_checkpoint_of_a_run_that_differs_is_refused_by_name(name, tmp_path):
    make, changed, options = CHANGES[name]
    path, usual = tmp_path / "run.safetensors", {"project": sa.descent.Box(1.0)}
    with pytest.raises(KeyboardInterrupt):
        run(path, make(), stop=13, **usual)
    before = path.read_bytes()
    with pytest.raises(FileFormatError, match=rf"another run: other .*{name}.*give another"):
        run(path, make(**changed), **{**usual, **options})
    assert path.read_bytes() == before
    assert_same(run(path, make(), **usual), run(tmp_path / "new", make(), **usual))


def test_a_function_is_told_by_its_code_and_by_what_it_closes_over(tmp_path):
    def clipped(at):
        return lambda theta: theta.clip(-at, at)

    path = tmp_path / "run.safetensors"
    whole = run(path, one_shot(), project=clipped(1.0))
    for other in (clipped(0.9), lambda theta: 0.9 * theta):
        with pytest.raises(FileFormatError, match="other project "):
            run(path, one_shot(), project=other)
    assert_same(run(path, one_shot(), project=clipped(1.0)), whole)


def test_every_rate_of_a_schedule_counts(tmp_path):
    path = tmp_path / "run.safetensors"
    whole = run(path, one_shot(), step_size=decaying)
    with pytest.raises(FileFormatError, match="other step_size"):
        run(path, one_shot(), step_size=decaying_but_once)
    assert_same(run(path, one_shot(), step_size=decaying), whole)
    assert_same(run(path, one_shot(), step_size=lambda step: 0.1 / (step + 1)), whole)


def test_the_same_rows_in_another_order_are_another_run(tmp_path):
    """The risks are equal but for the last bits."""
    path, risk = tmp_path / "run.safetensors", one_shot()
    run(path, risk)
    other = sa.GroupSample(G, risk.S.elements[::-1], risk.S.calls)
    assert other == risk.S
    with pytest.raises(FileFormatError, match="another run: other order of S "):
        run(path, sa.augmented_risk(risk.model, risk.data, risk.action, other))


def test_a_streaming_run_that_goes_on_after_another_one_is_resumed_from_its_own_draws(tmp_path):
    """The second run of one risk begins at draw 60, and a resumed one must too."""
    path = tmp_path / "run.safetensors"

    def second(**options):
        risk = streaming(start=0)
        first = run(None, risk)
        return run(path, risk, first.last, **options)

    whole = second()
    path.unlink()
    with pytest.raises(KeyboardInterrupt):
        second(stop=13)
    with pytest.raises(FileFormatError, match=r"theta0|first draw"):
        run(path, streaming(start=0), THETA)
    assert_same(second(), whole)


class Quadratic:
    """theta' A theta / 2 for a tensor of any floating type."""

    calls = 0

    def identity(self):
        return {"risk": "quadratic"}

    def at_step(self, step):
        return self

    def gradient(self, theta):
        return theta * torch.arange(1, len(theta) + 1, dtype=theta.dtype) / len(theta)


@pytest.mark.parametrize("name", ["float32", "bfloat16"])
def test_tensors_of_every_floating_type_are_resumed_to_the_same_bits(name, tmp_path):
    path, dtype = tmp_path / "run.safetensors", getattr(torch, name)
    other = torch.float32 if dtype != torch.float32 else torch.float64  # the same numbers
    theta = torch.linspace(-2, 2, 9).to(dtype)
    whole = run(None, Quadratic(), theta, project=sa.descent.Box(1.5))
    with pytest.raises(KeyboardInterrupt):
        run(path, Quadratic(), theta, project=sa.descent.Box(1.5), stop=13)
    resumed = run(path, Quadratic(), theta, project=sa.descent.Box(1.5))
    assert resumed.last.dtype == resumed.best.dtype == dtype
    assert torch.equal(resumed.last, whole.last)
    with pytest.raises(FileFormatError, match="other theta0"):
        run(path, Quadratic(), theta.to(other), project=sa.descent.Box(1.5))


@pytest.mark.parametrize("rate", [1e3, 1e80, 1e300])
def test_a_run_that_diverges_keeps_a_finite_checkpoint_whatever_overflows_first(rate, tmp_path):
    path = tmp_path / "run.safetensors"
    kept = sa.descent.Checkpoint(path, every=1)
    with pytest.raises(NonFiniteError, match="lower step_size") as stopped:
        sa.descend(one_shot(), THETA, step_size=rate, num_steps=99, checkpoint=kept)
    assert np.isfinite(stopped.value.best).all()
    if path.exists():
        arrays, _ = load_archive(path, "sparseaug.Checkpoint/3")
        assert all(np.isfinite(array).all() for array in arrays.values())


FORGED = {
    "no run": lambda a, f: (a, {**f, "run": None}),
    "nothing": lambda a, f: ({}, {}),
    "another shape": lambda a, f: ({**a, "theta": a["theta"][:3]}, f),
    "another type": lambda a, f: ({**a, "theta": a["theta"].astype(np.float32)}, f),
    "a NaN": lambda a, f: ({**a, "theta": a["theta"] * np.nan}, f),
    "more arrays": lambda a, f: ({**a, "more": a["theta"]}, f),
    "a step beyond the last": lambda a, f: (a, {**f, "step": 31}),
    "a step that is text": lambda a, f: (a, {**f, "step": "5"}),
    "a best step after the last": lambda a, f: (a, {**f, "best_step": 29, "step": 5}),
    "a norm without end": lambda a, f: (a, {**f, "best_norm": 10**400}),
    "no clipped entries": lambda a, f: (a, {k: f[k] for k in f if k != "clipped"}),
    "more clipped entries than there were": lambda a, f: (a, {**f, "clipped": 14 * STEPS + 1}),
    "no trace": lambda a, f: (a, {**f, "trace": None}),
    "a ragged trace": lambda a, f: (a, {**f, "trace": {**f["trace"], "step": [0]}}),
    "calls that are no numbers": lambda a, f: (a, {**f, "trace": {**f["trace"], "calls": [5] * 6}}),
}


@pytest.mark.parametrize("what", list(FORGED))
def test_a_file_with_a_right_checksum_and_wrong_content_is_refused(what, tmp_path):
    path = tmp_path / "run.safetensors"
    run(path, one_shot())
    arrays, facts = FORGED[what](*load_archive(path, "sparseaug.Checkpoint/3"))
    save_archive(path, "sparseaug.Checkpoint/3", arrays, facts)
    with pytest.raises(FileFormatError):
        run(path, one_shot())
