"""Good arguments for the scikit-learn layer; estimators check theirs in `fit`."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import SGDClassifier, SGDRegressor
from sklearn.metrics.pairwise import rbf_kernel

import sparseaug as sa
from sparseaug.sklearn import (
    AveragedKernel,
    OneShotClassifier,
    OneShotRegressor,
    OneShotResampler,
    moved_scorer,
)
from tests.bad_input.judge import Example, Fresh, key

X = np.random.default_rng(0).normal(size=(6, 4))
LABELS = np.array([0, 1] * 3)
TARGETS = X.sum(axis=1)
ACT = sa.permute_axis(sa.symmetric(4))
S = sa.Oracle(ACT.group).draw(3)
CHOICES = {
    **{"action": ACT, "m": 16, "S": None},
    **{"degree": None, "identity": True, "sample_shape": None, "random_state": 0},
}
LEARNER = (RuntimeWarning, UserWarning)  # of infinite weights and huge data, by the learner
CLASSIFIER = OneShotClassifier(action=ACT, random_state=0).fit(X, LABELS)
REGRESSOR = OneShotRegressor(action=ACT, random_state=0).fit(X, TARGETS)


def oracle() -> sa.Oracle:
    return sa.Oracle(ACT.group, seed=5)


def learned(call: Any, good: dict[str, Any], **takes: tuple[str, ...]) -> Example:
    return Example(call, good, warns=LEARNER, takes=takes)


EXAMPLES = [
    Example(
        lambda **given: OneShotResampler(**given).fit_resample(X, TARGETS),
        {**CHOICES, "y_action": None},
        of=key(OneShotResampler),
        also=("target",),
    ),
    *(
        Example(
            lambda model=model, y=y, **given: model(**given).fit(X, y),
            {"estimator": None, "average": True, **CHOICES},
            of=key(model),
            also=("target",),
        )
        for model, y in ((OneShotClassifier, LABELS), (OneShotRegressor, TARGETS))
    ),
    *(
        Example(
            lambda **given: OneShotRegressor(action=ACT, **given).fit(X, TARGETS),
            {name: value},
            of=key(OneShotRegressor),
            also=("target",),
        )
        for name, value in {"m": 3, "S": S, "sample_shape": (4,)}.items()
    ),
    Example(
        lambda **given: OneShotRegressor(action=ACT, **given).fit(X, X),
        {"y_action": ACT, "y_shape": (4,)},
        of=key(OneShotRegressor),
    ),
    Example(
        lambda **given: OneShotRegressor(action=ACT, **given).fit(X, TARGETS),
        {"m": "design", "degree": 1},
        of=key(OneShotRegressor),
    ),
    learned(
        OneShotResampler(ACT).fit,
        {"X": X, "y": None},
        X=("array of NaN", "frame of text"),  # columns of a frame may be text
        y=("everything",),  # which is not looked at
    ),
    learned(OneShotResampler(ACT).fit_resample, {"X": X, "y": TARGETS}),
    Example(
        lambda **given: moved_scorer(**given)(CLASSIFIER, X, LABELS),
        {"action": ACT, "oracle": Fresh(oracle), "draws": 3, "scoring": None, "sample_shape": None},
        of=key(moved_scorer),
    ),
    Example(
        lambda **given: AveragedKernel(**given)(X, X),
        {"kernel": rbf_kernel, "action": ACT, "S": S, "sample_shape": None},
        of=key(AveragedKernel),
    ),
    learned(AveragedKernel(rbf_kernel, ACT, S).__call__, {"X": X, "Y": X}),
    learned(OneShotResampler(ACT, y_action=ACT).fit_resample, {"X": X, "y": X}),
    learned(OneShotClassifier(action=ACT).fit, {"X": X, "y": LABELS, "sample_weight": None}),
    learned(OneShotRegressor(action=ACT).fit, {"X": X, "y": TARGETS, "sample_weight": np.ones(6)}),
    Example(
        lambda **given: OneShotClassifier(SGDClassifier(), action=ACT).partial_fit(**given),
        {"X": X, "y": LABELS, "classes": [0, 1], "sample_weight": None},
        of=key(OneShotClassifier.partial_fit),
        warns=LEARNER,
    ),
    Example(
        lambda **given: OneShotRegressor(SGDRegressor(), action=ACT).partial_fit(**given),
        {"X": X, "y": TARGETS, "sample_weight": None},
        of=key(OneShotRegressor.partial_fit),
        warns=LEARNER,
    ),
    learned(CLASSIFIER.predict, {"X": X}),
    learned(CLASSIFIER.predict_proba, {"X": X}),
    learned(CLASSIFIER.decision_function, {"X": X}),
    learned(CLASSIFIER.score, {"X": X, "y": LABELS, "sample_weight": None}),
    learned(REGRESSOR.predict, {"X": X}),
    learned(REGRESSOR.score, {"X": X, "y": TARGETS, "sample_weight": None}),
]
