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

from sparseaug.theory._arguments import group_size, positive, probability
from sparseaug.theory._interval import Interval, log_ratio
from sparseaug.theory._rounding import ceiling, exp_above, smallest_above


def sharp_deviation_bound(m: int, dimension_sum: int, delta: float) -> float:
    """The deviation of m uniform draws, with probability at least 1 - delta.

        min{1, (l/3 + sqrt(l^2/9 + 2 m l)) / m},  l = log(2D/delta)

    the positive root of m tau^2 / 2 = l (1 + tau/3). Rounded up to the next float.

    Args:
        m: number of elements drawn
        dimension_sum: D, the sum of d_pi over the non-trivial irreps, or an upper bound of it
        delta: how often the bound may fail, between 0 and 1

    Examples:
        >>> round(sharp_deviation_bound(64, 75, 0.05), 3)  # S_6: 76 involutions, less one
        0.544
    """
    m = group_size("m", m)
    total = group_size("dimension_sum", dimension_sum, at_least=0)
    bound = probability("delta", delta)
    return smallest_above(lambda bits: _enclose(m, total, bound, bits))


def sharp_deviation_sample_size(deviation: float, dimension_sum: int, delta: float) -> int:
    """The smallest m whose `sharp_deviation_bound` is at most `deviation`.

        m >= 2 (1 + tau/3) / tau^2 log(2D/delta),  and m = 1 for tau >= 1 or D = 0

    Args:
        deviation: tau, the deviation to reach
        dimension_sum: D, the sum of d_pi over the non-trivial irreps, or an upper bound of it
        delta: how often the bound may fail, between 0 and 1

    Examples:
        >>> sharp_deviation_sample_size(0.5, 75, 0.05)
        75
    """
    target = positive("deviation", deviation)
    total = group_size("dimension_sum", dimension_sum, at_least=0)
    return smallest_sharp_sample(target, total, probability("delta", delta))


def sharp_sample_size(eps: float, delta: float, dimension_sum: int, C: float, B: float) -> int:
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
        >>> sharp_sample_size(0.1, 0.05, 75, 1.0, 2.0)
        25834
    """
    target = positive("eps", eps)
    share = probability("delta", delta)
    total = group_size("dimension_sum", dimension_sum, at_least=0)
    return smallest_sharp_sample(target / (2 * positive("C", C) * positive("B", B)), total, share)


def sharp_failure_probability(m: int, dimension_sum: int, deviation: float) -> float:
    """The smallest delta for which `sharp_deviation_bound` is at most `deviation`.

        min{1, 2 D exp(-m tau^2 / (2 (1 + tau/3)))},  and 0 for tau >= 1 or D = 0

    Args:
        m: number of elements drawn
        dimension_sum: D, the sum of d_pi over the non-trivial irreps, or an upper bound of it
        deviation: tau, the deviation not to exceed

    Examples:
        >>> sharp_failure_probability(64, 75, 0.55) < 0.05
        True
    """
    m = group_size("m", m)
    total = group_size("dimension_sum", dimension_sum, at_least=0)
    tau = positive("deviation", deviation)
    if total == 0 or tau >= 1:
        return 0.0
    exponent = m * tau**2 / (2 * (1 + tau / 3))
    return exp_above(lambda bits: log_ratio(2 * total, 1, bits) + -exponent)


def smallest_sharp_sample(target: Fraction, dimension_sum: int, delta: Fraction) -> int:
    """The smallest m whose bound, as a real number, is at most the rational target."""
    if dimension_sum == 0 or target >= 1:
        return 1
    factor = 2 * (1 + target / 3) / target**2
    return ceiling(lambda bits: _log_term(dimension_sum, delta, bits) * factor)


def _enclose(m: int, dimension_sum: int, delta: Fraction, bits: int) -> Interval:
    if dimension_sum == 0:
        return Interval.point(0)
    m = min(m, 1 << 4096)  # the bound is below the smallest float already
    log = _log_term(dimension_sum, delta, bits)
    third = log * Fraction(1, 3)
    root = (third * third + log * (2 * m)).sqrt(bits)
    return ((third + root) * Fraction(1, m)).at_most(1)


def _log_term(dimension_sum: int, delta: Fraction, bits: int) -> Interval:
    return log_ratio(2 * dimension_sum * delta.denominator, delta.numerator, bits)
