"""The study of pipelines in a form of seconds: a small model, and tables that can be checked."""

import numpy as np
import pytest

import sparseaug as sa
from studies.pipelines import tables
from studies.pipelines.compare import compare
from studies.pipelines.pairs import Pair

pytest.importorskip("torch")
RNG = np.random.default_rng(0)
IMAGES = RNG.random((40, 6, 6)).cumsum(1).cumsum(2) / 9
WEIGHTS = RNG.normal(size=(36, 4))


def f(x):
    return np.tanh(x.reshape(len(x), -1) @ WEIGHTS)


def test_chosen_elements_leave_less_than_draws_and_sobol_points(tmp_path):
    act = sa.random_affine(degrees=30, translate=0.1, scale=(0.8, 1.2))
    small = Pair("small", f, act, IMAGES, 24)
    tables.measure(small, tmp_path / "small.npz")
    table = tables.load(small, tmp_path / "small.npz")
    rows, reference, even = tables.rows_of(act.distribution)
    values = np.stack([f(act(part, IMAGES[:1])[:, 0]).mean(axis=0) for part in (rows, even[64:72])])
    mean = f(act(reference, IMAGES[:1])[:, 0]).mean(axis=0)
    np.testing.assert_allclose(table.pool[0].mean(axis=0), values[0] - mean, atol=1e-6)
    np.testing.assert_allclose(table.even[0, 1, 1], values[1] - mean, atol=1e-6)
    found = compare(table, repetitions=4)
    assert [row["m"] for row in found] == [4, 8, 16, 32, 64]
    for row in found:
        assert row["chosen"] < row["draws"] / 2
        assert row["chosen"] < 1.1 * row["sobol"] + 3 * row["chosen +-"]
        assert row["in-sample"] < row["forecast"]
        assert row["below upper"] >= 0.5


def test_what_directions_lose_comes_back_as_noise(tmp_path, monkeypatch):
    noise = sa.random_transform(lambda x, rng: x + rng.normal(scale=0.3, size=x.shape))
    pair = Pair("noise", f, noise, IMAGES[:4], 2)
    whole = _loaded(pair, tmp_path / "whole.npz")
    monkeypatch.setattr(tables, "DIRECTIONS", 2)
    few = _loaded(pair, tmp_path / "few.npz")
    lost, kept = ((one.pool**2).sum(axis=2).mean() for one in (few, whole))
    assert lost == pytest.approx(kept, rel=0.05)
    assert few.left(few.pool[:, :8].mean(axis=1), range(4)) > 0


def _loaded(pair, path):
    tables.measure(pair, path)
    return tables.load(pair, path)
