"""The gradient's error without log|G|, for one kernel and data that are fixed before S is drawn.

Let k be an invariant scalar kernel with k(x, x) <= C^2, phi(x) = k(., x), mu(x) its mean over G, and

    v_i = k(x_i, x_i) - |mu(x_i)|^2 <= C^2,   v = mean_i v_i.

For a draw g the vector Z = (phi(g x_i) - mu(x_i))_i, in H^n with the inner product averaged over
i, has mean 0 and the same length sqrt(v) for every g: <phi(g x), mu(x)> is |mu(x)|^2, as mu(x) is
invariant. Then

    P(|mean_j Z_j| >= r) <= 2 exp(-m r^2 / (2 v)).

Proof (Pinelis 1994, for a constant length). |x + Z|^2 = |x|^2 + v + 2 <x, Z>, of which cosh(l
sqrt(.)) is a convex function, with <x, Z> in [-|x| sqrt(v), |x| sqrt(v)] and of mean 0: so its
mean is at most that of the two ends,

    E cosh(l |x + Z|) <= (cosh(l (|x| + sqrt v)) + cosh(l (|x| - sqrt v))) / 2
                       = cosh(l |x|) cosh(l sqrt v).

After m draws E cosh(l |sum Z_j|) <= cosh(l sqrt v)^m <= exp(m l^2 v / 2). Markov's inequality with
l = r / v, and cosh >= exp / 2.

For gradient functions h_i in H (or in H^p), grad R^S - grad R^G = mean_i <h_i, mean_j Z_j,i> is
for all theta at once, iterates that depend on S among them, at most B_2 |mean_j Z_j|, B_2 =
sqrt(mean_i |h_i|^2). With the paper's B, the mean of |h_i|, the largest of n vectors counts: a
union bound, log(2n/delta), and max_i v_i. Any compact group with Haar measure will do. What log|G|
still buys: every kernel and all data at once, also those chosen after S, and the operator norm.

For a diagonal kernel with p outputs, Z holds B_{2,r} Z_r for each of them and has the length
sqrt(sum_r B_{2,r}^2 v_r), which stands for B_2 sqrt(v), with B_{2,r} fixed before S.

For independent draws of any distribution that is no group's, lengths vary, and with |phi| <= C

    E |mean Z| <= C / sqrt(m),

and one draw changes |mean Z| by at most 2 C / m, or by sqrt(2) C / m where no value of k is negative,
so that McDiarmid's inequality adds C sqrt(2 log(1/delta) / m), or C sqrt(log(1/delta) / m).

Means of kernels: Smale and Zhou 2007, Tolstikhin et al. 2017, Wolfer and Alquier 2025. Uniform
gradients: Foster, Sekhari and Sridharan 2018.
"""

from __future__ import annotations

from fractions import Fraction

from sparseaug._checks import check_flag
from sparseaug.theory._interval import Interval, ceiling, log_ratio, rounded_up
from sparseaug.theory._letters import check_count, letters, not_negative

__all__ = [
    "dimension_free_gradient_bound",
    "dimension_free_sample_size",
    "distribution_gradient_bound",
    "mean_square_gradient_error",
]


def dimension_free_gradient_bound(
    m: int, delta: float, *, C: float, B: float, n: int | None = None, v: float | None = None
) -> float:
    """The gradient's error at all parameters at once, with probability at least 1 - delta.

        B sqrt(v) min{1, sqrt(2 log(2/delta) / m)}              B = B_2, the root mean square norm
        B sqrt(v) min{1, sqrt(2 log(2 n/delta) / m)}            B = the paper's, the mean norm

    For one invariant kernel and data that do not depend on the draw of S. Rounded up.

    Args:
        m: number of elements drawn
        delta: how often the bound may fail, between 0 and 1
        C: bound of point evaluation, k(x, x) <= C^2
        B: bound on the root mean square of the norms of the gradient functions; with `n` on their
            mean
        n: number of samples, if B bounds the mean
        v: mean_i v_i where it is known, and with `n` the largest v_i; C^2 by default. Not an
            estimate from S

    Examples:
        >>> from sparseaug.theory import dimension_free_gradient_bound, gradient_bound
        >>> round(dimension_free_gradient_bound(64, 0.05, C=1.0, B=2.0), 3)
        0.679
        >>> round(dimension_free_gradient_bound(64, 0.05, C=1.0, B=2.0, n=100), 3)
        1.018
        >>> round(gradient_bound(64, order=720, delta=0.05, C=1.0, B=2.0), 3)
        1.308
    """
    m, chance, norm, root, count = _given(m=m, delta=delta, C=C, B=B, n=n, v=v)
    factor = (_log_term(count, chance) * Fraction(2, m)).sqrt().at_most(1)
    return rounded_up(factor * root * norm)


def dimension_free_sample_size(
    eps: float, delta: float, *, C: float, B: float, n: int | None = None, v: float | None = None
) -> int:
    """The smallest m for which that error is at most eps/2.

        m >= 8 v B^2 log(2/delta) / eps^2,  with n: log(2 n/delta);  m = 1 for eps >= 2 B sqrt(v)

    Args:
        eps: gradient norm to reach
        delta: how often the bound may fail, between 0 and 1
        C: bound of point evaluation, k(x, x) <= C^2
        B: bound on the root mean square of the norms of the gradient functions; with `n` on their
            mean
        n: number of samples, if B bounds the mean
        v: mean_i v_i where it is known, and with `n` the largest v_i; C^2 by default

    Examples:
        >>> from sparseaug.theory import dimension_free_sample_size, sample_size
        >>> dimension_free_sample_size(0.1, 0.05, C=1.0, B=2.0)
        11805
        >>> sample_size(0.1, 0.05, order=720, C=1.0, B=2.0)
        43811
    """
    target = letters(eps=eps)[0]
    _, chance, norm, _, count = _given(m=1, delta=delta, C=C, B=B, n=n, v=v)
    square = _variance(C, v) * norm**2
    if target**2 >= 4 * square:
        return 1
    return max(1, ceiling(_log_term(count, chance) * (8 * square / target**2)))


def mean_square_gradient_error(m: int, *, C: float, B: float, v: float | None = None) -> float:
    """The root of the mean square, over the draw of S, of the largest error over all parameters.

        sqrt(E sup_theta |grad R^S - grad R^G|^2) <= B_2 sqrt(v / m)

    Draws with the same mean square may be correlated: m = 2^c subproducts of c draws have it too.
        Rounded up.

    Args:
        m: number of elements drawn
        C: bound of point evaluation
        B: bound on the root mean square of the norms of the gradient functions
        v: mean_i v_i where it is known; C^2 by default

    Examples:
        >>> from sparseaug.theory import mean_square_gradient_error
        >>> mean_square_gradient_error(64, C=1.0, B=2.0)
        0.25
    """
    count, norm = letters(m=m, B=B)
    return rounded_up(Interval.point(_variance(C, v) / count).sqrt() * norm)


def distribution_gradient_bound(
    m: int, delta: float, *, C: float, B: float, nonnegative: bool = False
) -> float:
    """The same for independent draws of a distribution that need be no group's.

        B_2 C (1 + sqrt(2 log(1/delta))) / sqrt(m),   for k >= 0:  B_2 C (1 + sqrt(log(1/delta))) /
        sqrt(m)

    Never above 2 B_2 C, or sqrt(2) B_2 C: two means of vectors of length C. Rounded up.

    Args:
        m: number of elements drawn
        delta: how often the bound may fail, between 0 and 1
        C: bound of point evaluation, k(x, x) <= C^2
        B: bound on the root mean square of the norms of the gradient functions
        nonnegative: whether the kernel has no negative values, as a Gaussian

    Examples:
        >>> from sparseaug.theory import distribution_gradient_bound
        >>> round(distribution_gradient_bound(64, 0.05, C=1.0, B=2.0), 3)
        0.862
    """
    count, chance, bound, norm = letters(m=m, delta=delta, C=C, B=B)
    share = 1 if check_flag("nonnegative", nonnegative) else 2
    spread = (log_ratio(chance.denominator, chance.numerator) * share).sqrt() + Fraction(1)
    error = spread * Interval.point(Fraction(1, count)).sqrt()
    cap = Interval.point(2 * share).sqrt()  # sqrt(2) or 2
    return rounded_up(error.at_most(cap.high) * bound * norm)


def _given(
    *, m: int, delta: float, C: float, B: float, n: int | None, v: float | None
) -> tuple[int, Fraction, Fraction, Interval, int]:
    """m, delta, B, sqrt(v) and the number of vectors in the union bound."""
    count, chance, norm = letters(m=m, delta=delta, B=B)
    vectors = 1 if n is None else check_count("n", n)
    return count, chance, norm, Interval.point(_variance(C, v)).sqrt(), vectors


def _variance(C: float, v: float | None) -> Fraction:
    """v, at most C^2."""
    largest = letters(C=C)[0] ** 2
    return largest if v is None else min(largest, not_negative("v", v))


def _log_term(vectors: int, delta: Fraction) -> Interval:
    return log_ratio(2 * vectors * delta.denominator, delta.numerator)
