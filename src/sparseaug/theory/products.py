"""Subproducts: the mean-square error of 2^c draws for c oracle calls.

From c independent uniform elements take all ordered subproducts g_1^e_1 ... g_c^e_c, e in {0,
1}^c. Averaging over them is P = prod_j (I + U_{g_j}) / 2. For y without invariant part E U_g y =
0, so that

    E |(I + U_g) y / 2|^2 = (|y|^2 + Re <y, E U_g y>) / 2 = |y|^2 / 2,

and (I + U_g) y / 2 has no invariant part either. One factor after the other, each independent of
the others:

    E |P z|^2 = 2^-c |z|^2       for every group and every z off the invariants,

exactly what 2^c independent draws leave. (A value at one point e leaves 2^-c |z|^2 + 4^-c (z(e)^2 -
|z|^2), |z|^2 a mean over the group; where lengths are constant, as in `dimension_free`, that is the
same.) So the gradient's error (`dimension_free`) is at most B_2
sqrt(v) b with probability 1 - delta, b = sqrt(2^-c / delta) (Markov), without |G| in it, and its mean
square is that of 2^c draws (`mean_square_gradient_error`).

With the paper's B the largest of n vectors counts: n / delta in place of 1 / delta.

The tail is heavier than that of draws; R independent sets of c/R draws make it lighter. Each holds
the identity, so that E P z = q z with q = 2^(-c/R), and their mean leaves q / R + (1 - 1/R) q^2 of |z|^2
in place of q / R: 1 + (R - 1) q times what as many draws leave. Random subproducts:
Erdos and Renyi 1965, Dixon 2008. From below: fewer than n elements of Z_2^n fix a character, and
the operator norm stays 1.
"""

from __future__ import annotations

from fractions import Fraction

from sparseaug.errors import ArgumentError
from sparseaug.theory._interval import Interval, rounded_up
from sparseaug.theory._letters import check_count, letters
from sparseaug.theory.dimension_free import _variance

__all__ = ["products_calls", "products_gradient_bound"]

_MOST = 1 << 15  # draws, beyond which the bound is below the smallest float for all other numbers


def products_gradient_bound(
    calls: int,
    delta: float,
    *,
    C: float,
    B: float,
    n: int | None = None,
    repeats: int = 1,
    v: float | None = None,
) -> float:
    """The gradient's error at all parameters at once, with probability at least 1 - delta.

        B_2 sqrt(v) min{1, sqrt(2^-c / delta)}                                  all 2^c subproducts
        B_2 sqrt(v) min{1, sqrt((1 + (R - 1) 2^(-c/R)) / (R 2^(c/R) delta))}   R sets of c/R draws

    For one invariant kernel and data that do not depend on the draw. Rounded up.

    Args:
        calls: c, the elements drawn
        delta: how often the bound may fail, between 0 and 1
        C: bound of point evaluation
        B: bound on the root mean square of the norms of the gradient functions; with `n` on their
            mean
        n: number of samples, if B bounds the mean
        repeats: R, independent sets that share the calls, as in `Oracle.products`
        v: mean_i v_i where it is known, and with `n` the largest v_i; C^2 by default

    Examples:
        >>> from sparseaug.theory import products_gradient_bound
        >>> round(products_gradient_bound(16, 0.05, C=1.0, B=2.0), 4)
        0.0349
    """
    c, sets = check_count("calls", calls), check_count("repeats", repeats)
    if c % sets:
        raise ArgumentError(f"repeats={sets} sets cannot share calls={c}; give a divisor of calls.")
    chance, norm = letters(delta=delta, B=B)
    vectors = 1 if n is None else check_count("n", n)
    root = Interval.point(_variance(C, v)).sqrt()
    one = Fraction(1, 2 ** min(c // sets, _MOST))
    square = (one + (sets - 1) * one**2) / sets  # E P z = one z: a set holds the identity
    share = Interval.point(vectors * square / chance).sqrt()
    return rounded_up(share.at_most(1) * root * norm)


def products_calls(
    eps: float,
    delta: float | None,
    *,
    C: float,
    B: float,
    n: int | None = None,
    v: float | None = None,
) -> int:
    """The fewest calls c for which all 2^c subproducts have an error of at most eps/2.

        c >= log2(4 v B^2 / (delta eps^2)),   with n: log2(4 n v B^2 / (delta eps^2))

    Args:
        eps: gradient norm to reach
        delta: how often the bound may fail, between 0 and 1; None for an error of eps/2 in root
            mean square, where 1 stands for delta
        C: bound of point evaluation
        B: bound on the root mean square of the norms of the gradient functions; with `n` on their
            mean
        n: number of samples, if B bounds the mean
        v: mean_i v_i where it is known, and with `n` the largest v_i; C^2 by default

    Examples:
        >>> from sparseaug.theory import products_calls
        >>> products_calls(0.1, 0.05, C=1.0, B=2.0), products_calls(0.1, None, C=1.0, B=2.0)
        (15, 11)
    """
    target, norm = letters(eps=eps, B=B)
    chance = Fraction(1) if delta is None else letters(delta=delta)[0]
    square = 4 * _variance(C, v) * norm**2 / target**2
    if square <= 1:
        return 1  # one element is close enough
    wanted = square * (1 if n is None else check_count("n", n)) / chance
    whole = -(-wanted.numerator // wanted.denominator)  # 2^c is an integer
    return (whole - 1).bit_length()
