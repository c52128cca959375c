"""Methods beyond the paper on a small problem: what they cost, and that they do what they say."""

from __future__ import annotations

import numpy as np
import pytest

import sparseaug as sa
from studies.rates import beyond
from studies.rates.problems import SAMPLES, find_problem
from studies.rates.walks import gradients


@pytest.fixture(scope="module")
def given():
    return find_problem("S", 4)


@pytest.fixture(scope="module")
def found(given):
    return beyond.measure(given, beyond.QUICKLY)


def test_every_method_says_what_it_cost(found):
    made = found["products"]
    assert made["elements"] == [2**calls for calls in made["calls"]]
    assert found["own draws"]["calls"] == [SAMPLES * m for m in beyond.QUICKLY.own]
    assert found["mini-batch"]["calls"] == list(beyond.QUICKLY.minibatch)
    values = beyond.summarise(found).values
    assert {"one-shot", "words", "products", "own draws", "variance-reduced"} <= set(values)
    assert found["variance-reduced"]["calls"] == sorted(found["variance-reduced"]["calls"])


def test_pairs_and_draws_are_unbiased(given):
    """Means over all pairs, and over 20,000 draws, are the moments of S and of the group."""
    S = sa.Oracle(given.action.group, 1).draw(3)
    phi = beyond._features(given, S)[None]
    A, v = beyond._pairs(given, phi, np.random.default_rng(0))
    truth = given.mean_moments(S)
    size = A.shape[0] * beyond._PAIRS
    assert abs(A.mean(axis=(0, 1)) - truth[0]).max() < 6 / size**0.5
    assert abs(v.mean(axis=(0, 1)) - truth[1]).max() < 6 * abs(given.y).max() / size**0.5
    draws = beyond._Draws([sa.Oracle(given.action.group, 2)], given)
    A, v = draws.mean(20_000)
    assert draws.calls == 20_000
    assert abs(A[0] - given.full.A).max() < 6 / 20_000**0.5


def test_an_end_with_own_draws_is_where_their_gradient_vanishes(given):
    A, v = (
        np.stack(each) for each in zip(given.mean_moments(sa.GroupSample.full(given.action.group)))
    )
    (norm,) = beyond._ends(given, A, v)
    assert norm < 1e-4 * np.linalg.norm(gradients(A, v, given.start))
