"""`plan(group, deviation=...)`: how many elements reach a deviation, by each way to get them."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from sparseaug._checks import check_real
from sparseaug.designs import design
from sparseaug.designs.constructions import fixed_designs
from sparseaug.errors import UnsupportedError, shorten_text
from sparseaug.groups import Group
from sparseaug.groups.orders import ENUMERATION_LIMIT
from sparseaug.norms import deviation as exact_deviation
from sparseaug.norms import draw_until
from sparseaug.norms.methods import preferred
from sparseaug.plans.dimension import dimension_sum_to
from sparseaug.plans.table import PROMISE, Plan, PlanRow, asked_of, format_count, notes_of, sum_note
from sparseaug.sampling import Oracle
from sparseaug.theory import deviation_sample_size, sharp_deviation_sample_size

CHEAP_SUM = 1_000
"""D up to which `draw_until` is run unasked: some seconds at most."""

CHEAP_DRAWS = 2_000
"""Draws that the sharper bound asks for, up to which it is run unasked."""

SEARCHED = 500
"""Elements of a group that is searched for a deviation unasked, ten times as many if it is abelian."""


def plan_draws(group: Group, deviation: Any, degree: Any, delta: float) -> Plan:
    """The rows of `plan(group, deviation=...)`, which documents the arguments."""
    target = check_real("deviation", deviation, above=0, below=1)
    D = dimension_sum_to(group, degree)
    sharp = sharp_deviation_sample_size(target, dimension_sum=D.value, delta=delta)
    order = group.order if group.is_finite else None
    rows = [PlanRow("one-shot sharp", sharp, sharp, PROMISE, deviation=target)]
    rows += [_drawn(group, target, degree, D.value, sharp), _design(group, target, degree)]
    if order is not None:
        m = deviation_sample_size(target, order=order, delta=delta)
        listed = order <= ENUMERATION_LIMIT
        note = "GroupSample.full(group)" if listed else "too many elements to be listed"
        rows.insert(0, PlanRow("one-shot", m, m, PROMISE, deviation=target))
        rows.append(PlanRow("full", order, 0, "certain", deviation=0.0, note=note))
    best = min(
        (row for row in rows if row.m is not None), key=lambda row: (row.m or 0, row.calls or 0)
    )
    facts = {"group": group.name, "order": order, "deviation": target, "degree": degree}
    whole = "" if order is None else "; one-shot and full reach it on all functions"
    restricted = f"deviation is that on functions of degree at most {degree}{whole}"
    return Plan(
        facts=facts | {"delta": delta, "dimension_sum": D.value, "dimension_sum_exact": D.exact},
        rows=tuple(rows),
        best=best,
        verdict=f"fewest elements: {best.method}, m = {format_count(best.m or 0)}",
        title=asked_of(group, "deviation", target, delta, degree),
        notes=(sum_note(D, degree), *notes_of(rows), *([] if degree is None else [restricted])),
        columns=("method", "m", "calls", "deviation", "guarantee"),
    )


def _drawn(group: Group, target: float, degree: int | None, D: int, sharp: int) -> PlanRow:
    """What `draw_until` finds, where that takes seconds.

    The regular representation costs as much as the group has elements, all else as D.
    """
    regular, none = False, partial(PlanRow, "draw_until", None, None, "certain")
    if degree is None:
        try:
            regular = preferred(group).name == "regular"
        except UnsupportedError:
            instead = "; give degree=" if group.highest_degree is not None else ""
            return none(note=f"no exact deviation for all of {shorten_text(group.name)}{instead}")
    is_cheap = D <= CHEAP_SUM and sharp <= CHEAP_DRAWS
    if not is_cheap or (regular and group.order > CHEAP_SUM):
        return none(
            deviation=target, note="not run, it may take long: sparseaug.draw_until runs it"
        )
    oracle = Oracle(group, seed=0)
    found = draw_until(oracle, target=target, degree=degree, max_calls=4 * sharp + 100)
    kind = "certain" if found.deviation.rigorous else found.deviation.kind
    note = "found with seed=0; another seed finds another number"
    reached = found.deviation.value
    return PlanRow("draw_until", found.sample.m, found.calls, kind, deviation=reached, note=note)


def _design(group: Group, target: float, degree: int | None) -> PlanRow:
    """The smallest known construction: exact to the degree, or of a deviation that a theorem gives."""
    limits = {"deviation": target} if degree is None else {"degree": degree}
    known = next((one for one in fixed_designs(group, **limits) if one.kind != "full"), None)
    found = _searched(group, target, known and known.m) if degree is None else None
    m: int | None
    reached: float | None
    if found is not None:
        m, reached = found
        note = f"a search: design(group, m={m}, objective='deviation')"
    elif known is None:
        note = "none is known" + (" but the full group" if group.is_finite else "")
        return PlanRow("design", None, None, "certain", note=note)
    else:
        m, reached = known.m, known.deviation if degree is None else 0.0
        if degree is not None and not group.is_finite:  # rows are rounded, and so is the zero
            reached = exact_deviation(design(group, degree=degree), degree=degree).value
        note = f"{known.name}, exact to degree {known.degree}" if known.degree else known.name
    return PlanRow("design", m, 0, "certain", deviation=reached, note=note)


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
