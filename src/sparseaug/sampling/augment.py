"""Transformed copies of a data set: every sample gets the same m elements of S."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
    for name, given in (("action", action), ("y_action", y_action)):
        if not isinstance(given, Action) and not (name == "y_action" and given is None):
            raise ArgumentError(f"{name}={shorten(given)} is not an action.")
        if given is not None and given.group != S.group:
            raise ArgumentError(
                f"S is a sample of {S.group.name}, but the {name} is of {given.group.name}; use one "
                "group."
            )
    n = _count(x)
    if not is_array_api_obj(y) or y.ndim < 1 or len(y) != n:
        raise ArgumentError(
            f"y={shorten(y)} must be an array with one target per sample of x, of which there are {n}."
        )
    moved = action(S, x)
    if y_action is None:
        targets = array_namespace(y).stack([y] * S.m)
    else:
        try:
            targets = y_action(S, y)
        except ArgumentError as error:
            raise ArgumentError(f"y_action does not move y: {error}") from error
    return _join(moved), _join(targets)


def _count(x: Any) -> int:
    """How many samples there are, in every array of x."""
    parts = list(x.values()) if isinstance(x, Mapping) else x if isinstance(x, tuple) else [x]
    counts = {len(part) if is_array_api_obj(part) and part.ndim else -1 for part in parts}
    if len(counts) != 1 or -1 in counts:
        raise ArgumentError(
            f"x={shorten(x)} is not samples; give an array (n, ...), or arrays with one n."
        )
    return counts.pop()


def _join(moved: Array) -> Array:
    """(m, n, ...) as (m n, ...), each array of a tuple or dict."""
    if isinstance(moved, tuple):
        return tuple(map(_join, moved))
    if isinstance(moved, Mapping):
        return {name: _join(part) for name, part in moved.items()}
    copies = moved.shape[0] * moved.shape[1]
    return array_namespace(moved).reshape(moved, (copies, *moved.shape[2:]))
