"""Training on one fixed sample: thm:uniform-gradient-approximation, thm:main, and its corollary.

C bounds point evaluation, B the norm of the gradient functions, L the smoothness, and `gap` the
initial value less the infimum. The paper's displays leave out the min with 1 of thm:app-tw, on
which they rest; it is kept here, so no bound is above the paper's.
"""

from __future__ import annotations

import math

from sparseaug.theory._arguments import counted, group_size, not_negative, positive, probability
from sparseaug.theory._interval import Interval
from sparseaug.theory._rounding import smallest_above
from sparseaug.theory.deviation import enclose_deviation, smallest_sample


def gradient_bound(m: int, order: int, delta: float, *, C: float, B: float) -> float:
    """The gradient's error, at all parameters at once (thm:uniform-gradient-approximation).

        C B min{1, sqrt(8/(3m) log(2|G|/delta))}

    With probability at least 1 - delta over the draw of S. Rounded up.

    Args:
        m: number of elements drawn
        order: |G|, an integer of any size
        delta: how often the bound may fail, between 0 and 1
        C: bound of point evaluation
        B: bound on the norm of the gradient functions

    Examples:
        >>> round(gradient_bound(64, 720, 0.05, C=1.0, B=2.0), 3)
        1.308
    """
    m, order = group_size("m", m), group_size("order", order)
    bound = probability("delta", delta)
    factor = positive("C", C) * positive("B", B)
    return smallest_above(lambda bits: enclose_deviation(m, order, bound, bits) * factor)


def stationarity_bound(
    m: int, T: int, order: int, delta: float, C: float, B: float, L: float, gap: float
) -> float:
    """The norm of the full gradient at the best of T iterates of one-shot descent (thm:main).

        sqrt(2 L gap / T) + C B min{1, sqrt(8/(3m) log(2|G|/delta))}

    Steps are 1/L, the best iterate is the one with the smallest gradient on S, and the bound
    holds with probability at least 1 - delta over the draw of S. Rounded up.

    Args:
        m: number of elements drawn
        T: number of steps
        order: |G|, an integer of any size
        delta: how often the bound may fail, between 0 and 1
        C: bound of point evaluation
        B: bound on the norm of the gradient functions
        L: smoothness of the objective
        gap: initial value less the infimum, at least 0

    Examples:
        >>> round(stationarity_bound(64, 200, 720, 0.05, C=1.0, B=2.0, L=4.0, gap=1.0), 3)
        1.508
    """
    m, order = group_size("m", m), group_size("order", order)
    bound = probability("delta", delta)
    factor = positive("C", C) * positive("B", B)
    square = 2 * positive("L", L) * not_negative("gap", gap) / counted("T", T)

    def enclose(bits: int) -> Interval:
        error = enclose_deviation(m, order, bound, bits) * factor
        return Interval.point(square).sqrt(bits) + error

    return smallest_above(enclose)


def stationarity_given(
    deviation: float, T: int, *, C: float, B: float, L: float, gap: float
) -> float:
    """The same bound for a sample whose deviation is known to be at most `deviation`.

        sqrt(2 L gap / T) + C B tau

    It is as certain as tau: for an exact deviation there is no delta. Rounded up.

    Args:
        deviation: tau, an upper bound on the deviation of the sample
        T: number of steps
        C: bound of point evaluation
        B: bound on the norm of the gradient functions
        L: smoothness of the objective
        gap: initial value less the infimum, at least 0

    Examples:
        >>> round(stationarity_given(0.27, 200, C=1.0, B=2.0, L=4.0, gap=1.0), 3)
        0.74
    """
    error = not_negative("deviation", deviation) * positive("C", C) * positive("B", B)
    square = 2 * positive("L", L) * not_negative("gap", gap) / counted("T", T)
    return smallest_above(lambda bits: Interval.point(square).sqrt(bits) + error)


def sample_size(eps: float, delta: float, order: int, C: float, B: float) -> int:
    """The smallest m for which the sampling error is at most eps/2 (cor:app-main-complexity).

        m >= 32 C^2 B^2 / (3 eps^2) log(2|G|/delta),  and m = 1 for eps >= 2 C B or |G| = 1

    With `num_steps(eps, L, gap)` steps the gradient of the full objective is then at most eps.
    The inequality is decided between real numbers, so m satisfies it and m - 1 does not.

    Args:
        eps: gradient norm to reach
        delta: how often the bound may fail, between 0 and 1
        order: |G|, an integer of any size
        C: bound of point evaluation
        B: bound on the norm of the gradient functions

    Examples:
        >>> sample_size(0.1, 0.05, 720, 1.0, 2.0)
        43811
    """
    target, bound = positive("eps", eps), probability("delta", delta)
    order = group_size("order", order)
    return smallest_sample(target / (2 * positive("C", C) * positive("B", B)), order, bound)


def smallest_eps(m: int, order: int, delta: float, *, C: float, B: float) -> float:
    """The smallest eps for which `sample_size` is at most m.

        2 C B min{1, sqrt(8/(3m) log(2|G|/delta))}

    Args:
        m: number of elements drawn
        order: |G|, an integer of any size
        delta: how often the bound may fail, between 0 and 1
        C: bound of point evaluation
        B: bound on the norm of the gradient functions

    Examples:
        >>> round(smallest_eps(43811, 720, 0.05, C=1.0, B=2.0), 6)
        0.1
    """
    m, order = group_size("m", m), group_size("order", order)
    bound = probability("delta", delta)
    factor = 2 * positive("C", C) * positive("B", B)
    return smallest_above(lambda bits: enclose_deviation(m, order, bound, bits) * factor)


def num_steps(eps: float, L: float, gap: float) -> int:
    """The smallest T, at least 1, for which the descent error is at most eps/2.

        T >= 8 L gap / eps^2                                            (cor:app-main-complexity)

    Args:
        eps: gradient norm to reach
        L: smoothness of the objective
        gap: initial value less the infimum, at least 0

    Examples:
        >>> num_steps(0.5, 4.0, 1.0)
        128
    """
    target = positive("eps", eps)
    return max(1, math.ceil(8 * positive("L", L) * not_negative("gap", gap) / target**2))
