"""How far m uniform draws are from the whole group: prop:spectral-approximation, thm:app-tw.

The deviation of S is the operator norm of Pi_S - Pi_G. It never exceeds 1 (an average of
unitaries), it is 0 for the group of one element, and for any other group the paper bounds it by
min{1, sqrt(8/(3m) log(2|G|/delta))}. Here: that bound, its two inverses, and the floor.
"""

from __future__ import annotations

from fractions import Fraction

from sparseaug.theory._arguments import group_size, positive, probability
from sparseaug.theory._interval import Interval, log_ratio
from sparseaug.theory._rounding import ceiling, exp_above, largest_below, smallest_above


def deviation_bound(m: int, order: int, delta: float) -> float:
    """The deviation of m uniform draws, with probability at least 1 - delta (thm:app-tw).

        min{1, sqrt(8/(3m) log(2|G|/delta))}

    Rounded up, and no further than to the next float. `order` is |G|, an integer of any size.

    Args:
        m: number of elements drawn
        order: |G|, an integer of any size
        delta: how often the bound may fail, between 0 and 1

    Examples:
        >>> round(deviation_bound(64, 720, 0.05), 3)
        0.654
        >>> deviation_bound(16, 720, 0.05)
        1.0
    """
    m, order = group_size("m", m), group_size("order", order)
    bound = probability("delta", delta)
    return smallest_above(lambda bits: enclose_deviation(m, order, bound, bits))


def deviation_sample_size(deviation: float, order: int, delta: float) -> int:
    """The smallest m whose `deviation_bound` is at most `deviation`.

        m >= 8/(3 tau^2) log(2|G|/delta),  and m = 1 for tau >= 1 or |G| = 1

    The inequality is decided between real numbers, so m satisfies it and m - 1 does not.

    Args:
        deviation: tau, the deviation to reach
        order: |G|, an integer of any size
        delta: how often the bound may fail, between 0 and 1

    Examples:
        >>> deviation_sample_size(0.5, 720, 0.05)
        110
        >>> deviation_bound(110, 720, 0.05) <= 0.5 < deviation_bound(109, 720, 0.05)
        True
    """
    target = positive("deviation", deviation)
    order = group_size("order", order)
    return smallest_sample(target, order, probability("delta", delta))


def failure_probability(m: int, order: int, deviation: float) -> float:
    """The smallest delta for which `deviation_bound` is at most `deviation`.

        min{1, 2|G| exp(-3 m tau^2 / 8)},  and 0 for tau >= 1 or |G| = 1

    It bounds the probability that the deviation of m draws exceeds tau. Rounded up: the result
    is positive where the formula is, and 1.0 where the bound says nothing.

    Args:
        m: number of elements drawn
        order: |G|, an integer of any size
        deviation: tau, the deviation not to exceed

    Examples:
        >>> failure_probability(64, 720, 0.7) < 0.02
        True
        >>> failure_probability(64, 720, 0.3), failure_probability(64, 720, 1.0)
        (1.0, 0.0)
    """
    m, order = group_size("m", m), group_size("order", order)
    tau = positive("deviation", deviation)
    if order == 1 or tau >= 1:
        return 0.0
    exponent = Fraction(3, 8) * m * tau**2
    return exp_above(lambda bits: log_ratio(2 * order, 1, bits) + -exponent)


def deviation_floor(m: int, order: int) -> float:
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
        >>> round(deviation_floor(64, 720), 4)
        0.1194
        >>> deviation_floor(720, 720)
        0.0
    """
    m, order = group_size("m", m), group_size("order", order)
    if m >= order:
        return 0.0
    # It grows with |G|, from 2^4096 on by less than a float can show.
    order = min(order, 1 << 4096)
    if m >= order:
        return 0.0
    square = Interval.point(Fraction(order - m, m * (order - 1)))
    return largest_below(square.sqrt)


def enclose_deviation(m: int, order: int, delta: Fraction, bits: int) -> Interval:
    """The bound of thm:app-tw before rounding, for the formulas it is a part of."""
    if order == 1:
        return Interval.point(0)
    return (_log_term(order, delta, bits) * Fraction(8, 3 * m)).sqrt(bits).at_most(1)


def smallest_sample(target: Fraction, order: int, delta: Fraction) -> int:
    """The smallest m with min{1, sqrt(8/(3m) log(2|G|/delta))} <= target."""
    if order == 1 or target >= 1:
        return 1
    factor = Fraction(8, 3) / target**2
    return ceiling(lambda bits: _log_term(order, delta, bits) * factor)


def _log_term(order: int, delta: Fraction, bits: int) -> Interval:
    return log_ratio(2 * order * delta.denominator, delta.numerator, bits)
