"""What is drawn, once for all: `figures` draws these charts on paper, page.js on the page.

A chart is a title, its axes and series; a series is a name, a look and one row of numbers per seed.
Neither of those who draw knows a method, a quantity or a bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from sparseaug.kernels.arrays import Floats
from studies.paper.compared import KINDS, MEASURED
from studies.paper.comparison import Comparison
from studies.paper.kinds import BOUNDS, FACTS
from studies.paper.methods import find_method
from studies.paper.results import Results
from studies.report.looks import Look, looks

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
            ratio = np.divide(self.mean, high, out=np.zeros_like(high), where=high > 0)
            return np.minimum(self.mean, self.mean * ratio), high  # negative means are no ratio
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
        panel, log = each.label if each.axis else "", each.axis == "log"
        charts.append(Chart(each.title, "iteration", series, panel=panel, panel_log=log))
    return [*charts, _cost_chart(results, style)]


def certificate_charts(results: Results) -> list[Chart]:
    """For each certified method the bounds and the truth; then the deviations of S."""
    if not results.certificates:
        return []
    shown = {bound.name: bound.label for bound in BOUNDS if bound.label} | {"truth": "true norm"}
    style, charts = looks(shown), []
    for name, certificate in results.certificates.items():
        method, title = results.methods[name], method_label(name)
        curves = {**certificate.values, "truth": method.curves["gradient_norm"]}
        series = [
            Series(f"bound:{key}", label, style[key], method.step, curves[key], spread="range")
            for key, label in shown.items()
            if key in curves
        ]
        panel = f"{title}: full-gradient norm"
        charts.append(Chart(title, "iteration", series, panel=panel, panel_log=True))
    return [*charts, _deviation_chart(results)]


def design_charts(found: Comparison) -> list[Chart]:
    """Each quantity at the end against m: draws, designs and, where it has a value, the full group.

    A row is a seed, the mean over its S of that size.
    """
    style, charts = looks((*KINDS, "full")), []
    m = np.array([float(size.m) for size in found.sizes])
    labels = {"draws": "m draws", "design": "a design of m, translated"}
    for name, label in MEASURED.items():
        series = [
            Series(
                f"designs:{kind}",
                labels[kind],
                style[kind],
                m,
                np.stack([size.by_seed(kind, name) for size in found.sizes], axis=1),
            )
            for kind in KINDS
        ]
        if name in found.full:
            rows = found.full[name][:, None]
            level = Series("designs:full", "full group", style["full"], m[-1:], rows, "level")
            series.append(level)
        title, log = label[:1].upper() + label[1:], name != "test_risk"
        charts.append(Chart(title, "m", series, log=log, log_x=True, panel=label, panel_log=log))
    return charts


def _cost_chart(results: Results, style: dict[str, Look]) -> Chart:
    """Each method's last test risk at its calls; of streaming the whole way, of no calls a level."""
    series = []
    for name, method in results.methods.items():
        last = method.step == method.step[-1]
        streams = name == "streaming" and method.oracle_calls > 0 and len(last) > 1
        shown = method.calls > 0 if streams else last
        kind = "level" if not method.oracle_calls else "line" if streams else "points"
        x, rows = method.calls[shown], method.curves["test_risk"][:, shown]
        series.append(Series(name, method_label(name), style[name], x, rows, kind))
    title, panel = "Test risk against oracle calls", "final test risk against oracle calls"
    return Chart(title, "oracle calls", series, log_x=True, panel=panel)


def _deviation_chart(results: Results) -> Chart:
    """What is known of each S, by its size: bounds are the same for all seeds, the deviation is not."""
    by_size = sorted(results.certificates, key=lambda name: results.methods[name].oracle_calls)
    shown = {fact.name: fact.label for fact in reversed(FACTS) if fact.label}
    style, series = looks(shown), []
    for key, label in shown.items():
        names = [name for name in by_size if key in results.certificates[name].values]
        if not names:
            continue
        rows = np.stack([results.certificates[name].values[key] for name in names], axis=1)
        measured = key == "deviation"
        series.append(
            Series(
                f"deviation:{key}",
                f"deviation: {label}",  # it shares a legend with the bounds of the norm
                style[key],
                np.array([float(results.methods[name].oracle_calls) for name in names]),
                rows if measured else rows.max(axis=0, keepdims=True),
                kind="points" if measured else "line",
                spread="range" if measured else "",
            )
        )
    return Chart("Deviation of S", "oracle calls |S|", series, log=False, log_x=True)
