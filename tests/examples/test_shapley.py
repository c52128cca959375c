"""Chosen orders in shap and captum: exact where they promise it, all else as in shap."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from tests.extras import REASON

shap = pytest.importorskip("shap", reason=REASON.format("shap"))
pytest.importorskip("sklearn", reason=REASON.format("sklearn"))
from examples.shapley import PermutationExplainer, permutation_generator  # noqa: E402

EXACT = {4: 6, 5: 6, 6: 12, 7: 12}  # pairs that are known to be enough


def random_game(n, order, seed):
    """A function of coalitions with interactions of up to `order` players, and its Shapley values."""
    rng = np.random.default_rng(seed)
    sets = [T for k in range(1, order + 1) for T in combinations(range(n), k)]
    worth = rng.normal(size=len(sets))
    values = np.zeros(n)
    for T, w in zip(sets, worth, strict=True):
        values[list(T)] += w / len(T)

    def game(there):
        there = np.asarray(there, bool)
        return sum(w * there[:, list(T)].all(axis=1) for T, w in zip(sets, worth, strict=True))

    return game, values


@pytest.mark.parametrize("n", EXACT)
def test_the_explainer_is_exact_for_interactions_of_four_where_that_of_shap_is_not(n):
    game, values = random_game(n, 4, seed=n)
    given = {"max_evals": EXACT[n] * (2 * n + 1), "silent": True}
    off = []
    for explainer in (PermutationExplainer, shap.PermutationExplainer):
        found = explainer(game, np.zeros((1, n)), seed=0)(np.ones((2, n)), **given)
        off.append(np.abs(found.values - values).max())
    assert off[0] < 1e-10 < 1e-3 < off[1]


def test_the_explainer_returns_what_that_of_shap_does():
    x = np.random.default_rng(0).normal(size=(6, 5))
    background = x[:3].copy()
    background[:, 4] = x[5, 4]  # a feature that does not vary for the last sample

    def model(x):
        return np.stack([x[:, 0] * x[:, 1] - x[:, 4], x.sum(axis=1)], axis=1)

    given = {"max_evals": 50, "main_effects": True, "error_bounds": True, "silent": True}
    ours = PermutationExplainer(model, background, seed=0)(x[3:], **given)
    theirs = shap.PermutationExplainer(model, background, seed=0)(x[3:], **given)
    np.testing.assert_allclose(ours.values, theirs.values, atol=1e-12)  # order 2: both are exact
    np.testing.assert_allclose(ours.base_values, theirs.base_values)
    assert ours.error_std.shape == theirs.error_std.shape == (3, 5, 2)
    again = PermutationExplainer(model, background, seed=0)(x[3:], **given)
    np.testing.assert_array_equal(ours.error_std, again.error_std)
    with pytest.raises(ValueError, match="max_evals=5 is too low"):
        PermutationExplainer(model, background)(x[3:], max_evals=5, silent=True)


def test_intervals_of_four_sets_cover():
    """800 intervals of 95 %: 40 are expected off, and fewer than 16 or more than 64 are not."""
    game, values = random_game(8, 6, seed=1)
    inside = []
    for seed in range(100):
        given = {"max_evals": 8 * 17, "error_bounds": True, "silent": True}
        found = PermutationExplainer(game, np.zeros((1, 8)), seed=seed)(np.ones((1, 8)), **given)
        inside.append(abs(found.values[0] - values) <= 3.18 * found.error_std[0])
    assert 0.92 < np.mean(inside) < 0.98


def test_a_clustering_is_left_to_shap():
    x = np.random.default_rng(0).normal(size=(20, 4))
    masker = shap.maskers.Partition(x, clustering="correlation")
    explain = PermutationExplainer(lambda x: x[:, 0] * x[:, 1] * x[:, 2], masker, seed=1)
    found = explain(x[:2], max_evals=90, silent=True)
    assert found.clustering.shape == (2, 3, 4)  # orders that do not follow it would be wrong
    whole = found.values.sum(axis=1) + found.base_values
    assert np.abs(whole - x[:2, :3].prod(axis=1)).max() < 1e-12


@pytest.mark.parametrize("n", EXACT)
def test_captum_takes_the_generator_and_is_exact_for_interactions_of_four(n):
    captum = pytest.importorskip("captum.attr", reason=REASON.format("captum"))
    import torch

    game, values = random_game(n, 4, seed=n)
    sampling = captum.ShapleyValueSampling(lambda x: torch.tensor(game(x.numpy() > 0.5)))
    sampling.permutation_generator = permutation_generator
    found = sampling.attribute(torch.ones(1, n), n_samples=2 * EXACT[n]).numpy()[0]
    assert np.abs(found - values).max() < 1e-5  # captum adds up in single precision
