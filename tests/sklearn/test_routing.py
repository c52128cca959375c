"""Weights, groups and other arguments of fit reach the inner estimator and its parts, copied along."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sklearn
import sparseaug as sa
from sparseaug.sklearn import OneShotRegressor

RNG = np.random.default_rng(5)
X = RNG.normal(size=(30, 4))
TARGETS = X[:, 0] + 0.1 * RNG.normal(size=30)
WEIGHTS = np.arange(30) % 3
SHIFT = sa.permute_axis(sa.cyclic(4))


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


class Listening(RegressorMixin, BaseEstimator):
    """Keeps what fit was given."""

    def fit(self, X: Any, y: Any, *, colour: Any = None, limit: Any = None) -> Listening:
        self.colour_, self.limit_, self.n_ = colour, limit, len(X)
        return self

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X))


def pipeline() -> Any:
    weighted = LinearRegression().set_fit_request(sample_weight=True)
    return make_pipeline(StandardScaler().set_fit_request(sample_weight=False), weighted)


@pytest.mark.usefixtures("routing")
def test_weights_reach_a_part_of_an_inner_pipeline_that_requests_them() -> None:
    """A linear model does not depend on the scaling, so weights are as good as repeated rows."""
    model = OneShotRegressor(pipeline(), action=SHIFT, m=6, random_state=0)
    model.fit(X, TARGETS, sample_weight=WEIGHTS)
    repeated = np.repeat(np.arange(30), WEIGHTS)
    plain = OneShotRegressor(LinearRegression(), action=SHIFT, m=6, random_state=0)
    plain.fit(X[repeated], TARGETS[repeated])
    assert np.allclose(model.predict(X), plain.predict(X))
    assert not np.allclose(model.predict(X), plain.fit(X, TARGETS).predict(X))


@pytest.mark.usefixtures("routing")
def test_arguments_with_one_entry_per_sample_are_copied_and_others_are_not() -> None:
    inner = Listening().set_fit_request(colour=True, limit=True)
    model = OneShotRegressor(inner, action=SHIFT, m=3, random_state=0)
    model.fit(X, TARGETS, colour=pd.Series(range(30)), limit="three")
    assert model.estimator_.n_ == 90
    assert model.estimator_.colour_.tolist() == list(range(30)) * 3
    assert model.estimator_.limit_ == "three"


def searched(inner: Any, **given: Any) -> Any:
    """The score that an inner search gives a learner by heart, on targets that are noise."""
    rng = np.random.default_rng(0)
    noise, y = rng.normal(size=(60, 4)), rng.normal(size=60)
    model = OneShotRegressor(inner, action=SHIFT, m=8, random_state=0).fit(noise, y, **given)
    return model.estimator_


@pytest.mark.parametrize("enabled", [False, True])
def test_an_inner_search_that_splits_by_groups_keeps_the_copies_of_a_sample_together(
    enabled: bool,
) -> None:
    """A nearest neighbour of noise has R^2 below 0; among copies by equal elements it has about 1."""
    grid = {"n_neighbors": [1]}
    with sklearn.config_context(enable_metadata_routing=enabled):
        leaking = GridSearchCV(
            KNeighborsRegressor(), grid, cv=KFold(4, shuffle=True, random_state=0)
        )
        assert searched(leaking).best_score_ > 0.5
        grouped = GridSearchCV(KNeighborsRegressor(), grid, cv=GroupKFold(4))
        assert searched(grouped).best_score_ < 0
