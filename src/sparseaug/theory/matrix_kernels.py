"""The gradient's error without log|G|, for a matrix-valued kernel that need not be diagonal.

Let K be an invariant kernel with values in R^(p x p), as in the paper, and K(x, x) <= C^2. K_x takes c
in R^p to K(., x) c, so that h(x) = K_x' h, and mu_x = Pi_G K_x is its mean over G. For a draw g the
operator Z = (K_{g x_i} - mu_{x_i})_i from R^p to H^n, with the inner product averaged over i, has mean
0 and

    Z' Z = W = mean_i (K(x_i, x_i) - mu_i' mu_i)       for every g,

as K_{g x} = U_g K_x and K_{g x}' mu_x = K_x' Pi_G K_x = mu_x' mu_x, as Pi_G U_g = Pi_G. Let v <= C^2 be
the largest eigenvalue of W. Then

    P(|mean_j Z_j| >= r) <= 8 p exp(-m r^2 / (2 (v + sqrt(v) r / 3)))       in operator norm.

Proof: the intrinsic matrix Bernstein inequality (Tropp 2015, Theorem 7.3.1; for operators Minsker 2017).
Each Z has the norm sqrt(v), E Z' Z = W, and E Z Z' has the trace of W and a norm of at most v. So the
variance is v, the intrinsic dimension of both blocks together is at most 2 tr W / v <= 2 p, and the
probability at most 4 times that times the exponential, from m r >= sqrt(m v) + sqrt(v) / 3 on; below,
the exponential is at least exp(-2/3), and 8 p times that above 1. It is for matrices; Z projected onto
subspaces of H^n of growing finite dimension tends to Z in norm, as R^p is finite-dimensional.

For gradient functions h_i in H, grad R^S - grad R^G = (mean_j Z_j)' h is at all theta at once at most
B_2 |mean_j Z_j|. With the paper's B, the mean of |h_i|, the largest of n operators counts: 8 p n. In
mean square |mean_j Z_j|^2 <= tr W / m <= p v / m, so that subproducts have p v in the place of v.

For a scalar kernel, p = 1, `dimension_free` is smaller.
"""

from __future__ import annotations

from sparseaug.theory._interval import Interval, rounded_up
from sparseaug.theory._letters import check_count, letters
from sparseaug.theory.dimension_free import _given, _variance
from sparseaug.theory.sharp import enclose_sharp, smallest_sharp_sample

__all__ = ["matrix_gradient_bound", "matrix_sample_size"]


def matrix_gradient_bound(
    m: int,
    delta: float,
    *,
    C: float,
    B: float,
    p: int,
    n: int | None = None,
    v: float | None = None,
) -> float:
    """The gradient's error at all parameters at once, for any matrix-valued invariant kernel.

        B sqrt(v) min{1, (l/3 + sqrt(l^2/9 + 2 m l)) / m},  l = log(8 p/delta), with n log(8 p n/delta)

    With probability at least 1 - delta, for kernel and data that do not depend on the draw of S. Rounded
    up.

    Args:
        m: number of elements drawn
        delta: how often the bound may fail, between 0 and 1
        C: bound of point evaluation, K(x, x) <= C^2
        B: bound on the root mean square of the norms of the gradient functions; with `n` on their
            mean
        p: rows of the kernel's values, one for each parameter
        n: number of samples, if B bounds the mean
        v: the largest eigenvalue of W where it is known, and with `n` the largest of all W_i; C^2 by
            default

    Examples:
        >>> from sparseaug.theory import dimension_free_gradient_bound, matrix_gradient_bound
        >>> round(matrix_gradient_bound(256, 0.05, C=1.0, B=2.0, p=320), 3)
        0.611
        >>> round(dimension_free_gradient_bound(256, 0.05, C=1.0, B=2.0), 3)    # a scalar kernel
        0.34
    """
    m, chance, norm, root, count = _given(m=m, delta=delta, C=C, B=B, n=n, v=v)
    operators = check_count("p", p) * count
    return rounded_up(enclose_sharp(m, 4 * operators, chance) * root * norm)


def matrix_sample_size(
    eps: float,
    delta: float,
    *,
    C: float,
    B: float,
    p: int,
    n: int | None = None,
    v: float | None = None,
) -> int:
    """The smallest m for which that error is at most eps/2.

        m >= 2 (1 + t/3) / t^2 log(8 p/delta),  t = eps / (2 B sqrt(v));  m = 1 for t >= 1

    Args:
        eps: gradient norm to reach
        delta: how often the bound may fail, between 0 and 1
        C: bound of point evaluation, K(x, x) <= C^2
        B: bound on the root mean square of the norms of the gradient functions; with `n` on their
            mean
        p: rows of the kernel's values, one for each parameter
        n: number of samples, if B bounds the mean
        v: the largest eigenvalue of W where it is known, and with `n` the largest of all W_i; C^2 by
            default

    Examples:
        >>> from sparseaug.theory import matrix_sample_size, sample_size
        >>> matrix_sample_size(0.1, 0.05, C=1.0, B=2.0, p=320)
        34989
        >>> sample_size(0.1, 0.05, order=720, C=1.0, B=2.0)
        43811
    """
    target = letters(eps=eps)[0]
    _, chance, norm, _, count = _given(m=1, delta=delta, C=C, B=B, n=n, v=v)
    operators = check_count("p", p) * count
    size = Interval.point(_variance(C, v)).sqrt().high * norm
    if not size:
        return 1
    return smallest_sharp_sample(target / (2 * size), 4 * operators, chance)
