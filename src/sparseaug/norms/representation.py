"""The norm of D_S in one given linear action: only the irreps that occur in it count."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from sparseaug._checks import Progress, check_shape, require_work, silent
from sparseaug._floats import UNIT, gamma, up
from sparseaug.actions import Action
from sparseaug.actions.linear import are_signed_permutations
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Rows
from sparseaug.norms.norm import Norm
from sparseaug.norms.verified import norm_lower, norm_upper
from sparseaug.sampling import GroupSample
from sparseaug.sampling.keys import keyed_rng

Matrix = NDArray[np.float64]

TOLERANCE = 1e-8
"""How far from orthogonal, and from linear, the given action may be."""

_CHUNK = 1 << 24  # matrix entries made at a time


def action_norm(
    S: GroupSample, action: Action, shape: tuple[int, ...], *, progress: Progress = silent
) -> Norm:
    """||D_S|| for an orthogonal linear action on samples of this shape, such as (6,), (8, 8).

    For actions that move entries and change signs the law of an action is checked for the generators,
    exactly, and the bound is rigorous. How far other matrices are from a true representation cannot be
    known from them, nor what a user's function does to elements and data it was not tried on: there
    the law is checked to 1e-8, and the bound is an estimate.

    Examples:
        >>> import sparseaug as sa
        >>> from sparseaug.norms.representation import action_norm
        >>> S = sa.Oracle(sa.symmetric(6), seed=0).draw(64)
        >>> norm = action_norm(S, sa.permute_axis(S.group), (6,))
        >>> round(norm.lower, 3), round(norm.upper, 3)
        (0.2, 0.2)
    """
    shape = check_shape(shape)
    dimension = math.prod(shape)
    remedy = "give one channel or a smaller image"
    require_work("entries of a sample", dimension, f"shape={shorten(shape)}", remedy=remedy)
    block = f"{type(action).__name__} on {shape}"
    if S.group.order == 1:
        return Norm(0.0, 0.0, block)
    total, defect, exact = _sum(action, action.rows(S), shape, progress)
    mean = total / S.m
    fixed, fixed_error, fixed_exact = _invariants(action, shape)
    exact = exact and fixed_exact
    # Exact parts: a quotient, a projection of correctly rounded entries, a difference. Others: the
    # sum of m matrices in any order as well. All relative to norms of at most sqrt(dimension).
    roundings = 3 if exact else S.m + 3
    error = 2.0 * gamma(roundings) * math.sqrt(dimension) * (1.0 + TOLERANCE) + defect + fixed_error
    difference, error = mean - fixed, up(error * 1.01)
    upper = min(norm_upper(difference, error), 1.0)
    _require_law(action, action.rows(S), shape, exact=exact)
    proved = exact and action.kind in ("entries", "signs")
    return Norm(upper, min(norm_lower(difference, error), upper), block, 0.0 if proved else None)


def _require_law(action: Action, rows: Rows, shape: tuple[int, ...], *, exact: bool) -> None:
    """M(a b) = M(a) M(b) for generators a and b in S or a generator: exact for signed permutations."""
    group, size = action.group, math.prod(shape)
    numbers = np.arange(1.0, size + 1.0)  # tell every entry and sign apart
    x = (numbers if exact else keyed_rng(0, "law").standard_normal(size)).reshape(1, *shape)
    generators = group.generators()
    others = np.unique(np.concatenate([rows, generators]), axis=0)
    moved = np.asarray(action(others, x))[:, 0]
    for a in generators[:, None]:
        both = np.asarray(action(group._compose(a, others), x))[:, 0]
        off = abs(np.asarray(action(a, moved))[0] - both).max()
        if not off <= (0.0 if exact else TOLERANCE * size):
            raise ArgumentError(f"the action is no left action of {group.name}; see check_action.")


def _sum(
    action: Action, rows: Rows, shape: tuple[int, ...], progress: Progress = silent
) -> tuple[Matrix, float, bool]:
    """sum_j M(g_j); the largest ||M^T M - 1||; whether all are signed permutation matrices."""
    dimension = math.prod(shape)
    step = max(1, _CHUNK // dimension**2)
    total = np.zeros((dimension, dimension))
    defect, exact = 0.0, True
    for start in range(0, len(rows), step):
        matrices = _matrices(action, rows[start : start + step], shape)
        exact = exact and are_signed_permutations(matrices)
        if not exact:
            defect = max(defect, _defect(matrices, action))
        total += matrices.sum(axis=0)
        progress(min(start + step, len(rows)), len(rows))
    return total, defect, exact


def _matrices(action: Action, rows: Rows, shape: tuple[int, ...]) -> Matrix:
    """M(g) for each row: column i is what becomes of the i-th basis array."""
    dimension = math.prod(shape)
    moved = np.asarray(action(rows, np.eye(dimension).reshape(dimension, *shape)))
    if moved.shape != (len(rows), dimension, *shape):
        raise ArgumentError(f"the action does not keep shape={shape}; give one that does.")
    matrices = moved.reshape(len(rows), dimension, dimension).swapaxes(1, 2)
    x = keyed_rng(0, "linearity").standard_normal(dimension)
    image = np.asarray(action(rows, x.reshape(1, *shape))).reshape(len(rows), dimension)
    if not abs(image - matrices @ x).max() <= TOLERANCE * max(1.0, float(abs(x).max())) * dimension:
        raise ArgumentError("the action is not linear; give one that is.")
    return matrices


def _defect(matrices: Matrix, action: Action) -> float:
    """The largest Frobenius norm of M^T M - 1."""
    product = matrices.swapaxes(1, 2) @ matrices - np.eye(matrices.shape[1])
    defect = float(np.sqrt((product**2).sum(axis=(1, 2)).max()))
    if not defect <= TOLERANCE * matrices.shape[1]:
        raise ArgumentError(f"the action is not orthogonal, by {defect:.1e}; change the basis.")
    return defect


def _invariants(action: Action, shape: tuple[int, ...]) -> tuple[Matrix, float, bool]:
    """Pi_G, a bound on its error, and whether it has correctly rounded entries."""
    group = action.group
    dimension = math.prod(shape)
    generators = group.generators()
    if not len(generators):
        return np.eye(dimension), 0.0, True
    signed = [_signed_images(_matrices(action, a, shape)) for a in generators[:, None]]
    images = [image for image in signed if image is not None]
    if len(images) == len(signed):
        return _signed_orbit_means(np.concatenate(images)), 0.0, True
    matrices = _matrices(action, generators, shape)
    projection, error = _fixed_space(matrices, group.name)
    return projection, error + _defect(matrices, action), False


def _signed_images(matrix: Matrix) -> NDArray[np.int64] | None:
    """Where each e_i goes, target + size if the sign changes, (1, size); None for other maps."""
    if not are_signed_permutations(matrix):
        return None
    size = matrix.shape[1]
    return abs(matrix).argmax(axis=1) + size * (matrix.sum(axis=1) < 0)


def _signed_orbit_means(images: NDArray[np.int64]) -> Matrix:
    """The mean over orbits of signed points; 0 on an orbit that holds a point with both signs."""
    size = images.shape[1]
    points = np.arange(size)
    target, flips = images % size, images >= size  # e_i goes to sign e_target
    plus, minus = target + size * flips, target + size * ~flips
    sources = np.concatenate([np.tile(points, len(target)), np.tile(points + size, len(target))])
    targets = np.concatenate([plus.ravel(), minus.ravel()])
    entries = (np.ones(len(sources)), (sources, targets))
    edges = csr_array(entries, shape=(2 * size, 2 * size))
    label = connected_components(edges, directed=False)[1]
    together = (label[:size, None] == label[None, :size]).astype(np.float64)
    opposite = label[:size, None] == label[None, size:]
    count = together.sum(axis=1, keepdims=True) + opposite.sum(axis=1, keepdims=True)
    consistent = label[:size] != label[size:]
    return np.where(consistent[:, None], (together - opposite) / count, 0.0)


def _fixed_space(matrices: Matrix, name: str) -> tuple[Matrix, float]:
    """The projection onto the vectors that all generators fix, and a bound on its error.

    They are the kernel of L = sum_g (2 - M_g - M_g^T) >= 0. With V an orthonormal basis of the
    computed kernel, ||V V^T - P|| <= ||L V|| / gap (Davis and Kahan), gap the next eigenvalue; which
    eigenvalues are 0 is read off where none lies between 1e-9 and 1e-5.
    """
    size = matrices.shape[1]
    laplacian = 2.0 * len(matrices) * np.eye(size) - (matrices + matrices.swapaxes(1, 2)).sum(0)
    values, vectors = np.linalg.eigh(laplacian)
    kernel = values < 1e-9
    gap = float(values[~kernel].min(initial=1.0))
    if gap < 1e-5:
        message = f"action: generators of {name} nearly fix a vector (to {gap:.1e})"
        raise ArgumentError(f"{message}; give matrices of higher accuracy.")
    basis = vectors[:, kernel]
    rounding = 8.0 * gamma(size + 4 * len(matrices)) * len(matrices) * size
    residual = float(np.linalg.norm(laplacian @ basis)) + rounding
    orthonormal = float(np.linalg.norm(basis.T @ basis - np.eye(basis.shape[1])))
    orthonormal += size * size * UNIT
    return basis @ basis.T, 1.01 * (residual / gap + orthonormal + gamma(size) * size)
