"""What a kernel is here: Gram matrices, a bound for point evaluation, invariance, group means.

Whether an action leaves a kernel as it is: the sufficient condition of remark "Invariant kernels".

For g.x = Q x + a with Q orthogonal, a component exp(-t' Lambda^-1 t / 2) cos(omega' t) is kept if
Q Lambda Q' = Lambda and Q' omega = +-omega. If that holds for generators, it holds for products.

Both are compared on the scale of the kernel, whatever the units of each coordinate. With Lambda = R R',
t = R u and W = R^-1 Q R the moved component is exp(-|W u|^2 / 2) cos((R' Q' omega)' u). So if
||W' W - 1|| <= eps and |R' (Q' omega -+ omega)| <= eps, then kernel values change by at most
    eps |u|^2 / 2 exp(-(1 - eps) |u|^2 / 2) + eps |u| exp(-|u|^2 / 2)  <  1.1 eps.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular

from sparseaug.actions import Action
from sparseaug.actions.base import Kind
from sparseaug.errors import ArgumentError
from sparseaug.kernels.arrays import Floats, check_shape, move


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
