"""Transformed copies of a data set: by the same m elements of S for every sample, or by its own."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import check_array, check_rng
from sparseaug.actions import Action, Array
from sparseaug.actions.arrays import (
    describe,
    joined,
    leaves,
    map_leaves,
    namespace,
    require_data,
    require_library,
    require_samples,
)
from sparseaug.actions.base import require_action, require_same_group
from sparseaug.actions.prepared import PreparedAction
from sparseaug.errors import ArgumentError, shorten, size_text
from sparseaug.sampling.sample import GroupSample
from sparseaug.sampling.table import SampleTable, as_copies


def augment(
    action: Action,
    S: GroupSample | SampleTable | Literal["full"],
    x: Array,
    y: Array | None = None,
    *,
    y_action: Action | None = None,
) -> Array | tuple[Array, Array]:
    """The n m copies (g.x_i, y_i), or (g.x_i, g.y_i) with a `y_action` for targets that move along.

    Copy j n + i is sample i moved by element j of S. x may be a tuple or a dict of arrays where `action`
    moves them together (`sparseaug.together`); with `permute_nodes` also (adjacency, features).

    Args:
        action: how the group moves x
        S: the m elements, or "full": all of the group; or a `SampleTable`, m elements for each sample
            by itself
        x: the n samples, one per row of the first axis; for graphs the tuple (adjacency, features)
        y: the n targets; without them only the copies of x come back
        y_action: how the group moves y, for targets that move along

    Returns:
        The copies of x and their targets, or the copies alone where there is no y.

    Raises:
        ArgumentError: also where the copies are larger than the memory of this machine; give some rows
            of S at a time.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> S = sa.GroupSample(sa.cyclic(3), [[0], [1]])
        >>> sa.augment(sa.permute_axis(S.group), S, np.array([[1, 2, 3]]), np.array([6]))
        (array([[1, 2, 3], [3, 1, 2]]), array([6, 6]))
        >>> sa.augment(sa.permute_axis(S.group), S, np.array([[1, 2, 3]]))
        array([[1, 2, 3], [3, 1, 2]])
    """
    require_action(action)
    n = require_samples(x)
    S = as_copies(S, action.distribution, n)
    require_same_group(action, y_action, "y_action")
    if y is None and y_action is not None:
        raise ArgumentError("y_action is given, but no y for it to move; give both or neither.")
    if y is not None:
        require_library(y, "y")
        if y.ndim < 1 or len(y) != n:
            raise ArgumentError(f"y has {describe(y)} for {n} samples x; give one target for each.")
    size = sum(getattr(array, "nbytes", 0) for array in leaves((x, y)) if on_host(array))
    require_room(f"S of m={S.m} elements and x", S.m * size, "give some of S.elements at a time")
    moved = move_copies(action, S, x)
    if y is None:
        return moved
    if y_action is None:
        return moved, joined(namespace(y).stack([y] * S.m))
    require_data(y, "y")
    try:
        return moved, move_copies(y_action, S, y)
    except ArgumentError as error:  # which speaks of the data as x
        raise ArgumentError(f"y does not fit y_action: {error}") from error


def split_sources(n: int, fractions: Sequence[float], rng: Any = 0) -> list[NDArray[np.int64]]:
    """Disjoint parts of n samples, so that all copies of one lie on one side: their indices, in order.

    Args:
        n: how many samples
        fractions: of each part; they sum to 1
        rng: a seed or a NumPy generator
    """
    shares = check_array("fractions", fractions, np.float64)
    if shares.ndim != 1 or not (shares >= 0).all() or not abs(shares.sum() - 1) <= 1e-9:
        raise ArgumentError(f"fractions={shorten(fractions)} must be shares >= 0 that sum to 1.")
    ends = np.rint(np.cumsum(shares) * n).astype(int)
    return [np.sort(part) for part in np.split(check_rng(rng).permutation(n), ends[:-1])]


def require_room(what: str, size: int, remedy: str) -> None:
    """Copies of so many bytes must fit into the memory of this machine."""
    limit = machine_memory()
    if limit is not None and size > limit:
        above = f"{size_text(size)} of copies, above the {size_text(limit)} of this machine"
        raise ArgumentError(f"{what} make {above}; {remedy}.")


def machine_memory() -> int | None:
    """Bytes of memory that this machine has; None where it does not tell."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # Windows has no sysconf
        return None


def on_host(array: Any) -> bool:
    """Whether its entries are in this machine's memory, not on a device and not without values."""
    return isinstance(array, np.ndarray) or str(getattr(array, "device", "")).startswith("cpu")


def move_copies(action: Action, S: GroupSample | SampleTable, x: Array) -> Array:
    """The copies of x: copy j n + i is sample i moved by element j of S, or of its own."""
    if isinstance(S, GroupSample):
        return joined(action(S.elements, x))
    which = np.arange(S.n)
    moved = [PreparedAction(action, S.rows[:, j], memory=0).each(x, which) for j in range(S.m)]
    return map_leaves(lambda *parts: namespace(parts[0]).concat(parts), *moved)
