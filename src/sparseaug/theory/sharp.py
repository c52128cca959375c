"""A sharper bound on the deviation, from the same matrix Bernstein inequality (app:tw-bound).

For one non-trivial irrep pi, P(norm > tau) <= 2 d_pi exp(-m tau^2 / (2 (1 + tau/3))). The paper
rounds 1 + tau/3 up to 4/3 and, summing over irreps, d_pi up to d_pi^2, whose sum is below |G|.
Keeping both as they are, with D the sum of d_pi over the non-trivial irreps, tau solves

    2 D exp(-m tau^2 / (2 (1 + tau/3))) = delta.

`dimension_sum` is D throughout; `dimensions` has it for the usual families, and |G| - 1 is never
below it. D = 0 is the group of one element, whose deviation is 0.
"""

from __future__ import annotations

from fractions import Fraction

from sparseaug.theory._interval import Interval, ceiling, exp_above, log_ratio, rounded_up
from sparseaug.theory._letters import letters

__all__ = [
    "sharp_deviation_bound",
    "sharp_deviation_sample_size",
    "sharp_failure_probability",
    "sharp_sample_size",
]


def sharp_deviation_bound(m: int, *, dimension_sum: int, delta: float) -> float:
    """The deviation of m uniform draws, with probability at least 1 - delta.

        min{1, (l/3 + sqrt(l^2/9 + 2 m l)) / m},  l = log(2D/delta)

    the positive root of m tau^2 / 2 = l (1 + tau/3). Rounded up to the next float.

    Args:
        m: number of elements drawn
        dimension_sum: D, the sum of d_pi over the non-trivial irreps, or an upper bound of it
        delta: how often the bound may fail, between 0 and 1

    Examples:
        >>> from sparseaug.theory import sharp_deviation_bound
        >>> round(sharp_deviation_bound(64, dimension_sum=75, delta=0.05), 3)  # S_6
        0.544
    """
    return rounded_up(enclose_sharp(*letters(m=m, dimension_sum=dimension_sum, delta=delta)))


def sharp_deviation_sample_size(deviation: float, *, dimension_sum: int, delta: float) -> int:
    """The smallest m whose `sharp_deviation_bound` is at most `deviation`.

        m >= 2 (1 + tau/3) / tau^2 log(2D/delta),  and m = 1 for tau >= 1 or D = 0

    Args:
        deviation: tau, the deviation to reach
        dimension_sum: D, the sum of d_pi over the non-trivial irreps, or an upper bound of it
        delta: how often the bound may fail, between 0 and 1

    Examples:
        >>> from sparseaug.theory import sharp_deviation_sample_size
        >>> sharp_deviation_sample_size(0.5, dimension_sum=75, delta=0.05)
        75
    """
    given = letters(deviation=deviation, dimension_sum=dimension_sum, delta=delta)
    return smallest_sharp_sample(*given)


def sharp_sample_size(eps: float, delta: float, *, dimension_sum: int, C: float, B: float) -> int:
    """The smallest m with C B tau <= eps/2, tau the `sharp_deviation_bound` of m.

    It takes the place of `sample_size` in cor:app-main-complexity, whose proof uses nothing of
    the deviation but that.

    Args:
        eps: gradient norm to reach
        delta: how often the bound may fail, between 0 and 1
        dimension_sum: D, the sum of d_pi over the non-trivial irreps, or an upper bound of it
        C: bound of point evaluation
        B: bound on the norm of the gradient functions

    Examples:
        >>> from sparseaug.theory import sharp_sample_size
        >>> sharp_sample_size(0.1, 0.05, dimension_sum=75, C=1.0, B=2.0)
        25834
    """
    target, *rest = letters(eps=eps, dimension_sum=dimension_sum, delta=delta)
    scale, size = letters(C=C, B=B)
    return smallest_sharp_sample(target / (2 * scale * size), *rest)


def sharp_failure_probability(m: int, *, dimension_sum: int, deviation: float) -> float:
    """The smallest delta for which `sharp_deviation_bound` is at most `deviation`.

        min{1, 2 D exp(-m tau^2 / (2 (1 + tau/3)))},  and 0 for tau >= 1 or D = 0

    Args:
        m: number of elements drawn
        dimension_sum: D, the sum of d_pi over the non-trivial irreps, or an upper bound of it
        deviation: tau, the deviation not to exceed

    Examples:
        >>> from sparseaug.theory import sharp_failure_probability
        >>> round(sharp_failure_probability(64, dimension_sum=75, deviation=0.55), 3)
        0.042
    """
    m, total, tau = letters(m=m, dimension_sum=dimension_sum, deviation=deviation)
    if total == 0 or tau >= 1:
        return 0.0
    exponent = m * tau**2 / (2 * (1 + tau / 3))
    return exp_above(log_ratio(2 * total, 1) + -exponent)


def smallest_sharp_sample(target: Fraction, dimension_sum: int, delta: Fraction) -> int:
    """The smallest m whose bound, as a real number, is at most the rational target."""
    if dimension_sum == 0 or target >= 1:
        return 1
    return ceiling(_log_term(dimension_sum, delta) * (2 * (1 + target / 3) / target**2))


def enclose_sharp(m: int, dimension_sum: int, delta: Fraction) -> Interval:
    if dimension_sum == 0:
        return Interval.point(0)
    m = min(m, 1 << 4096)  # the bound is below the smallest float already
    log = _log_term(dimension_sum, delta)
    third = log * Fraction(1, 3)
    root = (third * third + log * (2 * m)).sqrt()
    return ((third + root) * Fraction(1, m)).at_most(1)


def _log_term(dimension_sum: int, delta: Fraction) -> Interval:
    return log_ratio(2 * dimension_sum * delta.denominator, delta.numerator)
