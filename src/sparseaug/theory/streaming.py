"""Descent on the full objective: with b fresh transformations at every step, and with all of them.

prop:app-group-sgd: `sigma` bounds the standard deviation of the gradient over a uniform group element.
The guarantee is in expectation, over the draws and a uniformly chosen iterate. It is an upper bound for
plain SGD, of the order eps^-4: not what streaming needs, as variance-reduced methods have eps^-3.

lem:app-gd-rate: gradient descent on a smooth objective, and so on the fully augmented risk. `gap` is the
initial value less the infimum; a start at the infimum, gap = 0, is allowed.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from fractions import Fraction

from sparseaug._floats import float_above, float_below
from sparseaug.errors import ArgumentError
from sparseaug.theory._interval import Interval, rounded_up
from sparseaug.theory._letters import letters, step
from sparseaug.theory.one_shot import enclose_descent

__all__ = ["SGDPlan", "full_gd_bound", "full_gd_steps", "gd_rate", "sgd_bound", "sgd_plan"]


@dataclass(frozen=True, slots=True)
class SGDPlan:
    """A step size, a number of steps, and the oracle calls they make with batches of b.

    Args:
        step_size: eta, at most 1/L
        num_steps: number of steps
        b: fresh elements per step
    """

    step_size: float
    num_steps: int
    b: int

    @property
    def calls(self) -> int:
        """b fresh elements at each step."""
        return self.b * self.num_steps

    def to_dict(self) -> dict[str, float | int]:
        """The fields and the calls, by name."""
        return {**asdict(self), "calls": self.calls}


def sgd_bound(T: int, step_size: float, *, L: float, gap: float, sigma: float, b: int = 1) -> float:
    """The mean squared norm of the full gradient at a random iterate (prop:app-group-sgd).

        2 gap / (eta T) + L eta sigma^2 / b,  0 < eta <= 1/L

    A step size above 1/L by a rounding is answered as in `gd_rate`. Rounded up.

    Args:
        T: number of steps
        step_size: eta, at most 1/L
        L: smoothness of the objective
        gap: initial value less the infimum, at least 0
        sigma: bound on the standard deviation of the gradient over a uniform group element
        b: fresh elements per step

    Examples:
        >>> from sparseaug.theory import sgd_bound
        >>> sgd_bound(1000, 0.125, L=4.0, gap=1.0, sigma=0.5, b=8)
        0.031625
    """
    T, b, smoothness, start, noise = letters(T=T, b=b, L=L, gap=gap, sigma=sigma)
    eta = step("step_size", step_size, L=smoothness)
    gained = start / T + smoothness * eta**2 * noise**2 / (2 * b)
    return float_above(gained / (eta * descent_share(eta, smoothness)))


def sgd_plan(eps: float, *, L: float, gap: float, sigma: float, b: int) -> SGDPlan:
    """Step size and number of steps for a mean squared norm of at most eps^2.

        eta = min{1/L, b eps^2 / (2 L sigma^2)},   T = max{1, ceil(4 gap / (eta eps^2))}

    T comes from the exact eta; `step_size` is eta rounded down to a float. With u < 2^-52 that
    rounding, one term of the bound grows by the factor 1 + u + O(u^2) and the other, if it is
    as large, shrinks by 1 - u: eps^2 is kept to one part in 10^31.

    Args:
        eps: root of the mean squared gradient norm to reach
        L: smoothness of the objective
        gap: initial value less the infimum, at least 0
        sigma: bound on the standard deviation of the gradient over a uniform group element
        b: fresh elements per step

    Examples:
        >>> from sparseaug.theory import sgd_plan
        >>> plan = sgd_plan(0.125, L=4.0, gap=1.0, sigma=0.5, b=8)
        >>> plan
        SGDPlan(step_size=0.0625, num_steps=4096, b=8)
        >>> plan.calls
        32768
    """
    target, smoothness, start, noise, b = letters(eps=eps, L=L, gap=gap, sigma=sigma, b=b)
    square, eta = target**2, Fraction(1) / smoothness
    if noise > 0:
        eta = min(eta, b * square / (2 * smoothness * noise**2))
    step_size = float_below(eta)
    if step_size == 0:
        given = f"eps={eps!r} with sigma={sigma!r}, L={L!r} and b={b} needs too small a step"
        raise ArgumentError(f"{given} for floats; raise eps or b.")
    return SGDPlan(step_size, max(1, math.ceil(4 * start / (eta * square))), b)


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
        >>> from sparseaug.theory import gd_rate
        >>> gd_rate(200, 0.25, L=4.0, gap=1.0)
        0.2
    """
    T, smoothness, start = letters(T=T, L=L, gap=gap)
    eta = step("step_size", step_size, L=smoothness)
    square = start / (eta * descent_share(eta, smoothness) * T)
    return rounded_up(Interval.point(square).sqrt())


def full_gd_bound(T: int, *, L: float, gap: float) -> float:
    """The smallest norm of the fully augmented gradient among T iterates, with steps 1/L.

        sqrt(2 L gap / T)                                                   (eq:app-full-gd-rate)

    Args:
        T: number of steps
        L: smoothness of the objective
        gap: initial value less the infimum, at least 0

    Examples:
        >>> from sparseaug.theory import full_gd_bound
        >>> full_gd_bound(200, L=4.0, gap=1.0)
        0.2
    """
    return rounded_up(enclose_descent(T, L, gap))


def full_gd_steps(eps: float, *, L: float, gap: float) -> int:
    """The smallest T, at least 1, whose `full_gd_bound` is at most eps.

        T >= 2 L gap / eps^2

    Args:
        eps: gradient norm to reach
        L: smoothness of the objective
        gap: initial value less the infimum, at least 0

    Examples:
        >>> from sparseaug.theory import full_gd_steps
        >>> full_gd_steps(0.5, L=4.0, gap=1.0)
        32
    """
    target, smoothness, start = letters(eps=eps, L=L, gap=gap)
    return max(1, math.ceil(2 * smoothness * start / target**2))


def descent_share(eta: Fraction, L: Fraction) -> Fraction:
    """The share of eta |gradient|^2 that a step is sure to gain: 1/2 up to eta = 1/L."""
    return min(Fraction(1, 2), 1 - L * eta / 2)
