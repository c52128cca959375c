"""Weights, groups and other arguments of fit reach the inner estimator and its parts, copied along."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LinearRegression, Ridge, SGDRegressor
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_val_score
from sklearn.multioutput import MultiOutputRegressor
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

import sklearn
import sparseaug as sa
from sparseaug.errors import ArgumentError
from sparseaug.sklearn import OneShotClassifier, OneShotRegressor

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
def test_weights_that_nobody_requests_are_refused_as_scikit_learn_does() -> None:
    for inner in (Ridge(), make_pipeline(StandardScaler(), Ridge())):
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            OneShotRegressor(inner, action=SHIFT).fit(X, TARGETS, sample_weight=WEIGHTS)


@pytest.mark.usefixtures("routing")
def test_equal_elements_without_requests_count_as_before() -> None:
    """Counts go to a learner that takes weights, and copies to a pipeline: the same result."""
    for inner in (LinearRegression(), make_pipeline(StandardScaler(), LinearRegression())):
        model = OneShotRegressor(inner, action=SHIFT, m=40, random_state=0).fit(X, TARGETS)
        rows, y = sa.augment(SHIFT, model.sample_, X, TARGETS)
        assert np.allclose(model.estimator_.predict(X), LinearRegression().fit(rows, y).predict(X))


@pytest.mark.usefixtures("routing")
def test_equal_elements_are_no_weights_for_a_learner_that_passes_weights_on() -> None:
    """Its parts have not asked for weights, and need not because an element came twice."""
    inner = MultiOutputRegressor(Ridge())
    model = OneShotRegressor(inner, action=SHIFT, m=40, random_state=0).fit(X, X)
    assert model.predict(X).shape == (30, 4)


@pytest.mark.usefixtures("routing")
def test_weights_come_through_a_cross_validation_around_it() -> None:
    inner = DecisionTreeRegressor(random_state=0).set_fit_request(sample_weight=True)
    model = OneShotRegressor(inner, action=SHIFT, m=4, random_state=0)
    model.set_score_request(sample_weight=False)
    weight = np.where(np.arange(30) < 15, 1.0, 0.0)
    scores = cross_val_score(model, X, TARGETS, params={"sample_weight": weight}, cv=KFold(3))
    assert scores.shape == (3,)
    plain = cross_val_score(model, X, TARGETS, cv=KFold(3))
    assert not np.allclose(scores, plain)


@pytest.mark.usefixtures("routing")
def test_arguments_with_one_entry_per_sample_are_copied_and_others_are_not() -> None:
    inner = Listening().set_fit_request(colour=True, limit=True)
    model = OneShotRegressor(inner, action=SHIFT, m=3, random_state=0)
    model.fit(X, TARGETS, colour=pd.Series(range(30)), limit="three")
    assert model.estimator_.n_ == 90
    assert model.estimator_.colour_.tolist() == list(range(30)) * 3
    assert model.estimator_.limit_ == "three"


def test_without_routing_other_arguments_are_refused() -> None:
    with pytest.raises(ArgumentError, match="fit_params colour need metadata routing"):
        OneShotRegressor(Listening(), action=SHIFT).fit(X, TARGETS, colour=X)


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


@pytest.mark.usefixtures("routing")
def test_groups_reach_a_search_inside_a_pipeline_and_given_ones_are_copied() -> None:
    search = GridSearchCV(KNeighborsRegressor(), {"n_neighbors": [1]}, cv=GroupKFold(4))
    inner = make_pipeline(StandardScaler(), search)
    assert searched(inner)[-1].best_score_ < 0
    with pytest.raises(ValueError, match="n_splits=4 greater than the number of groups: 2"):
        searched(inner, groups=np.arange(60) % 2)
    assert searched(inner, groups=np.arange(60) % 5)[-1].best_score_ < 0


@pytest.mark.usefixtures("routing")
def test_weights_of_a_score_are_requested_of_the_outer_estimator() -> None:
    """As of every estimator with weights in its score: unset is refused, set is obeyed."""
    without_weights = Ridge().set_fit_request(sample_weight=False)
    model = OneShotRegressor(without_weights, action=SHIFT, m=4, random_state=0)
    asked = sklearn.clone(model).set_score_request(sample_weight=True)
    with pytest.raises(UnsetMetadataPassedError, match=r"OneShotRegressor\.score"):
        cross_val_score(model, X, TARGETS, params={"sample_weight": WEIGHTS}, cv=KFold(3))
    scores = cross_val_score(asked, X, TARGETS, params={"sample_weight": WEIGHTS}, cv=KFold(3))
    for score, (train, test) in zip(scores, KFold(3).split(X), strict=True):
        fitted = sklearn.clone(asked).fit(X[train], TARGETS[train])
        wanted = r2_score(TARGETS[test], fitted.predict(X[test]), sample_weight=WEIGHTS[test])
        assert score == pytest.approx(wanted)
    chain = make_pipeline(StandardScaler(), asked).fit(X, TARGETS)
    weighted = chain.score(X, TARGETS, sample_weight=WEIGHTS)
    assert weighted == pytest.approx(
        r2_score(TARGETS, chain.predict(X), sample_weight=WEIGHTS), abs=1e-12
    )


@pytest.mark.usefixtures("routing")
def test_partial_fits_route_weights_as_fits_do() -> None:
    def learner() -> Any:
        return SGDRegressor(random_state=0)

    def outer(inner: Any) -> Any:
        return OneShotRegressor(inner, action=SHIFT, m=4, random_state=0)

    with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
        outer(learner()).partial_fit(X, TARGETS, sample_weight=WEIGHTS)
    weighted = outer(learner().set_partial_fit_request(sample_weight=True))
    weighted.partial_fit(X, TARGETS, sample_weight=WEIGHTS)
    plain = outer(learner()).partial_fit(X, TARGETS)
    assert not np.allclose(weighted.estimator_.coef_, plain.estimator_.coef_)


def test_only_the_inner_estimator_requests() -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        assert not hasattr(OneShotClassifier(), "set_fit_request")
