"""What the deviations say: against m and |G|, next to the bounds; and why families differ."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from studies.rates.numbers import Interval, clopper_pearson, mean_interval, quantiles
from studies.rates.part import Finding, Line, Measured, Panel, Summary, Table, select
from studies.rates.typical import free_norm, largest_of_phases, largest_of_signs

_FAMILIES = {
    "S": "symmetric groups",
    "B": "signed permutations",
    "Z2": "sign flips",
    "C": "shifts",
    "D": "dihedral groups",
}
_M = 64  # of the panels and of the dependence on |G|


def summarise(measured: Measured) -> Summary:
    """Tables of deviations, of the dependence on log|G|, of irreps, words and designs."""
    rows = _rows(measured)
    growth = _growth(rows)
    findings = [_failures(rows), *_by_family(growth), _irreps_finding(measured)]
    tables = [
        _deviations(rows),
        Table(
            "growth",
            "Dependence on log|G|",
            ["family", "groups", "rise of m deviation^2 per unit of log|G|", "low", "high"],
            growth,
            f"Least squares over the groups of a family at m = {_M}; the bound has 8/3 = 2.67.",
        ),
        _irreps(measured),
        _words(measured),
        _designs(measured),
    ]
    panels = [_against_order(rows), _against_m(rows)]
    return Summary(findings, tables, [panel for panel in panels if panel.lines])


def _rows(measured: Measured) -> list[dict[str, Any]]:
    """One entry for each group and m, draws of several tasks put together."""
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for task, result in select(measured, kind="draws"):
        key = (task["group"], task["m"])
        entry = found.setdefault(key, {**task, **result, "values": []})
        entry["values"] = [*entry["values"], *result["values"]]
    return sorted(found.values(), key=lambda e: (e["family"], e["log_order"], e["m"]))


def typical(family: str, m: int, log_order: float) -> float | None:
    """The median that the irreps explain; None where we have no formula (dihedral groups).

    Examples:
        >>> typical("S", 64, 10.0) == typical("S", 64, 20.0)
        True
    """
    if family == "Z2":
        return largest_of_signs(m, log_order)
    if family == "C":
        return largest_of_phases(m, log_order - math.log(2))
    return free_norm(m) if family in ("S", "B") else None


def _deviations(rows: list[dict[str, Any]]) -> Table:
    table = []
    for e in rows:
        mean = mean_interval(e["values"])
        low, middle, high = quantiles(e["values"], (0.05, 0.5, 0.95))
        fails = [sum(v > e[name] for v in e["values"]) for name in ("bound", "sharp")]
        limit = clopper_pearson(fails[1], len(e["values"]))[1]
        expected = typical(e["family"], e["m"], e["log_order"])
        start = [e["group"], e["m"], len(e["values"]), mean.mean, low, middle, high, expected]
        table.append([*start, e["floor"], e["sharp"], e["bound"], *fails, limit])
    columns = ["group", "m", "draws", "mean", "5 %", "median", "95 %", "typical", "floor"]
    columns += ["sharper bound", "bound", "above bound", "above sharper", "failure rate at most"]
    note = (
        "Exact deviations of independent draws. 'typical' is an expectation from the irreps, not a "
        "bound; bounds are for delta = 0.05; the last column is Clopper and Pearson's 97.5 % limit."
    )
    return Table("deviation", "Exact deviation", columns, table, note)


def _failures(rows: list[dict[str, Any]]) -> Finding:
    draws = sum(len(e["values"]) for e in rows)
    above = [sum(v > e[name] for e in rows for v in e["values"]) for name in ("bound", "sharp")]
    below = sum(v < e["floor"] * (1 - 1e-9) for e in rows for v in e["values"])
    limit = clopper_pearson(above[1], draws)[1]
    return Finding(
        "With probability 0.95 the deviation is at most the bound, and at most the sharper bound; never "
        "below the floor.",
        f"of {draws} draws {above[0]} above the bound, {above[1]} above the sharper one (rate at most "
        f"{limit:.2g}), {below} below the floor.",
        limit <= 0.05 and below == 0,
    )


def _growth(rows: list[dict[str, Any]]) -> list[list[Any]]:
    """The slope of m mean(deviation)^2 in log|G|; intervals by resampling the draws of each group."""
    found = []
    for family in _FAMILIES:
        chosen = [
            e for e in rows if e["family"] == family and e["m"] == _M and max(e["values"]) < 1
        ]
        if len(chosen) < 2:
            continue
        x = np.array([e["log_order"] for e in chosen])
        rng = np.random.default_rng(0)
        samples = [_slope(x, chosen, rng) for _ in range(400)]
        slope = _slope(x, chosen, None)
        low, high = quantiles(samples, (0.025, 0.975))
        found.append([_FAMILIES[family], len(chosen), slope, low, high])
    return found


def _slope(x: Any, chosen: list[dict[str, Any]], rng: np.random.Generator | None) -> float:
    means = []
    for e in chosen:
        values = np.array(e["values"])
        means.append(values.mean() if rng is None else rng.choice(values, len(values)).mean())
    return float(np.polyfit(x, _M * np.square(means), 1)[0])


def _by_family(growth: list[list[Any]]) -> list[Finding]:
    texts = {
        "symmetric groups": "few and large irreps, each near 2 sqrt(m-1)/m: log|G| disappears",
        "signed permutations": "as for symmetric groups",
        "sign flips": "|G| - 1 characters, the largest of as many means of signs: 2 log|G| / m or less",
        "shifts": "|G|/2 pairs of characters, the largest of as many means of phases: log|G| / m",
        "dihedral groups": "|G|/4 irreps of dimension two: log|G| stays",
    }
    return [
        Finding(
            f"The bound's log|G| on {family}: {texts[family]}.",
            f"m deviation^2 rises by {Interval(slope, low, high)} per unit of log|G|, over {count} "
            "groups.",
        )
        for family, count, slope, low, high in growth
    ]


def _irreps(measured: Measured) -> Table:
    rows = [
        [task["group"], *row, free_norm(task["m"])]
        for task, result in select(measured, kind="irreps")
        for row in result["rows"]
    ]
    columns = ["group", "dimension", "mean norm", "uniform orthogonal matrices", "free"]
    note = (
        f"Norm of the mean of m = {_M} matrices on each irrep, next to random matrices of its size."
    )
    return Table("irreps", "Every irrep by itself", columns, rows, note)


def _irreps_finding(measured: Measured) -> Finding:
    rows = [row for _, r in select(measured, kind="irreps") for row in r["rows"] if row[0] > 2]
    ratios = [norm / uniform for _, norm, uniform in rows]
    return Finding(
        "Irreps of symmetric groups behave like uniform orthogonal matrices of their dimension.",
        f"mean norms over those of random matrices: {min(ratios):.2f} to {max(ratios):.2f} on "
        f"{len(ratios)} irreps of dimension 3 or more.",
        min(ratios) > 0.8 and max(ratios) < 1.2,
    )


def _words(measured: Measured) -> Table:
    rows = []
    for task, result in select(measured, kind="words"):
        for k, (norms, powers) in enumerate(zip(result["norms"], result["powers"], strict=True), 1):
            rows.append(
                [task["group"], task["m"], k, float(np.mean(norms)), float(np.mean(powers))]
            )
    columns = ["group", "m", "length", "mean norm of D^k", "mean of deviation^k"]
    note = "All words of k letters over m draws, exactly; the last column is the bound for them."
    return Table("words", "Words by length", columns, rows, note)


def _designs(measured: Measured) -> Table:
    rows = [
        [task["group"], *(each[name] for name in ("name", "m", "degree", *_DESIGN))]
        for task, result in select(measured, kind="designs")
        for each in result["rows"]
    ]
    columns = ["group", "design", "m", "exact to degree", "whole", "whole, m draws"]
    columns += ["to the degree", "to the degree, m draws"]
    note = "Deviations of the design and medians of m uniform draws."
    return Table("design-deviation", "Designs", columns, rows, note)


_DESIGN = ("whole", "draws_whole", "to_degree", "draws_to_degree")


def _against_order(rows: list[dict[str, Any]]) -> Panel:
    lines = []
    for family, name in _FAMILIES.items():
        chosen = [e for e in rows if e["family"] == family and e["m"] == _M]
        x = [e["log_order"] for e in chosen]
        if chosen:
            lines.append(Line(name, x, [[float(np.mean(e["values"])) for e in chosen]], "line"))
        expected = [typical(family, _M, value) for value in x]
        if chosen and None not in expected and family != "B":
            values = [float(v) for v in expected if v is not None]
            lines.append(Line(f"{name}, typical", x, [values], dashed=True))
    every = sorted({e["log_order"]: e["bound"] for e in rows if e["m"] == _M}.items())
    lines.append(
        Line("a-priori-bound", [x for x, _ in every], [[v for _, v in every]], dashed=True)
    )
    return Panel(f"Mean deviation of {_M} draws", "log |G|", lines, log_x=False, log_y=False)


def _against_m(rows: list[dict[str, Any]]) -> Panel:
    lines = []
    for name in ("S6", "B4", "Z2^10", "C1024", "D512"):
        chosen = [e for e in rows if e["group"] == name]
        if len(chosen) > 1:
            x = [float(e["m"]) for e in chosen]
            lines.append(Line(name, x, [[float(np.mean(e["values"])) for e in chosen]]))
            for bound in ("sharp", "floor") if name == "S6" else ():
                label = {"sharp": "S6, sharper bound", "floor": "S6, floor"}[bound]
                lines.append(Line(label, x, [[e[bound] for e in chosen]], dashed=True))
    return Panel("Mean deviation", "draws m", lines)
