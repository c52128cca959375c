"""A plan as a table for people: its cells and the lines below it.

What every plan has: rows, found by the name of their method.

Integers of any size, for people and for JSON.

The constants of a problem together with how they are known: bounds, or estimates of a pilot.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, final

from sparseaug._floats import text_down, text_up
from sparseaug._tables import Table
from sparseaug.errors import ArgumentError, check_not_negative, check_real, shorten, shorten_text

if TYPE_CHECKING:
    from sparseaug.plans.methods import MethodPlan
    from sparseaug.plans.plan import Plan

_HOLDS = {
    "certain": "certain",
    "with probability 1 - delta": "1 - delta",
    "in mean square": "in mean",
}


def table(plan: Plan) -> Table:
    """The whole plan; work and memory only where n is known."""
    p = plan.problem
    work = () if p.n is None else ("gradients", "copies")
    asked = f"eps = {format_real(plan.eps)}, delta = {format_real(p.delta)}"
    asked += "" if p.degree is None else f", degree = {p.degree}"
    return Table(
        ("method", "batch", "steps", "calls", *work, "holds"),
        [_cells(plan, row) for row in plan.rows],
        numbers=range(1, 4 + len(work)),
        title=f"{shorten_text(p.group, 30)} of order {format_count(p.order)}, {asked}",
        notes=_notes(plan),
    )


def _cells(plan: Plan, row: MethodPlan) -> tuple[str, ...]:
    work = () if plan.problem.n is None else (_count(row.evaluations), _count(row.copies))
    numbers = (_count(row.batch), format_count(row.steps), _count(row.calls))
    return (row.method, *numbers, *work, _HOLDS[row.guarantee])


def _notes(plan: Plan) -> list[str]:
    """What the numbers do not say; limits on eps on the safe side."""
    p, limits = plan.problem, plan.crossovers
    full = "no eps" if math.isinf(limits.than_full) else f"eps >= {text_up(limits.than_full, 3)}"
    few = limits.than_streaming
    stream = f"eps <= {text_down(few, 3)}" if few else "no eps"
    kind = "=" if p.dimension_sum_exact and is_in_full(p.dimension_sum) else "<="
    return [
        "batch is transformations in a step, calls are oracle calls in all steps",
        f"streaming: sigma = {format_real(p.sigma)}; in mean square over draws, at a random step",
        f"one-shot beats full in calls for {full}, streaming for {stream}",
        f"one-shot sharp: the sum of d_pi{_to(p.degree)} {kind} {format_count(p.dimension_sum)}",
        *(f"{row.method}: {row.note}" for row in plan.rows if row.note),
        *_degree(p.degree),
        *["C, B, L and gap are estimates, and so are all rows; confirm by an audit"] * p.estimated,
        _best(plan),
    ]


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


def _count(number: int | None) -> str:
    return "-" if number is None else format_count(number)


class Named(Protocol):
    """A row of a plan."""

    @property
    def method(self) -> str:
        """The name of its method."""


Row = TypeVar("Row", bound=Named)


def row_of(rows: Sequence[Row], method: Any) -> Row:
    """The row of that method, or an `ArgumentError` with the names that there are."""
    for row in rows:
        if isinstance(method, str) and row.method == method:
            return row
    names = ", ".join(row.method for row in rows)
    raise ArgumentError(f"method={shorten(method)} is not planned for; give one of {names}.")


_IN_FULL = 10**7
_LARGEST_JSON = 1 << 53  # beyond it a reader that takes numbers for floats would change them


def format_count(number: int) -> str:
    """With thousands separators up to seven digits, then as a power of ten, rounded up.

    Examples:
        >>> format_count(43811), format_count(3 * 10**8), format_count(10**12 + 1)
        ('43,811', '3.00e8', '1.01e12')
    """
    return _format(number, up=True)


def format_count_down(number: int) -> str:
    """The same rounded down, for numbers that others are at least.

    Examples:
        >>> format_count_down(43811), format_count_down(10**12 - 1)
        ('43,811', '9.99e11')
    """
    return _format(number, up=False)


def is_in_full(number: int) -> bool:
    """Whether `format_count` prints all digits."""
    return number < _IN_FULL


def format_real(number: float) -> str:
    """A number that was given or is used as it stands: all digits that tell it from others.

    Examples:
        >>> format_real(0.05), format_real(2.0), format_real(1e-9)
        ('0.05', '2', '1e-09')
    """
    return repr(number).removesuffix(".0")


def _format(number: int, *, up: bool) -> str:
    if is_in_full(number):
        return f"{number:,}"
    exponent = int(math.log10(number))  # takes integers of any size, and may be off by one
    exponent += (number >= 10 ** (exponent + 1)) - (number < 10**exponent)
    unit = 10 ** (exponent - 2)
    digits = -(-number // unit) if up else number // unit
    if digits == 1000:
        digits, exponent = 100, exponent + 1
    return f"{digits // 100}.{digits % 100:02d}e{exponent}"


def to_json(value: Any) -> Any:
    """The same as JSON holds it: integers above 2^53 as hexadecimal text, which `int(text, 0)`
    reads at any size, and infinite numbers as null.

    Examples:
        >>> to_json(720), to_json(2**64), to_json(math.inf)
        (720, '0x10000000000000000', None)
    """
    if isinstance(value, int) and abs(value) > _LARGEST_JSON:
        return hex(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


KINDS = ("bound", "estimate")


@final
@dataclass(frozen=True)
class Constants:
    """C, B, L and gap, for `plan(group, eps=..., constants=...)`.

    Args:
        C: bound of point evaluation
        B: bound on the mean norm of the gradient functions
        L: smoothness of the risk
        gap: initial value less the infimum
        kind: "bound", or "estimate", which the plan then says of all that rests on them

    Examples:
        >>> Constants(1.0, 2.0, 4.0, 1.0).kind
        'bound'
    """

    C: float
    B: float
    L: float
    gap: float
    kind: str = "bound"

    def __post_init__(self) -> None:
        for name in ("C", "B", "L"):
            check_real(name, getattr(self, name), above=0)
        check_not_negative("gap", self.gap)
        if not isinstance(self.kind, str) or self.kind not in KINDS:
            raise ArgumentError(f"kind={shorten(self.kind)} is not known; give one of {KINDS}.")

    def to_dict(self) -> dict[str, Any]:
        """All fields as JSON data."""
        return dict(vars(self))
