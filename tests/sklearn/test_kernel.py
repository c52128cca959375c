"""A kernel averaged over S on both sides, and inner estimators that take kernel values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.model_selection import GridSearchCV
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
