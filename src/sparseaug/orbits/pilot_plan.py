"""`pilot.plan(eps)`: what an accuracy takes, by the measured spectrum, beside the paper's bound.

m draws leave sigma^2 / m of the squared gradient in expectation, and a translate k S h of a design what
the spectrum predicts. Half of eps is for that, and the steps are those of the paper for the other half,
with the measured L and gap.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

from sparseaug._tables import Shown, Table
from sparseaug.designs.choose import build, designs
from sparseaug.errors import GroupTooLargeError, UnsupportedError, shorten_text
from sparseaug.groups import Group
from sparseaug.orbits.spectrum.result import Spectrum
from sparseaug.plans.table import format_count, format_real, row_of, to_json
from sparseaug.theory import full_gd_steps, num_steps, sample_size, sgd_plan

MOST_ELEMENTS = 20_000
"""Elements of a design that is judged by the spectrum."""

_ENDLESS = "not possible, there are infinitely many elements"


@final
@dataclass(frozen=True)
class PilotRow:
    """One way to a gradient norm of eps.

    Attributes:
        method: draws, design, full, streaming, or paper's bound
        m: transformations that a step averages over; None where no design is known that is good enough,
            and for the full group and the paper's bound where the group is infinite
        steps: T
        calls: oracle calls in all steps
        work: gradients of one transformed sample over all steps
        discrepancy: root mean square of ||grad R^S - grad R^G|| that is predicted
        note: what the numbers do not say
    """

    method: str
    m: int | None
    steps: int
    calls: int | None
    work: int | None
    discrepancy: float | None
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON data, integers above 2^53 as hexadecimal text."""
        return {name: to_json(value) for name, value in vars(self).items()}

    def cells(self) -> tuple[str, ...]:
        """The row of a table for people."""
        counts = ("-" if n is None else format_count(n) for n in (self.m, self.steps, self.calls))
        work = "-" if self.work is None else format_count(self.work)
        left = "-" if self.discrepancy is None else f"{self.discrepancy:.3g}"
        return (self.method, *counts, work, left)


@final
@dataclass(frozen=True)
class PilotPlan(Shown):
    """Ways to a gradient norm of eps by a pilot's estimates; `str` is a table.

    Attributes:
        group: its name
        eps: the norm of the full-group gradient to reach
        rows: one for each way
        kind: "estimate", of all rows
    """

    group: str
    eps: float
    rows: tuple[PilotRow, ...]
    kind: str = "estimate"

    def row(self, method: str) -> PilotRow:
        """The row of that method."""
        return row_of(self.rows, method)

    def to_dict(self) -> dict[str, Any]:
        """As JSON data."""
        rows = [row.to_dict() for row in self.rows]
        return {"group": self.group, "eps": self.eps, "kind": self.kind, "rows": rows}

    def _table(self) -> Table:
        said = [f"{row.method}: {row.note}" for row in self.rows if row.note]
        said.append(
            "estimates at one theta, in root mean square over draws and translates; confirm what is "
            "reached by an audit"
        )
        return Table(
            ("method", "m", "steps", "calls", "gradients", "discrepancy"),
            [row.cells() for row in self.rows],
            numbers=range(1, 6),
            title=f"{shorten_text(self.group, 30)}, eps = {format_real(self.eps)}: from a pilot",
            notes=said,
        )


def plan_rows(
    spectrum: Spectrum, eps: float, delta: float, *, L: float, gap: float, samples: int
) -> PilotPlan:
    """The rows of `Pilot.plan`, which documents the arguments."""
    group, half = spectrum.group, eps / 2
    L, sigma = max(L, 1e-300), math.sqrt(spectrum.variance)
    steps = num_steps(eps, L, gap)
    draws = _draws(spectrum.variance, half)
    name, m, left = _design(spectrum, half, draws)
    stream = sgd_plan(eps, L, gap, sigma, 1)
    order = group.order if group.is_finite else None
    paper = order and sample_size(eps, delta, order, 1.0, max(sigma, 1e-300))
    bound = f"with probability 1 - {format_real(delta)} if C B were sigma; it is never less"

    def row(
        method: str, m: int | None, T: int, calls: int | None, left: float | None, note: str = ""
    ) -> PilotRow:
        return PilotRow(method, m, T, calls, None if m is None else m * T * samples, left, note)

    rows = (
        row("draws", draws, steps, draws, sigma / _root(draws), _many(draws, group)),
        row("design", m, steps, None if m is None else 2, left, name),
        row("full", order, full_gd_steps(eps, L, gap), 0, 0.0)
        if order
        else row("full", None, full_gd_steps(eps, L, gap), None, None, _ENDLESS),
        row("streaming", 1, stream.num_steps, stream.calls, sigma, "one fresh element per step"),
        row(
            "paper's bound",
            paper,
            steps,
            paper,
            None,
            bound if order else "it is for finite groups",
        ),
    )
    return PilotPlan(group.name, eps, rows)


def _draws(variance: float, half: float) -> int:
    ratio = math.sqrt(variance) / half
    if ratio > 1 << 31:  # whose square may not be a float
        return math.ceil(ratio) ** 2
    return max(1, math.ceil(ratio * ratio * (1 - 1e-12)))


def _root(draws: int) -> float:
    return math.sqrt(draws) if draws < 1 << 62 else float(math.isqrt(draws))


def _many(draws: int, group: Group) -> str:
    return f"{group.name} has fewer elements: use all" if draws >= group.order else ""


def _design(spectrum: Spectrum, half: float, draws: int) -> tuple[str, int | None, float | None]:
    """The smallest known design that leaves at most this, its error bar included."""
    group = spectrum.group
    for offer in designs(group):  # the smallest first
        if offer.m is None or not offer.fits(group.width) or offer.m > min(draws, MOST_ELEMENTS):
            continue
        if offer.name == "full":
            continue  # a row of its own
        try:
            found = spectrum.predict(build(group, offer))
        except (UnsupportedError, GroupTooLargeError):
            continue
        if math.sqrt(found.value + found.error) <= half:
            return offer.name, offer.m, found.rms
    return "none with fewer elements than draws is known to be good enough", None, None
