"""What the rates say: slopes of oracle calls in eps, by group and method, beside the theory's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sparseaug.experiments.study.numbers import Interval, call_slope, eps_slope
from sparseaug.experiments.study.part import Finding, Line, Measured, Panel, Summary, Table, select
from sparseaug.experiments.study.problems import group_label

_SAMPLES = {"one-shot": -2.0, "words": -1.0}
"""Methods with a sample, and theory's slope: deviation like m^(-1/2), of words of two letters m^-1."""

_SHOWN = ("S6", "S12", "Z2^1000", "B8")
_NEAR = 0.2


def summarise(measured: Measured) -> Summary:
    """Slopes, costs and panels."""
    slopes = _slopes(measured)
    findings = [
        _finding(slopes, "one-shot", -2.0, "One-shot: calls grow like eps^-2."),
        _finding(
            slopes,
            "streaming b=1",
            -4.0,
            "Streaming with the theory's step sizes, mean square over the iterates: calls grow like "
            "eps^-4.",
        ),
        _finding(slopes, "words", -1.0, "All words of two letters: calls grow like eps^-1."),
        _easier(slopes),
        _no_order(measured),
    ]
    return Summary(
        findings, [_table(slopes), _costs(measured), _designs(measured)], _panels(measured)
    )


def _slopes(measured: Measured) -> list[list[Any]]:
    """Rows (group, log10 |G|, method, decades of eps, slope, low, high, slope of the finer half)."""
    rows: list[list[Any]] = []
    for task, result in measured:
        label = group_label(task["family"], task["size"])
        start = [label, result["log_order"] / math.log(10)]
        if task["method"] in _SAMPLES:
            calls, norms = np.array(result["calls"]), np.array(result["norms"])
            half = len(calls) // 2
            found, finer = call_slope(calls, norms), call_slope(calls[half:], norms[half:])
            decades = float(np.log10(norms.mean(axis=1)[0] / norms.mean(axis=1)[-1]))
            ends = [end if math.isfinite(end) else None for end in (found.low, found.high)]
            rows.append([*start, task["method"], decades, found.mean, *ends, finer.mean])
        elif task["method"] == "streaming":
            name = f"streaming b={task['b']}"
            rows += [[*start, name, *_of_calls(result["eps"], result["calls"])]]
            rows += [[*start, f"{name}, first", *_of_calls(result["eps"], result["first"])]]
        elif task["method"] == "best-step":
            eps, best = _best(result)
            rows += [[*start, "best step, first", *_of_calls(eps, best)]]
    order = {row[2]: i for i, row in reversed(list(enumerate(rows)))}
    return sorted((row for row in rows if row[3] > 0), key=lambda row: (order[row[2]], row[1]))


def _of_calls(eps: list[float], calls: list[list[int | None]]) -> list[Any]:
    whole = [i for i, row in enumerate(calls) if None not in row]
    if len(whole) < 3:
        return [0.0, *Interval(0.0, 0.0, 0.0), 0.0]
    e, c = np.array([eps[i] for i in whole]), np.array([calls[i] for i in whole], float)
    half = max(0, min(len(e) - 3, len(e) // 2))
    decades = float(np.log10(e[0] / e[-1]))
    return [decades, *eps_slope(e, c), eps_slope(e[half:], c[half:]).mean]


def _best(result: dict[str, Any]) -> tuple[list[float], list[list[int | None]]]:
    """For each eps the calls of the step size with the smallest mean, among those that all reach it."""
    eps, best = [], []
    for goal, by_step in zip(result["eps"], result["first"], strict=True):
        reached = [row for row in by_step if None not in row]
        if reached:
            eps.append(goal)
            best.append(min(reached, key=sum))
    return eps, best


def _finding(slopes: list[list[Any]], method: str, theory: float, text: str) -> Finding:
    rows = [row for row in slopes if row[2] == method]
    near = [row for row in rows if abs(row[4] - theory) <= _NEAR]
    far = ", ".join(f"{row[0]} {row[4]:.2f}" for row in rows if row not in near) or "none"
    values = [row[4] for row in rows]
    measured = (
        f"{len(near)} of {len(rows)} groups within {_NEAR} of {theory:g}; median "
        f"{np.median(values):.2f}; others: {far}."
    )
    return Finding(text, measured, 2 * len(near) > len(rows))


def _easier(slopes: list[list[Any]]) -> Finding:
    first = [row[4] for row in slopes if row[2] == "streaming b=1, first"]
    best = [row[4] for row in slopes if row[2] == "best step, first"]
    return Finding(
        "The exponent -4 is that of the proposition's iterate, uniform among all: one may reach eps "
        "long before the mean square over all of them does, and other steps may be faster.",
        f"first iterate at eps, theory's steps: median slope {np.median(first):.2f}; with the best step "
        f"of a grid {np.median(best):.2f}.",
    )


def _no_order(measured: Measured) -> Finding:
    """eps sqrt(m) / sigma of one-shot: what |G| could have entered."""
    constants = []
    for _, result in select(measured, method="one-shot"):
        scaled = np.array(result["norms"]) * np.sqrt(result["calls"])[:, None] / result["sigma"]
        constants.append((result["log_order"], float(np.sqrt((scaled[2:] ** 2).mean()))))
    low, high = (f(value for _, value in constants) for f in (min, max))
    return Finding(
        "One-shot's constant: sqrt(log|G|) C B in the bound, sigma in a mean-square sense.",
        f"eps sqrt(m) / sigma is between {low:.2f} and {high:.2f} over {len(constants)} groups: "
        "one gradient is one function, whose error over S has variance sigma^2 / m whatever |G| is; "
        "log|G| is the price of all functions at once.",
    )


def _table(slopes: list[list[Any]]) -> Table:
    columns = ["group", "log10 |G|", "method", "decades of eps", "slope", "low", "high"]
    note = (
        "Slopes of log calls in log eps, with 95 % intervals over the seeds; theory: -2 one-shot, -1 "
        "words of two letters, -4 streaming. 'first' is the first iterate at eps. Last column: the "
        "finer half of the eps."
    )
    return Table("slopes", "Slopes", [*columns, "finer half"], slopes, note)


def _costs(measured: Measured) -> Table:
    """Calls for eps = sigma / 8 and sigma / 64, from the fitted lines of each group."""
    rows = []
    for task, result in select(measured, method="one-shot"):
        label = group_label(task["family"], task["size"])
        where = {"family": task["family"], "size": task["size"]}
        row: list[Any] = [label]
        for share in (8, 64):
            goal = result["sigma"] / share
            row.append(_line_at(result["norms"], result["calls"], goal))
            for _, other in select(measured, method="words", **where):
                row.append(_line_at(other["norms"], other["calls"], goal))
            for _, other in select(measured, method="streaming", b=1, **where):
                row.append(_power_at(other, goal))
        rows.append([*row, _rounded(math.exp(result["log_order"]))])  # 2^1000 is a float
    columns = ["group"]
    for share in (8, 64):
        columns += [f"{name}, sigma/{share}" for name in ("one-shot", "words", "streaming")]
    note = (
        "On the line fitted to one-shot and to words, extrapolated below m = 8; from streaming's finest "
        "eps by eps^-4. sigma is the standard deviation of the gradient over G; full: |G|."
    )
    return Table("calls", "Oracle calls for a given eps", [*columns, "full"], rows, note)


def _line_at(norms: Any, calls: Any, goal: float) -> float:
    log_calls, log_eps = np.log(np.asarray(calls, float)), np.log(np.asarray(norms)).mean(axis=1)
    slope, cut = np.polyfit(log_calls, log_eps, 1)
    return _rounded(math.exp((math.log(goal) - cut) / slope))


def _power_at(result: dict[str, Any], goal: float) -> float:
    whole = [i for i, row in enumerate(result["calls"]) if None not in row]
    if not whole:
        return 0.0
    last = whole[-1]
    return _rounded(float(np.mean(result["calls"][last])) * (result["eps"][last] / goal) ** 4)


def _rounded(value: float) -> float:
    return float(f"{value:.2g}")


def _designs(measured: Measured) -> Table:
    rows = []
    for task, result in select(measured, method="designs"):
        label = group_label(task["family"], task["size"])
        sigma = result["sigma"]
        for name, m, norms in zip(
            result["names"], result["elements"], result["norms"], strict=True
        ):
            reached = float(np.sqrt(np.mean(np.square(norms)))) / sigma
            rows.append([label, name, m, reached, 1 / math.sqrt(m)])
    columns = ["group", "design", "elements", "eps / sigma", "m^(-1/2)"]
    note = "Root mean square over translates k S h, two calls each; the last column is that of m draws."
    return Table("designs", "Designs", columns, rows, note)


def _panels(measured: Measured) -> list[Panel]:
    panels = []
    labels = [
        group_label(task["family"], task["size"]) for task, _ in select(measured, method="full")
    ]
    for label in [each for each in _SHOWN if each in labels] or labels:
        lines = []
        for task, result in measured:
            if group_label(task["family"], task["size"]) != label:
                continue
            method = task["method"]
            if method in _SAMPLES:
                x = [float(np.exp(np.log(row).mean())) for row in result["norms"]]
                lines.append(Line(method, x, [[float(c) for c in result["calls"]]]))
            elif method == "streaming":
                whole = [i for i, row in enumerate(result["calls"]) if None not in row]
                rows = np.array([result["calls"][i] for i in whole], float).T.tolist()
                name = f"streaming, b = {task['b']}"
                lines.append(Line(name, [result["eps"][i] for i in whole], rows))
            elif method == "best-step":
                eps, best = _best(result)
                lines.append(Line("best step, first", eps, np.array(best, float).T.tolist()))
        lines = [line for line in lines if len(line.x) > 1]
        panels.append(Panel(f"{label}: oracle calls", "full-gradient norm eps", lines))
    return panels
