"""What a gradient norm of at most eps costs by each method, in steps and in oracle calls.

The methods with a fixed sample share cor:app-main-complexity: steps for eps/2, and a deviation of at
most eps/(2CB), so that the gradient on the sample is within eps/2 of the full one everywhere. The
theorems are about descent without projection, so every row holds only if `CONDITION` does. What needs
|G| is left out for infinite groups, and what needs the sum of dimensions without a degree.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from sparseaug._checks import check_integer, check_not_negative, check_real
from sparseaug._floats import float_above, float_below, text_down, text_up
from sparseaug.errors import ArgumentError, shorten_text
from sparseaug.groups import DimensionSum, Group
from sparseaug.plans.dimension import degree_dimension_sum, whole_dimension_sum
from sparseaug.plans.one_kernel import Numbers, b_note, one_kernel_rows
from sparseaug.plans.table import Plan, PlanRow, format_count, format_real, notes_of, sum_note
from sparseaug.plans.words import LETTERS, sampled_words
from sparseaug.theory import (
    Crossovers,
    crossovers,
    full_gd_steps,
    num_steps,
    sample_size,
    sgd_plan,
    sharp_sample_size,
    words_plan,
)

CONDITION = "C, B, L and gap hold along the run and run.clipped == 0"

MOST_TRANSFORMATIONS = 10**14
"""In a step that is recommended: a day's work for a thousand machines at 10^6 a second each."""


def plan_steps(
    group: Group,
    eps: Any,
    degree: Any,
    delta: float,
    C: Any,
    B: Any,
    L: Any,
    gap: Any,
    sigma: Any,
    b: Any,
    n: Any,
    p: Any,
    max_batch: Any,
) -> Plan:
    """The rows of `plan(group, eps=...)`, which documents the arguments."""
    D = _dimension_sum(group, degree)
    eps = check_real("eps", eps, above=0)
    C, B = check_real("C", C, above=0), check_real("B", B, above=0)
    L = check_real("L", L, above=sys.float_info.min)  # steps are 1 / L
    gap = check_not_negative("gap", gap)
    if sigma is None:
        sigma = float_above(Fraction(C) * Fraction(B))
        if math.isinf(sigma):
            raise ArgumentError(f"C={C!r} times B={B!r} is above all floats; scale the loss.")
    sigma = check_not_negative("sigma", sigma)
    b = check_integer("b", 1 if b is None else b, at_least=1)
    n = None if n is None else check_integer("n", n, at_least=1)
    p = None if p is None else check_integer("p", p, at_least=1)
    if max_batch is not None:
        max_batch = check_integer("max_batch", max_batch, at_least=1)

    order = group.order if group.is_finite else None
    steps, promise = num_steps(eps, L=L, gap=gap), "with probability 1 - delta"
    allowed = Fraction(eps) / (2 * Fraction(C) * Fraction(B))
    needed = float_below(min(allowed, Fraction(1)))

    def row(
        method: str,
        m: int,
        calls: int,
        deviation: float | None = needed,
        guarantee: str = promise,
        T: int = steps,
        step_size: float = 1 / L,
        length: int = 1,
        note: str = "",
    ) -> PlanRow:
        return PlanRow(
            method,
            m,
            calls,
            guarantee,
            T,
            step_size=step_size,
            deviation=deviation,
            copies=None if n is None else n * m,
            length=length,
            condition=CONDITION,
            note=note if length > 1 else "",
        )

    rows, limits = [], None
    if order is not None:
        limits = crossovers(delta, order=order, C=C, B=B, L=L, gap=gap, sigma=sigma, b=b)
        every_step = full_gd_steps(eps, L=L, gap=gap)
        rows.append(row("full", order, order, 0.0, "certain", every_step))
    try:
        stream = sgd_plan(eps, L=L, gap=gap, sigma=sigma, b=b)
    except ArgumentError as error:
        raise ArgumentError(
            f"{error} By default sigma is C B, with C={C!r} and B={B!r}."
        ) from error
    stepping = stream.num_steps, stream.step_size
    rows.append(row("streaming", b, stream.calls, None, "in mean square", *stepping))
    if order is not None:
        m = sample_size(eps, delta, order=order, C=C, B=B)
        rows.append(row("one-shot", m, m))
    if D is not None:
        m = sharp_sample_size(eps, delta, dimension_sum=D.value, C=C, B=B)
        rows.append(row("one-shot sharp", m, m))
        every = words_plan(eps, delta, dimension_sum=D.value, C=C, B=B, deviation=LETTERS)
        words = every.m**every.length
        batch = words if order is None else min(words, order)
        note = f"all {every.m}^{every.length} words of {every.length} letters"
        note += f", a weighted mean over all of {group.name}" if batch == order else ""
        rows.append(row("words", batch, every.m, every.deviation, length=every.length, note=note))
        some = sampled_words(eps, delta, dimension_sum=D.value, C=C, B=B)
        note = f"random words of {some.length} letters from {format_count(some.m)} drawn elements"
        rows.append(
            row("sampled words", some.size, some.m, some.deviation, length=some.length, note=note)
        )
    rows += one_kernel_rows(Numbers(eps, delta, C, B, L, gap, b, n, p, order), CONDITION)

    best, verdict = _best(rows, min(max_batch or MOST_TRANSFORMATIONS, MOST_TRANSFORMATIONS))
    asked = f"eps = {format_real(eps)}, delta = {format_real(delta)}"
    asked += "" if degree is None else f", degree = {degree}"
    size = "infinite order" if order is None else f"order {format_count(order)}"
    facts = {"eps": eps, "group": group.name, "order": order}
    facts |= {"dimension_sum": D and D.value, "dimension_sum_exact": D and D.exact}
    facts |= {"delta": delta, "C": C, "B": B, "L": L, "gap": gap}
    facts |= {"sigma": sigma, "b": b, "n": n, "p": p, "degree": degree, "max_batch": max_batch}
    return Plan(
        facts=facts | {"crossovers": limits and limits.to_dict()},
        rows=tuple(rows),
        best=best,
        verdict=verdict,
        title=f"{shorten_text(group.name, 30)} of {size}, {asked}",
        notes=(
            *_about(limits, sigma),
            *([] if D is None else [sum_note(D, degree)]),
            *notes_of(rows),
            b_note(n),
            *_restriction(degree),
        ),
        columns=(
            *("method", "m", "steps", "calls"),
            *(() if n is None else ("work", "copies")),
            "guarantee",
        ),
    )


def _dimension_sum(group: Group, degree: Any) -> DimensionSum | None:
    """D, or None of a group with infinitely many irreps and no degree that restricts them."""
    if degree is not None:
        return degree_dimension_sum(group, degree)
    return whole_dimension_sum(group) if group.is_finite else None


def _best(rows: Sequence[PlanRow], most: int) -> tuple[PlanRow, str]:
    """The row with the fewest calls whose steps have at most so many transformations, in words too.

    What holds in mean square alone is taken where nothing else fits. Among equals, with the least work;
    where no step is small enough, the smallest one.
    """
    known = [(row, row.m, row.calls) for row in rows if row.m is not None and row.calls is not None]
    fitting = [(row, m, calls) for row, m, calls in known if m <= most]
    limit = format_count(most)
    if not fitting:
        best, *_ = min(known, key=lambda each: each[1])
        return best, f"no row keeps to batches of {limit}; the smallest: {best.method}"
    firm = [each for each in fitting if each[0].guarantee != "in mean square"] or fitting
    best, *_ = min(firm, key=lambda each: (each[2], each[1] * (each[0].steps or 0)))
    promised = [calls for row, _, calls in known if row.guarantee == best.guarantee]
    within = "" if best.calls == min(promised) else f" in steps of at most {limit} transformations"
    return best, f"fewest calls{within}: {best.method}, {format_count(best.calls or 0)}"


def _about(limits: Crossovers | None, sigma: float) -> Iterator[str]:
    """What the numbers do not say; limits on eps on the safe side."""
    yield f"all rows: if {CONDITION}"
    yield "m is transformations in a step, calls are oracle calls in all steps"
    if limits is not None:
        yield "full: one call per element, as the paper counts; GroupSample.full makes none"
    spread = format_real(sigma)
    yield f"streaming: what the bound for plain SGD asks for, sigma = {spread}; in mean square"
    if limits is None:
        yield "full, one-shot: the paper's bounds are for finite groups"
        return
    full = "no eps" if math.isinf(limits.than_full) else f"eps >= {text_up(limits.than_full, 3)}"
    stream = f"eps <= {text_down(limits.than_streaming, 3)}" if limits.than_streaming else "no eps"
    yield f"one-shot beats full in calls for {full}, streaming for {stream}"


def _restriction(degree: int | None) -> list[str]:
    if degree is None:
        return []
    return [
        f"one-shot sharp and words hold for gradients of degree at most {degree}, such as those that "
        f"look at {degree} coordinates of an element at a time; the other rows for all"
    ]
