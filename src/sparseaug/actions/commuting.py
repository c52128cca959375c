"""Whether two actions on one array commute, so that the direct product of their groups acts.

If a(b x) = b(a x) for generators a of one group and b of the other, it holds for all elements. Actions
on different axes commute: x is a tensor, and they act on different factors. Otherwise each pair of
generators is compared on data:

entries and signs  on one sample that holds 1, 2, 3, ...: a(b x) and b(a x) are permutations of it with
                   signs, and so are equal for every x if for this one; a proof
matrices           on four random samples, within 1e-9 of the largest entry; linear maps that differ by
                   more than that are recognised, but nothing is proved
a user's function  on the data it is given, within the same tolerance; of other data nothing is known
"""

from __future__ import annotations

import math

import numpy as np

from sparseaug.actions.arrays import Array, Shape, as_numpy
from sparseaug.actions.base import Action, differences
from sparseaug.errors import GroupTooLargeError, LawError
from sparseaug.groups import Rows

TOLERANCE = 1e-9
"""How far a(b x) and b(a x) may differ where values are computed, of the largest entry."""

_MOST = 1 << 30  # entries moved for one answer: some ten seconds
_BLOCK = 1 << 22  # entries at a time


def require_commuting(first: Action, second: Action, shape: Shape) -> None:
    """Raise a `LawError` unless the two commute on samples of this shape; not for user's functions."""
    axes = first.moved_axes(len(shape)), second.moved_axes(len(shape))
    if axes[0] is not None and axes[1] is not None and axes[0].isdisjoint(axes[1]):
        return
    size = math.prod(shape)
    if {first.kind, second.kind} <= {"entries", "signs"}:
        x = np.arange(1.0, size + 1.0).reshape(1, *shape)
    else:
        x = np.random.default_rng(0).standard_normal((4, *shape))
    require_commuting_on(first, second, x)


def require_commuting_on(first: Action, second: Action, x: Array) -> None:
    """Raise a `LawError` unless the generators of the two commute on these samples (n, ...)."""
    ours, theirs = first.group.generators(), second.group.generators()
    size = math.prod(x.shape)
    if len(ours) * len(theirs) * size > _MOST:
        raise GroupTooLargeError(
            f"product_action of {first.group.name} and {second.group.name}, both on one axis, has "
            f"{len(ours)} x {len(theirs)} pairs of generators to compare on samples of {size} entries; "
            f"{_MOST} entries are the limit: let them move different axes, or make one group of them."
        )
    exact = {first.kind, second.kind} <= {"entries", "signs"}
    step = max(1, _BLOCK // max(1, size))
    for start in range(0, len(theirs), step):
        block = theirs[start : start + step]
        moved = second(block, x)
        for a in ours[:, None]:
            once = second(block, first(a, x)[0])
            flat = moved.reshape((moved.shape[0] * moved.shape[1], *moved.shape[2:]))
            other = first(a, flat)[0].reshape(once.shape)
            _compare(first, second, a, block, as_numpy(once), as_numpy(other), exact=exact)


def _compare(
    first: Action, second: Action, a: Rows, block: Rows, once: Array, other: Array, *, exact: bool
) -> None:
    """b(a x) and a(b x), (k, n, ...), for one generator a and a block of b."""
    rounded = not exact and once.dtype.kind in "fc"
    tolerance = max(TOLERANCE, 1e3 * float(np.finfo(once.dtype).eps)) if rounded else 0.0
    differs = differences(once, other, tolerance)
    for j in np.flatnonzero(differs.reshape(len(block), -1).any(axis=1)):
        raise LawError(
            f"the two actions of product_action do not commute on samples of shape {once.shape[2:]}: "
            f"the generator {a[0].tolist()} of {first.group.name} ({type(first).__name__}) and the "
            f"generator {block[j].tolist()} of {second.group.name} ({type(second).__name__}) give "
            "different results in different order, so their direct product does not act. For shifts "
            "with turns and flips use grid_symmetries(n) with move_grid, for permutations with signs "
            "hyperoctahedral(n) with signed_permute; others may act on different axes, or as one "
            "permutation_group or matrix_group."
        )
