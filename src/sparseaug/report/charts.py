"""What is drawn, once for all: `figures` draws these charts on paper, page.js on the page.

A chart is a title, its axes and series; a series is a name, a look and one row of numbers per seed.
Neither of those who draw knows a method, a quantity or a bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from sparseaug.experiments.kinds import BOUNDS, FACTS
from sparseaug.experiments.methods import find_method
from sparseaug.experiments.results import Results
from sparseaug.kernels.arrays import Floats
from sparseaug.report.style import Look, looks

TRUTH = "bound:truth"
"""The group of the series that the bounds are about."""

_DIGITS = 6  # significant, more than a screen shows


@final
@dataclass(frozen=True, eq=False)
class Series:
    """One line of a chart, with its numbers for every seed."""

    group: str  # series of one group hide together
    label: str  # in the legend
    look: Look
    x: Any  # where its points are
    rows: Floats  # one row per seed, one column per point
    kind: str = "line"  # or "points", or "level": the same everywhere
    spread: str = "sd"  # its band or bars: one standard deviation; "range", all seeds; "", none

    @cached_property
    def mean(self) -> Floats:
        """The mean over the seeds."""
        return self.rows.mean(axis=0)

    @cached_property
    def sd(self) -> Floats:
        """The sample standard deviation over the seeds; 0 for a single seed."""
        return self.rows.std(axis=0, ddof=1) if len(self.rows) > 1 else 0 * self.mean

    def band(self, *, log: bool = False) -> tuple[Floats, Floats]:
        """Its ends; on a log axis a standard deviation is a ratio, which never reaches zero."""
        if self.spread != "sd":
            return self.rows.min(axis=0), self.rows.max(axis=0)
        high = self.mean + self.sd
        if log:
            return np.divide(self.mean**2, high, out=np.zeros_like(high), where=high > 0), high
        return self.mean - self.sd, high

    def to_dict(self) -> dict[str, Any]:
        """As JSON data for the page."""
        low, high = self.band()
        numbers = {"x": self.x, "mean": self.mean, "low": low, "high": high}
        return {
            "group": self.group,
            "label": self.label,
            "colour": self.look.colour,
            "dark": self.look.dark,
            "dash": list(self.look.dash),
            "kind": self.kind,
            "spread": self.spread,
            **{key: [float(f"{v:.{_DIGITS}g}") for v in array] for key, array in numbers.items()},
        }


@final
@dataclass(frozen=True, eq=False)
class Chart:
    """Series over one horizontal axis."""

    title: str  # on the page
    x_label: str
    series: list[Series]  # in the order of the legend
    log: bool = True  # the vertical axis with which the page starts
    log_x: bool = False
    panel: str = ""  # its title in the figure; "" if it is on the page alone
    panel_log: bool = False  # its vertical axis in the figure

    def to_dict(self) -> dict[str, Any]:
        """As JSON data for the page."""
        return {
            "title": self.title,
            "xLabel": self.x_label,
            "log": self.log,
            "logX": self.log_x,
            "series": [each.to_dict() for each in self.series],
        }


def method_label(name: str) -> str:
    """The name of a method for people; that of the file, if another program wrote it."""
    known = find_method(name)
    return known.label if known else name


def method_charts(results: Results) -> list[Chart]:
    """Each quantity over the iterations, and the test risk against the oracle calls."""
    style, charts = looks(results.methods), []
    for each in results.quantities:
        series = [
            Series(name, method_label(name), style[name], method.step, method.curves[each.name])
            for name, method in results.methods.items()
        ]
        panel = {"panel": each.label, "panel_log": each.axis == "log"} if each.axis else {}
        title = each.label[:1].upper() + each.label[1:]
        charts.append(Chart(title, "iteration", series, **panel))  # type: ignore[arg-type]
    return [*charts, _cost_chart(results, style)]


def certificate_charts(results: Results) -> list[Chart]:
    """For each certified method the bounds and the truth; then the deviations of S."""
    if not results.certificates:
        return []
    shown = [bound for bound in BOUNDS if bound.label]
    style, charts = looks(["truth", *(bound.name for bound in shown)]), []
    for name, certificate in results.certificates.items():
        step, label = results.methods[name].step, method_label(name)
        lines = [
            (
                f"bound:{each.name}",
                each.label,
                style[each.name],
                step,
                certificate.values[each.name],
            )
            for each in shown
            if each.name in certificate.values
        ]
        truth = results.methods[name].curves["gradient_norm"]
        lines.append((TRUTH, "true norm", style["truth"], step, truth))
        series = [Series(*line, spread="range") for line in lines]
        panel = f"{label}: full-gradient norm"
        charts.append(Chart(label, "iteration", series, panel=panel, panel_log=True))
    return [*charts, _deviation_chart(results)]


def _cost_chart(results: Results, style: dict[str, Look]) -> Chart:
    """Each method's last test risk at its calls; of streaming the whole way, of no calls a level."""
    series = []
    for name, method in results.methods.items():
        last = method.step == method.step[-1]
        streams = name == "streaming" and len(last) > 1
        shown = method.calls > 0 if streams else last
        kind = "level" if not method.oracle_calls else "line" if streams else "points"
        x, rows = method.calls[shown], method.curves["test_risk"][:, shown]
        series.append(Series(name, method_label(name), style[name], x, rows, kind))
    panel = "final test risk against oracle calls"
    title = "Test risk against oracle calls"
    return Chart(title, "oracle calls", series, log_x=True, panel=panel)


def _deviation_chart(results: Results) -> Chart:
    """What is known of each S, by its size: bounds are the same for all seeds, the deviation is not."""
    sizes = {name: results.methods[name].oracle_calls for name in results.certificates}
    shown = [fact for fact in FACTS if fact.label]
    style, series = looks(fact.name for fact in shown), []
    for fact in reversed(shown):
        known = [
            (sizes[name], results.certificates[name].values[fact.name])
            for name in sorted(sizes, key=sizes.__getitem__)
            if fact.name in results.certificates[name].values
        ]
        if not known:
            continue
        x = np.array([size for size, _ in known], np.float64)
        rows = np.stack([values for _, values in known], axis=1)
        label = f"deviation: {fact.label}"  # it shares a legend with the bounds of the norm
        if fact.name == "deviation":
            options = {"kind": "points", "spread": "range"}
        else:
            rows, options = rows.max(axis=0, keepdims=True), {"spread": ""}
        series.append(Series(f"deviation:{fact.name}", label, style[fact.name], x, rows, **options))
    return Chart("Deviation of S", "oracle calls |S|", series, log=False, log_x=True)
