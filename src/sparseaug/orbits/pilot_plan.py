"""`pilot.plan(eps)`: what an accuracy takes, by the measured spectrum, beside the paper's bound.

m draws leave sigma^2 / m of the squared gradient in expectation, and a translate k S h of a design what
the spectrum predicts. Half of eps is for that, and the steps are those of the paper for the other half,
with the measured L and gap.
"""

from __future__ import annotations

import math
from functools import partial

from sparseaug._checks import check_real
from sparseaug.errors import shorten_text
from sparseaug.groups import Group
from sparseaug.orbits.spectrum.choose import smallest_within
from sparseaug.orbits.spectrum.result import Spectrum
from sparseaug.plans.table import Plan, PlanRow, format_real, notes_of
from sparseaug.theory import full_gd_steps, num_steps, sample_size, sgd_plan

_SMALLEST = 1e-150  # whose square is a float
_ENDLESS = "not possible, there are infinitely many elements"
_ESTIMATES = (
    "estimates at one theta, in root mean square over draws and translates; confirm what is reached by "
    "an audit"
)


def plan_pilot(
    spectrum: Spectrum, eps: float, *, delta: float, L: float, gap: float, samples: int
) -> Plan:
    """The rows of `Pilot.plan`, which documents the arguments."""
    eps = check_real("eps", eps, above=_SMALLEST)
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
        method: str,
        m: int | None,
        T: int,
        calls: int | None,
        left: float | None,
        note: str = "",
        guarantee: str = "estimate",
    ) -> PlanRow:
        copies = None if m is None else m * samples
        return PlanRow(method, m, calls, guarantee, T, discrepancy=left, copies=copies, note=note)

    rows = (
        row("draws", draws, steps, draws, sigma / _root(draws), _many(draws, group)),
        row("design", m, steps, None if m is None else 2, left, name),
        row("full", order, full_gd_steps(eps, L, gap), 0, 0.0)
        if order
        else row("full", None, full_gd_steps(eps, L, gap), None, None, _ENDLESS),
        row("streaming", 1, stream.num_steps, stream.calls, sigma, "one fresh element per step"),
        row(
            *("paper's bound", paper, steps, paper, None),
            bound if order else "it is for finite groups",
            "with probability 1 - delta",
        ),
    )
    best = min((each for each in rows if each.work is not None), key=lambda each: each.work or 0)
    return Plan(
        facts={"group": group.name, "eps": eps, "delta": delta, "kind": "estimate"},
        rows=rows,
        best=best,
        title=f"{shorten_text(group.name, 30)}, eps = {format_real(eps)}: from a pilot",
        notes=(*notes_of(rows), _ESTIMATES, f"least work: {best.method}"),
        columns=("method", "m", "steps", "calls", "work", "discrepancy"),
        at=partial(plan_pilot, spectrum, delta=delta, L=L, gap=gap, samples=samples),
    )


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
    found, _ = smallest_within(spectrum, half, draws)
    if found is None or found.name == "full":  # which has a row of its own
        return "none with fewer elements than draws is known to be good enough", None, None
    return found.name, found.sample.m, found.prediction.rms
