"""`OneShotResampler`: the copies of a data set, as imbalanced-learn's samplers give them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_consistent_length

from sparseaug.sampling import GroupSample
from sparseaug.sklearn.checks import as_rows, name_in_errors
from sparseaug.sklearn.moved_rows import copies, is_table, take_rows
from sparseaug.sklearn.one_shot import ActionChoice, OneShotMixin, check_parameters


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
        random_state: an integer is the oracle's seed: the same S every time; None and a RandomState
            as everywhere in scikit-learn

    Attributes:
        sample_: S, or a `SampleTable` of each sample's own; its `calls` are the
            oracle calls that were made
        action_: the action for this width
        groups_: the row that each copy comes from

    A DataFrame of pandas gives one with the same columns, and a Series a Series, with the index
    0, 1, 2, ...: `X.index[groups_]` has the old one. Columns that move are numbers; others may be text.
    Targets that move along are for `OneShotRegressor` and `sparseaug.augment`.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> from sparseaug.sklearn import OneShotResampler
        >>> resampler = OneShotResampler(sa.permute_axis(sa.symmetric(3)), m=2, random_state=0)
        >>> X, y = resampler.fit_resample(np.array([[1, 2, 3]]), np.array(["a"]))
        >>> X.shape, y.tolist(), resampler.sample_.calls
        ((2, 3), ['a', 'a'], 1)
    """

    action: ActionChoice = None

    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw S for the width of X.

        Args:
            X: samples, one per row
            y: not used
        """
        check_parameters(self)
        self._draw(len(as_rows(self, X, reset=True)))
        return self

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Draw S, and return the n m copies (X, y).

        Args:
            X: samples, one per row
            y: targets
        """
        self.fit(X)
        X = as_rows(self, X, reset=False)
        with name_in_errors("y"):
            y = y if is_table(y) else np.asarray(y)
        with name_in_errors("X and y"):
            check_consistent_length(X, y)
        S = self.sample_
        rows = S.elements if isinstance(S, GroupSample) else S.rows
        return copies(self.action_, rows, X, self.shape_), take_rows(y, self.groups_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True  # copying asks nothing of the values
        return tags
