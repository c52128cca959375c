"""What the views say: one row for each (task, model, scheme, m), and how many views are needed.

The rows are a public table: `COLUMNS` says what is in them, and everything on the page "How many
views?" is made from them, also from those that others add.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from sparseaug.experiments.study.numbers import mean_interval
from sparseaug.experiments.study.part import Finding, Line, Measured, Panel, Summary, Table
from sparseaug.experiments.study.views.table import CASES

Row = dict[str, Any]

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
    "seeds": "training seeds",
    "repeats": "random samples, or random positions of a fixed set, for each of them",
    "rule": "who says that these are the views",
    "source": "who measured it; `make views` rewrites its own rows and keeps all others",
}
"""Of the table, with what they hold."""

SOURCE = "make views"
"""Of our own rows."""

ENOUGH = 0.10
"""The error, of one view's, that counts as reached: rounded to two digits."""

_UNITS = {case.name: case.score for case in CASES}
_TITLES = {case.name: case.title for case in CASES}


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
        "seeds": len(each),
        "repeats": task["repeats"],
        "rule": first["rule"],
        "source": SOURCE,
    }


def _digits(value: Any) -> float:
    return float(f"{float(value):.4g}")


def pairs(rows: Iterable[Row]) -> list[tuple[str, str]]:
    """Every (task, model), in the order of the rows."""
    return list(dict.fromkeys((row["task"], row["model"]) for row in rows))


def reached(rows: Sequence[Row]) -> Row | None:
    """The row of fewest views with an error of at most `ENOUGH`."""
    fitting = [row for row in rows if round(row["error"], 2) <= ENOUGH and row["m"]]
    return min(fitting, key=lambda row: (row["m"], row["error"]), default=None)


def as_good(rows: Sequence[Row]) -> Row | None:
    """The row of fewest views whose score is that of the whole group: within 1 %, or not told from it.

    A score is not told from another where the interval of their difference holds 0; one that is better
    is enough.
    """
    fitting = []
    for row in rows:
        sign = 1 if row["unit"].startswith("accuracy") else -1
        worse = min(-sign * row["gap_low"], -sign * row["gap_high"])
        near = -sign * row["gap"] <= _NEAR * abs(row["score"] - row["gap"])
        if row["m"] and (worse <= 0 or near):
            fitting.append(row)
    return min(fitting, key=lambda row: (row["m"], row["error"]), default=None)


def needed(rows: Sequence[Row]) -> Table:
    """For each task and model: how many views reach the error, by kind of scheme."""
    kinds = ("draws", "distinct", "field", "design")
    found = [
        [title, model, *(_cell(of[kind]) for kind in kinds)] for title, model, of in _by_kind(rows)
    ]
    columns = ["task", "model", "draws", "distinct", "field", "designs"]
    note = (
        f"Views that leave at most {100 * ENOUGH:.0f} % of the error of one view, or the best that was "
        "reached."
    )
    return Table("needed", "Views needed", columns, found, note)


def scores(rows: Sequence[Row]) -> Table:
    """For each task and model: what averaging does to the score, and how many views that takes."""
    found = []
    for title, model, of in _by_kind(rows):
        one = next((row for row in of["draws"] if row["m"] == 1), None)
        if one is not None and of["full"]:
            ends = [f"{row['score']:.3g}" for row in (one, of["full"][0])]
            cells = [_as_good_cell(of[kind]) for kind in ("draws", "design")]
            found.append([title, model, one["unit"], *ends, *cells])
    columns = ["task", "model", "score", "one view", "all", "draws", "designs"]
    note = (
        "Views whose score is within 1 % of that of the whole group, or cannot be told from it (95 %, "
        "paired over training seeds)."
    )
    return Table("scores", "Views needed for the score", columns, found, note)


def _by_kind(rows: Sequence[Row]) -> Iterator[tuple[str, str, dict[str, list[Row]]]]:
    """Title, model, and the rows of each kind, for every task and model."""
    for name, model in pairs(rows):
        mine = [row for row in rows if (row["task"], row["model"]) == (name, model)]
        of = {kind: [row for row in mine if row["kind"] == kind] for kind in KINDS}
        yield _TITLES.get(name, name), model, of


KINDS = ("draws", "distinct", "field", "design", "full")
"""Of schemes."""


def _as_good_cell(rows: Sequence[Row]) -> str:
    row = as_good(rows)
    if row is not None:
        return str(row["m"])
    return f"over {max(row['m'] for row in rows)}" if rows else ""


def _cell(rows: Sequence[Row]) -> str:
    if not rows:
        return ""
    named = rows[0]["kind"] in ("field", "design")
    row = reached(rows)
    if row is not None:
        return f"{row['m']} ({row['scheme']})" if named else str(row["m"])
    best = min(rows, key=lambda row: row["error"])
    left = f"{100 * best['error']:.0f} % left by {best['m']}"
    return f"{left} ({best['scheme']})" if named else left


def agreement(rows: Sequence[Row]) -> list[Finding]:
    """How far predicted and measured errors are apart, where S is moved by k, h and where it is not."""
    findings = []
    for text, kinds in (
        ("The spectrum predicts the error of draws and of designs k S h.", MOVED),
        ("It is for random k; sets of the field are taken as they stand.", ("field",)),
    ):
        found = apart(rows, kinds)
        if found:
            largest, row = max(found, key=lambda pair: pair[0])
            middle = float(np.median([value for value, _ in found]))
            said = (
                f"{len(found)} rows with an error above {100 * _SMALL:.0f} %: apart by "
                f"{100 * middle:.1f} % in the median and {100 * largest:.0f} % at most ({row['task']}, "
                f"{row['model']}, {row['scheme']}, m = {row['m']}: {row['predicted']:.3g} predicted, "
                f"{row['error']:.3g} measured)."
            )
            findings.append(Finding(text, said, middle < _CLOSE if kinds == MOVED else None))
    return findings


def apart(rows: Sequence[Row], kinds: Sequence[str]) -> list[tuple[float, Row]]:
    """The relative difference of predicted and measured errors, of rows with an error above 1 %."""
    return [
        (abs(row["predicted"] / row["error"] - 1), row)
        for row in rows
        if row["kind"] in kinds and row["predicted"] is not None and row["error"] > _SMALL
    ]


MOVED = ("draws", "distinct", "design")
"""Kinds of schemes for which the prediction is meant."""

_SMALL = 0.01  # of one view: below, 100 repeats and four digits say little
_CLOSE, _EXACT, _NEAR = 0.05, 1e-8, 0.01
_NOTHING = 1e-9  # rounding: all of the group


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
    panels = [_panel(case.name, case.title, case.models[0], measured, rows) for case in CASES]
    return Summary([*agreement(rows), exact], [needed(rows), scores(rows), table], panels)


def _panel(name: str, title: str, model: str, measured: Measured, rows: Sequence[Row]) -> Panel:
    mine = [row for row in rows if (row["task"], row["model"]) == (name, model)]
    lines: list[Line] = []
    for label, kind in (("draws", "draws"), ("designs", "design"), ("distinct draws", "distinct")):
        chosen = frontier([row for row in mine if row["kind"] == kind])
        lines += _lines(label, chosen, measured, predicted=kind != "distinct")
    families: dict[str, list[Row]] = {}
    for row in mine:
        if row["kind"] == "field" and row["error"] > _NOTHING:
            families.setdefault(row["scheme"].split(",")[0], []).append(row)
    for label, found in families.items():
        lines += _lines(label, found, measured, predicted=False)
    return Panel(f"{title}: error left", "views m", lines)


def frontier(rows: Sequence[Row]) -> list[Row]:
    """Those that leave less than any of fewer views."""
    found: list[Row] = []
    for row in sorted(rows, key=lambda row: (row["m"], row["error"])):
        if row["error"] > _NOTHING and all(row["error"] < other["error"] for other in found):
            found.append(row)
    return found


def _lines(label: str, rows: Sequence[Row], measured: Measured, *, predicted: bool) -> list[Line]:
    if not rows:
        return []
    x = [float(row["m"]) for row in rows]
    keys = [(row["scheme"], row["m"]) for row in rows]
    seeds = [
        [next(e["error"] for e in result["rows"] if (e["scheme"], e["m"]) == key) for key in keys]
        for task, result in measured
        if (task["case"], task["model"]) == (rows[0]["task"], rows[0]["model"])
    ]
    lines = [Line(label, x, seeds, "line" if len(x) > 1 else "points")]
    if predicted and all(row["predicted"] for row in rows):
        theory = [[row["predicted"] for row in rows]]
        lines.append(Line(f"{label}, predicted", x, theory, dashed=True))
    return lines
