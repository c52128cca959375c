"""`OneShotClassifier` and `OneShotRegressor`: augment inside fit, average over S in predict.

The copies of a sample never leave `fit`, so no cross-validation of these estimators can put one into
training and another into test. (An inner estimator that splits its data itself, as a grid search does,
splits copies: search around these estimators instead.) Predictions are means over S of the inner
estimator's, and make no oracle call.
"""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    MetaEstimatorMixin,
    RegressorMixin,
    clone,
    is_classifier,
)
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    _check_y,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    has_fit_parameter,
)

from sparseaug.errors import ArgumentError, shorten
from sparseaug.sampling import GroupSample
from sparseaug.sklearn.copies import copies, mean_over
from sparseaug.sklearn.parameters import (
    ActionChoice,
    OneShotMixin,
    Shape,
    check_choice,
    check_rows,
    naming,
)


def _inner_has(name: str) -> Any:
    """Whether the inner estimator, fitted if it is, has this method."""

    def check(self: Any) -> bool:
        inner = self.estimator_ if hasattr(self, "estimator_") else self._inner()
        getattr(inner, name)  # its AttributeError says what is missing
        return True

    return check


class _OneShotEstimator(OneShotMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """What both share: parameters, fitting the inner estimator on copies, means over S."""

    def __init__(
        self,
        estimator: Any = None,
        *,
        action: ActionChoice = None,
        m: int | Literal["full"] | None = None,
        target_deviation: float | None = None,
        S: GroupSample | Literal["full"] | None = None,
        identity: bool = True,
        sample_shape: Shape | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.action = action
        self.m = m
        self.target_deviation = target_deviation
        self.S = S
        self.identity = identity
        self.sample_shape = sample_shape
        self.random_state = random_state

    def _default(self) -> Any:
        raise NotImplementedError

    def _inner(self) -> Any:
        """The estimator to clone."""
        return self._default() if self.estimator is None else self.estimator

    def _is_classifier(self) -> bool:
        """Whether the inner estimator is one; an `ArgumentError` unless it can fit and predict."""
        inner = self._inner()
        methods = ("fit", "predict", "get_params")
        if isinstance(inner, type) or not all(callable(getattr(inner, m, None)) for m in methods):
            raise ArgumentError(
                f"estimator={shorten(inner)} is not an estimator with fit and predict; give one, as "
                f"{type(self._default()).__name__}()."
            )
        return bool(is_classifier(inner))

    def _fit_copies(self, X: Any, y: NDArray[Any], sample_weight: Any) -> None:
        """Fit a clone of the inner estimator on the n m copies of checked data."""
        self._draw(len(X))
        inner = clone(self._inner())
        rows, groups, weight = self.sample_.elements, self.groups_, None
        if sample_weight is not None:
            if not has_fit_parameter(inner, "sample_weight"):
                raise ArgumentError(
                    f"sample_weight is given, but {type(inner).__name__}.fit takes none; leave it out."
                )
            with naming("sample_weight"):
                weight = _check_sample_weight(sample_weight, X)[groups]
        distinct, counts = self.sample_.counts()
        if len(distinct) < len(rows) and has_fit_parameter(inner, "sample_weight"):
            # copies by equal elements are one copy with a weight
            rows, groups = distinct, np.tile(np.arange(len(X)), len(distinct))
            weight = np.repeat(counts, len(X)) * (1.0 if weight is None else weight[groups])
        extra = {} if weight is None else {"sample_weight": weight}
        moved = copies(self.action_, rows, X, self.shape_)
        with naming("X, y or sample_weight" if extra else "X or y"):
            self.estimator_ = inner.fit(moved, y[groups], **extra)

    def _mean(self, method: Any, X: Any) -> NDArray[np.float64]:
        """The mean over S of what `method` of the inner estimator says."""
        with naming("X"):
            return mean_over(method, self.action_, self.sample_.elements, X, self.shape_)

    def _rows(self, X: Any) -> Any:
        check_is_fitted(self, "estimator_")
        return check_rows(self, X, reset=False)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._inner())
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        tags.input_tags.sparse = False
        return tags


class OneShotClassifier(ClassifierMixin, _OneShotEstimator):  # type: ignore[misc]
    """A classifier fitted on the copies of its data under S, whose predictions are means over S.

    `predict` takes the largest mean of predict_proba; of decision_function, where the inner estimator
    has no probabilities; or the most votes (a tie goes to the first class), where it has neither or
    decides between pairs of classes, as `SVC(decision_function_shape="ovo")`.

    Args:
        estimator: what learns; logistic regression by default. `random_state` is not passed on to it
        action: an action, a function n_features -> action, or None, which moves nothing
        m: number of elements; 16 by default (1 without an action); "full" for all of the group
        target_deviation: draw until the exact deviation is at most this, instead of m
        S: an existing `GroupSample`, instead of m
        identity: of m elements the first is the identity, so that every sample is also seen unmoved
        sample_shape: how to read a row, for instance (8, 8); by default (n_features,)
        random_state: an integer is the oracle's seed: the same S every time

    Attributes:
        estimator_: the fitted clone
        classes_: the labels that the inner estimator knows
        sample_: S; its `calls` are the oracle calls that `fit` made
        action_: the action for this width
        groups_: the row that each copy in fitting came from
        deviation_: how good S is; None for groups above order 10,000 unless drawing found it

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> X = np.array([[0.0, 3.0], [4.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
        >>> shift = sa.permute_axis(sa.cyclic(2))
        >>> model = OneShotClassifier(action=shift, m=8, random_state=0)
        >>> model = model.fit(X, ["far"] * 2 + ["near"] * 2)
        >>> model.predict([[5.0, 0.0], [0.0, 0.5]]).tolist(), model.sample_.calls
        (['far', 'near'], 7)
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Draw S, and fit a clone of the estimator on the copies.

        Args:
            X: samples, one per row
            y: labels
            sample_weight: one per sample, if the estimator takes weights
        """
        check_choice(self)
        if not self._is_classifier():
            raise ArgumentError(
                f"estimator={shorten(self.estimator)} is not a classifier; use OneShotRegressor."
            )
        X = check_rows(self, X, reset=True)
        y = _check_targets(self, X, y)
        with naming("y"):
            y = column_or_1d(y, warn=True)
            check_classification_targets(y)
        self._fit_copies(X, y, sample_weight)
        # a semi-supervised one takes a label for "unknown", which is none of its classes
        self.classes_ = np.asarray(getattr(self.estimator_, "classes_", np.unique(y)))
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The label with the largest mean over S."""
        X = self._rows(X)
        inner = self.estimator_
        if hasattr(inner, "predict_proba"):
            scores = self._mean(inner.predict_proba, X)
        elif hasattr(inner, "decision_function") and not self._decides_pairs():
            scores = self._mean(inner.decision_function, X)
        else:
            scores = self._mean(lambda rows: self._votes(inner.predict(rows)), X)
        if scores.ndim == 1:
            return self.classes_[(scores > 0).astype(np.int64)]
        return self.classes_[scores.argmax(axis=1)]

    @available_if(_inner_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The mean over S of the inner probabilities (n, classes)."""
        X = self._rows(X)
        return self._mean(self.estimator_.predict_proba, X)

    @available_if(_inner_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The mean over S of the inner decision function."""
        X = self._rows(X)
        return self._mean(self.estimator_.decision_function, X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy on these rows, as scikit-learn has it."""
        with naming("X, y or sample_weight"):
            return float(super().score(X, y, sample_weight))

    def _default(self) -> Any:
        return LogisticRegression()

    def _decides_pairs(self) -> bool:
        """Whether the decision function scores pairs of classes, not classes."""
        shapes = [
            value
            for name, value in self.estimator_.get_params().items()
            if name.split("__")[-1] == "decision_function_shape"
        ]
        return len(self.classes_) > 2 and "ovo" in shapes

    def _votes(self, labels: NDArray[Any]) -> NDArray[np.float64]:
        """One vote per row, as (rows, classes)."""
        return np.asarray(labels[:, None] == self.classes_, np.float64)


class OneShotRegressor(RegressorMixin, _OneShotEstimator):  # type: ignore[misc]
    """A regressor fitted on the copies of its data under S, whose predictions are means over S.

    Parameters and attributes are those of `OneShotClassifier`, without `classes_`; the default
    estimator is ridge regression. y may have several outputs where the inner estimator takes them.

    Args:
        estimator: what learns; ridge regression by default
        action: an action, a function n_features -> action, or None, which moves nothing
        m: number of elements; 16 by default (1 without an action); "full" for all of the group
        target_deviation: draw until the exact deviation is at most this, instead of m
        S: an existing `GroupSample`, instead of m
        identity: of m elements the first is the identity, so that every sample is also seen unmoved
        sample_shape: how to read a row, for instance (8, 8); by default (n_features,)
        random_state: an integer is the oracle's seed: the same S every time

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> X, y = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 1.0]]), np.array([1.0, 2.0, 4.0])
        >>> model = OneShotRegressor(action=sa.permute_axis(sa.symmetric(2)), random_state=0).fit(X, y)
        >>> bool(abs(model.predict([[0.0, 3.0]]) - model.predict([[3.0, 0.0]])) < 0.4)
        True
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Draw S, and fit a clone of the estimator on the copies.

        Args:
            X: samples, one per row
            y: targets
            sample_weight: one per sample, if the estimator takes weights
        """
        check_choice(self)
        if self._is_classifier():
            raise ArgumentError(
                f"estimator={shorten(self.estimator)} is a classifier, and a mean of labels says "
                "nothing; use OneShotClassifier."
            )
        X = check_rows(self, X, reset=True)
        several = get_tags(self._inner()).target_tags.multi_output
        y = _check_targets(self, X, y, numeric=True)
        with naming("y"):
            y = y if several else column_or_1d(y, warn=True)
        self._fit_copies(X, y, sample_weight)
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The mean over S of the inner predictions."""
        X = self._rows(X)
        return self._mean(self.estimator_.predict, X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R^2 on these rows, as scikit-learn has it."""
        with naming("X, y or sample_weight"):
            return float(super().score(X, y, sample_weight))

    def _default(self) -> Any:
        return Ridge()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = get_tags(self._inner()).target_tags.multi_output
        return tags


def _check_targets(estimator: Any, X: Any, y: Any, *, numeric: bool = False) -> NDArray[Any]:
    """y as an array with one row per row of X."""
    if y is None:
        raise ArgumentError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None; give it."
        )
    with naming("y"):
        y = _check_y(y, multi_output=True, y_numeric=numeric, estimator=estimator)
    with naming("X and y"):
        check_consistent_length(X, y)
    return np.asarray(y)
