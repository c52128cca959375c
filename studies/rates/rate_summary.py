"""What the rates say: slopes of oracle calls in eps, by group and method, next to the theory's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from studies.rates.numbers import call_slope, eps_slope
from studies.rates.part import Finding, Line, Measured, Panel, Summary, Table, select
from studies.rates.problems import group_label

_SAMPLES = {"one-shot": -2.0, "words": -1.0}
"""Methods with a sample, and theory's slope: deviation like m^(-1/2), of words of two letters m^-1."""

_SHOWN = ("S6", "C256", "B5", "Z2^1000")
_NEAR = 0.2

_COLUMNS = ["group", "log10 |G|", "data seed", "method", "decades of eps", "slope", "low", "high"]
_COLUMNS += ["last decade", "its low", "its high"]
_METHOD, _DECADES, _SLOPE, _LAST = 3, 4, 5, 8


def summarise(measured: Measured) -> Summary:
    """Slopes, costs and panels; those of held-out problems by themselves."""
    chosen = [(task, result) for task, result in measured if task["data"] == 0]
    held = [(task, result) for task, result in measured if task["data"] > 0]
    slopes, held_slopes = _slopes(chosen), _slopes(held)
    findings = [
        _finding(slopes, "one-shot", -2.0, "One-shot: calls grow like eps^-2."),
        _finding(
            slopes,
            "streaming b=1",
            -4.0,
            "Streaming by plain SGD with the theory's step sizes, mean square over the iterates: calls "
            "grow like eps^-4, as its upper bound does.",
        ),
        _finding(slopes, "words", -1.0, "All words of two letters: calls grow like eps^-1."),
        _easier(slopes),
        _no_order(chosen),
        *(
            _finding(held_slopes, method, theory, f"{name} on problems fixed beforehand: {power}.")
            for method, theory, name, power in (
                ("one-shot", -2.0, "One-shot", "eps^-2"),
                ("streaming b=1", -4.0, "Streaming", "eps^-4"),
            )
        ),
    ]
    tables = [_table(slopes), _held_table(held_slopes), _costs(chosen), _designs(chosen)]
    return Summary(findings, tables, _panels(chosen))


def _slopes(measured: Measured) -> list[list[Any]]:
    """Rows of `_COLUMNS`."""
    rows: list[list[Any]] = []
    for task, result in measured:
        label = group_label(task["family"], task["size"])
        start = [label, result["log_order"] / math.log(10), result["problem"]]
        if task["method"] in _SAMPLES:
            rows.append([*start, task["method"], *_of_norms(task["method"], result)])
        elif task["method"] == "streaming":
            name = f"streaming b={task['b']}"
            rows += [[*start, name, *_of_calls(result["eps"], result["calls"])]]
            rows += [[*start, f"{name}, first", *_of_calls(result["eps"], result["first"])]]
        elif task["method"] == "best-step":
            eps, best = _best(result)
            rows += [[*start, "best step, first", *_of_calls(eps, best)]]
    order = {row[_METHOD]: i for i, row in reversed(list(enumerate(rows)))}
    found = [row for row in rows if row[_DECADES] > 0]
    return sorted(found, key=lambda row: (order[row[_METHOD]], row[1], row[2]))


def _of_norms(method: str, result: dict[str, Any]) -> list[Any]:
    """Decades, the slope with its ends, and that of the last decade: theory's factor of the calls."""
    calls, norms = np.array(result["calls"]), np.array(result["norms"])
    last = calls >= 0.999 * calls[-1] * 10 ** _SAMPLES[method]
    decades = float(np.log10(norms.mean(axis=1)[0] / norms.mean(axis=1)[-1]))
    ends = [*call_slope(calls, norms), *call_slope(calls[last], norms[last])]
    return [decades, *(end if math.isfinite(end) else None for end in ends)]


def _of_calls(eps: list[float], calls: list[list[int | None]]) -> list[Any]:
    whole = [i for i, row in enumerate(calls) if None not in row]
    if len(whole) < 3:
        return [0.0] * 7
    e, c = np.array([eps[i] for i in whole]), np.array([calls[i] for i in whole], float)
    decades = float(np.log10(e[0] / e[-1]))
    last = e <= 10.001 * e[-1]
    finest = eps_slope(e[last], c[last]) if decades > 1.001 else (None, None, None)
    return [decades, *eps_slope(e, c), *finest]


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
    rows = [row for row in slopes if row[_METHOD] == method]
    finest = [row[_LAST] for row in rows if row[_LAST] is not None]
    near = [row for row in rows if abs(row[_SLOPE] - theory) <= _NEAR]
    held = sum(_holds(row, theory) for row in rows)
    far = ", ".join(f"{row[0]} {row[_SLOPE]:.2f}" for row in rows if row not in near) or "none"
    measured = (
        f"{len(near)} of {len(rows)} slopes within {_NEAR} of {theory:g}, {held} intervals hold it; "
        f"median {np.median([row[_SLOPE] for row in rows]):.2f}; others: {far}."
    )
    if finest:
        close = sum(abs(value - theory) <= _NEAR for value in finest)
        measured += f" Last decade: {close} of {len(finest)}; median {np.median(finest):.2f}."
    return Finding(text, measured, 2 * len(near) > len(rows))


def _holds(row: list[Any], theory: float) -> bool:
    """Whether the interval holds theory's slope; one that says nothing holds everything."""
    low, high = row[_SLOPE + 1], row[_SLOPE + 2]
    return low is None or bool(low <= theory <= high)


def _easier(slopes: list[list[Any]]) -> Finding:
    first = [row[_SLOPE] for row in slopes if row[_METHOD] == "streaming b=1, first"]
    best = [row[_SLOPE] for row in slopes if row[_METHOD] == "best step, first"]
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
    note = (
        "Slopes of log calls in log eps, with 95 % intervals over the seeds; theory: -2 one-shot, -1 "
        "words of two letters, -4 streaming. 'first' is the first iterate at eps. The last decade "
        "of eps is given where there is more than one."
    )
    return Table("slopes", "Slopes", _COLUMNS, slopes, note)


def _held_table(slopes: list[list[Any]]) -> Table:
    rows = [row for row in slopes if row[_METHOD] in ("one-shot", "streaming b=1")]
    note = (
        "The same recipe with data seeds that nothing was tuned on, measured once: for each group the "
        "first problem from data seed 100 on, and from 200 on, whose descent ends inside the box."
    )
    return Table("held-out", "Problems fixed beforehand", _COLUMNS, rows, note)


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
