"""The study of pipelines in a form of seconds: a small model, and tables that can be checked."""

import numpy as np
import pytest

import sparseaug as sa
from studies.pipelines.compare import compare, table
from studies.pipelines.coverage import coverage
from studies.pipelines.pairs import Pair

pytest.importorskip("torch")
RNG = np.random.default_rng(0)
IMAGES = RNG.random((72, 6, 6)).cumsum(1).cumsum(2) / 9
WEIGHTS = RNG.normal(size=(36, 4))


def pair(action):
    def f(x):
        return np.tanh(x.reshape(len(x), -1) @ WEIGHTS)

    return Pair("small", f, action, IMAGES[:32], IMAGES[32:], pool=64, reference=512)


def test_chosen_elements_leave_less_than_draws_and_sobol_points():
    small = pair(sa.random_affine(degrees=30, translate=0.1, scale=(0.8, 1.2)))
    rows = compare(small, scrambles=4, repeats=50)
    assert [row["m"] for row in rows] == [4, 8, 16, 32]
    for row in rows:
        assert row["draws"] == pytest.approx(1 / row["m"], rel=0.4)
        assert row["chosen"] < row["draws"] / 2
        assert row["chosen"] < 1.1 * row["sobol"]
        assert row["in-sample"] < row["forecast"]
    S = sa.Oracle(small.action.distribution).draw(3)
    # a product of matrices is summed in an order that depends on how many rows it has
    direct = small.f(small.action(S, small.held)[2])
    np.testing.assert_allclose(
        table(small, S.elements, small.held)[2], direct, rtol=0, atol=36 * np.finfo(float).eps
    )


def test_coverage_counts_how_often_bars_hold():
    noise = sa.random_transform(lambda x, rng: x * rng.uniform(0.5, 1.5) + rng.normal(scale=0.1))
    found = coverage(pair(noise), repetitions=6, inputs=16)
    assert [row["m"] for row in found] == [4, 16, 32]
    assert all(0.5 <= row["within"] <= row["below upper"] + 0.5 for row in found)
