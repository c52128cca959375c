"""How many random words of length k over S suffice, where all m^k are too many.

Let S have deviation tau and draw M words independently, each letter uniform in S. On an irrep pi
their mean is A = (pi averaged over S)^k, so |A| <= tau^k, and X = pi(word) - A has |X| <= 1 + tau^k
and E X X* = I - A A* <= I, as X* X. Matrix Bernstein and a union over the irreps give

    P(|Pi_W - Pi_S^k| > t)  <=  2 D exp(-M t^2 / (2 (1 + (1 + tau^k) t/3))),

whatever S is, and the words have deviation at most tau^k + t. Half of delta goes to tau, half to t.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from sparseaug._checks import check_real
from sparseaug._floats import float_below
from sparseaug.theory import (
    sharp_deviation_bound,
    sharp_deviation_sample_size,
    sharp_sample_size,
    word_deviation,
    word_length,
)

LETTERS = 0.5
"""The deviation asked of S. Half of it would make some four times the calls and half the length."""

BIAS = Fraction(1, 64)
"""The share of tau^k in the error. Six letters more than tau^k alone would need, which cost
compositions, and 1/63 off the share of t, which is 3 in 100 words."""


@dataclass(frozen=True, slots=True)
class SampledWords:
    """m letters from the oracle, the deviation promised for them, and `size` words of `length`.

    Attributes:
        m: letters, one oracle call each
        deviation: promised for the letters
        length: letters of a word; 1 stands for the letters themselves
        size: number of words
    """

    m: int
    deviation: float
    length: int
    size: int


def sampled_words(
    eps: float, delta: float, *, dimension_sum: int, C: float, B: float
) -> SampledWords:
    """Letters, word length and number of random words for a gradient error of at most eps/2.

        M >= 2 (1 + (1 + tau^k) t/3) / t^2 log(4D/delta),  tau^k + t <= eps/(2CB)

    with probability at least 1 - delta. M suffices, and is hardly above the smallest that does.

    Args:
        eps: gradient norm to reach
        delta: how often the bound may fail
        dimension_sum: D, or an upper bound of it
        C: bound of point evaluation
        B: bound on the mean norm of the gradient functions

    Examples:
        >>> from sparseaug.plans import sampled_words
        >>> sampled_words(0.1, 0.05, dimension_sum=75, C=1.0, B=2.0)
        SampledWords(m=82, deviation=0.497..., length=12, size=28591)
    """
    eps, C, B = (check_real(*pair, above=0) for pair in (("eps", eps), ("C", C), ("B", B)))
    letters = sharp_sample_size(eps, delta, dimension_sum=dimension_sum, C=C, B=B)
    total = 2 * dimension_sum  # 2 (2D) exp(..) = delta is 2 D exp(..) = delta/2
    m = sharp_deviation_sample_size(LETTERS, dimension_sum=total, delta=delta)
    if letters <= m:
        tau = sharp_deviation_bound(letters, dimension_sum=dimension_sum, delta=delta)
        return SampledWords(letters, tau, 1, letters)
    allowed = Fraction(eps) / (2 * Fraction(C) * Fraction(B))  # below LETTERS, from here on
    tau = sharp_deviation_bound(m, dimension_sum=total, delta=delta)
    length = word_length(tau, float(BIAS * allowed))
    bias = Fraction(word_deviation(tau, length))
    t = float_below(allowed - bias)
    # M0 of the sharper bound solves the same inequality with |X| <= 1
    growth = (1 + (1 + bias) * Fraction(t) / 3) / (1 + Fraction(t) / 3)
    size = math.ceil(growth * sharp_deviation_sample_size(t, dimension_sum=total, delta=delta))
    return SampledWords(m, tau, length, size)
