"""The references of the Shapley study: each is exact where theory says so."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

pytest.importorskip("shap", reason="needs shap, which is not installed")
pytest.importorskip("sklearn", reason="needs sklearn, which is not installed")
from studies import shapley as study


def game_of(order, n=6):
    rng = np.random.default_rng(order)
    weights = rng.normal(size=(3, n)) * (rng.random((3, n)) < 0.8)
    return lambda there: ((np.asarray(there, float) @ weights.T) ** order).sum(axis=1)


def test_enumeration_agrees_with_all_orders_in_both_directions_for_interactions_of_two():
    game, truth = study.enumerated(game_of(2), 6)
    values = study.both_ways(game, np.random.default_rng(0).permutation(6)[None])
    np.testing.assert_allclose(values, truth, atol=1e-12)
    there = np.random.default_rng(1).random((9, 6)) < 0.5
    np.testing.assert_allclose(game(there), game_of(2)(there))


def test_the_regression_is_exact_for_games_of_its_order_and_so_are_all_methods_for_order_two():
    game, truth = study.enumerated(game_of(3), 6)
    assert study.additive(game, 6, 30, 0) is None  # too few for 21 unknowns
    np.testing.assert_allclose(study.additive(game, 6, 62, 0), truth, atol=1e-3)  # soft constraints
    game, truth = study.enumerated(game_of(2), 6)
    for name, method in study.METHODS.items():
        values = method(game, 6, 64, 0)
        if name in ("kernel", "leverage", "odd") and find_spec("shapiq") is None:
            assert values is None
        else:
            np.testing.assert_allclose(values, truth, atol=1e-3, err_msg=name)


def test_a_short_study_has_a_row_with_a_ratio_and_an_interval():
    parts = [study.measure("diabetes", "forest", sample, (210,), 4) for sample in range(2)]
    (row,) = study.table(("diabetes", "forest"), parts)
    ratio, low, high = row["ours_ratio"]
    assert row["features"] == 10
    assert low < ratio < high
    assert ratio < 1
    assert "| diabetes (10) | forest | 210 |" in study.page([row])
