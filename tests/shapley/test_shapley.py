"""Chosen orders in shap, captum and pyDVL: exact where they promise it, all else unchanged."""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from itertools import combinations, islice, permutations

import numpy as np
import pytest

from sparseaug import shapley
from tests.extras import REASON, installed, optional

shap, captum, torch = map(optional, ("shap", "captum", "torch"))
needs_shap = pytest.mark.skipif(not installed("shap"), reason=REASON.format("shap"))
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


def by_orders(game, orders):
    """The plain definition, in one line per order: an independent reference."""
    n = len(orders[0])
    values = np.zeros(n)
    for order in orders:
        for place, player in enumerate(order):
            before = np.isin(np.arange(n), order[:place])
            after = before | (np.arange(n) == player)
            values[player] += (game(after[None]) - game(before[None]))[0]
    return values / len(orders)


@pytest.mark.parametrize("n", EXACT)
def test_orders_for_captum_are_exact_for_interactions_of_three_and_four(n):
    orders = list(shapley.permutation_generator(n, 2 * EXACT[n], seed=n))
    for order in (3, 4):
        game, values = random_game(n, order, seed=order)
        assert np.abs(by_orders(game, orders) - values).max() < 1e-10


def test_the_generator_yields_orders_in_pairs_and_each_is_uniform():
    orders = list(shapley.permutation_generator(9, 8, seed=3))
    assert all(a == b[::-1] for a, b in zip(orders[::2], orders[1::2], strict=True))
    assert all(sorted(order) == list(range(9)) for order in orders)
    assert orders == list(shapley.permutation_generator(9, 8, seed=3))
    assert len(list(shapley.permutation_generator(9, 7))) == 7
    for row in (0, 3):  # 2,400 draws of 24 orders: chi-square below its 1 - 1e-6 quantile
        counts = Counter(
            tuple(list(shapley.permutation_generator(4, 4, seed=seed))[row]) for seed in range(2400)
        )
        found = sum((counts[order] - 100) ** 2 / 100 for order in permutations(range(4)))
        assert found < 73.7


@needs_shap
@pytest.mark.parametrize("n", EXACT)
def test_the_explainer_is_exact_for_interactions_of_four_where_the_one_of_shap_is_not(n):
    game, values = random_game(n, 4, seed=n)
    given = {"max_evals": EXACT[n] * (2 * n + 1), "silent": True}
    off = []
    for explainer in (shapley.PermutationExplainer, shap.PermutationExplainer):
        found = explainer(game, np.zeros((1, n)), seed=0)(np.ones((2, n)), **given)
        off.append(np.abs(found.values - values).max())
    assert off[0] < 1e-10 < 1e-3 < off[1]


@needs_shap
def test_the_explainer_returns_what_the_one_of_shap_does():
    x = np.random.default_rng(0).normal(size=(6, 5))
    background = x[:3].copy()
    background[:, 4] = x[5, 4]  # a feature that does not vary for the last sample

    def model(x):
        return np.stack([x[:, 0] * x[:, 1] - x[:, 4], x.sum(axis=1)], axis=1)

    given = {"max_evals": 50, "main_effects": True, "error_bounds": True, "silent": True}
    ours = shapley.PermutationExplainer(model, background, seed=0)(x[3:], **given)
    theirs = shap.PermutationExplainer(model, background, seed=0)(x[3:], **given)
    np.testing.assert_allclose(ours.values, theirs.values, atol=1e-12)  # order 2: both are exact
    np.testing.assert_allclose(ours.base_values, theirs.base_values)
    assert ours.error_std.shape == theirs.error_std.shape == (3, 5, 2)
    again = shapley.PermutationExplainer(model, background, seed=0)(x[3:], **given)
    np.testing.assert_array_equal(ours.error_std, again.error_std)


@needs_shap
def test_the_explainer_takes_defaults_of_the_call_and_refuses_too_few_evaluations():
    game, values = random_game(6, 4, seed=0)
    few = shapley.PermutationExplainer(game, np.zeros((1, 6)), seed=0, max_evals=12 * 13)
    assert np.abs(few(np.ones((1, 6)), silent=True).values - values).max() < 1e-10
    with pytest.raises(ValueError, match="max_evals=12 is too low"):
        few(np.ones((1, 6)), max_evals=12, silent=True)
    same = few(np.zeros((1, 6)), silent=True)  # nothing varies
    assert (same.values == 0).all()


def test_a_clustering_is_left_to_shap():
    x = np.random.default_rng(0).normal(size=(20, 4))
    masker = shap.maskers.Partition(x, clustering="correlation")
    explain = shapley.PermutationExplainer(lambda x: x[:, 0] * x[:, 1] * x[:, 2], masker, seed=1)
    found = explain(x[:2], max_evals=90, silent=True)
    assert found.clustering.shape == (2, 3, 4)  # orders that do not follow it would be wrong
    assert (
        np.abs(found.values.sum(axis=1) + found.base_values - x[:2, :3].prod(axis=1)).max() < 1e-12
    )


def test_captum_takes_the_generator():
    game, values = random_game(5, 4, seed=1)
    sampling = captum.attr.ShapleyValueSampling(lambda x: torch.tensor(game(x.numpy() > 0.5)))
    sampling.permutation_generator = shapley.permutation_generator
    found = sampling.attribute(torch.ones(1, 5), n_samples=12).numpy()[0]
    assert np.abs(found - values).max() < 1e-5  # captum adds up in single precision


def test_pydvl_takes_the_sampler_and_its_values_are_exact_after_one_block():
    pytest.importorskip("pydvl", reason=REASON.format("pydvl"))
    valuation, base = map(import_module, ("pydvl.valuation", "pydvl.valuation.utility.base"))
    game, values = random_game(5, 4, seed=2)

    class Game(base.UtilityBase):
        def __call__(self, sample):
            there = np.isin(np.arange(5), [] if sample is None else sample.subset)
            return float(game(there[None])[0])

    sampler = shapley.PermutationSampler(block=12, seed=0)
    assert isinstance(sampler, import_module("pydvl.valuation.samplers").PermutationSampler)
    method = valuation.ShapleyValuation(
        Game(), sampler=sampler, is_done=valuation.MinUpdates(12), progress=False
    )
    data = valuation.Dataset(np.zeros((5, 2)), np.arange(5))
    assert np.abs(method.fit(data).result.values - values).max() < 1e-10
    drawn = [sample.subset for sample in islice(sampler.generate(np.arange(5)), 24)]  # two blocks
    assert np.abs(by_orders(game, drawn) - values).max() < 1e-10
    sampler.skip_indices = np.array([1])
    assert all(1 not in sample.subset for sample in islice(sampler.generate(np.arange(5)), 3))
    assert list(sampler.generate(np.arange(0))) == []


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Explainer'"):
        _ = shapley.Explainer
    assert {"PermutationExplainer", "permutation_generator"} <= set(dir(shapley))
