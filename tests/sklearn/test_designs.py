"""S by construction."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import LinearRegression

import sparseaug as sa
from sparseaug.sklearn import OneShotRegressor

X = np.random.default_rng(0).normal(size=(40, 7))
REORDER = sa.permute_axis(sa.symmetric(7))


def test_a_design_of_degree_one_makes_linear_predictions_exactly_invariant() -> None:
    """Seven elements do what 5,040 do, since a linear function looks at one coordinate at a time."""
    model = OneShotRegressor(LinearRegression(), action=REORDER, m="design", degree=1)
    model.fit(X, X @ np.arange(7.0))
    assert (model.sample_.m, model.sample_.calls) == (7, 0)
    assert np.ptp(model.predict(X) - model.predict(X[:, ::-1])) < 1e-12
    drawn = OneShotRegressor(LinearRegression(), action=REORDER, m=7, random_state=0)
    drawn.set_params(average="same").fit(X, X @ np.arange(7.0))
    assert np.ptp(drawn.predict(X) - drawn.predict(X[:, ::-1])) > 0.1


def test_a_design_trains_on_as_many_distinct_draws_and_averages_over_itself() -> None:
    given: dict[str, Any] = {"action": REORDER, "m": "design", "degree": 1, "random_state": 3}
    model = OneShotRegressor(LinearRegression(), **given).fit(X, X[:, 0])
    drawn = sa.Oracle(REORDER.group, seed=3).draw(7, identity=True, distinct=True)
    assert model.training_sample_ == drawn
    assert model.sample_ == sa.design(REORDER.group, degree=1, identity=True)
    alone = OneShotRegressor(LinearRegression(), average=False, **given).fit(X, X[:, 0])
    assert alone.training_sample_ == alone.sample_ == model.sample_
    moved = OneShotRegressor(LinearRegression(), identity=False, **given).fit(X, X[:, 0])
    first = sa.Oracle(REORDER.group, seed=3).draw(8)
    assert np.array_equal(moved.training_sample_.elements[0], first.elements[1])
