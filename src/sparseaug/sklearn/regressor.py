"""`OneShotRegressor`: augment inside fit, average over S in predict; targets may move along."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.linear_model import Ridge
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import column_or_1d

from sparseaug.actions.arrays import Shape
from sparseaug.actions.base import require_same_group
from sparseaug.errors import ArgumentError
from sparseaug.groups import Rows
from sparseaug.sklearn.base import Back, OneShotEstimator, inner_has
from sparseaug.sklearn.checks import as_rows, as_shape, as_targets, name_in_errors
from sparseaug.sklearn.moved_rows import copies
from sparseaug.sklearn.one_shot import ActionChoice, resolve_action


@dataclass(kw_only=True, eq=False, repr=False)
class OneShotRegressor(RegressorMixin, OneShotEstimator):  # type: ignore[misc]
    """A regressor fitted on moved copies of its data, whose predictions are means over an S.

    Parameters and attributes are those of `OneShotClassifier`, without `classes_`; the default
    estimator is ridge regression. y may have several outputs where the inner estimator takes them.

    Args:
        estimator: what learns; ridge regression by default
        action: an action, a function n_features -> action, or None, which moves nothing
        m: number of elements, all different where the group has so many (1 without an action); "full"
            for all of the group
        S: an existing `GroupSample` to train on; then leave m as it is
        identity: of m elements the first is the identity, so that every sample is also seen unmoved
        per_sample: False, one S for all samples; "draws", m draws of each sample's own, made once (m n
            calls); "translates", the design of m elements, or S, moved at random for each (n calls)
        sample_shape: how to read a row, for instance (8, 8); by default (n_features,)
        y_action: how targets move along, as forces do with positions: an action of the same group on
            y (n, outputs), or a function n_outputs -> action. Then `predict` is the mean over S of
            g^-1 . f(g . x), and with all of the group it is equivariant, whatever was learned
        y_shape: how to read a row of y for `y_action`, for instance (atoms, 3); by default (outputs,)
        average: what predictions are means over: "chosen", at most m elements that are chosen for the
            fitted model (`average_`); "same", what it was trained on; "full", all of the group; a
            `GroupSample`; or False, the inner estimator alone, m times as fast
        random_state: an integer is the oracle's seed: the same S every time

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> from sparseaug.sklearn import OneShotRegressor
        >>> X, y = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 1.0]]), np.array([1.0, 2.0, 4.0])
        >>> model = OneShotRegressor(action=sa.permute_axis(sa.symmetric(2)), m="full").fit(X, y)
        >>> model.predict([[0.0, 3.0], [3.0, 0.0]]).round(2)
        array([2.88, 2.88])
    """

    # weights are for the inner estimator to request
    __metadata_request__partial_fit: ClassVar = {"sample_weight": UNUSED}

    y_action: ActionChoice = None
    y_shape: Shape | None = None

    @available_if(inner_has("partial_fit"))  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Continue learning from the copies of these samples, of which 2^16 are in memory at once.

        The first call draws S, and all others use it.

        Args:
            X: samples, one per row
            y: targets
            sample_weight: one per sample, if the estimator takes weights
        """
        return self._continue(X, y, sample_weight)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The mean over S of the inner predictions, moved back where targets move along.

        Args:
            X: samples, one per row
        """
        X = self._rows(X)
        method, back = self._averaged()
        return self._mean(method, X, back)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R^2 on these rows, as scikit-learn has it."""
        with name_in_errors("X, y or sample_weight"):
            return float(super().score(X, y, sample_weight))

    def _check(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, NDArray[Any]]:
        self._check_parameters()
        X = as_rows(self, X, reset=reset)
        several = get_tags(self._inner()).target_tags.multi_output
        y = as_targets(self, X, y, numeric=True)
        with name_in_errors("y"):
            return X, y if several else column_or_1d(y, warn=True)

    def _draw(self, n: int) -> None:
        super()._draw(n)
        if self.y_action is None and self.y_shape is not None:
            raise ArgumentError("y_shape is given, but no y_action; y does not move without one.")

    def _targets(self, rows: Rows, y: NDArray[Any]) -> NDArray[Any]:
        if self.y_action is None:
            return super()._targets(rows, y)
        if y.ndim != 2:
            raise ArgumentError(f"y has shape {y.shape}; with y_action give (n, outputs).")
        self.y_action_ = resolve_action("y_action", self.y_action, y.shape[1])
        require_same_group(self.action_, self.y_action_, "y_action")
        self.y_shape_ = as_shape("y_shape", self.y_shape, y.shape[1])
        try:
            return np.asarray(copies(self.y_action_, rows, y.astype(np.float64), self.y_shape_))
        except ArgumentError as error:
            raise ArgumentError(f"y does not fit y_action: {error}") from error

    def _averaged(self) -> tuple[Any, Back | None]:
        return self.estimator_.predict, None if self.y_action is None else self._move_back

    def _move_back(self, rows: Rows, values: NDArray[Any]) -> NDArray[Any]:
        """Predictions (k, n, outputs) for samples moved by these elements, moved by their inverses."""
        action, shape = self.y_action_, (values.shape[1], *self.y_shape_)
        prepared = action.prepare(action.group.inverse(rows), shape)
        moved = action.apply(prepared, np.reshape(values, (len(rows), *shape)))
        return np.reshape(moved, values.shape)

    def _default(self) -> Any:
        return Ridge()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = get_tags(self._inner()).target_tags.multi_output
        return tags
