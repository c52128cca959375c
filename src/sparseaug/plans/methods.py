"""One row for each method: what a gradient norm of at most eps costs by it.

The methods with a fixed sample share cor:app-main-complexity: steps for eps/2, and a deviation of at
most eps/(2CB), so that the gradient on the sample is within eps/2 of the full one everywhere.

How many random words of length k over S suffice, where all m^k are too many.

Let S have deviation tau and draw M words independently, each letter uniform in S. On an irrep pi
their mean is A = (pi averaged over S)^k, so |A| <= tau^k, and X = pi(word) - A has |X| <= 1 + tau^k
and E X X* = I - A A* <= I, as X* X. Matrix Bernstein and a union over the irreps give

    P(|Pi_W - Pi_S^k| > t)  <=  2 D exp(-M t^2 / (2 (1 + (1 + tau^k) t/3))),

whatever S is, and the words have deviation at most tau^k + t. Half of delta goes to tau, half to t.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from fractions import Fraction

from sparseaug._checks import check_real
from sparseaug._floats import float_below
from sparseaug.plans.table import PlanRow, format_count
from sparseaug.theory import (
    WordsPlan,
    comparison,
    sgd_plan,
    sharp_deviation_bound,
    sharp_deviation_sample_size,
    sharp_sample_size,
    word_deviation,
    word_length,
    words_plan,
)

CONDITION = "C, B, L and gap hold along the run and run.clipped == 0"
"""Of every plan for a gradient norm: the theorems are about descent without projection, so that B and L
of a box say nothing of a run which the projection onto it changed."""


@dataclass(frozen=True)
class Problem:
    """A group by its numbers, and the paper's constants.

    Args:
        group: its name
        order: |G|
        dimension_sum: D, or an upper bound of it
        dimension_sum_exact: whether it is D itself
        delta: how often a bound may fail
        C: bound of point evaluation
        B: bound on the mean norm of the gradient functions
        L: smoothness of the objective
        gap: initial value less the infimum
        sigma: standard deviation of the gradient over the group
        b: fresh elements per streaming step
        n: samples that are augmented, if known
        degree: of the gradient functions, in coordinates at a time; D is that of this degree then
        max_batch: transformations that one step may average over
    """

    group: str
    order: int
    dimension_sum: int
    dimension_sum_exact: bool
    delta: float
    C: float
    B: float
    L: float
    gap: float
    sigma: float
    b: int
    n: int | None
    degree: int | None = None
    max_batch: int | None = None


def each_method(problem: Problem, eps: float) -> Iterator[PlanRow]:
    """The rows of the paper's table, then those beyond the paper."""
    p, step = problem, 1 / problem.L
    table = comparison(
        eps, p.delta, order=p.order, C=p.C, B=p.B, L=p.L, gap=p.gap, sigma=p.sigma, b=p.b
    )
    steps, promise = table[2].steps, table[2].guarantee
    needed = float_below(min(_allowed(p, eps), Fraction(1)))
    sizes = (step, sgd_plan(eps, p.L, p.gap, p.sigma, p.b).step_size, step)
    for row, size, deviation in zip(table, sizes, (0.0, None, needed), strict=True):
        yield _row(p, row.method, row.batch, row.calls, row.guarantee, row.steps, deviation, size)
    m = sharp_sample_size(eps, p.delta, p.dimension_sum, p.C, p.B)
    yield _row(p, "one-shot sharp", m, m, promise, steps, needed)
    yield _all_words(p, eps, steps, promise)
    yield _sampled_words(p, eps, steps, promise)


def _row(
    p: Problem,
    method: str,
    m: int | None,
    calls: int | None,
    guarantee: str,
    steps: int,
    deviation: float | None,
    step_size: float | None = None,
    *,
    length: int = 1,
    note: str = "",
) -> PlanRow:
    """Steps are 1/L where nothing else is said."""
    return PlanRow(
        *(method, m, calls, guarantee, steps),
        step_size=1 / p.L if step_size is None else step_size,
        deviation=deviation,
        copies=None if p.n is None or m is None else p.n * m,
        length=length,
        condition=CONDITION,
        note=note,
    )


def _all_words(p: Problem, eps: float, steps: int, promise: str) -> PlanRow:
    words = words_plan(eps, p.delta, dimension_sum=p.dimension_sum, C=p.C, B=p.B, deviation=LETTERS)
    batch = min(words.m**words.length, p.order)
    note = f"all {words.m}^{words.length} words of {words.length} letters"
    if batch == p.order:
        note += f", a weighted mean over all of {p.group}"
    return _row_of_words("words", words, batch, note, p, steps, promise)


def _sampled_words(p: Problem, eps: float, steps: int, promise: str) -> PlanRow:
    words = sampled_words(eps, p.delta, dimension_sum=p.dimension_sum, C=p.C, B=p.B)
    note = f"random words of {words.length} letters from {format_count(words.m)} drawn elements"
    return _row_of_words("sampled words", words, words.size, note, p, steps, promise)


def _row_of_words(
    method: str,
    words: WordsPlan | SampledWords,
    batch: int,
    note: str,
    p: Problem,
    steps: int,
    promise: str,
) -> PlanRow:
    note = note if words.length > 1 else ""
    return _row(
        *(p, method, batch, words.m, promise, steps, words.deviation),
        length=words.length,
        note=note,
    )


def _allowed(p: Problem, eps: float) -> Fraction:
    return Fraction(eps) / (2 * Fraction(p.C) * Fraction(p.B))


LETTERS = 0.5
"""The deviation asked of S. Half of it would make some four times the calls and half the length."""

BIAS = Fraction(1, 64)
"""The share of tau^k in the error. Six letters more than tau^k alone would need, which cost
compositions, and 1/63 off the share of t, which is 3 in 100 words."""


@dataclass(frozen=True, slots=True)
class SampledWords:
    """m letters from the oracle, the deviation promised for them, and `size` words of `length`.

    Length 1 stands for the letters themselves, each of them once.

    Args:
        m: letters, one oracle call each
        deviation: promised for the letters
        length: letters of a word; 1 stands for the letters themselves
        size: number of words
    """

    m: int
    deviation: float
    length: int
    size: int

    def to_dict(self) -> dict[str, float | int]:
        """The fields, by name."""
        return asdict(self)


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
    letters = sharp_sample_size(eps, delta, dimension_sum, C, B)
    total = 2 * dimension_sum  # 2 (2D) exp(..) = delta is 2 D exp(..) = delta/2
    m = sharp_deviation_sample_size(LETTERS, total, delta)
    if letters <= m:
        tau = sharp_deviation_bound(letters, dimension_sum, delta)
        return SampledWords(letters, tau, 1, letters)
    allowed = Fraction(eps) / (2 * Fraction(C) * Fraction(B))  # below LETTERS, from here on
    tau = sharp_deviation_bound(m, total, delta)
    length = word_length(tau, float(BIAS * allowed))
    bias = Fraction(word_deviation(tau, length))
    t = float_below(allowed - bias)
    # M0 of the sharper bound solves the same inequality with |X| <= 1
    growth = (1 + (1 + bias) * Fraction(t) / 3) / (1 + Fraction(t) / 3)
    size = math.ceil(growth * sharp_deviation_sample_size(t, total, delta))
    return SampledWords(m, tau, length, size)
