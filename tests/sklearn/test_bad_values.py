"""The scikit-learn layer with bad values for each argument: answered by name, or taken."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import sparseaug as sa
from sparseaug.errors import ArgumentError, SparseAugError
from sparseaug.sklearn import OneShotClassifier, OneShotRegressor, OneShotResampler

RNG = np.random.default_rng(0)
X = RNG.normal(size=(6, 4))
LABELS = np.array([0, 1] * 3)
TARGETS = X.sum(axis=1)
ACT = sa.permute_axis(sa.symmetric(4))
READ_ONLY = X.copy()
READ_ONLY.flags.writeable = False


class Unsized:
    """Has no length that it would tell."""

    def __len__(self):
        raise RuntimeError("measured")


BAD = {
    "None": None,
    "nan": float("nan"),
    "infinite": float("inf"),
    "negative": -1,
    "huge": 10**30,
    "huger": 10**5000,
    "half": 0.5,
    "true": True,
    "complex": 1j,
    "text": "abc",
    "bytes": b"x",
    "empty": [],
    "ragged": [[1], [2, 3]],
    "mapping": {"a": 1},
    "object": object(),
    "unsized": Unsized(),
    "class": Ridge,
    "number": np.zeros(()),
    "vector": np.zeros(3),
    "nans": X * np.nan,
    "infinities": np.full((6, 4), np.inf),
    "complexes": X * 1j,
    "objects": np.array([[None, "a", 1, 2]] * 6, object),
    "words": np.full((6, 4), "a"),
    "dates": np.full((6, 4), "2020-01-01", "datetime64[D]"),
    "no rows": np.zeros((0, 4)),
    "too wide": np.zeros((6, 5)),
    "too long": np.zeros((7, 4)),
    "cube": np.zeros((6, 4, 2)),
    "read-only": READ_ONLY,
    "strided": np.arange(96.0).reshape(12, 8)[::2, ::-2],
    "frame of words": pd.DataFrame(np.full((6, 4), "a")),
    "series": pd.Series([1.0, 2.0]),
    "another action": sa.permute_axis(sa.symmetric(5)),
    "another sample": sa.Oracle(sa.symmetric(5)).draw(3),
}

PARAMETERS = {
    "action": ACT,
    "m": None,
    "target_deviation": None,
    "S": None,
    "sample_shape": None,
    "random_state": 0,
}
CLASSIFIER = OneShotClassifier(action=ACT, random_state=0).fit(X, LABELS)
REGRESSOR = OneShotRegressor(action=ACT, random_state=0).fit(X, TARGETS)


def resample(**given: Any) -> Any:
    return OneShotResampler(**given).fit_resample(X, TARGETS)


def classify(**given: Any) -> Any:
    return OneShotClassifier(**given).fit(X, LABELS)


def regress(**given: Any) -> Any:
    return OneShotRegressor(**given).fit(X, TARGETS)


CASES = {
    "OneShotResampler": (resample, {**PARAMETERS, "y_action": None}),
    "OneShotResampler.fit": (OneShotResampler(ACT).fit, {"X": X}),
    "fit_resample": (OneShotResampler(ACT).fit_resample, {"X": X, "y": TARGETS}),
    "fit_resample with y_action": (
        OneShotResampler(ACT, y_action=ACT).fit_resample,
        {"X": X, "y": X},
    ),
    "OneShotClassifier": (classify, {"estimator": None, **PARAMETERS}),
    "OneShotClassifier.fit": (
        OneShotClassifier(action=ACT).fit,
        {"X": X, "y": LABELS, "sample_weight": None},
    ),
    "OneShotClassifier.predict": (CLASSIFIER.predict, {"X": X}),
    "predict_proba": (CLASSIFIER.predict_proba, {"X": X}),
    "decision_function": (CLASSIFIER.decision_function, {"X": X}),
    "OneShotClassifier.score": (CLASSIFIER.score, {"X": X, "y": LABELS}),
    "OneShotRegressor": (regress, {"estimator": None, **PARAMETERS}),
    "OneShotRegressor.fit": (
        OneShotRegressor(action=ACT).fit,
        {"X": X, "y": TARGETS, "sample_weight": None},
    ),
    "OneShotRegressor.predict": (REGRESSOR.predict, {"X": X}),
    "OneShotRegressor.score": (REGRESSOR.score, {"X": X, "y": TARGETS}),
}
ELSEWHERE = {"another action", "another sample"}  # named by what they do not fit


def answer(call: Any, arguments: dict[str, Any]) -> str | None:
    """What the library says of them; None where it takes them."""
    try:
        call(**arguments)
    except SparseAugError as error:
        return str(error)
    return None


@pytest.mark.filterwarnings("ignore:A column-vector y was passed:UserWarning")
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of a learner with infinite weights
@pytest.mark.parametrize("case", CASES)
def test_bad_values_are_answered_by_name(case: str) -> None:
    call, arguments = CASES[case]
    call(**arguments)
    for name, (kind, value) in itertools.product(arguments, BAD.items()):
        message = answer(call, {**arguments, name: value})
        named = message is None or re.search(rf"\b{name}\b", message)
        assert named or kind in ELSEWHERE, (name, kind, message)


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
