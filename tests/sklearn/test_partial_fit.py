"""Learning in parts: the copies of some rows at a time, and a word before memory runs out."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import GaussianNB

import sparseaug as sa
from sparseaug.errors import ArgumentError, SparseAugWarning
from sparseaug.sklearn import OneShotClassifier, OneShotRegressor, base

augmenting = import_module("sparseaug.sampling.augment")  # its function has the same name
RNG = np.random.default_rng(9)
X = RNG.normal(size=(50, 4))
LABELS = (X.max(axis=1) > 1.0).astype(int)
SHIFT = sa.permute_axis(sa.cyclic(4))


class Sums(RegressorMixin, BaseEstimator):
    """Least squares from sums over what it has seen, so that the order does not matter."""

    def __init__(self) -> None:
        self.seen: list[int] = []

    def fit(self, X: Any, y: Any) -> Sums:
        return self.partial_fit(X, y)

    def partial_fit(self, X: Any, y: Any) -> Sums:
        self.seen.append(len(X))
        self.left_ = getattr(self, "left_", 0) + X.T @ X
        self.right_ = getattr(self, "right_", 0) + X.T @ y
        return self

    def predict(self, X: Any) -> Any:
        return X @ np.linalg.solve(self.left_, self.right_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


def test_parts_are_learned_as_the_whole_is() -> None:
    """Naive Bayes keeps means and variances, which parts add up to."""
    inner = GaussianNB(var_smoothing=1e-15)
    given: dict[str, Any] = {"action": SHIFT, "m": 9, "random_state": 0}
    whole = OneShotClassifier(inner, **given).fit(X, LABELS)
    parts = OneShotClassifier(inner, **given)
    for start in range(0, 50, 20):
        part = slice(start, start + 20)
        parts.partial_fit(X[part], LABELS[part], classes=[0, 1])
    assert parts.training_sample_ == whole.training_sample_
    assert parts.training_sample_.calls == 8
    assert np.allclose(parts.predict_proba(X), whole.predict_proba(X))
    weights = np.arange(50) % 3
    parts = OneShotClassifier(inner, **given)
    parts.partial_fit(X, LABELS, classes=[0, 1], sample_weight=weights)
    weighted = OneShotClassifier(inner, **given).fit(X, LABELS, sample_weight=weights)
    assert np.allclose(parts.predict_proba(X), weighted.predict_proba(X))
    assert not np.allclose(parts.predict_proba(X), whole.predict_proba(X))


def test_no_more_copies_than_allowed_are_made_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "MOST_ROWS", 20)
    model = OneShotRegressor(Sums(), action=SHIFT, y_action=SHIFT, m="full")
    model.partial_fit(X, X**2)
    assert max(model.estimator_.seen) <= 20
    assert sum(model.estimator_.seen) == 200
    whole = OneShotRegressor(Sums(), action=SHIFT, y_action=SHIFT, m="full").fit(X, X**2)
    assert np.allclose(model.predict(X), whole.predict(X))


def test_weights_that_the_learner_does_not_take_are_warned_of() -> None:
    for method in ("fit", "partial_fit"):
        model = OneShotRegressor(Sums(), action=SHIFT)
        with pytest.warns(SparseAugWarning, match=rf"sample_weight is given, but Sums.{method}"):
            getattr(model, method)(X, X, sample_weight=np.ones(50))


def test_copies_that_exceed_the_memory_are_refused_with_the_number_before_they_are_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """50 rows of 4 floats and 4 elements are 6,400 bytes."""
    monkeypatch.setattr(augmenting, "machine_memory", lambda: 6_000)
    model = OneShotClassifier(SGDClassifier(), action=SHIFT, m="full")
    with pytest.raises(ArgumentError, match=r"50 rows and S of 4 elements.* 6.4 kB.*partial_fit"):
        model.fit(X, LABELS)
    model.partial_fit(X, LABELS, classes=[0, 1])
    monkeypatch.setattr(augmenting, "machine_memory", lambda: 6_400)
    model.fit(X, LABELS)
