"""Scores on freshly moved samples: what a model is worth on data that training did not prepare for.

Copies under S that are held out of training are moved by the S that training moved by, and say little of
other elements. Here test samples are moved by elements of their own, drawn once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.metrics import check_scoring
from sklearn.utils import check_array

from sparseaug._checks import check_integer, check_type
from sparseaug.actions import Action
from sparseaug.actions.arrays import Shape
from sparseaug.actions.base import require_action
from sparseaug.errors import ArgumentError, shorten
from sparseaug.sampling import GroupSample, Oracle, keyed_rng
from sparseaug.sampling.oracle import require_oracle
from sparseaug.sklearn.checks import check_shape, name_in_errors
from sparseaug.sklearn.moved_rows import copies, is_frame
from sparseaug.sklearn.one_shot import resolve_action

MOST_DRAWS = 1 << 20
"""More fresh elements than test samples that anybody has."""

Score = Callable[[Any, Any, Any], float]


def moved_scorer(
    action: Action | Callable[[int], Action],
    oracle: Oracle,
    *,
    draws: int = 64,
    scoring: Any = None,
    sample_shape: Shape | None = None,
) -> Score:
    """A scorer that moves every test sample by one of `draws` fresh elements before it is scored.

    The elements are drawn here, once, so that all candidates of a search are compared on the same
    footing, in any number of processes. Give an oracle of its own seed: elements of S are not fresh.

    Args:
        action: how the group moves the samples, or a function n_features -> action.
        oracle: source of the fresh elements.
        draws: how many of them; row i of a test fold is moved by one of them, the same every time.
        scoring: as scikit-learn takes it, "accuracy" for instance; None is the estimator's own score.
        sample_shape: how a row of X is read, (8, 8) for instance; by default as it is.

    Returns:
        A scorer for `cross_val_score(scoring=...)`, `GridSearchCV(scoring=...)` and the like.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> from sklearn.model_selection import cross_val_score
        >>> from sklearn.neighbors import KNeighborsClassifier
        >>> from sparseaug.sklearn import moved_scorer
        >>> X = np.repeat(np.eye(4)[:2], 10, axis=0) + np.arange(80).reshape(20, 4) % 7 / 20
        >>> y = np.repeat([0, 1], 10)
        >>> act = sa.permute_axis(sa.cyclic(4))
        >>> score = moved_scorer(act, sa.Oracle(act.group, seed=1))
        >>> float(cross_val_score(KNeighborsClassifier(), X, y).mean())
        1.0
        >>> round(float(cross_val_score(KNeighborsClassifier(), X, y, scoring=score).mean()), 2)
        0.45
    """
    if isinstance(action, Action) or not callable(action):
        require_action(action)
        require_oracle(oracle, action.group)
    check_type("oracle", oracle, Oracle, "an Oracle; give sparseaug.Oracle(group, seed=1)")
    draws = check_integer("draws", draws, at_least=1, below=MOST_DRAWS)
    elements = oracle.fresh(draws)

    def score(estimator: Any, X: Any, y: Any = None) -> float:
        moved = _moved(X, action, elements, sample_shape)
        with name_in_errors("scoring, or X or y,"):
            scorer = check_scoring(estimator, scoring)
            if not callable(scorer):
                raise TypeError(f"{shorten(scoring)} does not name one score.")
            return float(scorer(estimator, moved, y))

    return score


def _moved(X: Any, chosen: Any, drawn: GroupSample, sample_shape: Shape | None) -> Any:
    """Rows moved by elements that were drawn once: row i by one of them, keyed by i."""
    if not is_frame(X):
        with name_in_errors("X"):
            X = check_array(X, dtype=None, ensure_all_finite=False)
    action = resolve_action("action", chosen, X.shape[1])
    if action.group != drawn.group:
        raise ArgumentError(f"action={shorten(chosen)} is of another group than oracle; use one.")
    shape = check_shape(sample_shape, X.shape[1])
    which = keyed_rng(0, "moved test samples").integers(len(drawn.elements), size=len(X))
    try:
        return copies(action, drawn.elements[which][:, None], X, shape)
    except ArgumentError as error:  # which speaks of x
        raise ArgumentError(f"X does not fit action: {error}") from error
