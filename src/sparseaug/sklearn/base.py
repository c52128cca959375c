"""What `OneShotClassifier` and `OneShotRegressor` share: augment inside fit, average over S in predict.

The copies of a sample never leave `fit`, so no cross-validation of these estimators can put one into
training and another into test. (An inner estimator that splits its data itself splits copies, unless its
splitter takes groups: see `routing`. Search around these estimators instead.) Predictions are means over
an S of the inner estimator's, and make no oracle call. It is chosen for the fitted model (`averages`):
along what it was trained on a model hardly changes, and an average over that gains little.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter, MethodMapping
from sklearn.utils.validation import check_is_fitted

from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Rows
from sparseaug.sampling import SampleTable
from sparseaug.sampling.augment import require_room
from sparseaug.sampling.distinct import distinct
from sparseaug.sklearn.averages import Average, average_over, check_average, rows_to_ask
from sparseaug.sklearn.checks import as_rows, name_in_errors
from sparseaug.sklearn.moved_rows import bytes_of_row, copies, some_rows, take_rows
from sparseaug.sklearn.one_shot import OneShotMixin, check_parameters
from sparseaug.sklearn.routing import (
    copy_arguments,
    route_arguments,
    splits_by_groups,
    takes_weights,
)

MOST_ROWS = 1 << 16
"""Rows given to an estimator at once: bounds the memory, whatever n and m are."""

Back: TypeAlias = Callable[[Rows, NDArray[Any]], NDArray[Any]]


def inner_has(name: str) -> Any:
    """Whether the inner estimator, fitted if it is, has this method."""

    def check(self: Any) -> bool:
        inner = self.estimator_ if hasattr(self, "estimator_") else self._inner()
        getattr(inner, name)  # its AttributeError says what is missing
        return True

    return check


@dataclass(eq=False, repr=False)
class OneShotEstimator(OneShotMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """What both share: parameters, fitting the inner estimator on copies, means over S."""

    # weights are for the inner estimator to request
    __metadata_request__fit: ClassVar = {"sample_weight": UNUSED}

    estimator: Any = None
    average: Any = field(default="chosen", kw_only=True)
    average_: Average | None = field(init=False)

    def _default(self) -> Any:
        raise NotImplementedError

    def _inner(self) -> Any:
        """The estimator to clone."""
        return self._default() if self.estimator is None else self.estimator

    def _check_parameters(self) -> None:
        """Raise an `ArgumentError` unless all parameters can be used."""
        check_parameters(self)
        check_average(self.average, self.per_sample)
        inner = self._inner()
        if isinstance(inner, type) or not hasattr(inner, "fit") or not hasattr(inner, "predict"):
            raise ArgumentError(f"estimator={shorten(inner)} has no fit and predict; give one.")
        # kernel values and distances do not move as samples do
        if get_tags(inner).input_tags.pairwise:
            raise ArgumentError(f"estimator={shorten(inner)} does not take samples; give a kernel.")
        if is_classifier(inner) != is_classifier(self):
            other = "OneShotRegressor" if is_classifier(self) else "OneShotClassifier"
            raise ArgumentError(f"estimator={shorten(inner)} is for {other}; use that.")

    def get_metadata_routing(self) -> MetadataRouter:
        """Arguments of `fit` and `partial_fit` go to the inner estimator: let that one request them.

        Those of `score` are for this estimator itself: `set_score_request(sample_weight=True)`.
        """
        mapping = MethodMapping().add(caller="fit", callee="fit")
        mapping.add(caller="partial_fit", callee="partial_fit")
        router = MetadataRouter(owner=self).add_self_request(self)
        return router.add(estimator=self._inner(), method_mapping=mapping)

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Draw the elements, fit a clone of the estimator on the copies, choose what to average over.

        Args:
            X: samples, one per row
            y: labels or targets
            sample_weight: one per sample; left out, with a warning, if the estimator takes no weights
            fit_params: what the estimator or its parts request, with metadata routing; arrays with one
                entry per sample are copied along
        """
        X, y = self._check(X, y, reset=True)
        n, inner = len(X), clone(self._inner())
        given = route_arguments(self, inner, X, {"sample_weight": sample_weight, **fit_params})
        self._draw(n)
        rows, counts = self._elements(inner, "fit")
        m = rows.shape[-2]
        what = f"X of {n} rows and S of {m} elements"
        require_room(what, n * m * bytes_of_row(X), "give a smaller m, or use partial_fit")
        if "groups" not in given and splits_by_groups(inner):
            given["groups"] = np.arange(n)  # the copies of a sample stay on one side of a split
        self.estimator_ = self._teach(inner.fit, rows, counts, X, y, given)
        self._learned_from(y)
        self._choose_average(X, given.get("sample_weight"))
        return self

    def _teach(
        self,
        learn: Callable[..., Any],
        rows: Rows,
        counts: NDArray[np.int64] | None,
        X: Any,
        y: NDArray[Any],
        given: dict[str, Any],
        **whole: Any,
    ) -> Any:
        """`learn` called with the copies by these elements, and with what else is given of each row."""
        again = np.tile(np.arange(len(X)), rows.shape[-2])
        extra = {**whole, **copy_arguments(given, len(X), again)}
        if counts is not None:
            extra["sample_weight"] = np.repeat(counts, len(X)) * extra.get("sample_weight", 1.0)
        moved = copies(self.action_, rows, X, self.shape_)
        with name_in_errors(" or ".join(["X", "y", *extra])):
            return learn(moved, self._targets(rows, y), **extra)

    def _check(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, NDArray[Any]]:
        raise NotImplementedError

    def _learned_from(self, y: NDArray[Any]) -> None:
        """What to keep of the targets after learning."""

    def _continue(self, X: Any, y: Any, sample_weight: Any, **classes: Any) -> Self:
        """Partial fits on the copies of data, of some rows at a time and all elements of S.

        The first call draws S, unless `fit` has; elements of each sample's own are drawn in every call.
        What to average over is chosen after calls 1, 2, 4, 8, ...
        """
        X, y = self._check(X, y, reset=not hasattr(self, "estimator_"))
        inner = getattr(self, "estimator_", None)
        if inner is None:
            self._draw(len(X))
            inner = clone(self._inner())
            self._calls_of_partial_fit = 0
        elif isinstance(self.training_sample_, SampleTable):
            self.training_sample_ = self._learn_from(self.action_.distribution, len(X))
        rows, counts = self._elements(inner, "partial_fit")
        given = route_arguments(self, inner, X, {"sample_weight": sample_weight}, "partial_fit")
        step = max(1, MOST_ROWS // rows.shape[-2])
        for start in range(0, len(X), step):
            part = slice(start, start + step)
            block = {name: value[part] for name, value in given.items()}
            some = rows[part] if rows.ndim == 3 else rows
            X_part, y_part = some_rows(X, part), y[part]
            inner = self._teach(inner.partial_fit, some, counts, X_part, y_part, block, **classes)
        self.estimator_ = inner
        self._learned_from(y)
        self._calls_of_partial_fit = 1 + getattr(self, "_calls_of_partial_fit", 0)
        if self._calls_of_partial_fit & (self._calls_of_partial_fit - 1) == 0:
            self._choose_average(X, given.get("sample_weight"))
        return self

    def _elements(self, inner: Any, method: str) -> tuple[Rows, NDArray[np.int64] | None]:
        """The elements to move by: all, or the distinct ones with their counts as weights."""
        S = self.training_sample_
        if isinstance(S, SampleTable):
            return S.rows, None
        rows, counts = S.counts()
        if len(rows) < S.m and takes_weights(inner, method):
            return rows, counts
        return S.elements, None

    def _targets(self, rows: Rows, y: NDArray[Any]) -> NDArray[Any]:
        """The targets of the copies by these elements."""
        return np.concatenate([y] * rows.shape[-2])

    def _averaged(self) -> tuple[Any, Back | None]:
        """What is averaged: a method of the inner estimator, and how its answers move back."""
        raise NotImplementedError

    def _choose_average(self, X: Any, weights: Any = None) -> None:
        """Set `average_` and `sample_` for the model that was fitted to copies of X."""
        learned = self.training_sample_
        if self.average is False:
            self.average_, self.sample_ = None, learned
            return
        method, back = self._averaged()

        def values(rows: Rows, chosen: NDArray[np.int64]) -> NDArray[Any]:
            found = [some for _, some in self._moved(method, rows, take_rows(X, chosen), back)]
            return np.concatenate(found)

        with name_in_errors("X"):
            asked = rows_to_ask(X, weights)
            self.average_ = average_over(self.average, learned, values, asked=asked)
        self.sample_ = self.average_.sample

    def _mean(self, method: Any, X: Any, back: Back | None = None) -> NDArray[np.float64]:
        """The mean over S of what `method` of the inner estimator says; or what it says of X.

        `back` moves what was said of rows moved by g by g^-1, for predictions that move along. Equal
        elements are moved once and weigh as many as they are.
        """
        if self.average is False:
            with name_in_errors("X"):
                return np.asarray(method(X))
        once = distinct(self.sample_.elements)
        counts, first = once.counts.astype(np.float64), self.sample_.elements[once.first]

        def mean(block: Any) -> NDArray[np.float64]:
            total = np.zeros(())
            for j, values in self._moved(method, first, block, back):
                total = total + np.tensordot(counts[j : j + len(values)], values, axes=1)
            return total / self.sample_.m  # whole votes add up exactly: a tie stays one

        with name_in_errors("X"):
            starts = range(0, len(X), MOST_ROWS)
            return np.concatenate([mean(some_rows(X, slice(k, k + MOST_ROWS))) for k in starts])

    def _moved(
        self, method: Any, elements: Rows, block: Any, back: Back | None
    ) -> Iterator[tuple[int, NDArray[Any]]]:
        """What `method` says of the block moved by elements j to j + k (k, n, ...), and j."""
        step = max(1, MOST_ROWS // len(block))
        for j in range(0, len(elements), step):
            some = elements[j : j + step]
            values = np.asarray(method(copies(self.action_, some, block, self.shape_)))
            values = values.reshape(len(some), len(block), *values.shape[1:])
            yield j, values if back is None else back(some, values)

    def _rows(self, X: Any) -> Any:
        check_is_fitted(self, "estimator_")
        return as_rows(self, X, reset=False)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._inner())
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        tags.input_tags.sparse = False
        return tags
