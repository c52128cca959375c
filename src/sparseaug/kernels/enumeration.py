"""Means over a small group, enumerated in blocks; works for every kernel and action."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sparseaug.actions import Action
from sparseaug.errors import UnsupportedError, check_integer
from sparseaug.groups import Group, Rows, format_order
from sparseaug.kernels.arrays import Floats, move

LIMIT = 1_000_000
"""Elements up to which a group is enumerated unless `limit` allows more."""

MEMORY = 1 << 22
"""Floats in one block."""


def enumerated_mean(
    kernel: Callable[[Any, Any], Floats], action: Action, x: Floats, z: Floats, *, limit: int
) -> Floats:
    """E over all g of kernel(g.x, z): (n, k), or (n, k, p).

    The error is at most that of one kernel value and `enumeration_roundings` more.
    """
    require_small(action.group, limit)
    total = 0.0
    for rows in element_blocks(action.group, x, len(z)):
        moved = move(action, rows, x)
        gram = kernel(moved.reshape(-1, *x.shape[1:]), z)
        total = total + gram.reshape(len(rows), len(x), *gram.shape[1:]).sum(axis=0)
    return np.asarray(total / action.group.order)


def enumeration_roundings(group: Group, x: Floats, width: int) -> int:
    """Roundings in a sum over the group: within a block, and over blocks."""
    block = min(block_length(x, width), group.order)
    return block + -(-group.order // block) + 2


def element_blocks(group: Group, x: Floats, width: int) -> Iterator[Rows]:
    """All elements, so many at a time that moved samples and `width` values of each fit a block."""
    return group.elements(limit=group.order, block=block_length(x, width))


def block_length(x: Floats, width: int) -> int:
    """Elements in one block; a function of the shapes alone, so that sums never change order."""
    return max(1, min(4096, MEMORY // (len(x) * max(int(x[0].size), width))))


def require_small(group: Group, limit: int) -> None:
    """Raise an `UnsupportedError` for a group that is too large to enumerate."""
    limit = check_integer("limit", limit, at_least=1)
    if group.order > limit:
        raise UnsupportedError(
            f"no closed form is known for this kernel and action of {group.name}, and its "
            f"{format_order(group)} elements are above limit={limit}; raise limit=, draw a sample "
            "S and use sample_moments, or use a Gaussian kernel with a symmetric group, sign flips "
            "or signed permutations."
        )
