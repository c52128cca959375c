"""How many views are needed, for an error and for a score, and where the field's views are better.

draws      leave 1 / sqrt(m) of one view's error: at most e from m = 1 / e^2 on
distinct   leave the root of (N - m) / ((N - 1) m): at most e from m = N / (1 + e^2 (N - 1)) on
others     have the sizes that were built, and their errors are those measured

A row that others add may lack a score, its interval or the order of the group; it is then not counted
where that is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from studies.rates.part import Table
from studies.views.table import CASES

Row = dict[str, Any]

KINDS = ("draws", "distinct", "field", "design", "full")
"""Of schemes."""

ENOUGH = Fraction(1, 10)
"""The error, of one view's, that counts as reached."""

NEAR = 0.01
"""Of the whole group's score: a loss that does not count."""

NOTHING = 1e-9
"""Errors below are rounding: all of the group."""

_TITLES = {case.name: case.title for case in CASES}


def pairs(rows: Iterable[Row]) -> list[tuple[str, str]]:
    """Every (task, model), in the order of the rows."""
    return list(dict.fromkeys((row["task"], row["model"]) for row in rows))


def order_of(rows: Sequence[Row]) -> int | None:
    """The number of elements, of the first row that has it; None where it is infinite or not given."""
    return next((int(row["order"]) for row in rows if str(row["order"]).isdecimal()), None)


def by_formula(order: int | None = None) -> int:
    """The fewest draws that leave at most `ENOUGH`; of N = order elements, without repetition.

    Examples:
        >>> by_formula(), by_formula(64), by_formula(720)
        (100, 40, 88)
    """
    if order is None:
        return math.ceil(1 / ENOUGH**2)
    return math.ceil(order / (1 + ENOUGH**2 * (order - 1)))


def left_by_draws(m: int, order: int | None = None) -> float:
    """The error of m draws over that of one; of N = order elements, without repetition."""
    return m**-0.5 if order is None else max(0, (order - m) / (order - 1) / m) ** 0.5


def reached(rows: Sequence[Row]) -> Row | None:
    """The row of fewest views with an error of at most `ENOUGH`."""
    fitting = [row for row in rows if row["error"] <= float(ENOUGH) and row["m"]]
    return min(fitting, key=_fewest, default=None)


def views_needed(rows: Sequence[Row]) -> int | None:
    """The fewest views that leave at most `ENOUGH`, of rows of one kind; by formula if there is one."""
    if rows and rows[0]["kind"] == "draws":
        return by_formula()
    order = order_of(rows)
    if rows and rows[0]["kind"] == "distinct" and order is not None:
        return by_formula(order)
    row = reached(rows)
    return None if row is None else row["m"]


def as_good(rows: Sequence[Row]) -> Row | None:
    """The row of fewest views whose score is as good as that of the whole group, within 1 %.

    The 95 % interval of score less that of the whole group ends, on its worse side, at a loss of at
    most 1 % of the latter. A row without the interval, or that does not say which score is better, is
    not counted.
    """
    fitting = []
    for row in rows:
        known = all(row[name] is not None for name in ("score", "gap", "gap_low", "gap_high"))
        if row["m"] and known and row["better"]:
            loss = -row["gap_low"] if row["better"] == "higher" else row["gap_high"]
            if loss <= NEAR * abs(row["score"] - row["gap"]):
                fitting.append(row)
    return min(fitting, key=_fewest, default=None)


def _fewest(row: Row) -> tuple[int, float]:
    return row["m"], row["error"]


def needed(rows: Sequence[Row]) -> Table:
    """For each task and model: how many views reach the error, by kind of scheme."""
    note = (
        f"Views that leave at most {100 * float(ENOUGH):.0f} % of the error of one view, or the best "
        "that was reached. Draws and distinct draws by the formulas 1 / sqrt(m) and "
        "sqrt((N - m) / (N - 1) / m); the others have the sizes that were built or measured, and one "
        "in between may do."
    )
    found = [[title, model, *_cells(of, _needed)] for title, model, of in _by_kind(rows)]
    return Table("needed", "Views needed", ["task", "model", *_SHOWN.values()], found, note)


def scores(rows: Sequence[Row]) -> Table:
    """For each task and model: what averaging does to the score, and how many views that takes."""
    found = []
    for title, model, of in _by_kind(rows):
        one = next((row for row in of["draws"] if row["m"] == 1), None)
        if one is not None and of["full"]:
            ends = [_score(row) for row in (one, of["full"][0])]
            found.append([title, model, one["unit"], *ends, *_cells(of, _enough)])
    note = (
        "The fewest views whose score is at most 1 % worse than that of the whole group, to the worse "
        "end of the 95 % interval of the difference (paired over training seeds); better is enough. Of "
        "the sizes that were built or measured; - where none of them is."
    )
    columns = ["task", "model", "score", "one view", "all", *_SHOWN.values()]
    return Table("scores", "Views needed for the score", columns, found, note)


def better(rows: Sequence[Row]) -> Table:
    """Sets of the field, of m > 1 views, that leave less than m draws and every design of at most m."""
    found = []
    for title, model, of in _by_kind(rows):
        order = order_of([row for kind in KINDS for row in of[kind]])
        for row in sorted(of["field"], key=_fewest):
            ours = [other for other in of["design"] if other["m"] <= row["m"]]
            best = min(ours, key=lambda other: other["error"], default=None)
            draws = left_by_draws(row["m"], order)
            least = draws if best is None else min(draws, best["error"])
            if row["m"] > 1 and NOTHING < row["error"] < least:
                beside = (
                    "-" if best is None else f"{best['error']:.3f} ({best['scheme']}, {best['m']})"
                )
                cells = [row["scheme"], row["m"], f"{row['error']:.3f}", beside, f"{draws:.3f}"]
                found.append([title, model, *cells])
    columns = ["task", "model", "field", "m", "error", "best design of at most m", "draws"]
    note = "Draws are distinct where the group is finite, by the formula."
    return Table("better", "Where the field leaves less", columns, found, note)


_SHOWN = {"draws": "draws", "distinct": "distinct", "field": "field", "design": "designs"}
"""Columns of kinds."""


def _by_kind(rows: Sequence[Row]) -> Iterator[tuple[str, str, dict[str, list[Row]]]]:
    """Title, model, and the rows of each kind, for every task and model."""
    for name, model in pairs(rows):
        mine = [row for row in rows if (row["task"], row["model"]) == (name, model)]
        of = {kind: [row for row in mine if row["kind"] == kind] for kind in KINDS}
        yield _TITLES.get(name, name), model, of


def _cells(of: dict[str, list[Row]], cell: Callable[[Sequence[Row]], str]) -> list[str]:
    return [cell(of[kind]) if of[kind] else "-" for kind in _SHOWN]


def _needed(rows: Sequence[Row]) -> str:
    row = reached(rows)
    if _by_name(rows) and row is not None:
        return _named(row)
    m = views_needed(rows)
    if m is not None:
        return str(m)
    best = min(rows, key=lambda row: row["error"])
    said = _named(best) if _by_name(rows) else best["m"]
    return f"{100 * best['error']:.0f} % left by {said}"


def _enough(rows: Sequence[Row]) -> str:
    row = as_good(rows)
    if row is not None:
        return _named(row) if _by_name(rows) else str(row["m"])
    return "-" if _by_name(rows) else f"more than {max(row['m'] for row in rows)}"


def _by_name(rows: Sequence[Row]) -> bool:
    return rows[0]["kind"] in ("field", "design")


def _named(row: Row) -> str:
    return f"{row['m']} ({row['scheme']})"


def _score(row: Row) -> str:
    return "-" if row["score"] is None else f"{row['score']:.3g}"
