"""B, L and the initial gap of the factorised kernel model f(x) = sum_r a_r b_r k(x, z_r).

Loss (f - y)^2 / 2, theta = (a, b), c = a b, phi_r = k(., z_r). The gradient function of sample i has
the components b_r (f - y_i) phi_r and a_r (f - y_i) phi_r. Upper bounds, rounded up; the derivations
are in docs/kernels.md. Assumed: exp is good to 4 units in the last place, as numpy's is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from sparseaug._archive import fields_as_json
from sparseaug._checks import check_real, check_type
from sparseaug._floats import SMALLEST, gamma, lifted, norm, unit
from sparseaug.kernels.arrays import (
    Floats,
    check_samples,
    check_targets,
    check_vector,
    flat,
    freeze,
)
from sparseaug.kernels.gaussian import GaussianKernel, check_gaussian
from sparseaug.kernels.moments import Moments

# Rounding. A kernel value exp(-e): the exponent is a sum of d squares, off by a relative (d + 6) u at
# most, the exponential by 8 u. As e exp(-e) < 1 the value is off by (d + 14) u, absolutely. A sum of
# products of three values and coefficients c, c' is off by a fraction of 3 (d + 14) u and of its
# 2 R + 8 additions and multiplications, measured against the sum of |c| |c'|, since values are <= 1.
# Before anything is squared, theta, c and y are divided by powers of two, which come out again: nothing
# overflows, and what underflows does not count. Products a_r b_r are off by `SMALLEST` more.


_ENTER_NARROW_SPACE = 1e30  # (4/3)^(d/2) above which no part of y phi goes into the narrow space


@final
@dataclass(frozen=True, eq=False)
class GradientNorms:
    """Upper bounds of ||h_i|| for every sample, and B, a bound of their mean (the paper's B_H).

    Attributes:
        per_sample: upper bounds of ||h_i||, (n,)
        B: upper bound of their mean
    """

    per_sample: Floats
    B: float

    @property
    def B_2(self) -> float:  # noqa: N802 - a letter of `sparseaug.theory.dimension_free`
        """Upper bound of the root mean square of the norms."""
        n = len(self.per_sample)
        return lifted(norm(self.per_sample) / math.sqrt(n), n + 8)

    def to_dict(self) -> dict[str, Any]:
        """All fields as JSON data."""
        return fields_as_json(self)

    def __repr__(self) -> str:
        return f"GradientNorms(n={len(self.per_sample)}, B={self.B:.6g})"


def gradient_norms(kernel: GaussianKernel, centers: Any, a: Any, b: Any, y: Any) -> GradientNorms:
    """Norms of the gradient functions at theta = (a, b), for targets y (n,).

    h = P - y Q with P_r = b_r f phi_r and Q_r = b_r phi_r (and the same with a_r). P lies in the
    space of width sigma / sqrt(2), Q in both that and the one of width sigma, and G acts unitarily
    on either, with C = 1. So for every t the value ||P - t y Q||_narrow + (1 - t) |y| ||Q||_wide
    serves as the norm in the paper's bound; the least over 0 <= t <= 1 is returned.

    Args:
        kernel: the Gaussian kernel
        centers: the R centres z_r
        a: first half of theta (R,)
        b: second half of theta (R,)
        y: targets (n,)

    Examples:
        >>> import numpy as np
        >>> import sparseaug as sa
        >>> from sparseaug.kernels import gradient_norms
        >>> z = np.random.default_rng(0).uniform(-1, 1, (5, 3))
        >>> gradient_norms(sa.GaussianKernel(1.25), z, np.ones(5), np.ones(5), [0.0, 1.0])
        GradientNorms(n=2, B=7.75846)
    """
    z = _check_model(kernel, centers)
    a, b = check_vector("a", a, len(z)), check_vector("b", b, len(z))
    y = check_targets("y", y)
    with np.errstate(over="ignore", invalid="ignore"):  # of a theta that diverged
        per_sample = _gradient_norms(kernel, z, a, b, y)
    per_sample = np.where(np.isnan(per_sample), math.inf, per_sample)
    return GradientNorms(freeze(per_sample), float(per_sample.mean()) * (1 + gamma(len(y) + 4)))


def _gradient_norms(kernel: GaussianKernel, z: Floats, a: Floats, b: Floats, y: Floats) -> Floats:
    theta, edge = unit(np.concatenate([a, b]))
    squares = theta[: len(a)] ** 2 + theta[len(a) :] ** 2
    q = float(squares.sum())
    c, scale = unit(a * b)
    scale = scale if c.any() else 0.0
    # f and y are in units of the larger of both, for each target
    top = np.ldexp(1.0, np.frexp(np.maximum(scale, abs(y)))[1] - 1)
    f, y = scale / top, y / top
    # inner products in the narrow space: <f phi_r, f phi_r> = sum_st c_s c_t E_sr E_tr E_st and
    # <f phi_r, phi_r> = sum_s c_s E_sr H_sr, with E = exp(-D / (4 sigma^2)), H = exp(-D / (8 sigma^2))
    E, H = GaussianKernel(kernel.sigma * math.sqrt(2))(z, z), GaussianKernel(2 * kernel.sigma)(z, z)
    U = c[:, None] * E
    PP = float(squares @ (U * (E @ U)).sum(axis=0))
    PQ = float(squares @ (U * H).sum(axis=0))
    log_size = flat(z).shape[1] / 2 * math.log(4 / 3)
    size = math.exp(log_size) if log_size < math.log(_ENTER_NARROW_SPACE) else math.inf
    share = _best_share(PP, PQ, q, size, f, y)
    inside = np.where(share > 0, share * abs(y), 0.0)
    root = 0.0 if math.isinf(size) else math.sqrt(size)
    error = gamma(3 * (flat(z).shape[1] + 14) + 4 * len(z) + 40)
    slack = error * q * (f * abs(c).sum() + root * inside) ** 2
    square = f**2 * PP - 2 * share * f * y * PQ + (inside * root) ** 2 * q
    bound = np.sqrt(np.maximum(square, 0) + slack) + (1 - share) * abs(y) * math.sqrt(q)
    lost = 2 * len(z) * SMALLEST * math.sqrt(q) * (((a != 0) & (b != 0)).any() | (y != 0))
    return np.asarray((bound * top + lost) * edge * (1 + gamma(len(z) + 40)))


def box_bound(kernel: GaussianKernel, centers: Any, y: Any, *, box: float) -> GradientNorms:
    """The largest `gradient_norms` over all a and b with entries in [-box, box].

    It is attained at a = box, b = -box if y >= 0 and b = box if y < 0: there every product of
    coefficients has the sign that adds up, for every t at once.

    Args:
        kernel: the Gaussian kernel
        centers: the R centres z_r
        y: targets (n,)
        box: w, the bound on every entry of a and b

    Examples:
        >>> import numpy as np
        >>> import sparseaug as sa
        >>> from sparseaug.kernels import box_bound
        >>> z = np.random.default_rng(0).uniform(-1, 1, (5, 3))
        >>> box_bound(sa.GaussianKernel(1.25), z, [1.0], box=3.0)
        GradientNorms(n=1, B=256.608)
    """
    z = _check_model(kernel, centers)
    edge = np.full(len(z), _check_box(box))
    return gradient_norms(kernel, z, edge, -edge, abs(check_targets("y", y)))


def smoothness_bound(kernel: GaussianKernel, centers: Any, y: Any, *, box: float) -> float:
    """L for the box: no Hessian of the risk, over any transformations of any data, is larger.

    L = 2 w^2 lambda_max(K) + w^2 sqrt(sum of K) + mean |y|, with K_rs = k(z_r, z_s).

    Args:
        kernel: the Gaussian kernel
        centers: the R centres z_r
        y: targets (n,)
        box: w, the bound on every entry of a and b

    Examples:
        >>> import numpy as np
        >>> import sparseaug as sa
        >>> from sparseaug.kernels import smoothness_bound
        >>> z = np.random.default_rng(0).uniform(-1, 1, (5, 3))
        >>> round(smoothness_bound(sa.GaussianKernel(1.25), z, [1.0], box=3.0), 2)
        80.83
    """
    z, w, y = _check_model(kernel, centers), _check_box(box), check_targets("y", y)
    K = kernel(z, z)
    error = gamma(flat(z).shape[1] + 14)
    total = math.sqrt(K.sum() * (1 + gamma(K.size)) + K.size * error)
    L = 2 * w**2 * _largest_eigenvalue(K, error) + w**2 * total + float(abs(y).mean())
    return lifted(L, len(y) + 20)


def smoothness_of_moments(moments: Moments, *, box: float) -> float:
    """L for the box and the one risk that has these moments: below `smoothness_bound`.

    L = 2 w^2 lambda_max(A) + w^2 max_r sum_s A_rs + max_r |v_r|.

    Args:
        moments: of the risk
        box: w, the bound on every entry of a and b
    """
    check_type("moments", moments, Moments, "of the class Moments; see full_moments")
    w = _check_box(box)
    R = len(moments.v)
    rows = float(moments.A.sum(axis=1).max()) * (1 + gamma(R)) + R * moments.error
    targets = float(abs(moments.v).max()) + moments.error * math.sqrt(moments.s)
    L = 2 * w**2 * _largest_eigenvalue(moments.A, moments.error) + w**2 * rows + targets
    return lifted(L, 20)


def initial_gap(kernel: GaussianKernel, centers: Any, y: Any, a: Any, b: Any) -> float:
    """A bound of R(theta_0) - inf R for every S and every action on any data: ass:initial-gap.

    mean (sqrt(c' K c) + |y|)^2 / 2 with K_rs = k(z_r, z_s) and c = a b, rounded up: no risk is negative,
    and |f(x)| = |<f, k(x, .)>| <= sqrt(c' K c) at every x, as k(x, x) = 1.

    Args:
        kernel: the Gaussian kernel
        centers: the R centres z_r
        y: targets (n,)
        a: first half of theta_0 (R,)
        b: second half of theta_0 (R,)

    Examples:
        >>> import numpy as np
        >>> import sparseaug as sa
        >>> from sparseaug.kernels import initial_gap
        >>> z = np.random.default_rng(0).uniform(-1, 1, (5, 3))
        >>> round(initial_gap(sa.GaussianKernel(1.25), z, [0.0, 1.0], np.ones(5), np.ones(5)), 3)
        8.464
    """
    z = _check_model(kernel, centers)
    a, b = check_vector("a", a, len(z)), check_vector("b", b, len(z))
    y = check_targets("y", y)
    error = gamma(flat(z).shape[1] + 14) + gamma(2 * len(z) + 8)
    with np.errstate(over="ignore", invalid="ignore"):  # of a theta that diverged
        c = a * b
        size = float(abs(c).sum())
        square = (
            max(0.0, float(c @ kernel(z, z) @ c)) + error * size * size
        )  # inf where c is too large
        gap = float(((math.sqrt(square) + abs(y)) ** 2).mean()) / 2
    return lifted(gap, len(y) + 20) if math.isfinite(gap) else math.inf


def _best_share(PP: float, PQ: float, q: float, size: float, f: Floats, y: Floats) -> Floats:
    """The t in [0, 1] that minimises sqrt(f^2 PP - 2 t f y PQ + t^2 y^2 q size) + (1 - t) |y| sqrt(q).

    For f = 1, at the minimum s = t y^2 q size - y PQ satisfies s^2 (size - 1) = PP q size - PQ^2 (times
    y^2). Any t gives a bound, so rounding here does no harm.
    """
    if not q or math.isinf(size):
        return np.zeros(len(y))
    excess = math.sqrt(max(0.0, PP * q * size - PQ * PQ) / (size - 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        share = f * (np.sign(y) * PQ + excess) / (abs(y) * q * size)
    return np.clip(np.nan_to_num(share, posinf=1.0, neginf=0.0), 0.0, 1.0)


def _largest_eigenvalue(K: Floats, error: float) -> float:
    """An upper bound for the symmetric matrix of which K >= 0 is a version off by `error` an entry.

    Collatz and Wielandt: lambda_max <= max_r (K p)_r / p_r for every p > 0. The solution of
    (mu - K) p = 1 is positive for mu > lambda_max, and gives at most mu.
    """
    mu = float(np.linalg.eigvalsh(K)[-1]) * (1 + 1e-10)
    p = np.linalg.solve(mu * np.eye(len(K)) - K, np.ones(len(K)))
    if not p.min() > 0:
        p = np.ones(len(K))
    return float((K @ p / p).max()) * (1 + gamma(len(K) + 2)) + len(K) * error


def _check_model(kernel: Any, centers: Any) -> Floats:
    check_gaussian(kernel)
    return check_samples("centers", centers)


def _check_box(box: float) -> float:
    return check_real("box", box, above=0, below=1e50)
