"""Scores on freshly moved samples: digits that are shifted, where copies under S mislead."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_digits
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier

import sparseaug as sa
from sparseaug.sklearn import moved_scorer

ACTION = sa.roll(sa.abelian(8, 8), axes=(1, 2))


class Seen(ClassifierMixin, BaseEstimator):
    """Keeps the rows that it is scored on."""

    def fit(self, X: Any, y: Any) -> Any:
        return self

    def score(self, X: Any, y: Any) -> float:
        self.rows = X
        return 0.0


def moved_by(scorer: Any, X: Any) -> Any:
    """X as the scorer moves it."""
    seen = Seen()
    scorer(seen, X, np.zeros(len(X)))
    return seen.rows


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:600], y[:600]


def test_plain_scores_mislead_and_moved_ones_do_not(digits) -> None:
    X, y = digits
    fresh = moved_scorer(ACTION, sa.Oracle(ACTION.group, seed=1), sample_shape=(8, 8))
    knn = KNeighborsClassifier(1)
    plain = cross_val_score(knn, X, y, cv=3).mean()
    moved = cross_val_score(knn, X, y, cv=3, scoring=fresh).mean()
    assert plain > 0.9
    assert moved < 0.35


def test_every_row_is_moved_by_an_element_that_was_drawn_and_drawing_is_counted() -> None:
    act = sa.permute_axis(sa.symmetric(4))
    oracle = sa.Oracle(act.group, seed=3)
    X = np.arange(400.0).reshape(100, 4)
    moved = moved_by(moved_scorer(act, oracle, draws=5), X)
    assert oracle.calls == 5
    drawn = sa.Oracle(act.group, seed=3).draw(5)
    images = np.asarray(act(drawn, X))
    found = [np.flatnonzero((images[:, i] == moved[i]).all(axis=1)) for i in range(100)]
    assert all(len(which) for which in found)
    assert len({int(which[0]) for which in found}) == 5


def test_frames_come_back_as_frames() -> None:
    act = sa.permute_axis(sa.cyclic(3))
    frame = pd.DataFrame({"a": [1, 2], "b": [3, 4], "c": [5, 6]})
    moved = moved_by(moved_scorer(act, sa.Oracle(act.group)), frame)
    assert list(moved.columns) == ["a", "b", "c"]
    assert [sorted(moved.iloc[i]) for i in range(2)] == [[1, 3, 5], [2, 4, 6]]
