"""Renew docs/views.csv, docs/views.png and the tables of docs/views.md from a finished study of views.

    python -m studies.pages.views FOLDER

FOLDER is what `python -m studies views --out FOLDER` wrote. Rows of docs/views.csv that others
have added (their `source` is not ours) are kept. Tables stand between HTML comments, and are made
from docs/views.csv alone; without FOLDER they are written again from what is there.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NoReturn

import numpy as np

from sparseaug.errors import ArgumentError
from studies.rates import read_study
from studies.rates.part import Table
from studies.views.needed import (
    KINDS,
    NOTHING,
    Row,
    as_good,
    better,
    left_by_draws,
    needed,
    pairs,
    scores,
    views_needed,
)
from studies.views.rows import as_csv, merged, read_rows
from studies.views.summary import (
    COLUMNS,
    DESIGNS,
    SOURCE,
    agreement,
    apart,
    frontier,
)
from studies.views.table import CASES

DOCS = Path(__file__).parents[2] / "docs"
SHOWN = (1, 4, 16, 64)  # m of draws in the tables of the page


def renewed(page: str, rows: Sequence[Row]) -> str:
    """The page with its tables made again."""
    blocks = {
        "short": _short(rows),
        "needed": _markdown(needed(rows)),
        "scores": _markdown(scores(rows)),
        "better": _markdown(better(rows)),
        "agreement": _found(rows),
        "csv": _columns(),
    }
    blocks |= {case.name: _task([r for r in rows if r["task"] == case.name]) for case in CASES}
    for name, text in blocks.items():
        mark = re.compile(rf"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
        places = mark.findall(page)
        if len(places) != 1:
            raise ArgumentError(f"page has {len(places)} places for {name}; one is needed.")
        begin, end = places[0]
        page = "\n".join([page.partition(begin)[0] + begin, text, end + page.partition(end)[2]])
    return page


SHORT = """\
- **Draws leave 1 / sqrt(m), whatever the model**: a tenth of one view's error takes {draws} of
  them. From a small group draw without repetition ({shifts} of 64 shifts), or take all of it: seven
  of the eight turns and mirror images still leave {seven}.
- **Designs pay for some models**: {orders} orders of atoms for the kernel machine instead of
  {draws}, {sorted} if it was trained on sorted atoms; {signs} of 64 signs for the kernel machine on
  graphs, {columns} of 720 orders of columns, {rotations} rotations. For others they gain nothing:
  for the network on digits the best design of at most 32 shifts leaves {designed}, and 32 distinct
  draws {distinct}.
- **The field's schemes**: of at most 42 rotations, product grids leave {grid} for the network and
  {grid_kernel} for the kernel machine, our designs {least} and {least_kernel}; a tenth takes {many}
  and {many_kernel} views of a grid, {rotations} and {rotations_kernel} of a design. Five crops
  leave {crops}, five distinct draws {five}; all flips {flips}, four quarter turns {turns}; rotated
  columns never less than {rolled}. A canonical form is not an average, and about as far from the
  mean over the group as one random view. For the model that was trained on sorted atoms the best
  score of all is that of {best} ({best_score} eV; sorted, one view, {in_order}; all orders
  {all_orders}). For the one that was trained on canonical signs it is that of {best_signs}
  ({best_signs_score}; canonical, one view, {canonical}).
- **Scores**: the forest on digits goes from {one} to {all} %, and {enough} distinct draws are
  within 1 % of that, to the worse end of a 95 % interval. Averaging changes nothing for the forest
  on photographs ({still} and {the_same} %).
- **You can know beforehand, within error bars**: `sa.orbit_spectrum` measures the spectrum of your
  model, and `sa.choose` finds the views. The formula behind them is checked here: given the exact
  spectrum of the same model on the same inputs, it agrees with {rows} measured errors of designs,
  all that are above 1 %, to {median} in the median and {most} at most. From a few hundred draws the
  spectrum is an estimate: of 69 pairs of a model and an S in `studies/spectrum.py`, mean
  squares predicted from at most 256 draws are off by 10.5 % in the median, and by at most 1.1 times
  the 95 % error bar of the comparison."""
"""What to take away; the numbers are those of the rows, the last three those of the script."""


def _short(rows: Sequence[Row]) -> str:
    """Empty where a row is missing that a sentence is about."""

    def of(task: str, model: str, kind: str = "", scheme: str = "") -> list[Row]:
        mine = [row for row in rows if (row["task"], row["model"]) == (task, model)]
        named = [row for row in mine if kind in ("", row["kind"]) and scheme in ("", row["scheme"])]
        return named or _missing(task)

    def views(*which: str) -> int:
        return views_needed(of(*which)) or _missing(which[0])

    def left(*which: str, most: float = math.inf) -> str:
        errors = [row["error"] for row in of(*which) if row["m"] and row["m"] <= most]
        return _percent(min(errors or _missing(which[0])))

    def score(*which: str) -> str:
        return _known(of(*which)[0])

    def best(*which: str) -> tuple[str, str]:
        scored = [
            row for row in of(*which) if row["score"] is not None and row["better"] == "lower"
        ]
        row = min(scored or _missing(which[0]), key=lambda r: (r["score"], r["kind"] != "full"))
        views = f"{row['scheme']} with {row['m']} views"
        return ("the whole group" if row["kind"] == "full" else views), _known(row)

    sorted_, signs = "kernel, trained sorted", "network, trained canonical"
    try:
        apart_by = [value for value, _ in apart(rows, DESIGNS)] or _missing("predicted")
        best_order, best_order_score = best("atoms", sorted_)
        best_signs, best_signs_score = best("graphs", signs)
        return SHORT.format(
            draws=views("atoms", "kernel", "draws"),
            shifts=views("digits", "network", "distinct"),
            seven=left("photographs", "network", "design"),
            orders=views("atoms", "kernel", "design"),
            sorted=views("atoms", sorted_, "design"),
            signs=views("graphs", "kernel", "design"),
            columns=views("columns", "network", "design"),
            rotations=views("water", "network", "design"),
            rotations_kernel=views("water", "kernel", "design"),
            designed=left("digits", "network", "design", most=32),
            distinct=_percent(left_by_draws(32, 64)),
            grid=left("water", "network", "field", most=42),
            grid_kernel=left("water", "kernel", "field", most=42),
            least=left("water", "network", "design", most=42),
            least_kernel=left("water", "kernel", "design", most=42),
            many=views("water", "network", "field"),
            many_kernel=views("water", "kernel", "field"),
            crops=left("digits", "network", "field"),
            five=_percent(left_by_draws(5, 64)),
            flips=left("photographs", "network", "field", "all flips"),
            turns=left("photographs", "network", "field", "quarter turns"),
            rolled=left("columns", "network", "field"),
            best=best_order,
            best_score=best_order_score,
            in_order=score("atoms", sorted_, "field", "sorted"),
            all_orders=score("atoms", sorted_, "full"),
            best_signs=best_signs,
            best_signs_score=best_signs_score,
            canonical=score("graphs", signs, "field"),
            one=score("digits", "forest", "draws"),
            all=score("digits", "forest", "full"),
            enough=(as_good(of("digits", "forest", "distinct")) or _missing("digits"))["m"],
            still=score("photographs", "forest", "draws"),
            the_same=score("photographs", "forest", "full"),
            rows=len(apart_by),
            median=f"{100 * float(np.median(apart_by)):.2f} %",
            most=f"{100 * max(apart_by):.1f} %",
        )
    except LookupError:
        return ""


def _percent(error: float) -> str:
    return f"{100 * error:.1f} %"


def _known(row: Row) -> str:
    return _missing(row["task"]) if row["score"] is None else f"{row['score']:.3g}"


def _missing(task: str) -> NoReturn:
    raise LookupError(task)


def _columns() -> str:
    return "\n".join(["| column | what it holds |", "|---|---|", *_lines(COLUMNS.items())])


def _found(rows: Sequence[Row]) -> str:
    return "\n".join(f"- {each.text} {each.measured}" for each in agreement(rows))


def _task(rows: Sequence[Row]) -> str:
    """The schemes worth showing, with error, prediction and score of every model."""
    if not rows:
        return ""
    models = [model for _, model in pairs(rows)]
    of = {(r["model"], r["scheme"], r["m"]): r for r in rows}
    columns = ["views", "m", *(f"{model}: error (predicted), score" for model in models)]
    designs = [[r for r in rows if (r["model"], r["kind"]) == (m, "design")] for m in models]
    best = {(row["scheme"], row["m"]) for found in designs for row in frontier(found)}
    lines, first = [], _shown([r for r in rows if r["model"] == models[0]], best)
    added = [r for r in rows if r["source"] != SOURCE and r not in first]
    for row in [*first, *added]:
        found = [of.get((model, row["scheme"], row["m"])) for model in models]
        label = "all" if row["kind"] == "full" else row["scheme"]
        lines.append([label, row["m"] or "", *("" if r is None else _cell(r) for r in found)])
    return _markdown(Table("", "", columns, lines, f"Score: {rows[0]['unit']}."))


def _shown(rows: Sequence[Row], best: set[tuple[str, int]]) -> list[Row]:
    """Draws of a few sizes, all that has one size, and designs that are best for some model."""
    chosen = []
    for row in rows:
        same = [other for other in rows if other["scheme"] == row["scheme"]]
        least = row["kind"] == "field" and row["error"] == min(r["error"] for r in same)
        if row["kind"] == "design":
            keep = (row["scheme"], row["m"]) in best
        else:
            keep = row["kind"] == "full" or least or len(same) == 1 or row["m"] in SHOWN
        if keep:
            chosen.append(row)
    return sorted(chosen, key=lambda row: (KINDS.index(row["kind"]), row["m"] or 0))


def _cell(row: Row) -> str:
    error = f"{row['error']:.3f}" if row["error"] > NOTHING else "0"
    predicted = "" if not row["predicted"] else f" ({row['predicted']:.3f})"
    score = "-" if row["score"] is None else f"{row['score']:.4g}"
    return f"{error}{predicted}, {score}"


def _markdown(table: Table) -> str:
    rule = "|" + "---|" * len(table.columns)
    head = ["| " + " | ".join(table.columns) + " |", rule]
    note = ["", table.note] if table.note else []
    return "\n".join([*head, *_lines(table.rows), *note])


def _lines(rows: Iterable[Iterable[object]]) -> list[str]:
    return ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]


def main() -> None:
    there = read_rows(DOCS / "views.csv") if (DOCS / "views.csv").exists() else []
    rows = there
    if len(sys.argv) > 1:
        folder = Path(sys.argv[1])
        if read_study(folder)["config"]["quick"]:
            raise ArgumentError(f"{folder} holds a quick study; the page shows whole ones.")
        rows = merged(read_rows(folder / "views.csv"), there)
        (DOCS / "views.csv").write_text(as_csv(rows), encoding="utf-8")
        (DOCS / "views.png").write_bytes((folder / "views.png").read_bytes())
    page = DOCS / "views.md"
    page.write_text(renewed(page.read_text(encoding="utf-8"), rows), encoding="utf-8")
    print(f"{len(rows)} rows, {sum(row['source'] != SOURCE for row in rows)} of them by others.")


if __name__ == "__main__":
    main()
