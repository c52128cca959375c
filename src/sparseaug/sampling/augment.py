"""Transformed copies of a data set: every sample gets the same m elements of S."""

from __future__ import annotations

from array_api_compat import array_namespace, is_array_api_obj

from sparseaug.actions import Action, Array
from sparseaug.errors import ArgumentError, shorten
from sparseaug.sampling.sample import GroupSample, require_sample


def augment(
    action: Action, S: GroupSample, x: Array, y: Array, *, y_action: Action | None = None
) -> tuple[Array, Array]:
    """The n m copies (g.x_i, y_i), or (g.x_i, g.y_i) with a `y_action` for targets that move along.

    Copy j n + i is sample i moved by element j of S. For graphs, x may be (adjacency, features).

    >>> import numpy as np, sparseaug as sa
    >>> S = sa.GroupSample(sa.cyclic(3), [[0], [1]])
    >>> sa.augment(sa.permute_axis(S.group), S, np.array([[1, 2, 3]]), np.array([6]))
    (array([[1, 2, 3], [3, 1, 2]]), array([6, 6]))
    """
    require_sample(S)
    parts = x if isinstance(x, tuple) else (x,)
    if not is_array_api_obj(y) or y.ndim < 1 or any(len(part) != len(y) for part in parts):
        raise ArgumentError(f"y={shorten(y)} must be an array with one target per sample of x.")
    moved = action(S, x)
    targets = array_namespace(y).stack([y] * S.m) if y_action is None else y_action(S, y)
    joined = tuple(map(_join, moved)) if isinstance(moved, tuple) else _join(moved)
    return joined, _join(targets)


def _join(moved: Array) -> Array:
    """(m, n, ...) as (m n, ...)."""
    copies = moved.shape[0] * moved.shape[1]
    return array_namespace(moved).reshape(moved, (copies, *moved.shape[2:]))
