"""`plan(group, deviation=...)`: how many elements reach a deviation, by each way to get them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from sparseaug._floats import text_up
from sparseaug._tables import Shown, Table
from sparseaug.designs import design, designs
from sparseaug.errors import (
    ArgumentError,
    UnsupportedError,
    check_integer,
    check_not_negative,
    check_real,
    check_text,
    shorten,
    shorten_text,
)
from sparseaug.groups import DimensionSum, Group
from sparseaug.groups.limits import ENUMERATION_LIMIT
from sparseaug.plans.dimension import degree_dimension_sum, find_dimension_sum, typical_draws
from sparseaug.plans.table import format_count, format_real, is_in_full, row_of, to_json
from sparseaug.sampling import Oracle
from sparseaug.spectral import deviation as exact_deviation
from sparseaug.spectral import draw_until
from sparseaug.spectral.methods import has_degrees, preferred
from sparseaug.spectral.result import announce
from sparseaug.theory import deviation_sample_size, sharp_deviation_sample_size

CHEAP_SUM = 1_000
"""D up to which `draw_until` is run unasked: some seconds at most."""

CHEAP_DRAWS = 2_000
"""Draws that the sharper bound asks for, up to which it is run unasked."""

PROMISE = "with probability 1 - delta"


@dataclass(frozen=True, slots=True)
class DrawRow:
    """One way to a sample of this deviation.

    Attributes:
        method: one-shot, one-shot sharp, draw_until, design, full
        m: elements of the sample; None where that is not known
        calls: oracle calls; None where that is not known
        deviation: that the sample has at most; None where there is no such sample
        guarantee: certain, or with which probability
        note: what the numbers do not say
    """

    method: str
    m: int | None
    calls: int | None
    deviation: float | None
    guarantee: str
    note: str = ""

    def __post_init__(self) -> None:
        for name in ("method", "guarantee", "note"):
            check_text(name, getattr(self, name))
        if self.m is not None:
            check_integer("m", self.m, at_least=1)
        if self.calls is not None:
            check_integer("calls", self.calls)
        if self.deviation is not None:
            check_not_negative("deviation", self.deviation, at_most=1)

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON data, integers above 2^53 as hexadecimal text."""
        return {name: to_json(getattr(self, name)) for name in self.__slots__}

    def cells(self) -> tuple[str, ...]:
        """The row of a table for people."""
        counts = ("-" if n is None else format_count(n) for n in (self.m, self.calls))
        reached = "-" if self.deviation is None else _reached(self.deviation)
        return (self.method, *counts, reached, self.guarantee.removeprefix("with probability "))


def _reached(deviation: float) -> str:
    """Rounded up to three digits; a number of three digits, as a target is, as it was given."""
    given = f"{deviation:.3g}"
    return given if float(given) == deviation else text_up(deviation, 3)


@dataclass(frozen=True, slots=True)
class DrawPlan(Shown):
    """How many elements a deviation takes, by each way to get them; `str(plan)` is a table.

    Args:
        group: its name
        order: |G|; None where it is infinite
        deviation: the deviation to reach
        degree: of the functions that count, in coordinates at a time; None for all functions
        delta: how often a bound may fail
        dimension_sum: D over the irreps that count, or an upper bound of it
        dimension_sum_exact: whether it is D itself
        seed: of the oracle with which `draw_until` was run
        rows: one for each way
    """

    group: str
    order: int | None
    deviation: float
    degree: int | None
    delta: float
    dimension_sum: int
    dimension_sum_exact: bool
    seed: int
    rows: tuple[DrawRow, ...]

    def __post_init__(self) -> None:
        check_text("group", self.group)
        if self.order is not None:
            check_integer("order", self.order, at_least=1)
        check_real("deviation", self.deviation, above=0, below=1)
        if self.degree is not None:
            check_integer("degree", self.degree, at_least=1)
        check_real("delta", self.delta, above=0, below=1)
        check_integer("dimension_sum", self.dimension_sum)
        exact: object = self.dimension_sum_exact
        if not isinstance(exact, bool):
            raise ArgumentError(f"dimension_sum_exact={shorten(exact)} is neither True nor False.")
        check_integer("seed", self.seed)
        rows = isinstance(self.rows, tuple) and all(isinstance(r, DrawRow) for r in self.rows)
        if not rows or all(row.m is None for row in self.rows):
            raise ArgumentError(f"rows={shorten(self.rows)} is not a tuple of rows with an m.")

    @property
    def best(self) -> DrawRow:
        """The row with the fewest elements; among equals, with the fewest oracle calls."""
        known = [row for row in self.rows if row.m is not None]
        return min(known, key=lambda row: (row.m, math.inf if row.calls is None else row.calls))

    def row(self, method: str) -> DrawRow:
        """The row of that method."""
        return row_of(self.rows, method)

    def to_dict(self) -> dict[str, Any]:
        """As JSON data. Integers above 2^53 are hexadecimal text."""
        facts = {name: to_json(getattr(self, name)) for name in self.__slots__ if name != "rows"}
        return {**facts, "rows": [row.to_dict() for row in self.rows], "best": self.best.method}

    def _table(self) -> Table:
        asked = f"deviation = {format_real(self.deviation)}, delta = {format_real(self.delta)}"
        only = "" if self.degree is None else f", degree = {self.degree}"
        size = "infinite order" if self.order is None else f"order {format_count(self.order)}"
        return Table(
            ("method", "elements", "calls", "deviation", "holds"),
            [row.cells() for row in self.rows],
            numbers=range(1, 4),
            title=f"{shorten_text(self.group, 30)} of {size}, {asked}{only}",
            notes=self._notes(),
        )

    def _notes(self) -> list[str]:
        """What the numbers do not say."""
        kind = "=" if self.dimension_sum_exact and is_in_full(self.dimension_sum) else "<="
        which = "" if self.degree is None else f" to degree {self.degree}"
        lines = [
            f"one-shot sharp: the sum of d_pi{which} {kind} {format_count(self.dimension_sum)}"
        ]
        lines += [f"{row.method}: {row.note}" for row in self.rows if row.note]
        if self.degree is not None:
            lines.append(
                f"deviation is that on functions of at most {self.degree} coordinates; one-shot and "
                "full reach it on all functions"
                if self.order is not None
                else f"deviation is that on functions of degree at most {self.degree}"
            )
        return [*lines, f"fewest elements: {self.best.method}"]


def plan_draws(
    group: Group,
    *,
    deviation: float,
    degree: int | None = None,
    delta: float = 0.05,
    draw: bool | None = None,
    seed: int = 0,
) -> DrawPlan:
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
        DrawRow("one-shot", paper, paper, target if paper else None, PROMISE, _no_order(group)),
        DrawRow(
            "one-shot sharp", sharp, sharp, target, PROMISE, _typically(group, target, degree, D)
        ),
        _until(group, target, degree, D, sharp, draw, seed),
        _design(group, target, degree),
        DrawRow(
            "full", order, 0 if order else None, 0.0 if order else None, "certain", _listed(group)
        ),
    )
    return DrawPlan(group.name, order, target, degree, delta, *D, seed, rows)


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
) -> DrawRow:
    """What `draw_until` finds, where it is asked for or cheap."""
    if draw is None and not _is_reachable(group, degree):
        instead = "; give degree=" if has_degrees(group) else ""
        note = f"no exact deviation for all of {shorten_text(group.name)}{instead}"
        return DrawRow("draw_until", None, None, None, "certain", note)
    if draw is False or (draw is None and not _is_cheap(group, degree, D, sharp)):
        note = "not run; give draw=True to run it"
        return DrawRow("draw_until", None, None, target, "certain", note)
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
    return DrawRow("draw_until", found.sample.m, found.calls, found.deviation.value, kind, note)


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


def _design(group: Group, target: float, degree: int | None) -> DrawRow:
    """The smallest known construction: exact to the degree, or of a deviation that a theorem gives."""
    fitting = [
        offer
        for offer in designs(group)
        if offer.m is not None
        and offer.name != "full"
        and offer.fits(group.width)
        and (
            offer.degree >= degree
            if degree is not None
            else offer.deviation is not None and offer.deviation <= target
        )
    ]
    if not fitting:
        note = "none is known" + (" but the full group" if group.is_finite else "")
        return DrawRow("design", None, None, None, "certain", note)
    best = min(fitting, key=lambda offer: offer.m or 0)
    note = f"{best.name}, exact to degree {best.degree}" if best.degree else best.name
    reached = 0.0 if degree is not None else best.deviation
    if degree is not None and not group.is_finite:  # rows are rounded, and so is the zero
        reached = exact_deviation(design(group, degree=degree), degree=degree).value
    return DrawRow("design", best.m, 0, reached, "certain", note)
