"""The meta-estimators: fitting on copies, means over S, and cross-validation that cannot leak."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import GroupKFold, KFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeRegressor

import sparseaug as sa
from sparseaug.errors import ArgumentError
from sparseaug.sklearn import OneShotClassifier, OneShotRegressor, OneShotResampler

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 4))
LABELS = np.where(X.max(axis=1) > 1.0, "high", "low")
TARGETS = X.max(axis=1)
REORDER = sa.permute_axis(sa.symmetric(4))


def moved_one_by_one(S: sa.GroupSample, rows: np.ndarray) -> list[np.ndarray]:
    """The moved data of each element, by inverse index."""
    return [rows[:, np.argsort(g)] for g in S.elements]


def test_the_inner_estimator_learns_from_the_copies() -> None:
    model = OneShotRegressor(Ridge(), action=REORDER, m=9, random_state=0).fit(X, TARGETS)
    copies = np.concatenate(moved_one_by_one(model.training_sample_, X))
    wanted = Ridge().fit(copies, np.tile(TARGETS, 9))
    assert np.allclose(model.estimator_.coef_, wanted.coef_)
    assert np.array_equal(model.groups_, np.tile(np.arange(40), 9))


def test_predictions_are_means_over_the_sample_and_make_no_call() -> None:
    tree = DecisionTreeRegressor(random_state=0)
    model = OneShotRegressor(tree, action=REORDER, m=9, random_state=0).fit(X, TARGETS)
    rows = RNG.normal(size=(11, 4))
    wanted = np.mean(
        [model.estimator_.predict(y) for y in moved_one_by_one(model.sample_, rows)], 0
    )
    assert np.allclose(model.predict(rows), wanted)
    assert model.training_sample_.calls == 8  # and the identity
    assert model.sample_.calls == model.average_.calls == 0


def test_probabilities_are_averaged_before_the_label_is_chosen() -> None:
    model = OneShotClassifier(action=REORDER, m=5, random_state=1).fit(X, LABELS)
    moved = moved_one_by_one(model.sample_, X)
    wanted = np.mean([model.estimator_.predict_proba(y) for y in moved], axis=0)
    assert np.allclose(model.predict_proba(X), wanted)
    assert np.array_equal(model.predict(X), model.classes_[wanted.argmax(axis=1)])
    decided = np.mean([model.estimator_.decision_function(y) for y in moved], axis=0)
    assert np.allclose(model.decision_function(X), decided)


@pytest.mark.parametrize("classes", [2, 3])
def test_without_probabilities_the_decision_function_is_averaged(classes: int) -> None:
    y = np.digitize(TARGETS, [0.8, 1.4][: classes - 1])
    model = OneShotClassifier(LinearSVC(), action=REORDER, m=5, random_state=1).fit(X, y)
    moved = moved_one_by_one(model.sample_, X)
    mean = np.mean([model.estimator_.decision_function(z) for z in moved], axis=0)
    wanted = (mean > 0).astype(int) if classes == 2 else mean.argmax(axis=1)
    assert np.array_equal(model.predict(X), wanted)
    assert not hasattr(model, "predict_proba")


@pytest.mark.parametrize("classes", [3, 4])
def test_where_pairs_of_classes_are_decided_the_majority_wins(classes: int) -> None:
    y = np.digitize(TARGETS, [0.5, 1.0, 1.5][: classes - 1])
    inner = make_pipeline(StandardScaler(), SVC(decision_function_shape="ovo"))
    model = OneShotClassifier(inner, action=REORDER, m=5, random_state=1).fit(X, y)
    votes = np.array([model.estimator_.predict(z) for z in moved_one_by_one(model.sample_, X)])
    counts = (votes[:, :, None] == np.arange(classes)).sum(axis=0)
    assert np.array_equal(model.predict(X), counts.argmax(axis=1))


def test_weights_are_repeated_for_the_copies() -> None:
    weights = np.arange(40) % 3
    weighted = OneShotRegressor(LinearRegression(), action=REORDER, m=6, random_state=0)
    weighted.fit(X, TARGETS, sample_weight=weights)
    repeated = np.repeat(np.arange(40), weights)
    plain = clone(weighted).fit(X[repeated], TARGETS[repeated])
    assert np.allclose(weighted.predict(X), plain.predict(X))


def test_augmenting_before_the_split_leaks_and_the_estimators_do_not() -> None:
    """Labels are coin flips, so that 1/2 is the best honest score; 3 sigma of 240 flips is 0.1."""
    rng = np.random.default_rng(7)
    noise, coins = rng.normal(size=(240, 6)), rng.integers(0, 2, 240)
    shift = sa.permute_axis(sa.cyclic(6))
    learner = KNeighborsClassifier(1)
    resampler = OneShotResampler(shift, m=16, random_state=0)
    copies, labels = resampler.fit_resample(noise, coins)
    leaking = cross_val_score(learner, copies, labels, cv=KFold(4, shuffle=True, random_state=0))
    grouped = cross_val_score(learner, copies, labels, cv=GroupKFold(4), groups=resampler.groups_)
    inside = cross_val_score(
        OneShotClassifier(learner, action=shift, m=16, random_state=0), noise, coins, cv=4
    )
    assert leaking.mean() > 0.9
    assert abs(grouped.mean() - 0.5) < 0.1
    assert abs(inside.mean() - 0.5) < 0.1


def test_equal_elements_are_fitted_once_with_a_weight() -> None:
    """D4 with m = 512 fits what its 8 elements fit, and the result is that of all copies."""
    turn = sa.rotate_grid(sa.dihedral(4), axes=(1, 2))
    rows, targets = RNG.normal(size=(20, 9)), RNG.normal(size=20)
    seen: list[int] = []

    class Counting(Ridge):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            seen.append(len(X))
            return super().fit(X, y, sample_weight)

    model = OneShotRegressor(Counting(), action=turn, m=512, sample_shape=(3, 3), random_state=0)
    model.fit(rows, targets)
    assert seen == [160]
    copies_of_all, y = sa.augment(turn, model.training_sample_, rows.reshape(20, 3, 3), targets)
    plain = Ridge().fit(copies_of_all.reshape(-1, 9), y)
    assert np.allclose(model.estimator_.coef_, plain.coef_, rtol=1e-9)


def test_a_regressor_refuses_classifiers_and_a_classifier_refuses_regressors() -> None:
    """The mean over S of labels 0 and 7 is no label, and no estimate of anything."""
    for inner in (SVC(), make_pipeline(StandardScaler(), SVC()), OneShotClassifier(action=REORDER)):
        with pytest.raises(ArgumentError, match="for OneShotClassifier"):
            OneShotRegressor(inner, action=REORDER).fit(X, 7 * (TARGETS > 1))
    for inner in (Ridge(), make_pipeline(StandardScaler(), Ridge()), OneShotRegressor()):
        with pytest.raises(ArgumentError, match="for OneShotRegressor"):
            OneShotClassifier(inner, action=REORDER).fit(X, LABELS)
