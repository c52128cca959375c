"""`plan(group, ...)`: what a gradient norm, or a deviation, costs, by each method, side by side."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from fractions import Fraction
from typing import Any, TypedDict, Unpack

from sparseaug._checks import check_integer, check_not_negative, check_real
from sparseaug._floats import float_above, text_down, text_up
from sparseaug.errors import ArgumentError, UnsupportedError, shorten, shorten_text
from sparseaug.groups import Group, as_group
from sparseaug.plans.dimension import degree_dimension_sum, find_dimension_sum
from sparseaug.plans.draws import plan_draws
from sparseaug.plans.methods import CONDITION, Problem, each_method
from sparseaug.plans.table import Plan, PlanRow, format_count, format_real, notes_of, sum_note
from sparseaug.theory import Crossovers, crossovers

MOST_TRANSFORMATIONS = 10**14
"""In a step that is recommended: a day's work for a thousand machines at 10^6 a second each."""


class Numbers(TypedDict, total=False):
    """The numbers of a plan, by name.

    Attributes:
        C: with eps: point evaluation of the gradients' space (ass:gradient-rkhs)
        B: mean RKHS norm of the gradients
        L: smoothness of the risk
        gap: initial value of the risk less its infimum
        sigma: standard deviation of the gradient over the group, for streaming. By default C B: the
            gradient of one transformation has norm at most C B, and E|X - EX|^2 <= E|X|^2
        b: fresh transformations in a streaming step, 1 by default
        n: number of samples, for the work and the memory
        max_batch: transformations that a step may average over; `best` keeps to it
        draw: with deviation: whether `draw_until` is run; by default where it takes seconds
        seed: of the oracle of `draw_until`; 0 by default
    """

    C: float | None
    B: float | None
    L: float | None
    gap: float | None
    sigma: float | None
    b: int | None
    n: int | None
    max_batch: int | None
    draw: bool | None
    seed: int | None


def plan(
    group: Group | str,
    *,
    eps: float | None = None,
    deviation: float | None = None,
    delta: float = 0.05,
    degree: int | None = None,
    **numbers: Unpack[Numbers],
) -> Plan:
    """What an accuracy costs, by each method: of a deviation in elements, of a gradient norm in steps.

    With `deviation`, how many elements a sample needs: by the paper's bound, by the sharper bound, as
    `draw_until` finds them, in the smallest known design, in the full group. With `eps`, batch, steps
    and oracle calls of each method for a full gradient norm of at most eps. That is about descent
    without projection, with constants that hold wherever the run goes: B and L of a box say nothing of
    a run that the projection onto it changed (`Run.clipped`).

    Args:
        group: the group that acts on the data.
        eps: wanted norm of the full gradient; needs C, B, L and gap.
        deviation: wanted deviation of S, instead.
        delta: probability that S misses it.
        degree: of the functions (with eps, of the gradients) that count, as `deviation(degree=)`. The
            sharper bound then sums over the irreps up to that degree only.
        **numbers: those of the problem, as `Numbers` names them: with eps C, B, L and gap, and if wanted
            sigma, b, n, max_batch; with deviation draw and seed.

    Returns:
        A `Plan`: `.rows`, `.best`, `.row(method)`, `.facts`, a table by `str`.

    Raises:
        ArgumentError: eps and deviation together, neither, or arguments that belong to the other.
        UnsupportedError: degree of a group that has none.

    Examples:
        >>> import sparseaug as sa
        >>> found = sa.plan(sa.symmetric(10), deviation=0.25, degree=2)
        >>> [(row.method, row.m) for row in found.rows][:2]
        [('one-shot', 802), ('one-shot sharp', 280)]
        >>> found = sa.plan(sa.symmetric(6), eps=0.1, delta=0.05, C=1.0, B=2.0, L=4.0, gap=1.0)
        >>> [(row.method, row.calls) for row in found.rows][2:5]
        [('one-shot', 43811), ('one-shot sharp', 25834), ('words', 75)]
        >>> found.best.method, found.best.length, found.best.steps
        ('words', 6, 3200)
    """
    group = as_group(group)
    unknown = [name for name in numbers if name not in Numbers.__annotations__]
    if unknown:
        known = ", ".join(Numbers.__annotations__)
        raise ArgumentError(f"{unknown[0]}= is not a number of a plan; known are {known}.")
    given: dict[str, Any] = {k: value for k, value in numbers.items() if value is not None}
    if deviation is not None:
        others = {name: value for name, value in given.items() if name not in ("draw", "seed")}
        _refuse({"eps": eps, **others}, "deviation")
        return plan_draws(group, deviation=deviation, degree=degree, delta=delta, **given)
    if eps is None:
        raise ArgumentError("the goal is missing; give eps= or deviation=.")
    _refuse({name: given.get(name) for name in ("draw", "seed")}, "eps")
    if degree is not None:
        degree = check_integer("degree", degree, at_least=1)
    if not group.is_finite:
        raise UnsupportedError(
            f"eps={shorten(eps)}: plans for a gradient norm are for finite groups, and {group.name} has "
            "infinitely many elements; give deviation= and degree= instead."
        )
    D, exact = find_dimension_sum(group) if degree is None else degree_dimension_sum(group, degree)
    delta = check_real("delta", delta, above=0, below=1)
    c, bound = _positive("C", given), _positive("B", given)
    n, sigma, most = given.get("n"), given.get("sigma"), given.get("max_batch")
    problem = Problem(
        group=group.name,
        order=group.order,
        dimension_sum=D,
        dimension_sum_exact=exact,
        delta=delta,
        C=c,
        B=bound,
        L=_smoothness(given),
        gap=check_not_negative("gap", _given("gap", given)),
        sigma=float_above(Fraction(c) * Fraction(bound))
        if sigma is None
        else check_not_negative("sigma", sigma),
        b=check_integer("b", given.get("b", 1), at_least=1),
        n=None if n is None else check_integer("n", n, at_least=1),
        degree=degree,
        max_batch=None if most is None else check_integer("max_batch", most, at_least=1),
    )
    return _build(problem, eps)


def _refuse(others: dict[str, Any], goal: str) -> None:
    """An `ArgumentError` for the first that was given, as it does not go with this goal."""
    for name, value in others.items():
        if value is not None and name == "eps":
            raise ArgumentError(
                f"eps={shorten(value)} and deviation= are two goals; give one of them."
            )
        if value is not None:
            wants = "eps" if goal == "deviation" else "deviation"
            raise ArgumentError(f"{name}={shorten(value)} goes with {wants}=, not with {goal}=.")


def _given(name: str, given: Mapping[str, Any]) -> float:
    if name not in given:
        raise ArgumentError(f"{name}= is missing; with eps=, give C=, B=, L= and gap=.")
    return given[name]


def _positive(name: str, given: Mapping[str, Any]) -> float:
    return check_real(name, _given(name, given), above=0)


def _smoothness(given: Mapping[str, Any]) -> float:
    value = _positive("L", given)
    if math.isinf(1 / value):
        raise ArgumentError(f"L={value!r} is too small: steps of 1/L are above all floats.")
    return value


def _build(problem: Problem, eps: float) -> Plan:
    p, eps = problem, check_real("eps", eps, above=0)
    limits = crossovers(p.delta, p.order, C=p.C, B=p.B, L=p.L, gap=p.gap, sigma=p.sigma, b=p.b)
    rows = tuple(each_method(p, eps))
    most = min(p.max_batch or MOST_TRANSFORMATIONS, MOST_TRANSFORMATIONS)
    best, said = _best(rows, most)
    asked = f"eps = {format_real(eps)}, delta = {format_real(p.delta)}"
    asked += "" if p.degree is None else f", degree = {p.degree}"
    return Plan(
        facts={"eps": eps, **asdict(p), "crossovers": limits.to_dict()},
        rows=rows,
        best=best,
        verdict=said,
        title=f"{shorten_text(p.group, 30)} of order {format_count(p.order)}, {asked}",
        notes=tuple(_notes(p, rows, limits)),
        columns=(
            *("method", "m", "steps", "calls"),
            *(() if p.n is None else ("work", "copies")),
            "guarantee",
        ),
    )


def _best(rows: tuple[PlanRow, ...], most: int) -> tuple[PlanRow, str]:
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


def _notes(p: Problem, rows: tuple[PlanRow, ...], limits: Crossovers) -> Iterator[str]:
    """What the numbers do not say; limits on eps on the safe side."""
    full = "no eps" if math.isinf(limits.than_full) else f"eps >= {text_up(limits.than_full, 3)}"
    few = limits.than_streaming
    stream = f"eps <= {text_down(few, 3)}" if few else "no eps"
    yield f"all rows: if {CONDITION}"
    yield "m is transformations in a step, calls are oracle calls in all steps"
    yield "full: one call per element, as the paper counts; GroupSample.full makes none"
    sigma = format_real(p.sigma)
    yield f"streaming: what the bound for plain SGD asks for, sigma = {sigma}; in mean square"
    yield f"one-shot beats full in calls for {full}, streaming for {stream}"
    yield sum_note(p.dimension_sum, p.dimension_sum_exact, p.degree)
    yield from notes_of(rows)
    if p.degree is not None:
        yield (
            f"one-shot sharp and words hold for gradients that look at {p.degree} "
            "coordinates of an element at a time; the other rows for all"
        )
