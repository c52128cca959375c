"""`OneShotResampler`: the copies of a data set, as imbalanced-learn's samplers give them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_consistent_length

from sparseaug.errors import ArgumentError
from sparseaug.sklearn.checks import check_rows, name_in_errors
from sparseaug.sklearn.moved_rows import copies, elements_of, is_frame, is_table, take_rows
from sparseaug.sklearn.one_shot import (
    ActionChoice,
    OneShotMixin,
    check_parameters,
    resolve_y_action,
)


@dataclass(eq=False, repr=False)
class OneShotResampler(OneShotMixin, BaseEstimator):  # type: ignore[misc]
    """Every sample moved by the same m elements of a group, or by m of its own, drawn once: n m rows.

    Copy j n + i is row i moved by element j of S. It makes copies for fitting only, so it has
    `fit_resample` and no `transform`. In cross-validation split with `GroupKFold` by `groups_`, or use
    `OneShotClassifier` and `OneShotRegressor`, which augment inside `fit`.

    Args:
        action: an action, a function n_features -> action, or None, which moves nothing
        m: number of elements, all different where the group has so many (1 without an action); "full"
            for all of the group
        S: an existing `GroupSample`; then leave m as it is
        identity: of m elements the first is the identity, so that every sample is also seen unmoved
        per_sample: False, one S for all samples; "draws", m draws of each sample's own, made once (m n
            calls); "translates", the design of m elements, or S, moved at random for each (n calls)
        sample_shape: how to read a row, for instance (8, 8); by default (n_features,)
        y_action: how targets move along, on y (n, outputs, ...): an action of the same group, or a
            function n_outputs -> action
        random_state: an integer is the oracle's seed: the same S every time; None and a RandomState
            as everywhere in scikit-learn

    Attributes:
        sample_: S, or a `SampleTable` of each sample's own; its `calls` are the
            oracle calls that were made
        action_: the action for this width
        groups_: the row that each copy comes from

    A DataFrame of pandas gives one with the same columns, and a Series a Series, with the index
    0, 1, 2, ...: `X.index[groups_]` has the old one. Columns keep their dtypes where they change places
    with columns of the same dtype, change sign or stay.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> from sparseaug.sklearn import OneShotResampler
        >>> resampler = OneShotResampler(sa.permute_axis(sa.symmetric(3)), m=2, random_state=0)
        >>> X, y = resampler.fit_resample(np.array([[1, 2, 3]]), np.array(["a"]))
        >>> X.shape, y.tolist(), resampler.sample_.calls
        ((2, 3), ['a', 'a'], 1)
    """

    action: ActionChoice = None
    y_action: ActionChoice = field(default=None, kw_only=True)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw S for the width of X.

        Args:
            X: samples, one per row
            y: not used
        """
        check_parameters(self)
        self._draw(len(check_rows(self, X, reset=True)))
        return self

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Draw S, and return the n m copies (X, y).

        Args:
            X: samples, one per row
            y: targets
        """
        if y is None:
            raise ArgumentError("y=None is not allowed; give one target for each row of X.")
        self.fit(X)
        X = check_rows(self, X, reset=False)
        with name_in_errors("y"):
            y = y if is_table(y) else np.asarray(y)
        with name_in_errors("X and y"):
            check_consistent_length(X, y)
        moved = copies(self.action_, elements_of(self.sample_), X, self.shape_)
        if self.y_action is None:
            return moved, take_rows(y, self.groups_)
        return moved, self._moved_targets(y)

    def _moved_targets(self, y: Any) -> Any:
        if len(y.shape) < 2:
            raise ArgumentError(f"y has shape {y.shape}; with y_action give (n, outputs, ...).")
        action = resolve_y_action(self.y_action, self.action_, y.shape[1])
        shape = (y.shape[1],) if is_frame(y) else y.shape[1:]
        try:
            return copies(action, elements_of(self.sample_), y, shape)
        except ArgumentError as error:
            raise ArgumentError(f"y does not move: {error}") from error

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True  # copying asks nothing of the values
        return tags
