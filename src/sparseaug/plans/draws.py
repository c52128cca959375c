"""`plan(group, deviation=...)`: how many elements reach a deviation, by each way to get them."""

from __future__ import annotations

import math

from sparseaug._checks import check_integer, check_real
from sparseaug.designs import design
from sparseaug.designs.constructions import fixed
from sparseaug.errors import ArgumentError, UnsupportedError, shorten, shorten_text
from sparseaug.groups import DimensionSum, Group
from sparseaug.groups.orders import ENUMERATION_LIMIT
from sparseaug.norms import deviation as exact_deviation
from sparseaug.norms import draw_until
from sparseaug.norms.methods import preferred
from sparseaug.norms.norm import announce
from sparseaug.plans.dimension import degree_dimension_sum, find_dimension_sum, typical_draws
from sparseaug.plans.table import Plan, PlanRow, format_count, format_real, notes_of, sum_note
from sparseaug.sampling import Oracle
from sparseaug.theory import deviation_sample_size, sharp_deviation_sample_size

CHEAP_SUM = 1_000
"""D up to which `draw_until` is run unasked: some seconds at most."""

CHEAP_DRAWS = 2_000
"""Draws that the sharper bound asks for, up to which it is run unasked."""

SEARCHED = 500
"""Elements of a group that is searched for a deviation unasked, ten times as many if it is abelian."""

PROMISE = "with probability 1 - delta"


def plan_draws(
    group: Group,
    deviation: float,
    *,
    degree: int | None = None,
    delta: float = 0.05,
    draw: bool | None = None,
    seed: int = 0,
) -> Plan:
    """The rows of `plan(group, deviation=...)`, which documents the arguments."""
    target = check_real("deviation", deviation, above=0, below=1)
    delta = check_real("delta", delta, above=0, below=1)
    seed = check_integer("seed", seed)
    asked: object = draw
    if asked is not None and not isinstance(asked, bool):
        raise ArgumentError(f"draw={shorten(draw)} is neither True nor False nor None.")
    if degree is None:
        D = find_dimension_sum(group)
    else:
        degree = check_integer("degree", degree, at_least=1)
        D = degree_dimension_sum(group, degree)
    paper = deviation_sample_size(target, group.order, delta) if group.is_finite else None
    sharp = sharp_deviation_sample_size(target, D.value, delta)
    order = group.order if group.is_finite else None
    rows = (
        _row("one-shot", paper, paper, target if paper else None, PROMISE, _no_order(group)),
        _row("one-shot sharp", sharp, sharp, target, PROMISE, _typically(group, target, degree, D)),
        _until(group, target, degree, D, sharp, draw, seed),
        _design(group, target, degree),
        _row(
            "full", order, 0 if order else None, 0.0 if order else None, "certain", _listed(group)
        ),
    )
    best = min(
        (row for row in rows if row.m is not None),
        key=lambda row: (row.m, math.inf if row.calls is None else row.calls),
    )
    asked = f"deviation = {format_real(target)}, delta = {format_real(delta)}"
    asked += "" if degree is None else f", degree = {degree}"
    size = "infinite order" if order is None else f"order {format_count(order)}"
    return Plan(
        facts={
            "group": group.name,
            "order": order,
            "deviation": target,
            "degree": degree,
            "delta": delta,
            "dimension_sum": D.value,
            "dimension_sum_exact": D.exact,
            "seed": seed,
        },
        rows=rows,
        best=best,
        verdict=f"fewest elements: {best.method}, m = {format_count(best.m or 0)}",
        title=f"{shorten_text(group.name, 30)} of {size}, {asked}",
        notes=(
            sum_note(*D, degree),
            *notes_of(rows),
            *_restriction(degree, order),
        ),
        columns=("method", "m", "calls", "deviation", "guarantee"),
    )


def _row(
    method: str,
    m: int | None,
    calls: int | None,
    deviation: float | None,
    guarantee: str,
    note: str,
) -> PlanRow:
    return PlanRow(method, m, calls, guarantee, deviation=deviation, note=note)


def _restriction(degree: int | None, order: int | None) -> list[str]:
    if degree is None:
        return []
    return [
        f"deviation is that on functions of at most {degree} coordinates; one-shot and full reach it "
        "on all functions"
        if order is not None
        else f"deviation is that on functions of degree at most {degree}"
    ]


def _typically(group: Group, target: float, degree: int | None, D: DimensionSum) -> str:
    """What is expected of m draws, said as such; of functions of a degree it is not known."""
    m = typical_draws(group, target, D.value) if degree is None else None
    return (
        "" if m is None else f"about {format_count(m)} are typical, an expectation, not a promise"
    )


def _until(
    group: Group,
    target: float,
    degree: int | None,
    D: DimensionSum,
    sharp: int,
    draw: bool | None,
    seed: int,
) -> PlanRow:
    """What `draw_until` finds, where it is asked for or cheap."""
    if draw is None and not _is_reachable(group, degree):
        instead = "; give degree=" if group.highest_degree is not None else ""
        note = f"no exact deviation for all of {shorten_text(group.name)}{instead}"
        return _row("draw_until", None, None, None, "certain", note)
    if draw is False or (draw is None and not _is_cheap(group, degree, D, sharp)):
        note = "not run; give draw=True to run it"
        return _row("draw_until", None, None, target, "certain", note)
    # with probability 1 - delta it ends at m = sharp or a batch later, or with all of the group; every
    # batch of an eighth goes through all draws again, 2 us each on irreps, and their rows are copied
    m = min(sharp, group.order) if group.is_finite else sharp
    announce(
        f"draw_until on {shorten_text(group.name)} for deviation={target:g}, {format_count(m)} draws,",
        seconds=2e-5 * m,
        memory=48.0 * m * group.width,
        instead="raise deviation=, or leave draw=True out.",
    )
    found = draw_until(
        Oracle(group, seed=seed), target=target, degree=degree, max_calls=4 * sharp + 100
    )
    kind = "certain" if found.deviation.rigorous else found.deviation.kind
    note = f"found with seed={seed}; another seed finds another number"
    return _row("draw_until", found.sample.m, found.calls, found.deviation.value, kind, note)


def _no_order(group: Group) -> str:
    return "" if group.is_finite else "the paper's bound is for finite groups"


def _listed(group: Group) -> str:
    if not group.is_finite:
        return "infinitely many elements"
    listed = group.order <= ENUMERATION_LIMIT
    return "GroupSample.full(group)" if listed else "too many elements to be listed"


def _is_reachable(group: Group, degree: int | None) -> bool:
    if degree is not None:
        return True
    try:
        preferred(group)
    except UnsupportedError:
        return False
    return True


def _is_cheap(group: Group, degree: int | None, D: DimensionSum, sharp: int) -> bool:
    """The regular representation costs as much as the group has elements, all else as D."""
    if D.value > CHEAP_SUM or sharp > CHEAP_DRAWS:
        return False
    return degree is not None or preferred(group).name != "regular" or group.order <= CHEAP_SUM


def _searched(group: Group, target: float, known: int | None) -> tuple[int, float] | None:
    """The smallest m below `known` for which a search reaches the deviation, and what it reaches.

    No S of m elements is below sqrt((|G|/m - 1)/(|G| - 1)); searches come within a factor of 2.
    """
    if group.log_order > math.log(SEARCHED if group.moduli is None else 10 * SEARCHED) + 1e-9:
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


def _design(group: Group, target: float, degree: int | None) -> PlanRow:
    """The smallest known construction: exact to the degree, or of a deviation that a theorem gives."""
    asked = {"deviation": target} if degree is None else {"degree": degree}
    fitting = [one for one in fixed(group, **asked) if one.kind != "full"]
    found = _searched(group, target, fitting[0].m if fitting else None) if degree is None else None
    if found is not None:
        note = f"a search: design(group, m={found[0]}, objective='deviation')"
        return _row("design", found[0], 0, found[1], "certain", note)
    if not fitting:
        note = "none is known" + (" but the full group" if group.is_finite else "")
        return _row("design", None, None, None, "certain", note)
    best = fitting[0]
    note = f"{best.name}, exact to degree {best.degree}" if best.degree else best.name
    reached = 0.0 if degree is not None else best.deviation
    if degree is not None and not group.is_finite:  # rows are rounded, and so is the zero
        reached = exact_deviation(design(group, degree=degree), degree=degree).value
    return _row("design", best.m, 0, reached, "certain", note)
