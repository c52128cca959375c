"""`plan(group, deviation=...)`: how many elements reach a deviation, by each way to get them."""

from __future__ import annotations

import math
from typing import Any

from sparseaug._checks import check_flag, check_integer, check_real
from sparseaug.designs import design
from sparseaug.designs.constructions import fixed_designs
from sparseaug.errors import UnsupportedError, shorten_text
from sparseaug.groups import Group
from sparseaug.groups.orders import ENUMERATION_LIMIT
from sparseaug.norms import deviation as exact_deviation
from sparseaug.norms import draw_until
from sparseaug.norms.methods import preferred
from sparseaug.norms.norm import announce
from sparseaug.plans.dimension import degree_dimension_sum, whole_dimension_sum
from sparseaug.plans.table import Plan, PlanRow, format_count, format_real, notes_of, sum_note
from sparseaug.sampling import Oracle
from sparseaug.theory import deviation_sample_size, sharp_deviation_sample_size

CHEAP_SUM = 1_000
"""D up to which `draw_until` is run unasked: some seconds at most."""

CHEAP_DRAWS = 2_000
"""Draws that the sharper bound asks for, up to which it is run unasked."""

SEARCHED = 500
"""Elements of a group that is searched for a deviation unasked, ten times as many if it is abelian."""


def plan_draws(
    group: Group, deviation: Any, degree: Any, delta: float, draw: Any, seed: Any
) -> Plan:
    """The rows of `plan(group, deviation=...)`, which documents the arguments."""
    target = check_real("deviation", deviation, above=0, below=1)
    seed = check_integer("seed", seed)
    draw = None if draw is None else check_flag("draw", draw)
    D = whole_dimension_sum(group) if degree is None else degree_dimension_sum(group, degree)
    sharp = sharp_deviation_sample_size(target, dimension_sum=D.value, delta=delta)
    promise = "with probability 1 - delta"
    if group.is_finite:
        order, size = group.order, f"order {format_count(group.order)}"
        paper = deviation_sample_size(target, order=order, delta=delta)
        listed = order <= ENUMERATION_LIMIT
        note = "GroupSample.full(group)" if listed else "too many elements to be listed"
        one_shot = _row("one-shot", paper, paper, target, promise)
        full = _row("full", order, 0, 0.0, "certain", note)
        about = f"of degree at most {degree}; one-shot and full reach it on all functions"
    else:
        order, size, about = None, "infinite order", f"of degree at most {degree}"
        note = "the paper's bound is for finite groups"
        one_shot = _row("one-shot", None, None, None, promise, note)
        full = _row("full", None, None, None, "certain", "infinitely many elements")
    if draw is None and (not_run := _why_not_run(group, degree, D.value, sharp)):
        drawn = _row(
            "draw_until", None, None, target if "draw=" in not_run else None, "certain", not_run
        )
    elif draw is False:
        drawn = _row("draw_until", None, None, target, "certain", _NOT_RUN)
    else:
        drawn = _drawn(group, target, degree, sharp, seed)
    rows = (
        one_shot,
        _row("one-shot sharp", sharp, sharp, target, promise),
        drawn,
        _design(group, target, degree),
        full,
    )
    best = min(
        (row for row in rows if row.m is not None),
        key=lambda row: (row.m, math.inf if row.calls is None else row.calls),
    )
    asked = f"deviation = {format_real(target)}, delta = {format_real(delta)}"
    asked += "" if degree is None else f", degree = {degree}"
    facts = {"group": group.name, "order": order, "deviation": target, "degree": degree}
    facts |= {"delta": delta, "dimension_sum": D.value, "dimension_sum_exact": D.exact}
    return Plan(
        facts=facts | {"seed": seed},
        rows=rows,
        best=best,
        verdict=f"fewest elements: {best.method}, m = {format_count(best.m or 0)}",
        title=f"{shorten_text(group.name, 30)} of {size}, {asked}",
        notes=(
            sum_note(D, degree),
            *notes_of(rows),
            *([] if degree is None else [f"deviation is that on functions {about}"]),
        ),
        columns=("method", "m", "calls", "deviation", "guarantee"),
    )


def _row(
    method: str,
    m: int | None,
    calls: int | None,
    deviation: float | None,
    guarantee: str,
    note: str = "",
) -> PlanRow:
    return PlanRow(method, m, calls, guarantee, deviation=deviation, note=note)


_NOT_RUN = "not run; give draw=True to run it"


def _why_not_run(group: Group, degree: int | None, dimension_sum: int, sharp: int) -> str:
    """Why `draw_until` is not run unasked; empty where it is.

    The regular representation costs as much as the group has elements, all else as D.
    """
    regular = False
    if degree is None:
        try:
            regular = preferred(group).name == "regular"
        except UnsupportedError:
            instead = "; give degree=" if group.highest_degree is not None else ""
            return f"no exact deviation for all of {shorten_text(group.name)}{instead}"
    cheap = dimension_sum <= CHEAP_SUM and sharp <= CHEAP_DRAWS
    return "" if cheap and (not regular or group.order <= CHEAP_SUM) else _NOT_RUN


def _drawn(group: Group, target: float, degree: int | None, sharp: int, seed: int) -> PlanRow:
    """What `draw_until` finds."""
    # with probability 1 - delta it ends at m = sharp or a batch later, or with all of the group; every
    # batch of an eighth goes through all draws again, 2 us each on irreps, and their rows are copied
    m = min(sharp, group.order) if group.is_finite else sharp
    announce(
        f"draw_until on {shorten_text(group.name)} for deviation={target:g}, {format_count(m)} draws,",
        seconds=2e-5 * m,
        memory=48.0 * m * group.width,
        instead="raise deviation=, or leave draw=True out.",
    )
    oracle = Oracle(group, seed=seed)
    found = draw_until(oracle, target=target, degree=degree, max_calls=4 * sharp + 100)
    kind = "certain" if found.deviation.rigorous else found.deviation.kind
    note = f"found with seed={seed}; another seed finds another number"
    return _row("draw_until", found.sample.m, found.calls, found.deviation.value, kind, note)


def _design(group: Group, target: float, degree: int | None) -> PlanRow:
    """The smallest known construction: exact to the degree, or of a deviation that a theorem gives."""
    limits = {"deviation": target} if degree is None else {"degree": degree}
    known = next((one for one in fixed_designs(group, **limits) if one.kind != "full"), None)
    found = _searched(group, target, known and known.m) if degree is None else None
    if found is not None:
        note = f"a search: design(group, m={found[0]}, objective='deviation')"
        return _row("design", found[0], 0, found[1], "certain", note)
    if known is None:
        note = "none is known" + (" but the full group" if group.is_finite else "")
        return _row("design", None, None, None, "certain", note)
    note = f"{known.name}, exact to degree {known.degree}" if known.degree else known.name
    reached = known.deviation if degree is None else 0.0
    if degree is not None and not group.is_finite:  # rows are rounded, and so is the zero
        reached = exact_deviation(design(group, degree=degree), degree=degree).value
    return _row("design", known.m, 0, reached, "certain", note)


def _searched(group: Group, target: float, known: int | None) -> tuple[int, float] | None:
    """The smallest m below `known` for which a search reaches the deviation, and what it reaches.

    No S of m elements is below sqrt((|G|/m - 1)/(|G| - 1)); searches come within a factor of 2.
    """
    if group.log_order > math.log(SEARCHED * (10 if group.is_abelian else 1)) + 1e-9:
        return None
    order = group.order
    low = math.ceil(order / (1 + target**2 * (order - 1))) - 1
    high = (known or order) - 1
    found = None
    m = low + 1
    while low < high:
        reached = exact_deviation(design(group, m=m, objective="deviation")).value
        if reached <= target:
            found, high = (m, reached), m - 1
        else:
            low = m
        m = (low + high + 1) // 2 if found else min(high, math.ceil(1.25 * low) + 1)
    return found
