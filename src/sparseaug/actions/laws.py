"""The laws of a left action, tried on data: act(ab, x) = act(a, act(b, x)); and whether two commute.

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
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import require_work
from sparseaug.actions.arrays import Array, Shape, as_numpy, leaves, map_leaves, require_samples
from sparseaug.actions.base import Action
from sparseaug.errors import ArgumentError, LawError
from sparseaug.groups import Group, Rows

_GENERATORS = 16  # of a group that are tried together: the first ones

TOLERANCE = 1e-9
"""How far a(b x) and b(a x) may differ where values are computed, of the largest entry."""

_BLOCK = 1 << 22  # entries at a time


def require_law(action: Action, x: Array, *, seed: int = 0, pairs: int = 16) -> None:
    """Raise a `LawError` unless the laws of a left action hold on x for generators and some others."""
    if not require_samples(x) or not all(
        math.prod(part.shape) and not getattr(part, "is_meta", False) for part in leaves(x)
    ):
        raise ArgumentError("x has no values; give at least one sample to check the laws on.")
    group, rng, reason = action.group, np.random.default_rng(seed), ""
    if not _same(action(group.identity(), x), x):
        reason = "the identity moves x"
    for a, b in _pairs(group, pairs, rng):
        first = map_leaves(lambda y: y[0], action(b, x))
        if not _same(action(a, first), action(group.compose(a, b), x)):
            reason = reason or "act(compose(a, b), x) differs from act(a, act(b, x))"
    if reason:
        what = f"{type(action).__name__} is not a left action of {group.name}: {reason}"
        raise LawError(f"{what}; for permutations (g.x)[g(i)] = x[i].")


def _pairs(group: Group, pairs: int, rng: np.random.Generator) -> Iterator[tuple[Rows, Rows]]:
    """Elements a (k, width), and one b: first generators, then random ones.

    Of a group that is not abelian some generator does not commute with b: there a right action shows.
    """
    few = group.generators()[:_GENERATORS]
    if len(few):
        left = group.compose(few[:, None], few[None])
        apart = (left != left.swapaxes(0, 1)).any(axis=(0, 2))
        yield few, few[[int(apart.argmax())]]
    for _ in range(pairs):
        yield group.sample(8, rng), group.sample(1, rng)


def is_moved(action: Action, x: Array) -> bool:
    """Whether some generator moves these samples, so that laws were seen to hold on them."""
    few = action.group.generators()[:_GENERATORS]
    return not len(few) or not _same(action(few, x), x)


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
    work = len(ours) * len(theirs) * size
    require_work("commuting", work, "product_action", remedy="let the two move different axes")
    exact = {first.kind, second.kind} <= {"entries", "signs"}
    step = max(1, _BLOCK // max(1, size))
    for start in range(0, len(theirs), step):
        block = theirs[start : start + step]
        moved = second(block, x)
        for a in ours[:, None]:
            once = second(block, first(a, x)[0])
            flat = moved.reshape((moved.shape[0] * moved.shape[1], *moved.shape[2:]))
            other = first(a, flat)[0].reshape(once.shape)
            one, two = as_numpy(once), as_numpy(other)
            rounded = not exact and one.dtype.kind in "fc"
            tolerance = max(TOLERANCE, 1e3 * float(np.finfo(one.dtype).eps)) if rounded else 0.0
            differs = differences(one, two, tolerance).reshape(len(block), -1).any(axis=1)
            if differs.any():
                b = block[differs.argmax()].tolist()
                pair = f"{a[0].tolist()} of {first.group.name} and {b} of {second.group.name}"
                raise LawError(f"the actions do not commute, as by {pair}; make one group of them.")


def _same(left: Array, right: Array) -> bool:
    if isinstance(left, tuple | Mapping):
        return all(map(_same, leaves(left), leaves(right)))
    left, right = as_numpy(left), as_numpy(right)
    if np.broadcast_shapes(left.shape, right.shape) != left.shape:
        return False
    tolerance = min(1e3 * float(np.finfo(left.dtype).eps), 1e-3) if left.dtype.kind in "fc" else 0.0
    return not differences(left, right, tolerance).any()


def differences(left: NDArray[Any], right: NDArray[Any], tolerance: float) -> NDArray[np.bool_]:
    """Where two arrays differ by more than `tolerance` of the largest entry; NaN equals NaN."""
    differ = (left != right) & ~((left != left) & (right != right))
    if tolerance and differ.any():
        # half precision has no room for the difference, nor for the product with a tolerance
        wide = np.result_type(left.dtype, np.float64)
        left, right = left.astype(wide), right.astype(wide)
        scale = abs(right[np.isfinite(right)]).max(initial=0.0)
        with np.errstate(invalid="ignore"):  # of infinities
            differ &= ~(abs(left - right) <= tolerance * scale)
    return np.asarray(differ)
