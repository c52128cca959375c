"""Means over the group: enumerated in blocks, or Gaussian in closed form, by products and permanents.

|g.x - z|^2 is a sum over the entries that the group moves, so the kernel is a product over them and
its mean is, with t = 1 / (2 sigma^2) and rows x_a, z_b along the moved axis,
    sign flips           prod_a (exp(-t |x_a - z_a|^2) + exp(-t |x_a + z_a|^2)) / 2
    permutations         perm[exp(-t |x_a - z_b|^2)] / n!
    signed permutations  perm[(exp(-t |x_a - z_b|^2) + exp(-t |x_a + z_b|^2)) / 2] / n!
Taking the square inside the exponential keeps all entries in [0, 1]: nothing overflows, nothing
cancels, and what underflows is below 1e-300.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np

from sparseaug._checks import require_work
from sparseaug.actions import Action
from sparseaug.actions.base import axes_from_end, require_size
from sparseaug.errors import UnsupportedError
from sparseaug.groups import Group, Rows, format_order
from sparseaug.kernels.arrays import Floats, move
from sparseaug.kernels.permanents import permanents

LIMIT = 1_000_000
"""Elements up to which a group is enumerated."""

MEMORY = 1 << 22
"""Floats in one block."""


def enumerated_mean(
    kernel: Callable[[Any, Any], Floats], action: Action, x: Floats, z: Floats
) -> Floats:
    """E over all g of kernel(g.x, z): (n, k), or (n, k, p).

    The error is at most that of one kernel value and `enumeration_roundings` more.
    """
    require_small(action.group)
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
    return group.elements(block=block_length(x, width))


def block_length(x: Floats, width: int) -> int:
    """Elements in one block; a function of the shapes alone, so that sums never change order."""
    return max(1, min(4096, MEMORY // (len(x) * max(int(x[0].size), width))))


def require_small(group: Group) -> None:
    """Raise an `UnsupportedError` for a group that is too large to enumerate."""
    if group.order > LIMIT:
        given = f"{group.name} has {format_order(group)} elements and no closed form"
        raise UnsupportedError(f"{given}; use sample_moments.")


Form = Literal["", "flips", "permutations", "signed permutations"]

_MEMORY = 1 << 20  # floats in one block of matrices


def closed_form(action: Action) -> Form:
    """Which closed form serves the action; "" if none does."""
    return "" if action.whole_axis is None else action.whole_axis.by


def gaussian_mean(sigma: float, action: Action, x: Floats, z: Floats) -> Floats:
    """E over all g of exp(-|g.x - z|^2 / (2 sigma^2)), (n, k); the error is at most
    `mean_roundings` times u, absolutely.
    """
    form = closed_form(action)
    left, right = _moved_rows(action, x), _moved_rows(action, z)
    n = left.shape[1]
    if form != "flips":
        remedy = "draw a sample S and use sample_moments"
        require_work("permanent", n, f"the mean over {action.group.name}", remedy=remedy)
    means = np.empty(len(x) * len(z))
    step = max(1, _MEMORY // (n if form == "flips" else n * n))
    for start in range(0, means.size, step):
        i, j = np.divmod(np.arange(start, min(start + step, means.size)), len(z))
        p, q = left[i].transpose(1, 2, 0), right[j].transpose(1, 2, 0)  # pairs last
        if form != "flips":
            p, q = p[:, None], q[None]
        entries = _factors(sigma, p, q, signed=form != "permutations")
        values = entries.prod(axis=0) if form == "flips" else permanents(entries)
        means[start : start + step] = values
    if form != "flips":
        means /= math.factorial(n)
    return means.reshape(len(x), len(z))


def mean_roundings(action: Action, shape: tuple[int, ...]) -> int:
    """How many roundings u a mean of samples (n, ...) of this shape may be off, at most.

    A factor exp(-e) carries a relative error of at most e (c + 6) u from its exponent, a sum of c
    squares, and 8 u from the exponential (numpy's is good to 4 units in the last place). In a
    product the first kind adds up to E (c + 6) u with the value exp(-E), and E exp(-E) < 1; the
    second kind is 8 n u. A permanent adds n (n + 1) / 2, a product n; signs and n! a few.
    """
    _, n = _moved_axis(action, shape)
    c = math.prod(shape[1:]) // n
    permanent = 0 if closed_form(action) == "flips" else n * (n + 1) // 2
    return c + 6 + 12 * n + permanent + 4


def _moved_rows(action: Action, x: Floats) -> Floats:
    """Samples as (n, entries that the group moves, whatever moves along with them)."""
    axis, width = _moved_axis(action, x.shape)
    return np.moveaxis(x, axis, 1).reshape(len(x), width, -1)


def _moved_axis(action: Action, shape: tuple[int, ...]) -> tuple[int, int]:
    """The axis that the group moves, counted from the end, and its length."""
    whole = action.whole_axis
    if whole is None:
        raise UnsupportedError(f"{type(action).__name__} has no closed form; enumerate the group.")
    (axis,) = axes_from_end((whole.axis,), len(shape))
    require_size(shape[axis], whole.size, f"axis {whole.axis}", action.group)
    return axis, whole.size


def _factors(sigma: float, p: Floats, q: Floats, *, signed: bool) -> Floats:
    """exp(-|p - q|^2 / (2 sigma^2)), or its mean over the sign of q; axis -2 is summed."""
    scale = -0.5 / sigma**2
    with np.errstate(over="ignore"):  # exp(-inf) = 0 is right
        kept: Floats = np.exp(((p - q) ** 2).sum(axis=-2) * scale)
        if not signed:
            return kept
        turned: Floats = np.exp(((p + q) ** 2).sum(axis=-2) * scale)
    return (kept + turned) / 2
