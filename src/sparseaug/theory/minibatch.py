"""Mini-batches over the data with a fixed S: one-shot descent as people train.

Given S, each of T steps takes b pairs (i, j), uniform over samples and elements of S, fresh at
every step, and a step size eta <= 1/L. Its gradient is unbiased for grad R^S, with variance at
most sigma^2 / b, where sigma^2 bounds E |grad l_i(g_j x_i) - grad R^S|^2 along the run (C^2 B_2^2
serves every S). By the descent lemma (prop:app-group-sgd for R^S in place of R^G), for tau uniform
on 0 .. T - 1

    E |grad R^S(theta_tau)|^2 <= 2 gap / (eta T) + L eta sigma^2 / b,

and |grad R^G| <= |grad R^S| + err(S) at all theta at once, hence by Minkowski's inequality

    sqrt(E [ |grad R^G(theta_tau)|^2 | S ]) <= sqrt(2 gap / (eta T) + L eta sigma^2 / b) + err(S).

L, sigma and the gap are of R^S, on a convex set that holds all iterates, without projection. The
oracle calls are still m.

Not covered: clipping, Adam, schedules, and passes over reshuffled data, whose pairs are biased given
the past (Mishchenko, Khaled and Richtarik 2020).
"""

from __future__ import annotations

from sparseaug._checks import check_real
from sparseaug.theory._interval import Interval, rounded_up
from sparseaug.theory._letters import letters, not_negative, step
from sparseaug.theory.streaming import SGDPlan, descent_share, sgd_plan

__all__ = ["one_shot_sgd_bound", "one_shot_sgd_plan"]


def one_shot_sgd_bound(
    T: int, step_size: float, *, L: float, gap: float, sigma: float, b: int = 1, error: float
) -> float:
    """The root mean square of the full gradient at a random iterate, given S.

        sqrt(2 gap / (eta T) + L eta sigma^2 / b) + err(S),  0 < eta <= 1/L

    Rounded up.

    Args:
        T: number of steps
        step_size: eta, at most 1/L
        L: smoothness of the risk on S
        gap: initial value less the infimum, at least 0
        sigma: bound on the standard deviation of the gradient of one pair
        b: pairs per step
        error: err(S), by which the gradients on S and on G differ at most, of
            `dimension_free_gradient_bound` say

    Examples:
        >>> from sparseaug.theory import one_shot_sgd_bound
        >>> round(one_shot_sgd_bound(4096, 0.0625, L=4.0, gap=1.0, sigma=0.5, b=8, error=0.1), 4)
        0.225
    """
    T, b, smoothness, start, noise = letters(T=T, b=b, L=L, gap=gap, sigma=sigma)
    eta, beyond = step("step_size", step_size, L=smoothness), not_negative("error", error)
    gained = start / T + smoothness * eta**2 * noise**2 / (2 * b)
    square = gained / (eta * descent_share(eta, smoothness))
    return rounded_up(Interval.point(square).sqrt() + beyond)


def one_shot_sgd_plan(eps: float, *, L: float, gap: float, sigma: float, b: int) -> SGDPlan:
    """Step size and number of steps for a root mean square of at most eps/2, besides err(S).

        eta = min{1/L, b eps^2 / (8 L sigma^2)},   T = max{1, ceil(16 gap / (eta eps^2))}

    The plan of `sgd_plan` for eps/2. With an S of `dimension_free_sample_size(eps, ...)` elements
    the full gradient is then at most eps, in root mean square.

    Args:
        eps: root of the mean squared gradient norm to reach
        L: smoothness of the risk on S
        gap: initial value less the infimum, at least 0
        sigma: bound on the standard deviation of the gradient of one pair
        b: pairs per step

    Examples:
        >>> from sparseaug.theory import one_shot_sgd_plan
        >>> one_shot_sgd_plan(0.25, L=4.0, gap=1.0, sigma=0.5, b=8)
        SGDPlan(step_size=0.0625, num_steps=4096, b=8)
    """
    return sgd_plan(check_real("eps", eps, above=0) / 2, L=L, gap=gap, sigma=sigma, b=b)
