"""A plan as a table for people: its cells, the lines below it, and plain text of 80 columns."""

from __future__ import annotations

import math
from textwrap import wrap
from typing import TYPE_CHECKING

from sparseaug.errors import shorten_text
from sparseaug.floats import text_down, text_up
from sparseaug.planning.numbers import format_count, format_real, is_in_full

if TYPE_CHECKING:
    from sparseaug.planning.methods import MethodPlan
    from sparseaug.planning.plan import Plan

WIDTH = 80

_HOLDS = {
    "certain": "certain",
    "with probability 1 - delta": "1 - delta",
    "in mean square": "in mean",
}


def text(plan: Plan) -> str:
    """The whole plan as plain text."""
    table = [header(plan), *(cells(plan, row) for row in plan.rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    gap = " " * spacing(plan)
    lines = [gap.join(_aligned(row, widths)).rstrip() for row in table]
    return "\n".join([title(plan), "", *lines, "", *notes(plan)])


def title(plan: Plan) -> str:
    """The group and what is asked for."""
    p = plan.problem
    asked = f"eps = {format_real(plan.eps)}, delta = {format_real(p.delta)}"
    asked += "" if p.degree is None else f", degree = {p.degree}"
    return f"{shorten_text(p.group, 30)} of order {format_count(p.order)}, {asked}"


def header(plan: Plan) -> tuple[str, ...]:
    """The names of the columns; work and memory only where n is known."""
    work = () if plan.problem.n is None else ("gradients", "copies")
    return ("method", "batch", "steps", "calls", *work, "holds")


def cells(plan: Plan, row: MethodPlan) -> tuple[str, ...]:
    """One row, each number as `format_count` has it."""
    work = () if plan.problem.n is None else (_count(row.evaluations), _count(row.copies))
    numbers = (_count(row.batch), format_count(row.steps), _count(row.calls))
    return (row.method, *numbers, *work, _HOLDS[row.guarantee])


def spacing(plan: Plan) -> int:
    """Spaces between the columns: two where they fit."""
    table = [header(plan), *(cells(plan, row) for row in plan.rows)]
    width = sum(max(map(len, column)) for column in zip(*table, strict=True))
    return 2 if width + 2 * (len(table[0]) - 1) <= WIDTH else 1


def notes(plan: Plan) -> list[str]:
    """What the numbers do not say, in lines of 80 characters; limits on eps on the safe side."""
    p, limits = plan.problem, plan.crossovers
    full = "no eps" if math.isinf(limits.than_full) else f"eps >= {text_up(limits.than_full, 3)}"
    few = limits.than_streaming
    stream = f"eps <= {text_down(few, 3)}" if few else "no eps"
    kind = "=" if p.dimension_sum_exact and is_in_full(p.dimension_sum) else "<="
    lines = [
        "batch is transformations in a step, calls are oracle calls in all steps",
        f"streaming: sigma = {format_real(p.sigma)}; in mean square over draws, at a random step",
        f"one-shot beats full in calls for {full}, streaming for {stream}",
        f"one-shot sharp: the sum of d_pi{_to(p.degree)} {kind} {format_count(p.dimension_sum)}",
        *(f"{row.method}: {row.note}" for row in plan.rows if row.note),
        *_degree(p.degree),
        *["C, B, L and gap are estimates, and so are all rows; confirm by an audit"] * p.estimated,
        _best(plan),
    ]
    return [part for line in lines for part in wrap(line, WIDTH, subsequent_indent="  ")]


def _to(degree: int | None) -> str:
    return "" if degree is None else f" to degree {degree}"


def _degree(degree: int | None) -> list[str]:
    if degree is None:
        return []
    return [
        f"one-shot sharp, words and draw_until hold for gradients that look at {degree} coordinates "
        "of an element at a time; the other rows for all"
    ]


def _best(plan: Plan) -> str:
    """The recommendation, with the limit where it ruled out a row of fewer calls."""
    best, limit = plan.best, format_count(plan.largest_batch)
    if best.batch is not None and best.batch > plan.largest_batch:
        return f"no row keeps to batches of {limit}; the smallest: {best.method}"
    fewest = min(row.calls for row in plan.rows if row.calls is not None)
    within = "" if best.calls == fewest else f" in steps of at most {limit} transformations"
    return f"fewest calls{within}: {best.method}"


def _aligned(row: tuple[str, ...], widths: list[int]) -> list[str]:
    """Names to the left, numbers to the right."""
    numbers = [cell.rjust(width) for cell, width in zip(row[1:-1], widths[1:-1], strict=True)]
    return [row[0].ljust(widths[0]), *numbers, row[-1].ljust(widths[-1])]


def _count(number: int | None) -> str:
    return "-" if number is None else format_count(number)
