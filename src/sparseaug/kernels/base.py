"""What a kernel is here: Gram matrices, a bound for point evaluation, invariance, group means.

Whether an action leaves a kernel as it is: the sufficient condition of remark "Invariant kernels".

For g.x = Q x + a with Q orthogonal, a component exp(-t' Lambda^-1 t / 2) cos(omega' t) is kept if
Q Lambda Q' = Lambda and Q' omega = +-omega. If that holds for generators, it holds for products.

Both are compared on the scale of the kernel, whatever the units of each coordinate. With Lambda = R R',
t = R u and W = R^-1 Q R the moved component is exp(-|W u|^2 / 2) cos((R' Q' omega)' u). So if
||W' W - 1|| <= eps and |R' (Q' omega -+ omega)| <= eps, then kernel values change by at most
    eps |u|^2 / 2 exp(-(1 - eps) |u|^2 / 2) + eps |u| exp(-|u|^2 / 2)  <  1.1 eps.

Isometry on the points that a claim is about, for actions that are not isometries by construction.

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
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.spatial.distance import cdist

from sparseaug._checks import check_shape
from sparseaug._floats import UNIT
from sparseaug.actions import Action
from sparseaug.actions.base import Kind
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Rows
from sparseaug.kernels.arrays import Floats, check_action, check_samples, flat, move


class Kernel(ABC):
    """A positive definite kernel with k(x, x) = 1, scalar or diagonal matrix-valued."""

    @property
    def C(self) -> float:  # noqa: N802 - the paper's letter
        """Bound of point evaluation, |h(x)| <= C ||h||: the root of k(x, x), which is 1."""
        return 1.0

    @property
    @abstractmethod
    def outputs(self) -> int | None:
        """Number of diagonal entries; None for a scalar kernel (times any identity matrix)."""

    @abstractmethod
    def __call__(self, x: Any, z: Any) -> Floats:
        """Gram matrix (n, k) of samples x (n, ...) and z (k, ...); (n, k, p) with p outputs."""

    @abstractmethod
    def is_invariant(self, action: Action, shape: tuple[int, ...] | None = None) -> Invariance:
        """Whether k(g.x, g.z) = k(x, z), decided on generators; `shape` is that of one sample.

        Args:
            action: how the group moves samples
            shape: of one sample
        """

    @abstractmethod
    def group_mean(self, action: Action, x: Any, z: Any, *, limit: int) -> Floats:
        """E over all g of k(g.x, z), shaped as the Gram matrix.

        Args:
            action: how the group moves x
            x: samples (n, ...)
            z: centres (k, ...)
            limit: largest group that is enumerated where there is no closed form
        """


TOLERANCE = 1e-9
"""What counts as equal, relative to entries of order 1: far above rounding, far below a wrong matrix."""

LARGEST = 4096
"""Entries of a sample up to which the matrices Q are written out (0.13 GB a generator)."""


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


@dataclass(frozen=True)
class Invariance:
    """Whether the condition holds (this is the truth value), and if not, what breaks it.

    Attributes:
        holds: the answer
        reason: what breaks the condition; empty where it holds
        output: of the spectral mixture, counted from 0; None where none is to blame
        component: see `output`.
        generator: the row of the group element that shows it
        condition: what a positive answer rests on; empty where it is proved
    """

    holds: bool
    reason: str
    output: int | None = None
    component: int | None = None
    generator: tuple[int, ...] | None = None
    condition: str = ""

    def __bool__(self) -> bool:
        return self.holds

    def to_dict(self) -> dict[str, Any]:
        """All fields as JSON data."""
        return asdict(self)


def require_fit(action: Action, shape: tuple[int, ...]) -> None:
    """Raise an error unless the action moves samples of this shape, and is an action on them.

    It is prepared for one sample, which compares sizes, and the two actions of a product.
    """
    try:
        action.prepare(action.group.identity(), (1, *shape))
    except ArgumentError as error:
        raise ArgumentError(f"shape={shape} does not fit the action: {error}") from error


def isometry(action: Action, shape: tuple[int, ...]) -> tuple[Invariance, Floats]:
    """Whether each generator is x -> Q x + a with Q orthogonal, and the matrices Q (k, d, d).

    Q is read off the images of 0 and of the unit vectors; that this is all is then tested
    on eight random points, which suffices for every action of this library but a user's function:
    there the answer carries a condition, and claims about data are tested on the data (`on_points`).
    """
    shape = check_shape(shape)
    require_fit(action, shape)
    d = math.prod(shape)
    if d > LARGEST:
        raise ArgumentError(f"shape={shape} has {d} entries; matrices are formed up to {LARGEST}.")
    rows = action.group.generators()
    if not len(rows):
        return Invariance(True, "the group is trivial"), np.empty((0, d, d))
    origin = _images(action, rows, np.zeros((1, d)), shape)
    matrices = (_images(action, rows, np.eye(d), shape) - origin).swapaxes(1, 2)
    points = np.random.default_rng(0).standard_normal((8, d))
    expected = points @ matrices.swapaxes(1, 2) + origin
    moved = _images(action, rows, points, shape)
    for row, Q, straight, bent in zip(rows, matrices, expected, moved, strict=True):
        generator = tuple(int(entry) for entry in row)
        if not abs(straight - bent).max() <= TOLERANCE * max(1.0, float(abs(straight).max())):
            reason = "the action is not of the form x -> Q x + a"
            return Invariance(False, reason, generator=generator), matrices
        if not abs(Q @ Q.T - np.eye(d)).max() <= TOLERANCE:
            reason = "the action is not isometric: Q Q' differs from the unit matrix"
            return Invariance(False, reason, generator=generator), matrices
    reason = "every generator is a Euclidean isometry"
    return Invariance(True, reason, condition=CONDITIONS[action.kind]), matrices


def kept_components(
    action: Action, matrices: Floats, bandwidths: Sequence[Floats], frequencies: Sequence[Floats]
) -> Invariance:
    """Whether Q Lambda Q' = Lambda and Q' omega = +-omega for all generators and components."""
    for row, Q in zip(action.group.generators(), matrices, strict=True):
        generator = tuple(int(entry) for entry in row)
        for r, (lambdas, omegas) in enumerate(zip(bandwidths, frequencies, strict=True)):
            for a, (bandwidth, omega) in enumerate(zip(lambdas, omegas, strict=True)):
                where = f"of output {r}, component {a}"
                root = np.linalg.cholesky(bandwidth)
                W = solve_triangular(root, Q @ root, lower=True)
                if not np.linalg.norm(W.T @ W - np.eye(len(W))) <= TOLERANCE:
                    reason = f"Q Lambda Q' differs from Lambda {where}"
                    return Invariance(False, reason, r, a, generator)
                turned = Q.T @ omega
                off = min(np.linalg.norm(root.T @ (turned - s * omega)) for s in (1.0, -1.0))
                if not off <= TOLERANCE:
                    reason = f"Q' omega is neither omega nor -omega {where}"
                    return Invariance(False, reason, r, a, generator)
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
