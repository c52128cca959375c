"""Targets that move along, and predictions without the mean over S."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeRegressor

import sparseaug as sa
from sparseaug.sklearn import OneShotRegressor

RNG = np.random.default_rng(3)
SHIFT = sa.permute_axis(sa.cyclic(5))
X = RNG.normal(size=(30, 5))
FIRST = RNG.normal(size=5)
CIRCULANT = np.stack([np.roll(FIRST, j) for j in range(5)], axis=1)  # commutes with shifts


def test_one_sample_and_its_moved_targets_determine_an_equivariant_linear_map() -> None:
    """The five shifts of a sample with no vanishing Fourier coefficient are a basis."""
    inner = LinearRegression(fit_intercept=False)
    model = OneShotRegressor(inner, action=SHIFT, y_action=SHIFT, m="full")
    model.fit(X[:1], X[:1] @ CIRCULANT.T)
    assert np.allclose(model.estimator_.coef_, CIRCULANT, atol=1e-12)
    assert np.allclose(model.predict(X), X @ CIRCULANT.T, atol=1e-12)


def test_with_all_of_the_group_predictions_are_equivariant_whatever_was_learned() -> None:
    tree = DecisionTreeRegressor(max_depth=3, random_state=0)
    model = OneShotRegressor(tree, action=SHIFT, y_action=SHIFT, m="full")
    model.fit(X, np.sin(X) * X.max(axis=1, keepdims=True))
    rows = RNG.normal(size=(20, 5))
    moved = np.roll(rows, 2, axis=1)
    assert np.allclose(model.predict(moved), np.roll(model.predict(rows), 2, axis=1))
    alone = model.estimator_.predict
    assert not np.allclose(alone(moved), np.roll(alone(rows), 2, axis=1))


def test_predictions_are_the_mean_of_what_is_moved_back_one_element_at_a_time() -> None:
    tree = DecisionTreeRegressor(max_depth=4, random_state=0)
    model = OneShotRegressor(tree, action=SHIFT, y_action=SHIFT, m=3, random_state=1).fit(X, X**2)
    each = [
        np.roll(model.estimator_.predict(np.roll(X, int(g), axis=1)), -int(g), axis=1)
        for g in model.sample_.elements[:, 0]
    ]
    assert np.allclose(model.predict(X), np.mean(each, axis=0))
    assert np.std(each, axis=0).max() > 0
