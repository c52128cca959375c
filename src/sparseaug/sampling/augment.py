"""Transformed copies of a data set: every sample gets the same m elements of S."""

from __future__ import annotations

from sparseaug.actions import Action, Array
from sparseaug.actions.arrays import namespace, require_data, require_library
from sparseaug.actions.base import require_action
from sparseaug.errors import ArgumentError
from sparseaug.sampling.sample import GroupSample, require_sample


def augment(
    action: Action, S: GroupSample, x: Array, y: Array, *, y_action: Action | None = None
) -> tuple[Array, Array]:
    """The n m copies (g.x_i, y_i), or (g.x_i, g.y_i) with a `y_action` for targets that move along.

    Copy j n + i is sample i moved by element j of S. For graphs, x may be (adjacency, features).

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> S = sa.GroupSample(sa.cyclic(3), [[0], [1]])
        >>> sa.augment(sa.permute_axis(S.group), S, np.array([[1, 2, 3]]), np.array([6]))
        (array([[1, 2, 3], [3, 1, 2]]), array([6, 6]))
    """
    require_action(action)
    require_sample(S)
    parts = x if isinstance(x, tuple) and x else (x,)
    for part in parts:
        require_data(part)
    require_library(y, "y")
    if y.ndim < 1 or any(len(part) != len(y) for part in parts):
        raise ArgumentError(
            f"y has shape {tuple(y.shape)} for {len(parts[0])} samples x; give one target per sample."
        )
    if y_action is not None:
        require_action(y_action, "y_action")
        if y_action.group != action.group:
            raise ArgumentError(
                f"y_action is of {y_action.group.name}, but action is of {action.group.name}; "
                "one element moves both: use one group."
            )
        require_data(y, "y")
    moved = action(S, x)
    if y_action is None:
        targets = namespace(y).stack([y] * S.m)
    else:
        try:
            targets = y_action(S, y)
        except ArgumentError as error:  # which speaks of the data as x
            raise ArgumentError(f"y does not fit y_action: {error}") from error
    joined = tuple(map(_join, moved)) if isinstance(moved, tuple) else _join(moved)
    return joined, _join(targets)


def _join(moved: Array) -> Array:
    """(m, n, ...) as (m n, ...)."""
    copies = moved.shape[0] * moved.shape[1]
    return namespace(moved).reshape(moved, (copies, *moved.shape[2:]))
