"""Whether an action leaves a kernel as it is: the sufficient condition of remark "Invariant kernels".

For g.x = Q x + a with Q orthogonal, a component exp(-t' Lambda^-1 t / 2) cos(omega' t) is kept if
Q Lambda Q' = Lambda and Q' omega = +-omega. If that holds for generators, it holds for products.

Both are compared on the scale of the kernel, whatever the units of each coordinate. With Lambda = R R',
t = R u and W = R^-1 Q R the moved component is exp(-|W u|^2 / 2) cos((R' Q' omega)' u). So if
||W' W - 1|| <= eps and |R' (Q' omega -+ omega)| <= eps, then kernel values change by at most
    eps |u|^2 / 2 exp(-(1 - eps) |u|^2 / 2) + eps |u| exp(-|u|^2 / 2)  <  1.1 eps.

For actions that are not isometries by construction, that is tested on the points that a claim is about.
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

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.spatial.distance import cdist

from sparseaug._checks import check_shape, check_type, require_work
from sparseaug._floats import UNIT
from sparseaug.actions import Action
from sparseaug.actions.base import Kind, require_action
from sparseaug.errors import ArgumentError
from sparseaug.groups import Rows
from sparseaug.kernels.arrays import Floats, check_samples, flat, move
from sparseaug.kernels.base import Invariance, Kernel

TOLERANCE = 1e-9
"""What counts as equal, relative to entries of order 1: far above rounding, far below a wrong matrix."""


CONDITIONS: dict[Kind, str] = {
    "entries": "",
    "signs": "",
    "linear": "the matrices are exactly those of an action by isometries, as they are within rounding",
    "custom": (
        "the action's function is an action of the group by isometries, as it is within rounding "
        "where it was tried"
    ),
}
"""What an answer rests on, by what is known of the action; nothing where it is a proof."""


def fitting_shape(action: Action, shape: Any) -> tuple[int, ...]:
    """The shape of a sample that the action moves, and is an action on.

    It is prepared for one sample, which compares sizes, and the two actions of a product.
    """
    require_action(action)
    shape = check_shape(shape)
    try:
        action.prepare(action.group.identity(), (1, *shape))
    except ArgumentError as error:
        raise ArgumentError(f"shape={shape} does not fit the action: {error}") from error
    return shape


def isometry(action: Action, shape: tuple[int, ...]) -> tuple[Invariance, Floats]:
    """Whether each generator is x -> Q x + a with Q orthogonal, and the matrices Q (k, d, d).

    Q is read off the images of 0 and of the unit vectors; that this is all is then tested
    on eight random points, which suffices for every action of this library but a user's function:
    there the answer carries a condition, and claims about data are tested on the data (`on_points`).
    """
    d = math.prod(shape)
    what, remedy = f"a sample of shape {shape}", "give an action that moves entries and signs"
    require_work("entries of a sample", d, what, remedy=remedy)
    rows = action.group.generators()
    if not len(rows):
        return Invariance(True, "the group is trivial"), np.empty((0, d, d))
    origin = _images(action, rows, np.zeros((1, d)), shape)
    matrices = (_images(action, rows, np.eye(d), shape) - origin).swapaxes(1, 2)
    points = np.random.default_rng(0).standard_normal((8, d))
    expected = points @ matrices.swapaxes(1, 2) + origin
    moved = _images(action, rows, points, shape)
    for row, Q, straight, bent in zip(rows, matrices, expected, moved, strict=True):
        reason = ""
        if not abs(straight - bent).max() <= TOLERANCE * max(1.0, float(abs(straight).max())):
            reason = "the action is not of the form x -> Q x + a"
        elif not abs(Q @ Q.T - np.eye(d)).max() <= TOLERANCE:
            reason = "the action is not isometric: Q Q' differs from the unit matrix"
        if reason:
            return Invariance(False, reason, generator=tuple(row.tolist())), matrices
    reason = "every generator is a Euclidean isometry"
    return Invariance(True, reason, condition=CONDITIONS[action.kind]), matrices


def kept_components(
    action: Action, matrices: Floats, bandwidths: Sequence[Floats], frequencies: Sequence[Floats]
) -> Invariance:
    """Whether Q Lambda Q' = Lambda and Q' omega = +-omega for all generators and components."""
    for row, Q in zip(action.group.generators(), matrices, strict=True):
        generator = tuple(row.tolist())
        for r, (lambdas, omegas) in enumerate(zip(bandwidths, frequencies, strict=True)):
            for a, (bandwidth, omega) in enumerate(zip(lambdas, omegas, strict=True)):
                where = f"of output {r}, component {a}"
                root = np.linalg.cholesky(bandwidth)
                W = solve_triangular(root, Q @ root, lower=True)
                if not np.linalg.norm(W.T @ W - np.eye(len(W))) <= TOLERANCE:
                    reason = f"Q Lambda Q' differs from Lambda {where}"
                    return Invariance(False, reason, generator)
                turned = Q.T @ omega
                off = min(np.linalg.norm(root.T @ (turned - s * omega)) for s in (1.0, -1.0))
                if not off <= TOLERANCE:
                    reason = f"Q' omega is neither omega nor -omega {where}"
                    return Invariance(False, reason, generator)
    reason = "every generator keeps every bandwidth matrix and frequency"
    return Invariance(True, reason, condition=CONDITIONS[action.kind])


def _images(action: Action, rows: Any, points: Floats, shape: tuple[int, ...]) -> Floats:
    """Points (n, d) moved by every row, as (k, n, d)."""
    moved = move(action, rows, points.reshape(len(points), *shape))
    return moved.reshape(len(rows), len(points), -1)


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
        >>> from sparseaug.kernels import invariance_on
        >>> def bent_above_9(g, x):
        ...     return np.where((g[:, :, None] == 1) & (x > 9), 9 + 1 / np.maximum(x - 9, 0.01), x)
        >>> act = sa.custom_action(sa.cyclic(2), bent_above_9)
        >>> k, e = sa.kernels.GaussianKernel(1.0), np.array([[0]])
        >>> bool(invariance_on(k, act, e, np.eye(3))), bool(invariance_on(k, act, e, 20 * np.eye(3)))
        (True, False)
    """
    check_type("kernel", kernel, Kernel, "a kernel")
    points = check_samples("points", points)
    require_action(action)
    rows = action.rows(rows)
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
    reason = f"the action is {what}, by the element {row.tolist()}"
    return Invariance(False, reason, generator=tuple(row.tolist()))


def _same_distances(p: Floats, q: Floats, moved_p: Floats, moved_q: Floats) -> bool:
    """Whether |p - q| is kept, for each pair to 1e-9 of itself and the rounding of its four points."""
    step = max(1, _BLOCK // len(q))
    for part in (slice(start, start + step) for start in range(0, len(p), step)):
        before = cdist(flat(p[part]), flat(q))
        after = cdist(flat(moved_p[part]), flat(moved_q))
        sizes = np.add.outer(_size(p[part]) + _size(moved_p[part]), _size(q) + _size(moved_q))
        if not (abs(before - after) <= TOLERANCE * before + _point_rounding(p) * sizes).all():
            return False
    return True


def _same_points(one: Floats, other: Floats, between: Floats) -> bool:
    """Whether each point is the same to 1e-9 of its size, and to the rounding on the way to it."""
    distance = np.linalg.norm(flat(one) - flat(other), axis=1)
    sizes = _size(one) + _size(other)
    return bool(
        (distance <= TOLERANCE * sizes + _point_rounding(one) * (sizes + _size(between))).all()
    )


def _size(points: Floats) -> Floats:
    return np.asarray(np.linalg.norm(flat(points), axis=1))


def _point_rounding(points: Floats) -> float:
    """What d products and sums in a row may do to an entry, generously."""
    return 16.0 * (flat(points).shape[1] + 8) * UNIT
