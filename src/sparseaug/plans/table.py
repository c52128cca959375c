"""A plan: ways to a goal side by side, a table for people and JSON data; integers of any size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

from sparseaug._archive import to_json
from sparseaug._checks import check_choice
from sparseaug._floats import text_up
from sparseaug._tables import Shown, Table
from sparseaug.errors import shorten, shorten_text
from sparseaug.groups import DimensionSum, Group

PROMISE = "with probability 1 - delta"

_LABELS = {"work": "gradients", "guarantee": "holds"}


@final
@dataclass(frozen=True, slots=True, repr=False)
class PlanRow:
    """One way to the goal; what it does not have, or what only drawing decides, is None.

    Attributes:
        method: its name: full, one-shot, words, draw_until, design ...
        m: elements of the sample, over which a step averages
        calls: oracle calls in all
        guarantee: how we know: certain, with which probability, in mean square, or an estimate
        steps: T
        step_size: of every step
        deviation: that the drawn elements have, need or are promised to have, at most
        discrepancy: root mean square of ||grad R^S - grad R^G|| that is predicted
        copies: transformed samples that a step goes through, and that a fixed sample can hold
        length: of the words over the drawn elements; 1 where they are used as they are
        condition: what the guarantee rests on besides; empty where nothing is
        note: what the numbers do not say
    """

    method: str
    m: int | None
    calls: int | None
    guarantee: str
    steps: int | None = None
    step_size: float | None = None
    deviation: float | None = None
    discrepancy: float | None = None
    copies: int | None = None
    length: int = 1
    condition: str = ""
    note: str = ""

    @property
    def work(self) -> int | None:
        """Gradients of one transformed sample, over all steps."""
        return None if self.copies is None or self.steps is None else self.copies * self.steps

    def to_dict(self) -> dict[str, Any]:
        """The fields and the work as JSON data."""
        return {name: to_json(getattr(self, name)) for name in (*self.__slots__, "work")}

    def __repr__(self) -> str:
        known = ((name, getattr(self, name)) for name in self.__slots__)
        return f"PlanRow({', '.join(f'{n}={shorten(v)}' for n, v in known if v is not None)})"


@final
@dataclass(frozen=True, slots=True, repr=False)
class Plan(Shown):
    """Ways to a goal side by side, made by `plan` and `Pilot.plan`; `str(plan)` is a table.

    Attributes:
        facts: the goal, the group, and all numbers that the rows rest on, by name
        rows: one for each way
        best: the row with the fewest oracle calls for a gradient norm, of those whose steps are small
            enough; the fewest elements for a deviation; the least work by a pilot
        verdict: the best row in words
        title: the group and the goal
        notes: what the numbers do not say
        columns: of the table
    """

    facts: dict[str, Any]
    rows: tuple[PlanRow, ...]
    best: PlanRow
    verdict: str
    title: str
    notes: tuple[str, ...]
    columns: tuple[str, ...]

    def row(self, method: str) -> PlanRow:
        """The row of that method."""
        check_choice("method", method, [row.method for row in self.rows])
        return next(row for row in self.rows if row.method == method)

    def to_dict(self) -> dict[str, Any]:
        """As JSON data."""
        rows = [row.to_dict() for row in self.rows]
        best, condition = self.best.method, self.best.condition
        return {**to_json(self.facts), "rows": rows, "best": best, "condition": condition}

    def _table(self) -> Table:
        return Table(
            tuple(_LABELS.get(name, name) for name in self.columns),
            [tuple(_cell(name, getattr(row, name)) for name in self.columns) for row in self.rows],
            [i for i, name in enumerate(self.columns) if name not in ("method", "guarantee")],
            f"{self.verdict}\n{self.title}",
            self.notes,
        )

    def __repr__(self) -> str:
        condition = f", if {self.best.condition}" if self.best.condition else ""
        return f"Plan({self.title}; best: {self.best.method}{condition})"


def _cell(name: str, value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, str):
        return value.removeprefix("with probability ").removesuffix(" square")
    if isinstance(value, int):
        return format_count(value)
    return format_deviation(value) if name == "deviation" else f"{value:.3g}"


def format_deviation(deviation: float) -> str:
    """Rounded up to three digits; a number of three digits, as a target is, as it was given.

    Examples:
        >>> from sparseaug.plans.table import format_deviation
        >>> format_deviation(0.2), format_deviation(0.20000000001)
        ('0.2', '0.201')
    """
    given = f"{deviation:.3g}"
    return given if float(given) == deviation else text_up(deviation, 3)


def asked_of(group: Group, goal: str, value: float, delta: float, degree: int | None) -> str:
    """The title of a plan: the group and the goal."""
    size = f"order {format_count(group.order)}" if group.is_finite else "infinite order"
    asked = f"{goal} = {format_real(value)}, delta = {format_real(delta)}"
    asked += "" if degree is None else f", degree = {degree}"
    return f"{shorten_text(group.name, 30)} of {size}, {asked}"


def notes_of(rows: Sequence[PlanRow]) -> list[str]:
    """Those of the rows, under their names."""
    return [f"{row.method}: {row.note}" for row in rows if row.note]


def sum_note(D: DimensionSum, degree: int | None) -> str:
    """What the sharper bound rests on."""
    kind = "=" if D.exact and D.value < _IN_FULL else "<="
    which = "" if degree is None else f" to degree {degree}"
    return f"one-shot sharp: the sum of d_pi{which} {kind} {format_count(D.value)}"


_IN_FULL = 10**7


def format_count(number: int) -> str:
    """With thousands separators up to seven digits, then as a power of ten, rounded up.

    Examples:
        >>> from sparseaug.plans.table import format_count
        >>> format_count(43811), format_count(3 * 10**8), format_count(10**12 + 1)
        ('43,811', '3.00e8', '1.01e12')
    """
    if number < _IN_FULL:
        return f"{number:,}"
    exponent = int(math.log10(number))  # takes integers of any size, and may be off by one
    exponent += (number >= 10 ** (exponent + 1)) - (number < 10**exponent)
    digits = -(-number // 10 ** (exponent - 2))
    if digits == 1000:
        digits, exponent = 100, exponent + 1
    return f"{digits // 100}.{digits % 100:02d}e{exponent}"


def format_real(number: float) -> str:
    """A number that was given or is used as it stands: all digits that tell it from others.

    Examples:
        >>> from sparseaug.plans.table import format_real
        >>> format_real(0.05), format_real(2.0), format_real(1e-9)
        ('0.05', '2', '1e-09')
    """
    return repr(number).removesuffix(".0")
