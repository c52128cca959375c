"""What a gradient norm of at most eps costs by each method, in steps and in oracle calls.

A row of the paper's has a deviation of at most eps/(2CB), so that the gradient on the sample is within
eps/2 of the full one everywhere. What needs |G| is left out for infinite groups, and what needs the sum
of dimensions without a degree.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from fractions import Fraction
from typing import Any

from sparseaug._floats import float_below, text_down, text_up
from sparseaug.errors import ArgumentError
from sparseaug.groups import DimensionSum, Group
from sparseaug.plans.dimension import dimension_sum_to
from sparseaug.plans.numbers import CONDITION, Numbers, check_numbers
from sparseaug.plans.one_kernel import b_note, one_kernel_rows
from sparseaug.plans.table import (
    Plan,
    PlanRow,
    asked_of,
    format_count,
    format_real,
    notes_of,
    sum_note,
)
from sparseaug.theory import (
    Crossovers,
    crossovers,
    full_gd_steps,
    sample_size,
    sgd_plan,
    sharp_sample_size,
    words_plan,
)

MOST_TRANSFORMATIONS = 10**14
"""In a step that is recommended: a day's work for a thousand machines at 10^6 a second each."""


def plan_steps(group: Group, degree: Any, **asked: Any) -> Plan:
    """The rows of `plan(group, eps=...)`, which documents the arguments."""
    D = dimension_sum_to(group, degree) if group.is_finite or degree is not None else None
    order = group.order if group.is_finite else None
    given = check_numbers(order, **asked)
    rows = [*_paper_rows(given), *_sharp_rows(given, D, group.name), *one_kernel_rows(given)]
    best, verdict = _best(rows, min(given.max_batch or MOST_TRANSFORMATIONS, MOST_TRANSFORMATIONS))
    limits = None
    if order is not None:
        names = ("delta", "order", "C", "B", "L", "gap", "sigma", "b")
        limits = crossovers(**{name: getattr(given, name) for name in names})
    facts = {"group": group.name, **asdict(given), "degree": degree}
    facts |= {"dimension_sum": D and D.value, "dimension_sum_exact": D and D.exact}
    return Plan(
        facts=facts | {"crossovers": limits and limits.to_dict()},
        rows=tuple(rows),
        best=best,
        verdict=verdict,
        title=asked_of(group, "eps", given.eps, given.delta, degree),
        notes=(
            *_about(limits, given.sigma),
            *([] if D is None else [sum_note(D, degree)]),
            *notes_of(rows),
            b_note(given.n),
            *([] if degree is None else [_RESTRICTED.format(degree)]),
        ),
        columns=(
            *("method", "m", "steps", "calls"),
            *(() if given.n is None else ("work", "copies")),
            "guarantee",
        ),
    )


def _paper_rows(given: Numbers) -> Iterator[PlanRow]:
    """Full, streaming, one-shot: Table 1."""
    eps, L, gap, order = given.eps, given.L, given.gap, given.order
    if order is not None:
        steps = full_gd_steps(eps, L=L, gap=gap)
        yield given.row("full", order, order, "certain", deviation=0.0, steps=steps)
    try:
        stream = sgd_plan(eps, L=L, gap=gap, sigma=given.sigma, b=given.b)
    except ArgumentError as error:
        default = f"By default sigma is C B, with C={given.C!r} and B={given.B!r}."
        raise ArgumentError(f"{error} {default}") from error
    stepping = {"steps": stream.num_steps, "step_size": stream.step_size}
    yield given.row("streaming", given.b, stream.calls, "in mean square", **stepping)
    if order is not None:
        m = sample_size(eps, given.delta, order=order, C=given.C, B=given.B)
        yield given.row("one-shot", m, m, deviation=_needed(given))


def _sharp_rows(given: Numbers, D: DimensionSum | None, group: str) -> Iterator[PlanRow]:
    """One-shot by the sharper bound, and all words over the letters of a small sample."""
    if D is None:
        return
    eps, delta, C, B = given.eps, given.delta, given.C, given.B
    m = sharp_sample_size(eps, delta, dimension_sum=D.value, C=C, B=B)
    yield given.row("one-shot sharp", m, m, deviation=_needed(given))
    every = words_plan(eps, delta, dimension_sum=D.value, C=C, B=B)
    words = every.m**every.length
    m = words if given.order is None else min(words, given.order)
    note = f"all {every.m}^{every.length} words of {every.length} letters"
    note += f", a weighted mean over all of {group}" if m == given.order else ""
    yield given.row(
        *("words", m, every.m),
        deviation=every.deviation,
        length=every.length,
        note=note if every.length > 1 else "",
    )


def _needed(given: Numbers) -> float:
    """eps/(2CB), at most 1."""
    allowed = Fraction(given.eps) / (2 * Fraction(given.C) * Fraction(given.B))
    return float_below(min(allowed, Fraction(1)))


def _best(rows: Sequence[PlanRow], most: int) -> tuple[PlanRow, str]:
    """The row with the fewest calls whose steps have at most so many transformations, in words too.

    What holds in mean square alone is taken where nothing else fits. Among equals, with the least work;
    where no step is small enough, the smallest one.
    """
    limit = format_count(most)
    fitting = [row for row in rows if (row.m or 0) <= most]
    if not fitting:
        best = min(rows, key=lambda row: row.m or 0)
        return best, f"no row keeps to batches of {limit}; the smallest: {best.method}"
    firm = [row for row in fitting if row.guarantee != "in mean square"] or fitting
    best = min(firm, key=lambda row: (row.calls or 0, (row.m or 0) * (row.steps or 0)))
    promised = [row.calls or 0 for row in rows if row.guarantee == best.guarantee]
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


_RESTRICTED = (
    "one-shot sharp and words hold for gradients of degree at most {0}, such as those that look at {0} "
    "coordinates of an element at a time; the other rows for all"
)
