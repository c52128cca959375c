"""A kernel averaged over S on both sides, and inner estimators that take kernel values."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KernelCenterer
from sklearn.svm import SVC

import sparseaug as sa
from sparseaug.errors import ArgumentError
from sparseaug.sklearn import AveragedKernel, OneShotClassifier, OneShotRegressor

RNG = np.random.default_rng(2)
X, Z = RNG.normal(size=(20, 3)), RNG.normal(size=(7, 3))
LABELS = (X.max(axis=1) > 1.0).astype(int)
REORDER = sa.permute_axis(sa.symmetric(3))
S = sa.GroupSample(REORDER.group, [[0, 1, 2], [1, 2, 0], [1, 2, 0], [0, 2, 1]])


def any_order(width: int) -> sa.actions.Action:
    return sa.permute_axis(sa.symmetric(width))


def by_hand(S: sa.GroupSample, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """The mean of (1 + <s x, t z> / 3)^3 over all pairs, one at a time."""
    moved = [[rows[:, np.argsort(g)] for g in S.elements] for rows in (X, Z)]
    return np.mean([(1 + a @ b.T / 3) ** 3 for a in moved[0] for b in moved[1]], axis=0)


def test_it_is_the_mean_over_all_pairs_of_elements_with_their_multiplicity() -> None:
    kernel = AveragedKernel(polynomial_kernel, REORDER, S)
    assert np.allclose(kernel(X, Z), by_hand(S, X, Z), rtol=1e-13)
    assert np.allclose(kernel(X), by_hand(S, X, X), rtol=1e-13)
    assert np.array_equal(AveragedKernel(polynomial_kernel, any_order, S)(X, Z), kernel(X, Z))


def test_with_all_of_the_group_it_is_invariant_and_it_is_positive_definite_with_any_sample() -> (
    None
):
    full = AveragedKernel(sa.GaussianKernel(0.8), REORDER, "full")
    assert np.allclose(full(X[:, ::-1], Z), full(X, Z), atol=1e-15)
    one_side = sa.GaussianKernel(0.8).group_mean(REORDER, X, Z)
    assert np.allclose(full(X, Z), one_side, atol=1e-15)
    gram = AveragedKernel(rbf_kernel, REORDER, S)(X)
    assert np.allclose(gram, gram.T, atol=1e-15)
    assert np.linalg.eigvalsh(gram).min() > -1e-14


def test_a_machine_with_the_kernel_is_one_with_its_gram_matrix_and_can_be_searched() -> None:
    kernel = AveragedKernel(rbf_kernel, REORDER, "full")
    given, precomputed = SVC(kernel=kernel), SVC(kernel="precomputed")
    given.fit(X, LABELS)
    precomputed.fit(kernel(X), LABELS)
    decided = given.decision_function(Z)
    assert np.allclose(decided, precomputed.decision_function(kernel(Z, X)))
    assert np.allclose(decided, given.decision_function(Z[:, [2, 0, 1]]))  # invariant
    assert np.array_equal(
        cross_val_score(SVC(kernel=kernel), X, LABELS, cv=3),
        cross_val_score(SVC(kernel="precomputed"), kernel(X), LABELS, cv=3),
    )
    again = pickle.loads(pickle.dumps(given))
    assert np.array_equal(again.predict(Z), given.predict(Z))
    search = GridSearchCV(SVC(kernel=kernel), {"C": [0.1, 1.0]}, cv=2).fit(X, LABELS)
    assert search.best_estimator_.kernel == kernel


@pytest.mark.parametrize("wrap", [lambda e: e, make_pipeline, lambda e: GridSearchCV(e, {})])
def test_inner_estimators_of_kernel_values_or_distances_are_refused_by_name(wrap: Any) -> None:
    """An action cannot move a matrix of kernel values: its rows are not samples."""
    square = rbf_kernel(X)
    act = sa.permute_axis(sa.cyclic(20))
    for inner in (SVC(kernel="precomputed"), KNeighborsClassifier(metric="precomputed")):
        with pytest.raises(ArgumentError, match=r"^estimator=.* kernel values .*AveragedKernel"):
            OneShotClassifier(wrap(inner), action=act).fit(square, LABELS)
    for inner in (KernelRidge(kernel="precomputed"), KNeighborsRegressor(metric="precomputed")):
        with pytest.raises(ArgumentError, match=r"^estimator=.* kernel values .*AveragedKernel"):
            OneShotRegressor(wrap(inner), action=act).fit(square, LABELS)
    with pytest.raises(ArgumentError, match="AveragedKernel"):
        OneShotRegressor(make_pipeline(KernelCenterer(), KernelRidge())).fit(square, LABELS)


def test_what_cannot_be_averaged_is_refused_by_name() -> None:
    with pytest.raises(ArgumentError, match="kernel='rbf' is not a function"):
        AveragedKernel("rbf", REORDER, S)
    with pytest.raises(ArgumentError, match="action=None"):
        AveragedKernel(rbf_kernel, None, S)
    with pytest.raises(ArgumentError, match="S4"):
        AveragedKernel(rbf_kernel, REORDER, sa.Oracle(sa.symmetric(4)).draw(2))
    with pytest.raises(
        ArgumentError, match=r"kernel=.* returned shape \(20,\) of float64 for 20 and 7 samples"
    ):
        AveragedKernel(lambda x, z: x[:, 0], REORDER, S)(X, Z)
    with pytest.raises(ArgumentError, match="of X and Y holds a NaN"):
        AveragedKernel(lambda x, z: x @ z.T * np.nan, REORDER, S)(X, Z)
    kernel = AveragedKernel(rbf_kernel, REORDER, S)
    with pytest.raises(ArgumentError, match="Y has 2 features, but X has 3"):
        kernel(X, Z[:, :2])
    with pytest.raises(ArgumentError, match="X cannot be used"):
        kernel("text")
