"""The part of a function that varies over the orbits, u' = u - Pi_G u, bounded from S.

With D = Pi_S - Pi_G, which vanishes on invariant functions and maps to varying ones,

    <u, Pi_S u> = ||Pi_G u||^2 + <u', D u'>,   hence   ||u'||^2 <= (||u||^2 - <u, Pi_S u>) / (1 - ||D||),

since ||u||^2 = ||Pi_G u||^2 + ||u'||^2. That needs |S| inner products and no mean over G. It is never
more than (||u - Pi_S u|| / (1 - ||D||))^2, as u - Pi_S u = u' - D u'.
"""

from __future__ import annotations

import math

import numpy as np

from sparseaug._floats import SMALLEST, down, gamma, lifted, unit
from sparseaug.actions import Action
from sparseaug.kernels.arrays import Floats, flat, move
from sparseaug.kernels.gaussian import GaussianKernel
from sparseaug.kernels.group_means import block_length
from sparseaug.sampling import GroupSample

_NO_OVERFLOW = 300.0  # exp(2 * 300) is a float


def varying_data(
    kernel: GaussianKernel,
    action: Action,
    S: GroupSample,
    x: Floats,
    weights: Floats,
    deviation: float,
) -> float:
    """At least ||mu - Pi_G mu|| for mu = (1/n) sum_i w_i k(., x_i), by S of this deviation.

    Args:
        kernel: the Gaussian kernel; its width may be off by a rounding or two
        action: by isometries, of the data at least
        S: a sample
        x: samples (n, ...)
        weights: w, (n,)
        deviation: an upper bound of that of S; from 1 on, S is of no use, and ||mu|| is bounded

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> from sparseaug.kernels.variation import varying_data
        >>> S = sa.Oracle(sa.symmetric(6), seed=0).draw(64)
        >>> x = np.sort(np.random.default_rng(0).uniform(-1, 1, (8, 6)))
        >>> parts = sa.GaussianKernel(1.25), sa.permute_axis(S.group), S, x, np.ones(8)
        >>> round(varying_data(*parts, sa.deviation(S).value), 3), round(varying_data(*parts, 1.0), 3)
        (0.754, 0.883)
    """
    w, scale = unit(weights)
    n, d = len(x), x[0].size
    means = np.zeros((n, n))
    if deviation < 1:
        step = block_length(x, n)
        for start in range(0, S.m, step):
            moved = move(action, S.elements[start : start + step], x)
            means += kernel._gram(moved.reshape(-1, *x.shape[1:]), x).reshape(-1, n, n).sum(axis=0)
        means /= S.m
    still, turned = (float(w @ gram @ w) / n**2 for gram in (kernel._gram(x, x), means))
    # two values, the mean over S, two products with w, and the mean of |w|
    off = float(abs(w).mean()) ** 2 * gamma(2 * (d + 18) + S.m + 6 * n + 20)
    return lifted(scale * math.sqrt(_share(still, turned, off, deviation)), 12)


def varying_gradient(
    kernel: GaussianKernel,
    action: Action,
    S: GroupSample,
    centers: Floats,
    a: Floats,
    b: Floats,
    deviation: float,
) -> tuple[float, float]:
    """At least the norms of the varying parts of P and of Q, in their spaces (`gradient_norms`).

    P_r = b_r f phi_r (and a_r f phi_r) lies in the space of width sigma / sqrt(2), and Q_r = b_r phi_r
    (and a_r phi_r) in that of width sigma. A product f phi_r is sum_s c_s E_sr k'(., (z_s + z_r) / 2),
    with E_sr = exp(-|z_s - z_r|^2 / (4 sigma^2)) and the narrow kernel k', and

        |g (z_s + z_r) - (z_t + z_r)|^2 = |g z_s - z_t|^2 + |e|^2 + 2 <g z_s, e> - 2 <z_t, e>

    for e = g z_r - z_r. So <f phi_r, Pi_g f phi_r> is a product of three matrices of size R.

    Args:
        kernel: the Gaussian kernel
        action: by isometries everywhere, computed without rounding
        S: a sample
        centers: the R centres
        a: first half of theta (R,)
        b: second half of theta (R,)
        deviation: an upper bound of that of S; from 1 on, S is of no use

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> from sparseaug.kernels.variation import varying_gradient
        >>> S = sa.Oracle(sa.symmetric(6), seed=0).draw(64)
        >>> z = np.random.default_rng(0).uniform(-1, 1, (8, 6))
        >>> parts = sa.GaussianKernel(1.25), sa.permute_axis(S.group), S, z, np.ones(8), np.ones(8)
        >>> [round(norm, 2) for norm in varying_gradient(*parts, sa.deviation(S).value)]
        [11.62, 3.57]
        >>> [round(norm, 2) for norm in varying_gradient(*parts, 1.0)]
        [14.69, 4.0]
    """
    both, edge = unit(np.concatenate([a, b]))
    squares = both[: len(a)] ** 2 + both[len(a) :] ** 2
    c, size = unit(a * b)
    z, R = flat(centers), len(centers)
    d = z.shape[1]
    width = 4 * kernel.sigma**2
    # no exponent below is larger, in absolute value
    largest = float((z**2).sum(axis=1).max()) / kernel.sigma**2 * (1 + gamma(d + 4))
    E = GaussianKernel(kernel.sigma * math.sqrt(2))._gram(centers, centers)
    U = c[:, None] * E
    P, Q = float(squares @ (U * (E @ U)).sum(axis=0)), float(squares.sum())
    turned_P = turned_Q = 0.0
    if deviation < 1 and largest <= _NO_OVERFLOW:
        for row, count in zip(*S.counts(), strict=True):
            gz = flat(move(action, row[None], centers)[0])
            e = gz - z
            own = (e**2).sum(axis=1)
            K = GaussianKernel(kernel.sigma * math.sqrt(2))._gram(gz, z)
            left, right = U * np.exp(gz @ e.T * (-2 / width)), U * np.exp(z @ e.T * (2 / width))
            weighted = squares * np.exp(own * (-1 / width))
            turned_P += float(weighted @ (left * (K @ right)).sum(axis=0)) * float(count)
            turned_Q += float(squares @ np.exp(own * (-2 / width))) * float(count)
        turned_P, turned_Q = turned_P / S.m, turned_Q / S.m
    # Six factors with exponents up to `largest` = X, each off by X (d + 10) u and 8 u; as all of this is
    # below 1/2, exp of it is at most 1 + twice that. Then the sums over centres and S.
    far = 12 * math.ceil(min(largest, _NO_OVERFLOW)) * (d + 10)
    one = float(abs(c).sum())
    off_P = gamma(far + 3 * (d + 18) + 9 * R + S.m + 120) * Q * one**2
    off_Q = gamma(d + 18 + 3 * R + S.m + 20) * Q
    whole_P = math.sqrt(_share(P, turned_P, off_P, deviation)) * size
    lost = 2 * R * SMALLEST * math.sqrt(Q)  # of the products a b, and of this one
    return (
        lifted((whole_P + lost) * edge, 12),
        lifted(math.sqrt(_share(Q, turned_Q, off_Q, deviation)) * edge, 12),
    )


def _share(still: float, turned: float, off: float, deviation: float) -> float:
    """The square of the varying part from ||u||^2 and <u, Pi_S u>, whose difference is off by `off`."""
    whole = max(still, 0.0) + off
    if not deviation < 1:
        return whole
    return min(whole, lifted((max(still - turned, 0.0) + off) / down(1 - deviation), 8))
