"""The curves of the page as plain data; page.js draws what it is given and knows no method.

A chart is a title, its axes and series. A series is a "line" (mean with a band from low to high),
"points" (mean with bars) or a "level" (the same mean everywhere). Series of one `group` hide together.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sparseaug.report.results import BOUNDS, QUANTITIES, Array, Results, mean_and_sd
from sparseaug.report.style import (
    BOUND_LOOKS,
    DEVIATION_LOOKS,
    QUANTITY_NAMES,
    Look,
    looks,
)

Chart = dict[str, Any]
_DIGITS = 6  # significant, more than a screen shows


def method_charts(results: Results) -> list[Chart]:
    """The four quantities over the iterations, and the test risk against the oracle calls."""
    style = looks(results.methods)
    charts = []
    for quantity in QUANTITIES:
        series = [
            _spread(name, style[name], method.step, method.curves[quantity])
            for name, method in results.methods.items()
        ]
        charts.append(_chart(QUANTITY_NAMES[quantity], "iteration", series, log=True))
    charts.append(_cost_chart(results, style))
    return charts


def certificate_charts(results: Results) -> list[Chart]:
    """For each certified method the bounds and the truth; then the deviations of S."""
    if not results.certificates:
        return []
    style = looks(results.methods)
    charts = []
    for name, certificate in results.certificates.items():
        method = results.methods[name]
        series = [
            _range(f"bound:{key}", BOUND_LOOKS[key], certificate.step, certificate.bounds[key])
            for key in BOUNDS
            if key in certificate.bounds
        ]
        truth = method.curves["gradient_norm"]
        series.append(_range("bound:truth", BOUND_LOOKS["truth"], method.step, truth))
        charts.append(_chart(style[name].label, "iteration", series, log=True))
    return [*charts, _deviation_chart(results)]


def _cost_chart(results: Results, style: dict[str, Look]) -> Chart:
    series = []
    for name, method in results.methods.items():
        risk = method.curves["test_risk"]
        if method.oracle_calls == 0:
            series.append(_spread(name, style[name], method.step[-1:], risk[:, -1:], kind="level"))
            continue
        streams = name == "streaming" and method.step[-1] > 0
        shown = method.calls > 0 if streams else method.step == method.step[-1]
        kind = "line" if streams else "points"
        series.append(_spread(name, style[name], method.calls[shown], risk[:, shown], kind=kind))
    title = "Test risk against oracle calls"
    return _chart(title, "oracle calls", series, log=True, log_x=True)


def _deviation_chart(results: Results) -> Chart:
    series = []
    entries = [(results.methods[name].oracle_calls, c) for name, c in results.certificates.items()]
    entries.sort(key=lambda entry: entry[0])
    for key, field in (("a_priori", "a_priori_bound"), ("sharp", "sharp_bound")):
        known = [(m, getattr(c, field)) for m, c in entries if getattr(c, field) is not None]
        if known:
            values = [value for _, value in known]
            look = _deviation_look(key)
            series.append(
                _series(f"deviation:{key}", look, [m for m, _ in known], values, values, values)
            )
    means = [float(c.deviation.mean()) for _, c in entries]
    lows = [float(c.deviation.min()) for _, c in entries]
    highs = [float(c.deviation.max()) for _, c in entries]
    sizes = [m for m, _ in entries]
    look = _deviation_look("measured")
    series.append(
        _series("deviation:exact", look, sizes, means, lows, highs, kind="points", spread="range")
    )
    return _chart("Deviation of S", "oracle calls |S|", series, log=False, log_x=True)


def _deviation_look(key: str) -> Look:
    """Named apart from the bounds of the norm, with which it shares a legend."""
    return replace(DEVIATION_LOOKS[key], label=f"deviation: {DEVIATION_LOOKS[key].label}")


def _chart(
    title: str, x_label: str, series: list[Chart], *, log: bool, log_x: bool = False
) -> Chart:
    return {"title": title, "xLabel": x_label, "log": log, "logX": log_x, "series": series}


def _spread(name: str, look: Look, x: Array, curves: Array, *, kind: str = "line") -> Chart:
    mean, sd = mean_and_sd(curves)
    return _series(name, look, x, mean, mean - sd, mean + sd, kind=kind, spread="sd")


def _range(name: str, look: Look, x: Array, curves: Array) -> Chart:
    low, high = curves.min(axis=0), curves.max(axis=0)
    return _series(name, look, x, curves.mean(axis=0), low, high, spread="range")


def _series(
    group: str,
    look: Look,
    x: Any,
    mean: Any,
    low: Any,
    high: Any,
    *,
    kind: str = "line",
    spread: str = "",
) -> Chart:
    return {
        "group": group,
        "label": look.label,
        "colour": look.colour,
        "dark": look.dark,
        "dash": list(look.dash),
        "kind": kind,
        "spread": spread,
        "x": _rounded(x),
        "mean": _rounded(mean),
        "low": _rounded(low),
        "high": _rounded(high),
    }


def _rounded(values: Any) -> list[float]:
    return [float(f"{float(value):.{_DIGITS}g}") for value in values]
