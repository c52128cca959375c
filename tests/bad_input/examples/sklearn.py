"""Good arguments for the scikit-learn layer; estimators check theirs in `fit`."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import SGDClassifier, SGDRegressor

import sparseaug as sa
from sparseaug.sklearn import OneShotClassifier, OneShotRegressor, OneShotResampler
from tests.bad_input.judge import Example, Table

X = np.random.default_rng(0).normal(size=(6, 4))
LABELS = np.array([0, 1] * 3)
TARGETS = X.sum(axis=1)
ACT = sa.permute_axis(sa.symmetric(4))
S = sa.Oracle(ACT.group).draw(3)
CLASSIFIER = OneShotClassifier(action=ACT, random_state=0).fit(X, LABELS)
REGRESSOR = OneShotRegressor(action=ACT, random_state=0).fit(X, TARGETS)

good = Table(
    {
        **{"action": ACT, "m": 16, "S": None, "identity": True},
        **{"sample_shape": None, "random_state": 0, "y_action": None, "estimator": None},
        **{
            "average": "chosen",
            "per_sample": False,
            "X": X,
        },
        **{"classes": [0, 1], "sample_weight": None},
    }
)


def learned(call: Any, names: str = "", **given: Any) -> Example:
    """Infinite weights and huge data are warned of by the learner."""
    return good(call, names, warns=(RuntimeWarning, UserWarning), **given)


def fitted(y: Any, names: str, make: Any = OneShotRegressor, **given: Any) -> Example:
    def via(**chosen: Any) -> Any:
        return make(**{"action": ACT, **chosen}).fit(X, y)

    return good(make, names, via=via, also="target", **given)


CHOICES = "action m S identity per_sample sample_shape random_state"
EXAMPLES = [
    good(
        OneShotResampler,
        via=lambda **given: OneShotResampler(**given).fit_resample(X, TARGETS),
        also="target",
    ),
    fitted(LABELS, f"{CHOICES} estimator average", OneShotClassifier),
    fitted(TARGETS, f"{CHOICES} estimator average"),
    fitted(TARGETS, "m", m=3),
    fitted(TARGETS, "S", S=S),
    fitted(TARGETS, "m", per_sample="draws"),
    fitted(TARGETS, "m", per_sample="translates"),
    fitted(TARGETS, "sample_shape", sample_shape=(4,)),
    fitted(X, "y_action", y_action=ACT, y_shape=(4,)),
    learned(
        OneShotResampler(ACT).fit,
        y=None,
        # columns of a frame may be text; y is not looked at
        takes={"X": ("array of NaN", "frame of text"), "y": ("everything",)},
    ),
    learned(OneShotResampler(ACT).fit_resample, y=TARGETS),
    learned(OneShotClassifier(action=ACT).fit, "X", y=LABELS, sample_weight=None),
    learned(OneShotRegressor(action=ACT).fit, "X", y=TARGETS, sample_weight=np.ones(6)),
    *(
        learned(
            make.partial_fit,
            "X sample_weight classes",
            via=lambda make=make, inner=inner, **given: make(inner, action=ACT).partial_fit(
                **given
            ),
            y=y,
        )
        for make, inner, y in (
            (OneShotClassifier, SGDClassifier(), LABELS),
            (OneShotRegressor, SGDRegressor(), TARGETS),
        )
    ),
    *map(learned, (CLASSIFIER.predict, CLASSIFIER.predict_proba, CLASSIFIER.decision_function)),
    learned(CLASSIFIER.score, y=LABELS),
    learned(REGRESSOR.predict),
    learned(REGRESSOR.score, y=TARGETS),
]
