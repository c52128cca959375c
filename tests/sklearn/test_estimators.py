"""The meta-estimators: fitting on copies, means over S, and cross-validation that cannot leak."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_array, csr_array, csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_digits
from sklearn.ensemble import BaggingClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, SGDRegressor
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_val_score
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import sparseaug as sa
from sparseaug.errors import ArgumentError, SparseAugWarning
from sparseaug.sklearn import OneShotClassifier, OneShotRegressor, OneShotResampler, base

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 4))
LABELS = np.where(X.max(axis=1) > 1.0, "high", "low")
TARGETS = X.max(axis=1)
REORDER = sa.permute_axis(sa.symmetric(4))


class Nearest(ClassifierMixin, BaseEstimator):
    """A classifier with labels only: neither probabilities nor a decision function."""

    def fit(self, X: Any, y: Any) -> Nearest:
        self.classes_, self._x, self._y = np.unique(y), np.asarray(X), np.asarray(y)
        return self

    def predict(self, X: Any) -> Any:
        apart = np.asarray(X)[:, None] - self._x
        return self._y[(apart**2).sum(axis=2).argmin(axis=1)]


def moved_one_by_one(S: sa.GroupSample, rows: np.ndarray) -> list[np.ndarray]:
    """The moved data of each element, by inverse index."""
    return [rows[:, np.argsort(g)] for g in S.elements]


def test_the_inner_estimator_learns_from_the_copies() -> None:
    model = OneShotRegressor(Ridge(), action=REORDER, m=9, random_state=0).fit(X, TARGETS)
    copies = np.concatenate(moved_one_by_one(model.sample_, X))
    wanted = Ridge().fit(copies, np.tile(TARGETS, 9))
    assert np.allclose(model.estimator_.coef_, wanted.coef_)
    assert np.array_equal(model.groups_, np.tile(np.arange(40), 9))


def test_the_given_estimator_is_cloned_and_stays_as_it_was() -> None:
    given = Ridge()
    model = OneShotRegressor(given, action=REORDER, m=2).fit(X, TARGETS)
    assert model.estimator is given
    assert not hasattr(given, "coef_")


def test_predictions_are_means_over_the_sample_and_make_no_call() -> None:
    tree = DecisionTreeRegressor(random_state=0)
    model = OneShotRegressor(tree, action=REORDER, m=9, random_state=0).fit(X, TARGETS)
    rows = RNG.normal(size=(11, 4))
    wanted = np.mean(
        [model.estimator_.predict(y) for y in moved_one_by_one(model.sample_, rows)], 0
    )
    assert np.allclose(model.predict(rows), wanted)
    assert model.sample_.calls == 8  # and the identity


def test_with_all_of_the_group_predictions_are_invariant() -> None:
    S = sa.GroupSample(REORDER.group, np.concatenate(list(REORDER.group.elements())))
    tree = DecisionTreeRegressor(max_depth=3, max_features=1, random_state=0)
    model = OneShotRegressor(tree, action=REORDER, S=S).fit(X, TARGETS)
    rows = RNG.normal(size=(30, 4))
    back = rows[:, ::-1]
    assert np.allclose(model.predict(rows), model.predict(back))
    assert not np.allclose(model.estimator_.predict(rows), model.estimator_.predict(back))


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


def test_a_label_for_unknown_is_no_class() -> None:
    y = np.where(TARGETS > 1.0, 1, 0)
    hidden = np.where(np.arange(40) % 4, y, -1)
    inner = SelfTrainingClassifier(DecisionTreeClassifier(random_state=0))
    model = OneShotClassifier(inner, action=REORDER, m=4, random_state=0).fit(X, hidden)
    assert model.classes_.tolist() == [0, 1]
    assert model.predict_proba(X).shape == (40, 2)
    known = hidden >= 0
    assert (model.predict(X)[known] == y[known]).mean() > 0.9


def test_with_labels_only_the_majority_wins() -> None:
    model = OneShotClassifier(Nearest(), action=REORDER, m=5, random_state=1).fit(X, LABELS)
    rows = RNG.normal(size=(50, 4))
    votes = np.array([model.estimator_.predict(y) for y in moved_one_by_one(model.sample_, rows)])
    wanted = np.where((votes == "high").sum(axis=0) > 2, "high", "low")
    assert np.array_equal(model.predict(rows), wanted)
    assert len(set(map(tuple, votes.T))) > 2  # the elements do disagree
    assert not hasattr(model, "decision_function")


@pytest.mark.parametrize("rows_at_once", [1, 7, 64, 1000])
def test_the_size_of_a_chunk_changes_nothing(
    rows_at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = DecisionTreeClassifier(random_state=0)
    model = OneShotClassifier(tree, action=REORDER, m=12, random_state=0).fit(X, LABELS)
    wanted = model.predict_proba(X)
    seen: list[int] = []
    inner = model.estimator_.predict_proba
    monkeypatch.setattr(base, "MOST_ROWS", rows_at_once)
    monkeypatch.setattr(
        model.estimator_, "predict_proba", lambda rows: (seen.append(len(rows)), inner(rows))[1]
    )
    assert np.allclose(model.predict_proba(X), wanted, atol=1e-14)
    assert max(seen) <= rows_at_once
    assert sum(seen) == 40 * len(model.sample_.counts()[0]) < 480  # equal elements go through once


def test_weights_are_repeated_for_the_copies() -> None:
    weights = np.arange(40) % 3
    weighted = OneShotRegressor(LinearRegression(), action=REORDER, m=6, random_state=0)
    weighted.fit(X, TARGETS, sample_weight=weights)
    repeated = np.repeat(np.arange(40), weights)
    plain = clone(weighted).fit(X[repeated], TARGETS[repeated])
    assert np.allclose(weighted.predict(X), plain.predict(X))


def test_weights_that_the_inner_estimator_does_not_take_are_left_out_with_a_warning() -> None:
    """As CalibratedClassifierCV does: `fit` has weights in its signature, so bagging passes them."""
    model = OneShotClassifier(KNeighborsClassifier(), action=REORDER, m=3, random_state=0)
    plain = clone(model).fit(X, LABELS).predict_proba(X)
    with pytest.warns(SparseAugWarning, match=r"KNeighborsClassifier.fit takes none"):
        model.fit(X, LABELS, sample_weight=np.arange(40))
    assert np.array_equal(model.predict_proba(X), plain)
    with pytest.raises(ArgumentError, match="sample_weight cannot be used"):
        model.fit(X, LABELS, sample_weight=[1.0, 2.0])
    with pytest.warns(SparseAugWarning, match="OneShotClassifier"):
        bagged = BaggingClassifier(model, n_estimators=2, random_state=0).fit(X, LABELS)
    assert bagged.predict(X).shape == (40,)
    inside = OneShotClassifier(BaggingClassifier(KNeighborsClassifier()), action=REORDER, m=3)
    assert inside.fit(X, LABELS).score(X, LABELS) > 0.7


@pytest.mark.parametrize("make", [csr_array, csr_matrix, coo_array])
def test_sparse_targets_are_refused_by_name(make: Any) -> None:
    outputs = np.stack([LABELS == "high", LABELS == "low"], axis=1).astype(float)
    resampler = OneShotResampler(REORDER)
    fits = [
        OneShotClassifier(KNeighborsClassifier(), action=REORDER).fit,
        OneShotRegressor(action=REORDER).fit,
        OneShotRegressor(SGDRegressor(), action=REORDER).partial_fit,
        OneShotRegressor(action=REORDER).fit(X, outputs).score,
        OneShotClassifier(KNeighborsClassifier(), action=REORDER).fit(X, LABELS).score,
        resampler.fit_resample,
    ]
    for fit in fits:
        with pytest.raises(ArgumentError, match=r"y is sparse; .* give y.toarray\(\)"):
            fit(X, make(outputs))


def test_several_labels_are_learned_with_the_wrapper_of_the_library_around() -> None:
    several = np.stack([LABELS, LABELS[::-1]], axis=1)
    alone = OneShotClassifier(action=REORDER, m=4, random_state=0)
    with pytest.raises(ArgumentError, match=r"y has shape \(40, 2\).*\.MultiOutputClassifier"):
        alone.fit(X, several)
    both = MultiOutputClassifier(alone).fit(X, several)
    assert np.array_equal(both.predict(X)[:, 0], alone.fit(X, LABELS).predict(X))


def test_several_outputs_are_learned_and_averaged() -> None:
    both = np.stack([TARGETS, -TARGETS], axis=1)
    model = OneShotRegressor(action=REORDER, m=4, random_state=0).fit(X, both)
    assert model.predict(X).shape == (40, 2)
    assert np.allclose(model.predict(X)[:, 0], -model.predict(X)[:, 1])


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


def test_it_helps_on_shifted_digits() -> None:
    images, digits = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(images))
    train, test = order[:200], order[200:400]
    turns = np.random.default_rng(1).integers(0, 8, (200, 2))
    shifted = np.stack(
        [
            np.roll(image.reshape(8, 8), tuple(turn), (0, 1)).ravel()
            for image, turn in zip(images[test], turns, strict=True)
        ]
    )
    plain = KNeighborsClassifier(1).fit(images[train], digits[train])
    model = OneShotClassifier(
        KNeighborsClassifier(1),
        action=sa.roll(sa.abelian(8, 8)),
        m=32,
        sample_shape=(8, 8),
        random_state=0,
    ).fit(images[train], digits[train])
    assert plain.score(shifted, digits[test]) < 0.4
    assert model.score(shifted, digits[test]) > 0.75


def test_it_works_in_a_pipeline_and_a_grid_search() -> None:
    inside = OneShotClassifier(LogisticRegression(), action=REORDER, random_state=0)
    pipeline = make_pipeline(StandardScaler().set_output(transform="pandas"), inside)
    search = GridSearchCV(
        pipeline,
        {"oneshotclassifier__m": [2, 4], "oneshotclassifier__estimator__C": [0.1, 1.0]},
        cv=3,
    ).fit(pd.DataFrame(X, columns=list("abcd")), LABELS)
    fitted = search.best_estimator_[-1]
    assert fitted.sample_.m == search.best_params_["oneshotclassifier__m"]
    assert fitted.feature_names_in_.tolist() == list("abcd")
    assert set(search.predict(pd.DataFrame(X, columns=list("abcd")))) <= {"high", "low"}


def test_a_frame_reaches_the_inner_estimator_as_a_frame() -> None:
    frame = pd.DataFrame(X, columns=list("abcd"))
    inner = make_pipeline(make_column_transformer((StandardScaler(), ["a", "c"])), Ridge())
    model = OneShotRegressor(inner, action=REORDER, m=4, random_state=0).fit(frame, TARGETS)
    plain = OneShotRegressor(Ridge(), action=REORDER, m=4, random_state=0).fit(frame, TARGETS)
    assert model.predict(frame).shape == (40,)
    assert np.allclose(plain.predict(frame), clone(plain).fit(X, TARGETS).predict(X))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[list("badc")])


def test_missing_values_pass_where_the_inner_estimator_takes_them() -> None:
    holes = X.copy()
    holes[::3, 1] = np.nan
    trees = HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=2)
    model = OneShotClassifier(trees, action=REORDER, m=3).fit(holes, LABELS)
    assert len(model.predict(holes)) == 40
    with pytest.raises(ValueError, match="NaN"):
        OneShotClassifier(action=REORDER).fit(holes, LABELS)


def test_a_fitted_estimator_survives_pickling() -> None:
    model = OneShotClassifier(action=REORDER, m=5, random_state=0).fit(X, LABELS)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.sample_ == model.sample_
    assert again.deviation_.value == sa.deviation(model.sample_).value
    assert "OneShotClassifier" in model._repr_html_()


def test_what_cannot_work_is_refused_by_name():
    X, y = np.random.default_rng(0).normal(size=(20, 64)), np.arange(20) % 2
    with pytest.raises(ArgumentError, match="is not a classifier; use OneShotRegressor"):
        OneShotClassifier(Ridge()).fit(X, y)
    with pytest.raises(ArgumentError, match=r"sample_shape=\(64,\); give another, as \(8, 8\)"):
        OneShotClassifier(action=sa.roll(sa.abelian(8, 8))).fit(X, y)


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
    copies_of_all, y = sa.augment(turn, model.sample_, rows.reshape(20, 3, 3), targets)
    plain = Ridge().fit(copies_of_all.reshape(-1, 9), y)
    assert np.allclose(model.estimator_.coef_, plain.coef_, rtol=1e-9)


def test_knn_on_upright_samples_needs_the_identity() -> None:
    """A drawn S may lack the identity: then no sample is seen as it is."""
    S = sa.Oracle(REORDER.group, seed=0).draw(4, identity=True)
    assert OneShotClassifier(action=REORDER, m=4, random_state=0).fit(X, LABELS).sample_ == S
