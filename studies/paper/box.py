"""What the theorems take over the whole box of theta: B, L, the gap, and how large the error is there.

thm:uniform-gradient-approximation bounds a supremum over theta. To say how loose it is takes a lower
bound of that supremum, and not the error at one iterate.
"""

from __future__ import annotations

import numpy as np

from sparseaug.certificate import Evidence
from sparseaug.kernels import box_bound, initial_gap, smoothness_bound
from sparseaug.kernels.arrays import Floats
from studies.paper.problem import Problem


def largest_norm(given: Problem, known: Evidence) -> float:
    """B of ass:gradient-rkhs."""
    model = given.model
    return box_bound(model.kernel, model.centers, given.train[1], box=given.config.box).B


def smoothness(given: Problem, known: Evidence) -> float:
    """L, for every S."""
    model = given.model
    return smoothness_bound(model.kernel, model.centers, given.train[1], box=given.config.box)


def gap(given: Problem, known: Evidence) -> float:
    """Delta of ass:initial-gap, for every S."""
    a, b = np.split(given.start, 2)
    return initial_gap(given.model.kernel, given.model.centers, given.train[1], a, b)


def largest_error(given: Problem, known: Evidence) -> float:
    """The largest ||grad R^S - grad R^G|| found at corners of the box: at most the supremum over it.

    With D = A_S - A_G, u = v_S - v_G and w the box, it is sqrt(2) w ||D c - u|| at a corner, where
    c = a b has the entries w^2 and -w^2. That is convex in c, so c <- w^2 sign(D (D c - u)) does not
    lower it; then single signs change as long as that helps. Starts are signs of eigenvectors of D.
    """
    sparse, full = known.sparse_risk.moments, known.full_risk.moments
    D, u, w = sparse.A - full.A, sparse.v - full.v, given.config.box
    _, vectors = np.linalg.eigh(D)
    starts = [*vectors.T[:_STARTS], *vectors.T[-_STARTS:]]
    ends = (_climb(D, u, sign * start, w**2) for start in starts for sign in (1, -1))
    return max(float(np.sqrt(2) * w * np.linalg.norm(D @ c - u)) for c in ends)


_STARTS = 8  # eigenvectors of either end of the spectrum
_GAIN = 1e-12  # relative, above what rounding alone makes


def _climb(D: Floats, u: Floats, start: Floats, top: float) -> Floats:
    """A local maximum of ||D c - u|| over c with entries top and -top."""
    squares, c = (D**2).sum(axis=0), np.where(start < 0, -top, top)
    while True:
        better = np.where(D @ (D @ c - u) < 0, -top, top)
        if np.linalg.norm(D @ better - u) <= np.linalg.norm(D @ c - u) * (1 + _GAIN):
            break
        c = better
    while True:
        rest = D @ c - u
        gains = 4 * top**2 * squares - 4 * c * (D @ rest)  # of the squared length, sign by sign
        best = int(gains.argmax())
        if gains[best] <= _GAIN * (rest @ rest):
            return c
        c[best] = -c[best]
