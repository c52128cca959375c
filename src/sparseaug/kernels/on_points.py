"""Isometry on the points that a claim is about, for actions that are not isometries by construction.

Let X be the union of the orbits of data x_1, ..., x_n. If |g p - g q| = |p - q| and g (h p) = (g h) p
for p, q in X, then G acts unitarily on the functions on X with the kernel k, and that is all that a
claim about the data needs: a function h = sum_r c_r k(., z_r) enters by its values on X, where its norm
is no larger than on the whole space, wherever its centres z_r are.

An action that moves entries and signs has both properties. For matrices and for a user's function they
are tested, within rounding, on the data and on the data moved by S (by the whole group where small):

1. every such element keeps the distances between the data;
2. every generator keeps the distances between all of the points, moved or not;
3. moving by an element and then by a generator is moving by their product.

Distances are taken to 4 (d + 1) of the points in d dimensions, at least 64 and at most 512. For d below
512 that is mostly as good as to all, since a point is known by its distances to points that span the
space. A test is not a proof for other elements and other points, so the answer carries a condition.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from sparseaug.actions import Action
from sparseaug.errors import ArgumentError, shorten
from sparseaug.floats import UNIT
from sparseaug.groups import Rows
from sparseaug.kernels.arrays import Floats, check_action, check_samples, flat, move
from sparseaug.kernels.base import Kernel
from sparseaug.kernels.invariance import CONDITIONS, TOLERANCE, Invariance

WHOLE = 4096
"""Elements of a group up to which all of them are tried, where that moves at most 2^22 entries."""

_BLOCK = 1 << 22  # entries moved, or distances taken, at a time


def invariance_on(kernel: Kernel, action: Action, rows: Rows, points: Any) -> Invariance:
    """Whether the action leaves the kernel invariant on these points (n, ...) moved by these rows.

    Args:
        kernel: any kernel
        action: how the group moves the points
        rows: elements, (k, width)
        points: samples (n, ...)

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> def stretched_above_9(g, x):
        ...     return np.where((g[:, :, None] == 1) & (x > 9), 2 * x, x)
        >>> act = sa.custom_action(sa.cyclic(2), stretched_above_9)
        >>> k, e = sa.kernels.GaussianKernel(1.0), np.array([[0]])
        >>> bool(invariance_on(k, act, e, np.eye(3))), bool(invariance_on(k, act, e, 10 * np.eye(3)))
        (True, False)
    """
    if not isinstance(kernel, Kernel):
        raise ArgumentError(f"kernel={shorten(kernel)} is not a kernel.")
    points = check_samples("points", points)
    rows = check_action(action).rows(rows)
    answer = kernel.is_invariant(action, points.shape[1:])
    if not answer or not answer.condition:
        return answer
    return isometry_on(action, rows, points)


def isometry_on(action: Action, rows: Rows, points: Floats) -> Invariance:
    """Whether rows and generators are isometries on these points, and obey the law there."""
    group = action.group
    generators = group.generators()
    if not _same_points(move(action, group.identity(), points)[0], points, points):
        return _broken("not an action on the data: the identity moves them", group.identity()[0])
    if group.order <= WHOLE and group.order * points.size <= _BLOCK:
        rows = group.all_elements()
    else:
        rows = np.unique(np.concatenate([rows, generators, group.identity()]), axis=0)
    references = min(512, max(64, 4 * (flat(points).shape[1] + 1)))
    near = points[:: max(1, -(-2 * len(points) // references))]
    some = rows[:: -max(1, -(-2 * len(rows) * len(near) // references))]
    places = np.concatenate([near, move(action, some, near).reshape(-1, *points.shape[1:])])
    step = max(1, _BLOCK // points.size)
    for start in range(0, len(rows), step):
        block = rows[start : start + step]
        moved = move(action, block, points)
        for row, image, base in zip(block, moved, move(action, block, near), strict=True):
            if not _same_distances(points, near, image, base):
                return _broken("not isometric on the data", row)
        everywhere = moved.reshape(-1, *points.shape[1:])
        for a in generators:
            twice = move(action, a[None], everywhere)[0]
            if not _same_distances(everywhere, places, twice, move(action, a[None], places)[0]):
                return _broken("not isometric on the data", a)
            product = move(action, group.compose(a[None], block), points)
            if not _same_points(twice, product.reshape(twice.shape), everywhere):
                return _broken(
                    "not an action on the data: act(ab, x) differs from act(a, act(b, x))", a
                )
    reason = "every element that was tried is an isometry on the data"
    return Invariance(True, reason, condition=CONDITIONS[action.kind])


def _broken(what: str, row: NDArray[np.int64]) -> Invariance:
    generator = tuple(int(entry) for entry in row)
    return Invariance(
        False, f"the action is {what}, by the element {list(generator)}", generator=generator
    )


def _same_distances(p: Floats, q: Floats, moved_p: Floats, moved_q: Floats) -> bool:
    """Whether |p - q| is kept, for each pair to 1e-9 of itself and the rounding of its four points."""
    step = max(1, _BLOCK // len(q))
    for part in (slice(start, start + step) for start in range(0, len(p), step)):
        before = cdist(flat(p[part]), flat(q))
        after = cdist(flat(moved_p[part]), flat(moved_q))
        sizes = np.add.outer(_size(p[part]) + _size(moved_p[part]), _size(q) + _size(moved_q))
        if not (abs(before - after) <= TOLERANCE * before + _rounding(p) * sizes).all():
            return False
    return True


def _same_points(one: Floats, other: Floats, between: Floats) -> bool:
    """Whether each point is the same to 1e-9 of its size, and to the rounding on the way to it."""
    distance = np.linalg.norm(flat(one) - flat(other), axis=1)
    sizes = _size(one) + _size(other)
    return bool((distance <= TOLERANCE * sizes + _rounding(one) * (sizes + _size(between))).all())


def _size(points: Floats) -> Floats:
    return np.asarray(np.linalg.norm(flat(points), axis=1))


def _rounding(points: Floats) -> float:
    """What d products and sums in a row may do to an entry, generously."""
    return 16.0 * (flat(points).shape[1] + 8) * UNIT
