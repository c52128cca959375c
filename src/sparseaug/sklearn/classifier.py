"""`OneShotClassifier`: augment inside fit, average probabilities over a chosen S in predict."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from sparseaug.sklearn.base import Back, OneShotEstimator, inner_has
from sparseaug.sklearn.checks import as_rows, as_targets, name_in_errors


class OneShotClassifier(ClassifierMixin, OneShotEstimator):  # type: ignore[misc]
    """A classifier fitted on moved copies of its data, whose predictions are means over an S.

    `predict` takes the largest mean of predict_proba; of decision_function, where the inner estimator
    has no probabilities; or the most votes (a tie goes to the first class), where it has neither or
    decides between pairs of classes, as `SVC(decision_function_shape="ovo")`.

    Args:
        estimator: what learns; logistic regression by default. `random_state` is not passed on to it
        action: an action, a function n_features -> action, or None, which moves nothing
        m: number of elements, all different where the group has so many (1 without an action); "full"
            for all of the group
        S: an existing `GroupSample` to train on; then leave m as it is
        identity: of m elements the first is the identity, so that every sample is also seen unmoved
        per_sample: False, one S for all samples; "draws", m draws of each sample's own, made once (m n
            calls); "translates", the design of m elements, or S, moved at random for each (n calls)
        sample_shape: how to read a row, for instance (8, 8); by default (n_features,)
        average: what predictions are means over: "chosen", at most m elements that are chosen for the
            fitted model (`average_`); "same", what it was trained on; "full", all of the group; a
            `GroupSample`; or False, the inner estimator alone, m times as fast
        random_state: an integer is the oracle's seed: the same S every time

    Attributes:
        estimator_: the fitted clone
        classes_: the labels that the inner estimator knows
        training_sample_: what `fit` made copies by: a `GroupSample`, or a `SampleTable` of each
            sample's own; its `calls` are the oracle calls that were made
        sample_: what predictions are averaged over
        average_: how that was chosen, with its forecast, and the spectrum of the fitted model, which
            `sparseaug.choose` takes; None with average=False
        action_: the action for this width
        groups_: the row that each copy in fitting came from

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> from sparseaug.sklearn import OneShotClassifier
        >>> X = np.array([[0.0, 3.0], [4.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
        >>> shift = sa.permute_axis(sa.cyclic(2))
        >>> model = OneShotClassifier(action=shift, m="full")
        >>> model = model.fit(X, ["far"] * 2 + ["near"] * 2)
        >>> model.predict([[5.0, 0.0], [0.0, 0.5]]).tolist(), model.average_.how
        (['far', 'near'], 'full')
    """

    # weights are for the inner estimator to request
    __metadata_request__partial_fit: ClassVar = {"sample_weight": UNUSED, "classes": UNUSED}

    @available_if(inner_has("partial_fit"))  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Continue learning from the copies of these samples, of which 2^16 are in memory at once.

        The first call draws S, and all others use it.

        Args:
            X: samples, one per row
            y: labels
            classes: all labels, in the first call
            sample_weight: one per sample, if the estimator takes weights
        """
        given = {} if classes is None else {"classes": classes}
        return self._continue(X, y, sample_weight, **given)

    def predict(self, X: Any) -> NDArray[Any]:
        """The label with the largest mean over `sample_`."""
        X = self._rows(X)
        if self.average is False:
            with name_in_errors("X"):
                return np.asarray(self.estimator_.predict(X))
        scores = self._mean(self._averaged()[0], X)
        if scores.ndim == 1:
            return self.classes_[(scores > 0).astype(np.int64)]
        return self.classes_[scores.argmax(axis=1)]

    @available_if(inner_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The mean over `sample_` of the inner probabilities (n, classes)."""
        X = self._rows(X)
        return self._mean(self.estimator_.predict_proba, X)

    @available_if(inner_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The mean over `sample_` of the inner decision function."""
        X = self._rows(X)
        return self._mean(self.estimator_.decision_function, X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy on these rows, as scikit-learn has it."""
        with name_in_errors("X, y or sample_weight"):
            return float(super().score(X, y, sample_weight))

    def _check(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, NDArray[Any]]:
        self._check_parameters()
        X = as_rows(self, X, reset=reset)
        y = as_targets(self, X, y)
        with name_in_errors("y"):
            y = column_or_1d(y, warn=True)
            check_classification_targets(y)
        return X, y

    def _learned_from(self, y: NDArray[Any]) -> None:
        """The inner estimator's classes: a semi-supervised one has a label for "unknown" besides."""
        classes = getattr(self.estimator_, "classes_", None)
        self.classes_ = np.unique(y) if classes is None else np.asarray(classes)

    def _averaged(self) -> tuple[Any, Back | None]:
        inner = self.estimator_
        if hasattr(inner, "predict_proba"):
            return inner.predict_proba, None
        if hasattr(inner, "decision_function") and not self._decides_pairs():
            return inner.decision_function, None
        return self._votes, None

    def _votes(self, rows: Any) -> NDArray[np.float64]:
        """One vote per row, as (rows, classes)."""
        labels = np.asarray(self.estimator_.predict(rows))
        return np.asarray(labels[:, None] == self.classes_, np.float64)

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
