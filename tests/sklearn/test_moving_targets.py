"""Targets that move along, predictions without the mean over S, and their spread over S."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import sparseaug as sa
from sparseaug.errors import ArgumentError
from sparseaug.sklearn import OneShotClassifier, OneShotRegressor, base

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
    mean, spread = model.predict(X, return_spread=True)
    assert np.allclose(mean, np.mean(each, axis=0))
    assert np.allclose(spread, np.std(each, axis=0))
    assert spread.max() > 0


def test_targets_that_cannot_move_are_refused_by_name() -> None:
    with pytest.raises(ArgumentError, match=r"y has shape \(30,\); with y_action"):
        OneShotRegressor(action=SHIFT, y_action=SHIFT).fit(X, X[:, 0])
    with pytest.raises(ArgumentError, match=r"y_action=.* is of C3, but action is of C5"):
        OneShotRegressor(action=SHIFT, y_action=sa.permute_axis(sa.cyclic(3))).fit(X, X)
    with pytest.raises(ArgumentError, match=r"y does not fit y_action.*y_shape=\(4,\)"):
        OneShotRegressor(action=SHIFT, y_action=SHIFT).fit(X, X[:, :4])
    with pytest.raises(ArgumentError, match=r"y_shape=.* has 4 entries, but y has 5 outputs"):
        OneShotRegressor(action=SHIFT, y_action=SHIFT, y_shape=(2, 2)).fit(X, X)
    with pytest.raises(ArgumentError, match="y_shape is given, but no y_action"):
        OneShotRegressor(action=SHIFT, y_shape=(5,)).fit(X, X)


def test_the_spread_is_that_of_the_predictions_over_the_sample() -> None:
    tree = DecisionTreeRegressor(random_state=0)
    model = OneShotRegressor(tree, action=SHIFT, m=64, random_state=0).fit(X, 1e6 + X[:, 0])
    each = [model.estimator_.predict(np.roll(X, int(g), axis=1)) for (g,) in model.sample_.elements]
    mean, spread = model.predict(X, return_spread=True)
    assert mean.shape == spread.shape == (30,)
    assert np.allclose(spread, np.std(each, axis=0), rtol=1e-9)
    assert np.array_equal(mean, model.predict(X))


@pytest.mark.parametrize("rows_at_once", [1, 7, 64])
def test_the_size_of_a_chunk_changes_no_spread(
    rows_at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = DecisionTreeRegressor(random_state=0)
    model = OneShotRegressor(tree, action=SHIFT, m=9, random_state=0).fit(X, 1e6 + X[:, 0])
    wanted = model.predict(X, return_spread=True)[1]
    monkeypatch.setattr(base, "MOST_ROWS", rows_at_once)
    assert np.allclose(model.predict(X, return_spread=True)[1], wanted, rtol=1e-9)


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
    with pytest.raises(ArgumentError, match=r"return_spread=True .* average=False"):
        number.predict(X, return_spread=True)


def gaussian_process() -> GaussianProcessRegressor:
    return GaussianProcessRegressor(RBF(0.7), alpha=0.1, optimizer=None)


def test_the_standard_deviation_is_that_of_the_prediction_not_the_spread_over_the_sample() -> None:
    """Far from all data a Gaussian process returns to its prior, and an invariant one has no spread."""
    far = np.full((3, 5), 50.0)
    model = OneShotRegressor(gaussian_process(), action=SHIFT, m="full").fit(X, X[:, 0])
    assert np.allclose(model.predict(far, return_std=True)[1], 1.0)
    assert np.allclose(model.predict(far, return_spread=True)[1], 0.0)
    alone = model.set_params(average=False).predict(X, return_std=True)
    assert np.array_equal(alone, model.estimator_.predict(X, return_std=True))


@pytest.mark.parametrize("scaled", [False, True])
def test_the_variance_is_the_mean_of_the_inner_ones_and_the_spread_of_the_means(
    scaled: bool,
) -> None:
    """Law of total variance, one element at a time; equal elements count twice."""
    process = gaussian_process()
    inner = make_pipeline(StandardScaler(), process) if scaled else process
    S = sa.GroupSample(SHIFT.group, [[0], [1], [1], [3]])
    model = OneShotRegressor(inner, action=SHIFT, S=S).fit(X[:4], X[:4, 0])
    each = [model.estimator_.predict(np.roll(X, g, axis=1), return_std=True) for g in (0, 1, 1, 3)]
    means_of_each, stds = map(np.array, zip(*each, strict=True))
    mean, std = model.predict(X, return_std=True)
    assert np.allclose(std**2, (stds**2).mean(axis=0) + means_of_each.var(axis=0))
    assert means_of_each.std(axis=0).max() > 0.1
    assert np.array_equal(mean, model.predict(X))


def test_the_variances_of_targets_that_move_are_moved_back() -> None:
    """Signs do not change a variance; matrices would need covariances, and are refused."""
    process = gaussian_process().set_params(normalize_y=True)  # outputs of different variances
    pairs, y = X[:, :2], np.stack([X[:, 0], 100.0 * X[:, 1]], axis=1)
    signed = sa.signed_permute(sa.hyperoctahedral(2))
    S = sa.GroupSample(signed.group, [[1, 0, 1, 0]])  # (a, b) -> (b, -a)
    model = OneShotRegressor(process, action=signed, y_action=signed, S=S).fit(pairs, y)
    moved = np.stack([pairs[:, 1], -pairs[:, 0]], axis=1)
    mean, std = model.estimator_.predict(moved, return_std=True)
    found = model.predict(pairs, return_std=True)
    assert np.allclose(found[0], np.stack([-mean[:, 1], mean[:, 0]], axis=1))
    assert np.allclose(found[1], std[:, ::-1])
    assert not np.allclose(std, std[:, ::-1])
    half = np.sqrt(0.75)
    thirds = [np.eye(2), [[-0.5, -half], [half, -0.5]], [[-0.5, half], [-half, -0.5]]]
    turn = sa.linear(sa.cyclic(3), np.array(thirds))
    model = OneShotRegressor(process, action=turn, y_action=turn, m=2).fit(pairs, y)
    with pytest.raises(ArgumentError, match=r"return_std=True .* y_action"):
        model.predict(pairs, return_std=True)


def test_a_standard_deviation_that_nobody_knows_is_refused_by_name() -> None:
    model = OneShotRegressor(action=SHIFT).fit(X, X[:, 0])
    with pytest.raises(ArgumentError, match=r"return_std=True .* Ridge.*return_spread=True"):
        model.predict(X, return_std=True)
    with pytest.raises(ArgumentError, match="return_std and return_spread"):
        model.predict(X, return_std=True, return_spread=True)
    for name in ("return_std", "return_spread"):
        with pytest.raises(ArgumentError, match=f"{name}=1 is neither"):
            model.predict(X, **{name: 1})
