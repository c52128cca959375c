"""What the estimators say of others that do not suit them, in the types that scikit-learn has."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import sparseaug as sa
from sparseaug.errors import ArgumentError
from sparseaug.sklearn import OneShotClassifier, OneShotRegressor

X = np.random.default_rng(0).normal(size=(6, 4))
LABELS = np.array([0, 1] * 3)
TARGETS = X.sum(axis=1)
ACT = sa.permute_axis(sa.symmetric(4))


def test_a_regressor_refuses_classifiers_and_a_classifier_refuses_regressors() -> None:
    """The mean over S of labels 0 and 7 is no label, and no estimate of anything."""
    labels = LABELS * 7
    for classifier in (
        LogisticRegression(),
        DecisionTreeClassifier(),
        make_pipeline(StandardScaler(), LogisticRegression()),
        GridSearchCV(LogisticRegression(), {"C": [1.0]}),
        OneShotClassifier(action=ACT),
    ):
        with pytest.raises(ArgumentError, match=r"is a classifier, .* use OneShotClassifier"):
            OneShotRegressor(classifier, action=ACT).fit(X, labels)
    for regressor in (Ridge(), make_pipeline(StandardScaler(), Ridge()), OneShotRegressor()):
        with pytest.raises(ArgumentError, match="is not a classifier; use OneShotRegressor"):
            OneShotClassifier(regressor, action=ACT).fit(X, labels)
    for model in (OneShotClassifier, OneShotRegressor):
        for nothing in (StandardScaler(), Ridge, "ridge", 3):
            with pytest.raises(ArgumentError, match=r"estimator=.* with fit and predict"):
                model(nothing, action=ACT).fit(X, labels)


def test_an_estimator_that_is_not_fitted_says_so_as_in_scikit_learn() -> None:
    for model in (OneShotClassifier(action=ACT), OneShotRegressor(action=ACT)):
        with pytest.raises(NotFittedError):
            model.predict(X)


def test_errors_keep_the_types_that_scikit_learn_has() -> None:
    model = OneShotRegressor(action=ACT)
    with pytest.raises(TypeError, match="X cannot be used"):
        model.fit([[{"a": 1}, 1, 1, 1]] * 6, TARGETS)
    with pytest.raises(ValueError, match=r"X and y cannot be used: .*\[6, 5\]"):
        model.fit(X, TARGETS[:5])


def test_a_function_for_the_action_that_fails_is_named() -> None:
    with pytest.raises(ArgumentError, match=r"action=.* failed for 4 features: division by zero"):
        OneShotRegressor(action=lambda width: 1 / 0).fit(X, TARGETS)
