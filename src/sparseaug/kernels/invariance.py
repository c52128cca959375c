"""Whether an action leaves a kernel as it is: the sufficient condition of remark "Invariant kernels".

For g.x = Q x + a with Q orthogonal, a component exp(-z' Lambda^-1 z / 2) cos(omega' z) is kept if
Q Lambda Q' = Lambda and Q' omega = +-omega. If that holds for generators, it holds for products.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sparseaug.actions import Action
from sparseaug.actions.combine import ProductAction
from sparseaug.actions.linear import FlipSigns, SignedPermute
from sparseaug.actions.permute import PermuteAxis, PermuteNodes, Roll, RotateGrid
from sparseaug.errors import ArgumentError, check_integer
from sparseaug.kernels.arrays import Floats

TOLERANCE = 1e-9
"""Relative size of what counts as equal: far above rounding, far below a wrong matrix."""

LARGEST = 4096
"""Entries of a sample up to which the matrices Q are written out (0.13 GB a generator)."""


@dataclass(frozen=True)
class Invariance:
    """Whether the condition holds (this is the truth value), and if not, what breaks it.

    output, component  of the spectral mixture, counted from 0; None where none is to blame
    generator          the row of the group element that shows it
    """

    holds: bool
    reason: str
    output: int | None = None
    component: int | None = None
    generator: tuple[int, ...] | None = None

    def __bool__(self) -> bool:
        return self.holds

    def to_dict(self) -> dict[str, Any]:
        """All fields as JSON data."""
        return asdict(self)


def moves_entries(action: Action) -> bool:
    """Whether it only permutes entries and changes signs: an isometry of samples of any shape."""
    if isinstance(action, ProductAction):
        return moves_entries(action.first) and moves_entries(action.second)
    exact = PermuteAxis | PermuteNodes | Roll | RotateGrid | FlipSigns | SignedPermute
    return isinstance(action, exact)


def isometry(action: Action, shape: tuple[int, ...]) -> tuple[Invariance, Floats]:
    """Whether each generator is x -> Q x + a with Q orthogonal, and the matrices Q (k, d, d).

    Q is read off the images of 0 and of the unit vectors; that nothing else goes on is then tested
    on eight random points, which suffices for every action of this library but a user's function.
    """
    shape = tuple(check_integer("shape", entry, at_least=1) for entry in shape)
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
    return Invariance(True, "every generator is a Euclidean isometry"), matrices


def kept_components(
    action: Action, matrices: Floats, bandwidths: Sequence[Floats], frequencies: Sequence[Floats]
) -> Invariance:
    """Whether Q Lambda Q' = Lambda and Q' omega = +-omega for all generators and components."""
    for row, Q in zip(action.group.generators(), matrices, strict=True):
        generator = tuple(int(entry) for entry in row)
        for r, (lambdas, omegas) in enumerate(zip(bandwidths, frequencies, strict=True)):
            for a, (bandwidth, omega) in enumerate(zip(lambdas, omegas, strict=True)):
                where = f"of output {r}, component {a}"
                if not _equal(Q @ bandwidth @ Q.T, bandwidth):
                    reason = f"Q Lambda Q' differs from Lambda {where}"
                    return Invariance(False, reason, r, a, generator)
                turned = Q.T @ omega
                if not (_equal(turned, omega) or _equal(turned, -omega)):
                    reason = f"Q' omega is neither omega nor -omega {where}"
                    return Invariance(False, reason, r, a, generator)
    return Invariance(True, "every generator keeps every bandwidth matrix and frequency")


def _images(action: Action, rows: Any, points: Floats, shape: tuple[int, ...]) -> Floats:
    """Points (n, d) moved by every row, as (k, n, d)."""
    moved = np.asarray(action(rows, points.reshape(len(points), *shape)), np.float64)
    return moved.reshape(len(rows), len(points), -1)


def _equal(left: Floats, right: Floats) -> bool:
    return bool(abs(left - right).max() <= TOLERANCE * abs(right).max())
