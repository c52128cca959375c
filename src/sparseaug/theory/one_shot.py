"""One fixed sample of m uniform draws: how far it is from the whole group, and training on it.

The deviation of S is the operator norm of Pi_S - Pi_G. It never exceeds 1 (an average of
unitaries), it is 0 for the group of one element, and for any other group prop:spectral-approximation
and thm:app-tw bound it by min{1, sqrt(8/(3m) log(2|G|/delta))}. Here: that bound, its two inverses, the
floor, and what follows for descent: thm:uniform-gradient-approximation, thm:main, and its corollary.

C bounds point evaluation, B the norm of the gradient functions, L the smoothness, and `gap` the
initial value less the infimum. The paper's displays leave out the min with 1 of thm:app-tw, on
which they rest; it is kept here, so no bound is above the paper's.
"""

from __future__ import annotations

import math
from fractions import Fraction

from sparseaug.theory._interval import (
    Interval,
    ceiling,
    exp_above,
    log_ratio,
    rounded_down,
    rounded_up,
)
from sparseaug.theory._letters import letters, not_negative

__all__ = [
    "deviation_bound",
    "deviation_floor",
    "deviation_sample_size",
    "failure_probability",
    "gradient_bound",
    "num_steps",
    "sample_size",
    "smallest_eps",
    "stationarity_bound",
    "stationarity_given",
]


def deviation_bound(m: int, *, order: int, delta: float) -> float:
    """The deviation of m uniform draws, with probability at least 1 - delta (thm:app-tw).

        min{1, sqrt(8/(3m) log(2|G|/delta))}

    Rounded up, and no further than to the next float. `order` is |G|, an integer of any size.

    Args:
        m: number of elements drawn
        order: |G|, an integer of any size
        delta: how often the bound may fail, between 0 and 1

    Examples:
        >>> from sparseaug.theory import deviation_bound
        >>> round(deviation_bound(64, order=720, delta=0.05), 3)
        0.654
        >>> deviation_bound(16, order=720, delta=0.05)
        1.0
    """
    return rounded_up(enclose_deviation(*letters(m=m, order=order, delta=delta)))


def deviation_sample_size(deviation: float, *, order: int, delta: float) -> int:
    """The smallest m whose `deviation_bound` is at most `deviation`.

        m >= 8/(3 tau^2) log(2|G|/delta),  and m = 1 for tau >= 1 or |G| = 1

    The inequality is decided between real numbers, so m satisfies it and m - 1 does not.

    Args:
        deviation: tau, the deviation to reach
        order: |G|, an integer of any size
        delta: how often the bound may fail, between 0 and 1

    Examples:
        >>> from sparseaug.theory import deviation_bound, deviation_sample_size
        >>> deviation_sample_size(0.5, order=720, delta=0.05)
        110
        >>> [round(deviation_bound(m, order=720, delta=0.05), 4) for m in (110, 109)]
        [0.4989, 0.5012]
    """
    return smallest_sample(*letters(deviation=deviation, order=order, delta=delta))


def failure_probability(m: int, *, order: int, deviation: float) -> float:
    """The smallest delta for which `deviation_bound` is at most `deviation`.

        min{1, 2|G| exp(-3 m tau^2 / 8)},  and 0 for tau >= 1 or |G| = 1

    It bounds the probability that the deviation of m draws exceeds tau. Rounded up: the result
    is positive where the formula is, and 1.0 where the bound says nothing.

    Args:
        m: number of elements drawn
        order: |G|, an integer of any size
        deviation: tau, the deviation not to exceed

    Examples:
        >>> from sparseaug.theory import failure_probability
        >>> round(failure_probability(64, order=720, deviation=0.7), 4)
        0.0112
        >>> [failure_probability(64, order=720, deviation=tau) for tau in (0.3, 1.0)]
        [1.0, 0.0]
    """
    m, order, tau = letters(m=m, order=order, deviation=deviation)
    if order == 1 or tau >= 1:
        return 0.0
    return exp_above(log_ratio(2 * order, 1) + -(Fraction(3, 8) * m * tau**2))


def deviation_floor(m: int, *, order: int) -> float:
    """What no multiset of m elements can beat; rounded down.

        sqrt((|G|/m - 1) / (|G| - 1)),  and 0 for m >= |G|

    In the regular representation the squared Frobenius norm of Pi_S - Pi_G is
    |G| sum_g p_g^2 - 1, where p_g is the share of g in S. Shares are multiples of 1/m that sum
    to 1, so sum_g p_g^2 >= 1/m. The rank is at most |G| - 1, and the squared operator norm is at
    least the squared Frobenius norm over the rank.

    Args:
        m: number of elements of S, counted with multiplicity
        order: |G|, an integer of any size

    Examples:
        >>> from sparseaug.theory import deviation_floor
        >>> round(deviation_floor(64, order=720), 4)
        0.1194
        >>> deviation_floor(720, order=720)
        0.0
    """
    m, order = letters(m=m, order=order)
    order = min(order, 1 << 4096)  # it grows with |G|, beyond that by less than a float can show
    if m >= order:
        return 0.0
    return rounded_down(Interval.point(Fraction(order - m, m * (order - 1))).sqrt())


def enclose_deviation(m: int, order: int, delta: Fraction) -> Interval:
    """The bound of thm:app-tw before rounding, for the formulas it is a part of."""
    if order == 1:
        return Interval.point(0)
    return (_log_term(order, delta) * Fraction(8, 3 * m)).sqrt().at_most(1)


def smallest_sample(target: Fraction, order: int, delta: Fraction) -> int:
    """The smallest m with min{1, sqrt(8/(3m) log(2|G|/delta))} <= target."""
    if order == 1 or target >= 1:
        return 1
    return ceiling(_log_term(order, delta) * (Fraction(8, 3) / target**2))


def _log_term(order: int, delta: Fraction) -> Interval:
    return log_ratio(2 * order * delta.denominator, delta.numerator)


def enclose_descent(T: int, L: float, gap: float) -> Interval:
    """sqrt(2 L gap / T), the gradient at the best of T iterates, before rounding."""
    count, smoothness, start = letters(T=T, L=L, gap=gap)
    return Interval.point(2 * smoothness * start / count).sqrt()


def gradient_bound(m: int, *, order: int, delta: float, C: float, B: float) -> float:
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
        >>> from sparseaug.theory import gradient_bound
        >>> round(gradient_bound(64, order=720, delta=0.05, C=1.0, B=2.0), 3)
        1.308
    """
    *draw, scale, size = letters(m=m, order=order, delta=delta, C=C, B=B)
    return rounded_up(enclose_deviation(*draw) * (scale * size))


def stationarity_bound(
    m: int, *, T: int, order: int, delta: float, C: float, B: float, L: float, gap: float
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
        >>> from sparseaug.theory import stationarity_bound
        >>> round(stationarity_bound(64, T=200, order=720, delta=0.05, C=1.0, B=2.0, L=4.0, gap=1.0), 3)
        1.508
    """
    *draw, scale, size = letters(m=m, order=order, delta=delta, C=C, B=B)
    return rounded_up(enclose_descent(T, L, gap) + enclose_deviation(*draw) * (scale * size))


def stationarity_given(
    deviation: float, *, T: int, C: float, B: float, L: float, gap: float
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
        >>> from sparseaug.theory import stationarity_given
        >>> round(stationarity_given(0.27, T=200, C=1.0, B=2.0, L=4.0, gap=1.0), 3)
        0.74
    """
    scale, size = letters(C=C, B=B)
    error = not_negative("deviation", deviation) * scale * size
    return rounded_up(enclose_descent(T, L, gap) + error)


def sample_size(eps: float, delta: float, *, order: int, C: float, B: float) -> int:
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
        >>> from sparseaug.theory import sample_size
        >>> sample_size(0.1, 0.05, order=720, C=1.0, B=2.0)
        43811
    """
    target, order, bound, scale, size = letters(eps=eps, order=order, delta=delta, C=C, B=B)
    return smallest_sample(target / (2 * scale * size), order, bound)


def smallest_eps(m: int, *, order: int, delta: float, C: float, B: float) -> float:
    """The smallest eps for which `sample_size` is at most m.

        2 C B min{1, sqrt(8/(3m) log(2|G|/delta))}

    Args:
        m: number of elements drawn
        order: |G|, an integer of any size
        delta: how often the bound may fail, between 0 and 1
        C: bound of point evaluation
        B: bound on the norm of the gradient functions

    Examples:
        >>> from sparseaug.theory import smallest_eps
        >>> round(smallest_eps(43811, order=720, delta=0.05, C=1.0, B=2.0), 6)
        0.1
    """
    *draw, scale, size = letters(m=m, order=order, delta=delta, C=C, B=B)
    return rounded_up(enclose_deviation(*draw) * (2 * scale * size))


def num_steps(eps: float, *, L: float, gap: float) -> int:
    """The smallest T, at least 1, for which the descent error is at most eps/2.

        T >= 8 L gap / eps^2                                            (cor:app-main-complexity)

    Args:
        eps: gradient norm to reach
        L: smoothness of the objective
        gap: initial value less the infimum, at least 0

    Examples:
        >>> from sparseaug.theory import num_steps
        >>> num_steps(0.5, L=4.0, gap=1.0)
        128
    """
    target, smoothness, start = letters(eps=eps, L=L, gap=gap)
    return max(1, math.ceil(8 * smoothness * start / target**2))
