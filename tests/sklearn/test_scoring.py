"""Scores on freshly moved samples: digits that are shifted, where copies under S mislead."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

import sparseaug as sa
from sparseaug.errors import ArgumentError
from sparseaug.sklearn import OneShotClassifier, moved_scorer

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


def test_m_is_chosen_by_a_grid_search_on_moved_samples(digits) -> None:
    X, y = digits[0][:300], digits[1][:300]
    fresh = moved_scorer(ACTION, sa.Oracle(ACTION.group, seed=1), sample_shape=(8, 8))
    model = OneShotClassifier(
        KNeighborsClassifier(1), action=ACTION, sample_shape=(8, 8), random_state=0
    )
    found = GridSearchCV(model, {"m": [1, 16]}, scoring=fresh, cv=2).fit(X, y)
    scores = found.cv_results_["mean_test_score"]
    assert found.best_params_ == {"m": 16}
    assert scores[1] > scores[0] + 0.2


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


def any_order(width: int) -> sa.actions.Action:
    return sa.permute_axis(sa.symmetric(width))


def test_the_action_may_be_a_function_of_the_width_as_for_the_estimators() -> None:
    X, y = np.random.default_rng(0).normal(size=(40, 4)), np.arange(40) % 2
    one, other = (
        cross_val_score(
            KNeighborsClassifier(), X, y, scoring=moved_scorer(act, sa.Oracle(sa.symmetric(4)))
        )
        for act in (any_order, any_order(4))
    )
    assert np.array_equal(one, other)
    with pytest.raises(ArgumentError, match=r"action=.* is of S4 .*, but oracle is of S5"):
        moved_by(moved_scorer(any_order, sa.Oracle(sa.symmetric(5))), X)
    with pytest.raises(ArgumentError, match="oracle='fresh' is not an Oracle"):
        moved_scorer(any_order, "fresh")
    with pytest.raises(ArgumentError, match=r"action=.* makes none"):
        moved_by(moved_scorer(lambda width: width, sa.Oracle(sa.symmetric(4))), X)


def test_frames_come_back_as_frames() -> None:
    act = sa.permute_axis(sa.cyclic(3))
    frame = pd.DataFrame({"a": [1, 2], "b": [3, 4], "c": [5, 6]})
    moved = moved_by(moved_scorer(act, sa.Oracle(act.group)), frame)
    assert list(moved.columns) == ["a", "b", "c"]
    assert [sorted(moved.iloc[i]) for i in range(2)] == [[1, 3, 5], [2, 4, 6]]


def test_what_does_not_fit_is_named() -> None:
    act = sa.permute_axis(sa.cyclic(3))
    with pytest.raises(ArgumentError, match="oracle"):
        moved_scorer(act, sa.Oracle(sa.cyclic(4)))
    with pytest.raises(ArgumentError, match="X cannot be used"):
        moved_by(moved_scorer(act, sa.Oracle(act.group)), np.ones(3))
