"""How far S is from G on the data at hand: distances of embeddings in the RKHS of a kernel.

xi_i = (1/m) sum_j k(., g_j x_i) - E_g k(., g x_i) is what (Pi_S - Pi_G) h at x_i is the inner product
of h with. So ||xi_i|| <= ||Pi_S - Pi_G||, and mostly it is much less. As the kernel is invariant,
    <xi_i, xi_j> = mean over S x S of k(g x_i, g' x_j) - E_g k(g x_i, x_j).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from sparseaug._archive import fields_as_json
from sparseaug._floats import SMALLEST, gamma, unit
from sparseaug.actions import Action
from sparseaug.actions.base import require_action
from sparseaug.errors import ArgumentError
from sparseaug.kernels.arrays import Floats, check_samples, check_targets, freeze, move
from sparseaug.kernels.gaussian import GaussianKernel, check_gaussian
from sparseaug.kernels.group_means import MEMORY, closed_form, enumeration_roundings, mean_roundings
from sparseaug.kernels.invariance import invariance_on
from sparseaug.sampling import GroupSample
from sparseaug.sampling.sample import require_sample


@final
@dataclass(frozen=True, eq=False)
class Discrepancy:
    """Upper bounds of the distances between the S-average and the G-average of embedded data.

    Attributes:
        per_sample: ||xi_i|| for each sample
        pooled: ||(1/n) sum_i w_i xi_i||, with weights w_i = 1 unless others were given
        condition: what is assumed of an action that is not an isometry by construction; else empty

    For gradient functions h_i: ||grad R_S - grad R_G|| <= (1/n) sum_i ||xi_i|| ||h_i||.
    """

    per_sample: Floats
    pooled: float
    condition: str = ""

    @property
    def largest(self) -> float:
        """The largest ||xi_i||."""
        return float(self.per_sample.max())

    def to_dict(self) -> dict[str, Any]:
        """All fields as JSON data."""
        return fields_as_json(self)

    def __repr__(self) -> str:
        condition = f", if {self.condition}" if self.condition else ""
        return (
            f"Discrepancy(n={len(self.per_sample)}, largest={self.largest:.6g}, "
            f"pooled={self.pooled:.6g}{condition})"
        )


def kernel_discrepancy(
    kernel: GaussianKernel, action: Action, S: GroupSample, x: Any, *, weights: Any = None
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

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> from sparseaug.kernels import kernel_discrepancy
        >>> S = sa.Oracle(sa.symmetric(6), seed=0).draw(64)
        >>> x = np.sort(np.random.default_rng(0).uniform(-1, 1, (8, 6)))
        >>> found = kernel_discrepancy(sa.GaussianKernel(1.25), sa.permute_axis(S.group), S, x)
        >>> round(found.largest, 3), round(found.pooled, 3), round(sa.deviation(S).value, 3)
        (0.125, 0.096, 0.249)
    """
    check_gaussian(kernel)
    require_sample(S)
    require_action(action)
    x = check_samples("x", x)
    w = np.ones(len(x)) if weights is None else check_targets("weights", weights, len(x))
    answer = invariance_on(kernel, action, action.rows(S), x)
    if not answer:
        raise ArgumentError(f"action does not leave the kernel invariant: {answer.reason}.")
    products = _mean_over_pairs(kernel, move(action, S.elements, x))
    products -= kernel.group_mean(action, x, x)
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
    return Discrepancy(freeze(per_sample * more), pooled, answer.condition)


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


# Rounding. A kernel value is off by (d + 14) u (`constants`), and by 4 u more where its width is a
# rounded number, such as sigma / sqrt(2). Sums of products count their additions and multiplications,
# measured against the sum of absolute values; gamma(p) (1 + gamma(q)) <= gamma(p + q).
