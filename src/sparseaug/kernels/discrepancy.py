"""How far S is from G on the data at hand: distances of embeddings in the RKHS of a kernel.

xi_i = (1/m) sum_j k(., g_j x_i) - E_g k(., g x_i) is what (Pi_S - Pi_G) h at x_i is the inner product
of h with. So ||xi_i|| <= ||Pi_S - Pi_G||, and mostly it is much less. As the kernel is invariant,
    <xi_i, xi_j> = mean over S x S of k(g x_i, g' x_j) - E_g k(g x_i, x_j).

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
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from sparseaug._checks import check_real
from sparseaug._floats import SMALLEST, UNIT, gamma, unit
from sparseaug.actions import Action
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Rows
from sparseaug.kernels.arrays import (
    Floats,
    check_action,
    check_number,
    check_samples,
    check_targets,
    flat,
    freeze_vector,
    move,
)
from sparseaug.kernels.base import CONDITIONS, TOLERANCE, Invariance, Kernel
from sparseaug.kernels.gaussian import GaussianKernel
from sparseaug.kernels.group_means import (
    LIMIT,
    MEMORY,
    closed_form,
    enumeration_roundings,
    mean_roundings,
)
from sparseaug.sampling import GroupSample
from sparseaug.sampling.sample import require_sample


@final
@dataclass(frozen=True, eq=False)
class Discrepancy:
    """Upper bounds of the distances between the S-average and the G-average of embedded data.

    Attributes:
        per_sample: ||xi_i|| for each sample
        pooled: ||(1/n) sum_i w_i xi_i||, with weights w_i = 1 unless others were given
        rounding: what is included for rounding in each square of a distance (w_i = 1)
        condition: what is assumed of an action that is not an isometry by construction; else empty

    For gradient functions h_i: ||grad R_S - grad R_G|| <= (1/n) sum_i ||xi_i|| ||h_i||.
    """

    per_sample: Floats
    pooled: float
    rounding: float
    condition: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "per_sample", freeze_vector(self.per_sample, "per_sample"))
        for name in ("pooled", "rounding"):
            object.__setattr__(self, name, check_number(name, getattr(self, name)))

    @property
    def largest(self) -> float:
        """The largest ||xi_i||."""
        return float(self.per_sample.max())

    def gain(self, deviation: float) -> float:
        """How many times the largest ||xi_i|| goes into the deviation of S."""
        return check_real("deviation", deviation, above=0) / self.largest

    def to_dict(self) -> dict[str, Any]:
        """All fields as JSON data."""
        return {
            "per_sample": self.per_sample.tolist(),
            "pooled": self.pooled,
            "rounding": self.rounding,
            "condition": self.condition,
        }

    def __repr__(self) -> str:
        condition = f", if {self.condition}" if self.condition else ""
        return (
            f"Discrepancy(n={len(self.per_sample)}, largest={self.largest:.6g}, "
            f"pooled={self.pooled:.6g}{condition})"
        )


def kernel_discrepancy(
    kernel: GaussianKernel,
    action: Action,
    S: GroupSample,
    x: Any,
    *,
    weights: Any = None,
    limit: int = LIMIT,
) -> Discrepancy:
    """Distances between S-averaged and G-averaged embeddings of samples x (n, ...).

    Never below the truth, given that numpy's exp is good to 4 units in the last place, for actions that
    move entries and signs. For others it also rests on the action being one by isometries on the orbits
    of x: that is tested on x, on x moved by S and by generators (by the whole group where it is small),
    and an action that fails is refused; elsewhere it is assumed.

    Args:
        kernel: the Gaussian kernel
        action: how the group moves x
        S: the sample
        x: samples (n, ...)
        weights: non-negative weights (n,) of the samples; equal ones if None
        limit: largest group that is enumerated where there is no closed form

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> S = sa.Oracle(sa.symmetric(6), seed=0).draw(64)
        >>> x = np.sort(np.random.default_rng(0).uniform(-1, 1, (8, 6)))
        >>> found = kernel_discrepancy(GaussianKernel(1.25), sa.permute_axis(S.group), S, x)
        >>> round(found.largest, 3), round(found.pooled, 3), round(sa.deviation(S).value, 3)
        (0.125, 0.096, 0.249)
    """
    x = check_samples("x", x)
    w = np.ones(len(x)) if weights is None else check_targets("weights", weights, len(x))
    condition = _require_invariant(kernel, action, S, x)
    products = _mean_over_pairs(kernel, move(action, S.elements, x))
    products -= kernel.group_mean(action, x, x, limit=limit)
    error = _rounding(action, S, x)
    per_sample = np.sqrt(np.maximum(np.diag(products), 0) + error)
    # each of the n^2 products is off by `error` at most, their sum by the roundings of 2 n terms
    w, scale = unit(w)
    absolute = float(abs(w).mean())
    spread = float(abs(w) @ abs(products) @ abs(w)) / len(x) ** 2
    square = max(0.0, float(w @ products @ w) / len(x) ** 2)
    square += absolute**2 * error + spread * gamma(2 * len(x) + 8)
    more = 1 + gamma(len(x) + 10)
    pooled = math.sqrt(square) * more * scale + SMALLEST  # which underflow can take
    return Discrepancy(per_sample * more, pooled, error, condition)


def _mean_over_pairs(kernel: GaussianKernel, moved: Floats) -> Floats:
    """The mean over S x S of k(g x_i, g' x_j) for all i, j, from moved samples (m, n, ...)."""
    m, n = moved.shape[:2]
    points = moved.swapaxes(0, 1)  # (n, m, ...)
    means = np.empty((n, n))
    step = max(1, MEMORY // (m * m))
    for i in range(n):
        for start in range(i, n, step):
            others = points[start : start + step]
            gram = kernel._gram(points[i], others.reshape(-1, *moved.shape[2:]))
            rows = gram.reshape(m, len(others), m).sum(axis=2)
            means[i, start : start + step] = rows.sum(axis=0) / m**2
    upper = np.triu(means)
    return upper + np.triu(upper, 1).T


def _rounding(action: Action, S: GroupSample, x: Floats) -> float:
    """Bound for the error of one inner product <xi_i, xi_j>; all values lie in [0, 1].

    A kernel value is off by (d + 14) u (`constants`), a mean over S x S by 2 m + 2 roundings more;
    the mean over G by `mean_roundings`, or by a kernel value and `enumeration_roundings`.
    """
    value = x[0].size + 14
    if closed_form(action):
        over_group = mean_roundings(action, x.shape)
    else:
        over_group = value + enumeration_roundings(action.group, x, len(x))
    return gamma(value + 2 * S.m + 2 + over_group + 2)


def _require_invariant(kernel: Any, action: Any, S: Any, x: Floats) -> str:
    """What the action leaving the kernel invariant rests on, or an `ArgumentError`."""
    if not isinstance(kernel, GaussianKernel):
        raise ArgumentError(f"kernel={shorten(kernel)} is not a GaussianKernel.")
    require_sample(S)
    answer = invariance_on(kernel, check_action(action), action.rows(S), x)
    if not answer:
        raise ArgumentError(f"action does not leave the kernel invariant: {answer.reason}.")
    return answer.condition


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
