"""scikit-learn's own checks, with the default parameters and with a real symmetry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sklearn.linear_model import SGDClassifier, SGDRegressor
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

import sparseaug as sa
from sparseaug.sklearn import OneShotClassifier, OneShotRegressor, OneShotResampler


@dataclass(frozen=True)
class Flips:
    """A function of the width; unlike a plain one its name in test ids is the same in every process."""

    def __call__(self, width: int) -> sa.actions.Action:
        return sa.flip_signs(sa.sign_flips(width))


@dataclass(frozen=True)
class Shifts:
    """Likewise."""

    def __call__(self, width: int) -> sa.actions.Action:
        return sa.permute_axis(sa.cyclic(width))


ESTIMATORS = [
    OneShotResampler(),
    OneShotClassifier(),
    OneShotRegressor(),
    OneShotResampler(Flips(), m=4, random_state=0),
    OneShotResampler(Shifts(), m=4),
    # trees learn the training set whatever the symmetry does to it, which the checks ask for
    OneShotClassifier(DecisionTreeClassifier(random_state=0), action=Flips(), m=4, random_state=0),
    OneShotRegressor(DecisionTreeRegressor(random_state=0), action=Shifts(), m=4, random_state=0),
    OneShotClassifier(LinearSVC(), m=4),
    OneShotClassifier(SGDClassifier(random_state=0), m=4, average=False),
    OneShotRegressor(SGDRegressor(random_state=0), m=4, random_state=0),
]


def known_failures(estimator: Any) -> dict[str, str]:
    """What scikit-learn excuses in the inner estimator as well."""
    inner = getattr(estimator, "estimator", None)
    if isinstance(inner, LinearSVC):
        return {"check_sample_weight_equivalence_on_dense_data": "liblinear stops early"}
    if isinstance(inner, SGDClassifier | SGDRegressor):
        return {"check_sample_weight_equivalence_on_dense_data": "one step per row, not per weight"}
    return {}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=known_failures)
def test_scikit_learn_accepts_the_estimator(estimator: Any, check: Any) -> None:
    check(estimator)
