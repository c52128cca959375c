"""Moments instead of samples: A = mean phi phi', v = mean y phi, s = mean y^2, phi_r(x) = k(x, z_r).

The means go over data and transformations. Squared-loss risk and gradient of f = c' phi need only
these: R(c) = (c' A c - 2 c' v + s) / 2, and dR/dc = A c - v.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from sparseaug._archive import fields_as_json
from sparseaug._checks import check_integer
from sparseaug._floats import gamma
from sparseaug.actions import Action
from sparseaug.actions.base import require_action
from sparseaug.groups import Rows
from sparseaug.kernels.arrays import (
    Floats,
    check_samples,
    check_targets,
    check_vector,
    flat,
    freeze,
    move,
)
from sparseaug.kernels.gaussian import GaussianKernel, check_gaussian
from sparseaug.kernels.group_means import (
    block_length,
    closed_form,
    element_blocks,
    mean_roundings,
    require_small,
)
from sparseaug.sampling import GroupSample
from sparseaug.sampling.sample import require_sample

FEW = 1000
"""Elements up to which enumerating the group, one matrix product per block, beats closed forms."""

_PAIRS = 1 << 21  # second moments of a sample and two centres held at a time


@final
@dataclass(frozen=True, eq=False)
class Moments:
    """A = mean phi phi' (R, R), v = mean y phi (R,), s = mean y^2.

    `error` bounds the rounding of every entry of A, and, times sqrt(s), of every entry of v.

    Attributes:
        A: mean of phi phi', (R, R)
        v: mean of y phi, (R,)
        s: mean of y^2
        error: bound on the rounding of every entry of A and, times sqrt(s), of v
    """

    A: Floats
    v: Floats
    s: float
    error: float

    def risk(self, coefficients: Any) -> float:
        """Half the mean of (f - y)^2 for f = sum_r c_r k(., z_r)."""
        c = check_vector("coefficients", coefficients, len(self.v))
        with np.errstate(over="ignore", invalid="ignore"):  # of coefficients that diverge
            value = float(0.5 * (c @ self.A @ c - 2 * (c @ self.v) + self.s))
        return math.inf if math.isnan(value) else value

    def gradient(self, coefficients: Any) -> Floats:
        """A c - v, the derivative of `risk` by the coefficients c."""
        c = check_vector("coefficients", coefficients, len(self.v))
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(self.A @ c - self.v)

    def to_dict(self) -> dict[str, Any]:
        """All fields as JSON data."""
        return fields_as_json(self)

    def __repr__(self) -> str:
        return f"Moments(R={len(self.v)}, s={self.s:.6g})"


def full_moments(kernel: GaussianKernel, action: Action, x: Any, y: Any, centers: Any) -> Moments:
    """The moments over all of G, by closed forms where there are any and G has over `FEW` elements.

    Args:
        kernel: the Gaussian kernel
        action: how the group moves x
        x: samples (n, ...)
        y: targets (n,)
        centers: the R centres

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> x = np.linspace(-1, 1, 24).reshape(2, 12)
        >>> act = sa.permute_axis(sa.symmetric(12))            # 479,001,600 permutations
        >>> full = sa.kernels.full_moments(sa.kernels.GaussianKernel(1.25), act, x, [0.0, 1.0], x)
        >>> full.A.round(4)
        array([[0.1366, 0.0042],
               [0.0042, 0.1366]])
    """
    x, y, centers = _check_data(kernel, action, x, y, centers)
    if not closed_form(action) or action.group.order <= FEW:
        require_small(action.group)
        blocks = element_blocks(action.group, x, len(centers))
        return _accumulate(kernel, action, blocks, x, y, centers)
    mean = kernel.group_mean(action, x, centers)
    r, s = np.triu_indices(len(centers))
    A = np.empty((len(centers), len(centers)))
    step = max(1, _PAIRS // len(x))
    for start in range(0, len(r), step):
        i, j = r[start : start + step], s[start : start + step]
        narrow, factors, middle = kernel._product(centers[i], centers[j])
        A[i, j] = A[j, i] = narrow.group_mean(action, x, middle).mean(axis=0) * factors
    # A mean over the group, its factor, the mean over the data; and the middle of two centres is off
    # by u |z|, where a Gaussian of width sigma / sqrt(2) has slopes of at most 1 / sigma.
    middle_error = math.ceil(math.sqrt((flat(centers) ** 2).sum(axis=1).max()) / kernel.sigma)
    error = gamma(mean_roundings(action, x.shape) + 2 * x[0].size + len(x) + middle_error + 30)
    return Moments(freeze(A), freeze(mean.T @ y / len(x)), float(y @ y / len(x)), error)


def sample_moments(
    kernel: GaussianKernel,
    action: Action,
    S: GroupSample,
    x: Any,
    y: Any,
    centers: Any,
    *,
    block: int | None = None,
) -> Moments:
    """The same moments over the elements of S, with multiplicity, `block` elements at a time.

    Args:
        kernel: the Gaussian kernel
        action: how the group moves x
        S: the sample
        x: samples (n, ...)
        y: targets (n,)
        centers: the R centres
        block: elements that are in memory at once; chosen by size if None
    """
    x, y, centers = _check_data(kernel, action, x, y, centers)
    require_sample(S)
    rows = action.rows(S)
    if block is None:
        block = block_length(x, len(centers))
    step = check_integer("block", block, at_least=1)
    blocks = (rows[start : start + step] for start in range(0, S.m, step))
    return _accumulate(kernel, action, blocks, x, y, centers)


def _accumulate(
    kernel: GaussianKernel,
    action: Action,
    blocks: Iterable[Rows],
    x: Floats,
    y: Floats,
    centers: Floats,
) -> Moments:
    sizes, A, v = [], np.zeros((len(centers), len(centers))), np.zeros(len(centers))
    for rows in blocks:
        moved = move(action, rows, x).reshape(-1, *x.shape[1:])
        features = kernel._gram(moved, centers)
        A += features.T @ features
        v += np.tile(y, len(rows)) @ features
        sizes.append(len(moved))
    total = sum(sizes)
    # A kernel value is off by at most (d + 14) u (`constants`), a product of two by twice that; all
    # terms of A are >= 0 and at most 1, and those of v have absolute values with mean <= sqrt(s).
    error = gamma(max(sizes) + len(sizes) + 2 * (x[0].size + 14) + 4)
    return Moments(freeze(A / total), freeze(v / total), float(y @ y / len(x)), error)


def _check_data(
    kernel: Any, action: Any, x: Any, y: Any, centers: Any
) -> tuple[Floats, Floats, Floats]:
    check_gaussian(kernel)
    require_action(action)
    x = check_samples("x", x)
    return x, check_targets("y", y, len(x)), check_samples("centers", centers, like=x)
