"""What the views say: one row for each (task, model, scheme, m), predictions next to them, panels.

The rows are a public table: `COLUMNS` says what is in them, and everything on the page "How many
views?" is made from them, also from those that others add.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from studies.rates.numbers import mean_interval
from studies.rates.part import Finding, Line, Measured, Panel, Summary, Table
from studies.views.needed import NOTHING, Row, better, needed, scores
from studies.views.table import CASES

COLUMNS = {
    "task": "data and what moves them",
    "group": "the group, as `sparseaug.group` names it",
    "order": "its number of elements",
    "model": "what is averaged",
    "scheme": "which m views",
    "kind": "draws, distinct, field, design or full",
    "m": "views; empty where the group is infinite and all of it is meant",
    "error": "root mean square distance from the exact mean over the group, over that of one view",
    "error_sd": "its standard deviation over training seeds",
    "predicted": "the same from the spectrum; empty where the formula does not hold",
    "score": "of averaged predictions, mean over training seeds and repeats",
    "score_low": "95 % interval over training seeds",
    "score_high": "the same",
    "gap": "score less that of the whole group, mean over training seeds",
    "gap_low": "95 % interval, paired over training seeds",
    "gap_high": "the same",
    "unit": "of the score",
    "better": "higher or lower: which score is; where it is empty, the score is shown and not counted",
    "seeds": "training seeds",
    "repeats": "random samples, or random positions of a fixed set, for each of them",
    "rule": "who says that these are the views",
    "source": "who measured it; `make views` rewrites its own rows and keeps all others",
}
"""Of the table, with what they hold."""

SOURCE = "make views"
"""Of our own rows."""

_UNITS = {case.name: case.score for case in CASES}


def table_rows(measured: Measured) -> list[Row]:
    """The rows of all tasks, over their training seeds."""
    groups: dict[tuple[Any, ...], list[tuple[Row, Row]]] = {}
    for task, result in measured:
        for row in result["rows"]:
            key = (task["case"], task["model"], row["scheme"], row["m"])
            facts = {"group": result["group"], "order": result["order"], "exact": result["exact"]}
            groups.setdefault(key, []).append(({**row, **facts}, task))
    return [_row(key, found) for key, found in groups.items()]


def _row(key: tuple[Any, ...], found: list[tuple[Row, Row]]) -> Row:
    name, model, scheme, m = key
    each, (first, task) = [row for row, _ in found], found[0]
    errors = [row["error"] for row in each]
    predicted = [row["predicted"] for row in each if row["predicted"] is not None]
    score = mean_interval([row["score"] for row in each])
    gap = mean_interval([row["score"] - row["exact"] for row in each])
    return {
        "task": name,
        "group": first["group"],
        "order": first["order"],
        "model": model,
        "scheme": scheme,
        "kind": first["kind"],
        "m": m,
        "error": _digits(np.mean(errors)),
        "error_sd": _digits(np.std(errors, ddof=1)) if len(errors) > 1 else 0.0,
        "predicted": _digits(np.mean(predicted)) if predicted else None,
        **{f"score{end}": _digits(v) for end, v in zip(("", "_low", "_high"), score, strict=True)},
        **{f"gap{end}": _digits(v) for end, v in zip(("", "_low", "_high"), gap, strict=True)},
        "unit": _UNITS[name].unit,
        "better": "higher" if _UNITS[name].higher else "lower",
        "seeds": len(each),
        "repeats": task["repeats"],
        "rule": first["rule"],
        "source": SOURCE,
    }


def _digits(value: Any) -> float:
    return float(f"{float(value):.4g}")


def agreement(rows: Sequence[Row]) -> list[Finding]:
    """How far predicted and measured errors are apart: of designs, of sets of the field, of draws."""
    findings = []
    for text, kinds in _COMPARED.items():
        found = apart(rows, kinds)
        if found:
            largest, row = max(found, key=lambda pair: pair[0])
            middle = float(np.median([value for value, _ in found]))
            said = (
                f"{len(found)} rows with an error above {100 * _SMALL:.0f} %: apart by "
                f"{100 * middle:.2f} % in the median and {100 * largest:.1f} % at most ({row['task']}, "
                f"{row['model']}, {row['scheme']}, m = {row['m']}: {row['predicted']:.3g} predicted, "
                f"{row['error']:.3g} measured)."
            )
            findings.append(Finding(text, said, middle < _CLOSE if kinds == DESIGNS else None))
    return findings


def apart(rows: Sequence[Row], kinds: Sequence[str]) -> list[tuple[float, Row]]:
    """The relative difference of predicted and measured errors, of rows with an error above 1 %."""
    return [
        (abs(row["predicted"] / row["error"] - 1), row)
        for row in rows
        if row["kind"] in kinds and row["predicted"] is not None and row["error"] > _SMALL
    ]


DESIGNS = ("design",)
"""Kinds of schemes, moved by k and h, whose prediction is from the spectrum."""

_COMPARED = {
    "For designs k S h the formula agrees with what is measured, given the exact spectrum of the same "
    "model on the same inputs: a check of the formula.": DESIGNS,
    "The formula is for random k; sets of the field are taken as they stand.": ("field",),
    "For draws and distinct draws it is 1 / sqrt(m) and sqrt((N - m) / (N - 1) / m), whatever the "
    "model: a check of the measurement.": ("draws", "distinct"),
}

_SMALL = 0.01  # of one view: below, 100 repeats and four digits say little
_CLOSE, _EXACT = 0.05, 1e-8


def summarise(measured: Measured) -> Summary:
    """Rows, views needed, and a panel for each task with its first model."""
    rows = table_rows(measured)
    columns = list(COLUMNS)
    table = Table(
        "views",
        "Every scheme at every m",
        columns,
        [[row[column] for column in columns] for row in rows],
        "; ".join(f"{name}: {text}" for name, text in COLUMNS.items()) + ".",
    )
    doubt = max((result["doubt"] for _, result in measured), default=0.0)
    exact = Finding(
        "The mean over the group is exact: enumerated, or integrated over rotations.",
        f"two grids of rotations differ by at most {doubt:.1e} of the standard deviation over them.",
        doubt < _EXACT,
    )
    tables = [needed(rows), scores(rows), better(rows), table]
    return Summary([*agreement(rows), exact], tables, panels(rows))


def panels(rows: Sequence[Row]) -> list[Panel]:
    """One for each task, with its first model."""
    return [_panel(case.name, case.title, case.models[0], rows) for case in CASES]


def _panel(name: str, title: str, model: str, rows: Sequence[Row]) -> Panel:
    mine = [row for row in rows if (row["task"], row["model"]) == (name, model)]
    lines: list[Line] = []
    for label, kind in (("draws", "draws"), ("distinct draws", "distinct"), ("design", "design")):
        chosen = frontier([row for row in mine if row["kind"] == kind])
        lines += _lines(label, chosen)
    families: dict[str, list[Row]] = {}
    for row in mine:
        if row["kind"] == "field" and row["error"] > NOTHING:
            families.setdefault(row["scheme"].split(",")[0], []).append(row)
    for label, found in families.items():
        lines += _lines(f"field: {label}", found)
    return Panel(f"{title}: error left", "views m", lines)


def frontier(rows: Sequence[Row]) -> list[Row]:
    """Those that leave less than any of fewer views."""
    found: list[Row] = []
    for row in sorted(rows, key=lambda row: (row["m"], row["error"])):
        if row["error"] > NOTHING and all(row["error"] < other["error"] for other in found):
            found.append(row)
    return found


def _lines(label: str, rows: Sequence[Row]) -> list[Line]:
    if not rows:
        return []
    x, errors = [float(row["m"]) for row in rows], [row["error"] for row in rows]
    return [Line(label, x, [errors], "line" if len(x) > 1 else "points")]
