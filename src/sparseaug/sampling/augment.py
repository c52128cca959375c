"""Transformed copies of a data set: every sample gets the same m elements of S."""

from __future__ import annotations

from typing import Literal

from sparseaug.actions import Action, Array
from sparseaug.actions.arrays import namespace, require_data, require_library
from sparseaug.actions.base import require_action, require_same_group
from sparseaug.actions.trees import joined, require_samples
from sparseaug.errors import ArgumentError
from sparseaug.sampling.sample import GroupSample, as_sample


def augment(
    action: Action,
    S: GroupSample | Literal["full"],
    x: Array,
    y: Array,
    *,
    y_action: Action | None = None,
) -> tuple[Array, Array]:
    """The n m copies (g.x_i, y_i), or (g.x_i, g.y_i) with a `y_action` for targets that move along.

    Copy j n + i is sample i moved by element j of S. x may be a tuple or a dict of arrays where `action`
    moves them together (`sparseaug.together`); with `permute_nodes` also (adjacency, features).

    Args:
        action: how the group moves x
        S: the m elements, or "full": all of the group
        x: the n samples, one per row of the first axis; for graphs the tuple (adjacency, features)
        y: the n targets
        y_action: how the group moves y, for targets that move along

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> S = sa.GroupSample(sa.cyclic(3), [[0], [1]])
        >>> sa.augment(sa.permute_axis(S.group), S, np.array([[1, 2, 3]]), np.array([6]))
        (array([[1, 2, 3], [3, 1, 2]]), array([6, 6]))
    """
    require_action(action)
    S = as_sample(S, action.group)
    action.over(x)
    n = require_samples(x)
    require_library(y, "y")
    if y.ndim < 1 or len(y) != n:
        raise ArgumentError(
            f"y has shape {tuple(y.shape)} for {n} samples x; give one target per sample."
        )
    require_same_group(action, y_action, "y_action")
    if y_action is not None:
        require_data(y, "y")
    moved = action(S, x)
    if y_action is None:
        targets = namespace(y).stack([y] * S.m)
    else:
        try:
            targets = y_action(S, y)
        except ArgumentError as error:  # which speaks of the data as x
            raise ArgumentError(f"y does not fit y_action: {error}") from error
    return joined(moved), joined(targets)
