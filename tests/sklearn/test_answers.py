"""What the estimators say of others that do not suit them, in the types that scikit-learn has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
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
        with pytest.raises(ArgumentError, match="is a classifier; use OneShotClassifier"):
            OneShotRegressor(classifier, action=ACT).fit(X, labels)
    for regressor in (Ridge(), make_pipeline(StandardScaler(), Ridge()), OneShotRegressor()):
        with pytest.raises(ArgumentError, match="is not a classifier; use OneShotRegressor"):
            OneShotClassifier(regressor, action=ACT).fit(X, labels)


@pytest.mark.parametrize(
    ("given", "y", "match"),
    [
        ({"action": lambda width: 1 / 0}, TARGETS, "action=.* failed for 4 features: division"),
        ({"m": 4, "S": sa.Oracle(ACT.group).draw(2)}, TARGETS, "m and S exclude each other"),
        ({"sample_shape": (3, 2)}, TARGETS, r"sample_shape=\(3, 2\) has 6 entries, but X has 4"),
        ({"y_action": ACT}, TARGETS, r"y has shape \(6,\); with y_action give"),
        ({}, csr_array(X), r"y cannot be used: Sparse data"),
        ({}, TARGETS[:5], r"X and y cannot be used: .*\[6, 5\]"),
    ],
)
def test_what_does_not_fit_is_named_with_the_remedy(given: dict, y: Any, match: str) -> None:
    with pytest.raises(ArgumentError, match=match):
        OneShotRegressor(**{"action": ACT, **given}).fit(X, y)
