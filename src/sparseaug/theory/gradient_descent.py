"""Gradient descent on a smooth objective, and on the fully augmented risk (lem:app-gd-rate).

`gap` is the initial value less the infimum; a start at the infimum, gap = 0, is allowed.
"""

from __future__ import annotations

import math
from fractions import Fraction

from sparseaug.theory._arguments import counted, not_negative, positive, step
from sparseaug.theory._interval import Interval
from sparseaug.theory._rounding import smallest_above


def gd_rate(T: int, step_size: float, *, L: float, gap: float) -> float:
    """The smallest gradient norm among T iterates, with a constant step size (lem:app-gd-rate).

        sqrt(2 gap / (eta T)),  0 < eta <= 1/L

    The float nearest to 1/L may be above it by a rounding; then the factor 2 is replaced by
    1/(1 - L eta / 2), which the descent lemma gives for any eta < 2/L. Rounded up.

    Args:
        T: number of steps
        step_size: eta, at most 1/L
        L: smoothness of the objective
        gap: initial value less the infimum, at least 0

    Examples:
        >>> gd_rate(200, 0.25, L=4.0, gap=1.0)
        0.2
    """
    T = counted("T", T)
    smoothness, start = positive("L", L), not_negative("gap", gap)
    eta = step("step_size", step_size, L=smoothness)
    square = start / (eta * descent_share(eta, smoothness) * T)
    return smallest_above(Interval.point(square).sqrt)


def full_gd_bound(T: int, L: float, *, gap: float) -> float:
    """The smallest norm of the fully augmented gradient among T iterates, with steps 1/L.

        sqrt(2 L gap / T)                                                   (eq:app-full-gd-rate)

    Args:
        T: number of steps
        L: smoothness of the objective
        gap: initial value less the infimum, at least 0

    Examples:
        >>> full_gd_bound(200, 4.0, gap=1.0)
        0.2
    """
    square = 2 * positive("L", L) * not_negative("gap", gap) / counted("T", T)
    return smallest_above(Interval.point(square).sqrt)


def full_gd_steps(eps: float, L: float, gap: float) -> int:
    """The smallest T, at least 1, whose `full_gd_bound` is at most eps.

        T >= 2 L gap / eps^2

    Args:
        eps: gradient norm to reach
        L: smoothness of the objective
        gap: initial value less the infimum, at least 0

    Examples:
        >>> full_gd_steps(0.5, 4.0, 1.0)
        32
    """
    target = positive("eps", eps)
    return max(1, math.ceil(2 * positive("L", L) * not_negative("gap", gap) / target**2))


def descent_share(eta: Fraction, L: Fraction) -> Fraction:
    """The share of eta |gradient|^2 that a step is sure to gain: 1/2 up to eta = 1/L."""
    return min(Fraction(1, 2), 1 - L * eta / 2)
