"""What a gradient norm of at most eps costs by each method, in steps and in oracle calls.

The methods with a fixed sample share cor:app-main-complexity: steps for eps/2, and a deviation of at
most eps/(2CB), so that the gradient on the sample is within eps/2 of the full one everywhere. The
theorems are about descent without projection, so every row holds only if `CONDITION` does.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from sparseaug._checks import check_integer, check_not_negative, check_real
from sparseaug._floats import float_above, float_below, text_down, text_up
from sparseaug.errors import UnsupportedError, shorten, shorten_text
from sparseaug.groups import Group
from sparseaug.plans.dimension import degree_dimension_sum, whole_dimension_sum
from sparseaug.plans.table import Plan, PlanRow, format_count, format_real, notes_of, sum_note
from sparseaug.plans.words import LETTERS, sampled_words
from sparseaug.theory import comparison, crossovers, sgd_plan, sharp_sample_size, words_plan

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
    max_batch: Any,
) -> Plan:
    """The rows of `plan(group, eps=...)`, which documents the arguments."""
    if not group.is_finite:
        raise UnsupportedError(
            f"eps={shorten(eps)}: plans for a gradient norm are for finite groups, and {group.name} has "
            "infinitely many elements; give deviation= and degree= instead."
        )
    D = whole_dimension_sum(group) if degree is None else degree_dimension_sum(group, degree)
    eps = check_real("eps", eps, above=0)
    C, B = check_real("C", C, above=0), check_real("B", B, above=0)
    L = check_real("L", L, above=sys.float_info.min)  # steps are 1 / L
    gap = check_not_negative("gap", gap)
    if sigma is None:
        sigma = float_above(Fraction(C) * Fraction(B))
    sigma = check_not_negative("sigma", sigma)
    b = check_integer("b", 1 if b is None else b, at_least=1)
    n = None if n is None else check_integer("n", n, at_least=1)
    if max_batch is not None:
        max_batch = check_integer("max_batch", max_batch, at_least=1)

    order = group.order
    paper = comparison(eps, delta, order=order, C=C, B=B, L=L, gap=gap, sigma=sigma, b=b)
    limits = crossovers(delta, order, C=C, B=B, L=L, gap=gap, sigma=sigma, b=b)
    steps, promise = paper[2].steps, paper[2].guarantee
    allowed = Fraction(eps) / (2 * Fraction(C) * Fraction(B))
    needed = float_below(min(allowed, Fraction(1)))

    def row(
        method: str,
        m: int | None,
        calls: int | None,
        deviation: float | None = needed,
        guarantee: str = promise,
        T: int = steps,
        step_size: float = 1 / L,
        length: int = 1,
        note: str = "",
    ) -> PlanRow:
        copies = None if n is None or m is None else n * m
        return PlanRow(
            method,
            m,
            calls,
            guarantee,
            T,
            step_size=step_size,
            deviation=deviation,
            copies=copies,
            length=length,
            condition=CONDITION,
            note=note if length > 1 else "",
        )

    sizes = (1 / L, sgd_plan(eps, L, gap, sigma, b).step_size, 1 / L)
    rows = [
        row(one.method, one.batch, one.calls, deviation, one.guarantee, one.steps, size)
        for one, deviation, size in zip(paper, (0.0, None, needed), sizes, strict=True)
    ]
    m = sharp_sample_size(eps, delta, D.value, C, B)
    rows.append(row("one-shot sharp", m, m))
    every = words_plan(eps, delta, dimension_sum=D.value, C=C, B=B, deviation=LETTERS)
    batch = min(every.m**every.length, order)
    note = f"all {every.m}^{every.length} words of {every.length} letters"
    note += f", a weighted mean over all of {group.name}" if batch == order else ""
    rows.append(row("words", batch, every.m, every.deviation, length=every.length, note=note))
    some = sampled_words(eps, delta, dimension_sum=D.value, C=C, B=B)
    note = f"random words of {some.length} letters from {format_count(some.m)} drawn elements"
    rows.append(
        row("sampled words", some.size, some.m, some.deviation, length=some.length, note=note)
    )

    best, verdict = _best(rows, min(max_batch or MOST_TRANSFORMATIONS, MOST_TRANSFORMATIONS))
    asked = f"eps = {format_real(eps)}, delta = {format_real(delta)}"
    asked += "" if degree is None else f", degree = {degree}"
    facts = {"eps": eps, "group": group.name, "order": order, "dimension_sum": D.value}
    facts |= {"dimension_sum_exact": D.exact, "delta": delta, "C": C, "B": B, "L": L, "gap": gap}
    facts |= {"sigma": sigma, "b": b, "n": n, "degree": degree, "max_batch": max_batch}
    return Plan(
        facts=facts | {"crossovers": limits.to_dict()},
        rows=tuple(rows),
        best=best,
        verdict=verdict,
        title=f"{shorten_text(group.name, 30)} of order {format_count(order)}, {asked}",
        notes=(
            *_about(limits.than_full, limits.than_streaming, sigma),
            sum_note(D, degree),
            *notes_of(rows),
            *_restriction(degree),
        ),
        columns=(
            *("method", "m", "steps", "calls"),
            *(() if n is None else ("work", "copies")),
            "guarantee",
        ),
    )


def _best(rows: Sequence[PlanRow], most: int) -> tuple[PlanRow, str]:
    """The row with the fewest calls whose steps have at most so many transformations, in words too.

    Among equals, with the least work; where no step is small enough, the smallest one.
    """
    known = [(row, row.m, row.calls) for row in rows if row.m is not None and row.calls is not None]
    fitting = [(row, m, calls) for row, m, calls in known if m <= most]
    limit = format_count(most)
    if not fitting:
        best, *_ = min(known, key=lambda each: each[1])
        return best, f"no row keeps to batches of {limit}; the smallest: {best.method}"
    best, *_ = min(fitting, key=lambda each: (each[2], each[1] * (each[0].steps or 0)))
    fewest = best.calls == min(calls for _, _, calls in known)
    within = "" if fewest else f" in steps of at most {limit} transformations"
    return best, f"fewest calls{within}: {best.method}, {format_count(best.calls or 0)}"


def _about(than_full: float, than_streaming: float, sigma: float) -> Iterator[str]:
    """What the numbers do not say; limits on eps on the safe side."""
    full = "no eps" if math.isinf(than_full) else f"eps >= {text_up(than_full, 3)}"
    stream = f"eps <= {text_down(than_streaming, 3)}" if than_streaming else "no eps"
    yield f"all rows: if {CONDITION}"
    yield "m is transformations in a step, calls are oracle calls in all steps"
    yield "full: one call per element, as the paper counts; GroupSample.full makes none"
    spread = format_real(sigma)
    yield f"streaming: what the bound for plain SGD asks for, sigma = {spread}; in mean square"
    yield f"one-shot beats full in calls for {full}, streaming for {stream}"


def _restriction(degree: int | None) -> list[str]:
    if degree is None:
        return []
    return [
        f"one-shot sharp and words hold for gradients that look at {degree} coordinates of an element "
        "at a time; the other rows for all"
    ]
