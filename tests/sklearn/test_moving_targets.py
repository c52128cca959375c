"""Targets that move along, and predictions without the mean over S."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import sparseaug as sa
from sparseaug.sklearn import OneShotClassifier, OneShotRegressor

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
    still = OneShotRegressor(inner, action=SHIFT, m="full").fit(X[:1], X[:1] @ CIRCULANT.T)
    assert not np.allclose(still.predict(X), X @ CIRCULANT.T, atol=0.1)


def test_with_all_of_the_group_predictions_are_equivariant_whatever_was_learned() -> None:
    tree = DecisionTreeRegressor(max_depth=3, random_state=0)
    model = OneShotRegressor(tree, action=SHIFT, y_action=SHIFT, m="full")
    model.fit(X, np.sin(X) * X.max(axis=1, keepdims=True))
    rows = RNG.normal(size=(20, 5))
    moved = np.roll(rows, 2, axis=1)
    assert np.allclose(model.predict(moved), np.roll(model.predict(rows), 2, axis=1))
    alone = model.estimator_.predict
    assert not np.allclose(alone(moved), np.roll(alone(rows), 2, axis=1))


def test_forces_on_atoms_move_with_the_atoms() -> None:
    """Four atoms in space, reordered: f_i = sum_j (x_i - x_j) is linear and equivariant."""
    reorder = sa.permute_axis(sa.symmetric(4), axis=1)
    places = RNG.normal(size=(40, 4, 3))
    forces = 4 * places - places.sum(axis=1, keepdims=True)
    model = OneShotRegressor(
        LinearRegression(),
        action=reorder,
        y_action=reorder,
        m=8,
        sample_shape=(4, 3),
        y_shape=(4, 3),
        random_state=0,
    ).fit(places[:2].reshape(2, 12), forces[:2].reshape(2, 12))
    predicted = model.predict(places.reshape(40, 12))
    assert predicted.shape == (40, 12)
    assert np.allclose(predicted, forces.reshape(40, 12), atol=1e-9)


def test_predictions_are_the_mean_of_what_is_moved_back_one_element_at_a_time() -> None:
    tree = DecisionTreeRegressor(max_depth=4, random_state=0)
    model = OneShotRegressor(tree, action=SHIFT, y_action=SHIFT, m=3, random_state=1).fit(X, X**2)
    each = [
        np.roll(model.estimator_.predict(np.roll(X, int(g), axis=1)), -int(g), axis=1)
        for g in model.sample_.elements[:, 0]
    ]
    assert np.allclose(model.predict(X), np.mean(each, axis=0))
    assert np.std(each, axis=0).max() > 0


def test_without_average_the_inner_estimator_predicts_alone() -> None:
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    model = OneShotClassifier(tree, action=SHIFT, m=4, average=False, random_state=0).fit(X, y)
    assert np.array_equal(model.predict(X), model.estimator_.predict(X))
    assert np.array_equal(model.predict_proba(X), model.estimator_.predict_proba(X))
    mean = model.set_params(average=True).predict_proba(X)
    assert not np.allclose(mean, model.estimator_.predict_proba(X))
    strict = FixedThresholdClassifier(LogisticRegression(), threshold=0.9)
    model = OneShotClassifier(strict, action=SHIFT, m=4, average=False, random_state=0)
    model.fit(X, y > 0)
    assert np.array_equal(model.predict(X), model.estimator_.predict(X))
    assert not np.array_equal(model.predict(X), model.predict_proba(X).argmax(axis=1))
    grown = DecisionTreeRegressor(random_state=0)
    number = OneShotRegressor(grown, action=SHIFT, m=4, average=False, random_state=0).fit(X, y)
    assert np.array_equal(number.predict(X), number.estimator_.predict(X))
