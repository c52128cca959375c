"""Renew docs/views.csv, docs/views.png and the tables of docs/views.md from a finished study of views.

    python benchmarks/views_page.py FOLDER

FOLDER is what `sparseaug study --part views --out FOLDER` wrote. Rows of docs/views.csv that others
have added (their `source` is not ours) are kept. Tables stand between HTML comments, and are made
from docs/views.csv alone; without FOLDER they are written again from what is there.
"""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NoReturn

import numpy as np

from sparseaug.errors import ArgumentError, FileFormatError
from sparseaug.experiments import read_study
from sparseaug.experiments.study.part import Table
from sparseaug.experiments.study.views.summary import (
    COLUMNS,
    KINDS,
    MOVED,
    SOURCE,
    Row,
    agreement,
    apart,
    as_good,
    frontier,
    needed,
    pairs,
    reached,
    scores,
)
from sparseaug.experiments.study.views.table import CASES

DOCS = Path(__file__).parents[1] / "docs"
SHOWN = (1, 4, 16, 64)  # m of draws in the tables of the page
_NUMBERS = ("error", "error_sd", "predicted", "score", "gap")
_BOUNDS = ("score_low", "score_high", "gap_low", "gap_high")


def read_rows(path: Path) -> list[Row]:
    """The rows of the table, checked: numbers as numbers, None where a cell is empty."""
    with path.open(newline="", encoding="utf-8") as file:
        lines = list(csv.reader(file))
    if not lines or lines[0] != list(COLUMNS):
        raise FileFormatError(f"{path.name} begins with other columns than {', '.join(COLUMNS)}.")
    rows = []
    for number, cells in enumerate(lines[1:], start=2):
        try:
            rows.append(_typed(dict(zip(COLUMNS, cells, strict=True))))
        except ValueError as error:
            raise FileFormatError(f"{path.name}, line {number}: {error}.") from error
    return rows


def _typed(cells: dict[str, str]) -> Row:
    row: Row = dict(cells)
    if cells["kind"] not in KINDS:
        raise ValueError(f"kind={cells['kind']!r} is not one of {', '.join(KINDS)}")
    for name in ("task", "model", "scheme", "unit", "source"):
        if not cells[name]:
            raise ValueError(f"{name} is empty")
    for name in (*_NUMBERS, *_BOUNDS):
        row[name] = float(cells[name]) if cells[name] else None
    for name in ("m", "seeds", "repeats"):
        row[name] = int(cells[name]) if cells[name] else None
    if row["error"] is None or (row["m"] is None and row["kind"] != "full"):
        raise ValueError("error and m are needed")
    return row


def merged(ours: Iterable[Row], there: Iterable[Row]) -> list[Row]:
    """Our rows as they are now, and those of others as they were."""
    return [*ours, *(row for row in there if row["source"] != SOURCE)]


def as_csv(rows: Iterable[Row]) -> str:
    """The table as text."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow("" if row[name] is None else row[name] for name in COLUMNS)
    return text.getvalue()


def renewed(page: str, rows: Sequence[Row]) -> str:
    """The page with its tables made again."""
    blocks = {
        "short": _short(rows),
        "needed": _markdown(needed(rows)),
        "scores": _markdown(scores(rows)),
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
  them. From a small group draw without repetition ({shifts} of 64 shifts), or take all of it:
  seven of the eight turns and mirror images still leave {seven}.
- **Designs pay where the model varies in low degrees**: {orders} orders of atoms for the kernel
  machine instead of {draws}, {sorted} if it was trained on sorted atoms; {signs} of 64 signs,
  {columns} of 720 orders of columns, {rotations} rotations. A model that has seen many moved
  copies has little of low degree left, and designs gain nothing: {designed} shifts for the
  network on digits.
- **The field's schemes**: product grids of rotations do as well as our designs ({grid} views for
  the network and {grid_kernel} for the kernel machine; designs {rotations} and
  {rotations_kernel}). Five crops leave {crops}, as five draws do; all flips {flips}, four quarter
  turns {turns}; rotated columns never less than {rolled}. A canonical form is not an average, and
  about as far from the mean over the group as one random view. For a model that was trained on
  it, it was the best choice for sorted atoms ({in_order} eV, all orders {all_orders}), and not
  for signs ({canonical}, all signs {all_signs}).
- **Scores mostly need fewer views than errors**: the forest on digits goes from {one} to {all} %, and
  {enough} views are enough. Averaging changes nothing for the forest on photographs ({still} and
  {the_same} %).
- **You can know beforehand**: the spectrum predicts these errors to {median} in the median and
  {most} at most. Measure it by `sa.orbit_spectrum`, then ask `sa.choose`."""
"""What to take away; the numbers are those of the rows."""


def _short(rows: Sequence[Row]) -> str:
    """Empty where a row is missing that a sentence is about."""

    def of(task: str, model: str, kind: str, scheme: str = "") -> list[Row]:
        named = [r for r in rows if (r["task"], r["model"], r["kind"]) == (task, model, kind)]
        return [row for row in named if scheme in ("", row["scheme"])] or _missing(task)

    def views(*which: str) -> int:
        return (reached(of(*which)) or _missing(which[0]))["m"]

    def left(*which: str) -> str:
        return f"{100 * min(row['error'] for row in of(*which)):.0f} %"

    def score(*which: str) -> str:
        return f"{of(*which)[0]['score']:.3g}"

    sorted_, signs = "kernel, trained sorted", "network, trained canonical"
    try:
        apart_by = [value for value, _ in apart(rows, MOVED)] or _missing("predicted")
        return SHORT.format(
            draws=views("atoms", "kernel", "draws"),
            shifts=views("digits", "network", "distinct"),
            seven=left("photographs", "network", "design"),
            orders=views("atoms", "kernel", "design"),
            sorted=views("atoms", sorted_, "design"),
            signs=views("graphs", "kernel", "design"),
            columns=views("columns", "network", "design"),
            rotations=views("water", "network", "design"),
            designed=views("digits", "network", "design"),
            rotations_kernel=views("water", "kernel", "design"),
            grid=views("water", "network", "field"),
            grid_kernel=views("water", "kernel", "field"),
            crops=left("digits", "network", "field"),
            flips=left("photographs", "network", "field", "all flips"),
            turns=left("photographs", "network", "field", "quarter turns"),
            rolled=left("columns", "network", "field"),
            in_order=score("atoms", sorted_, "field", "sorted"),
            all_orders=score("atoms", sorted_, "full"),
            canonical=score("graphs", signs, "field"),
            all_signs=score("graphs", signs, "full"),
            one=score("digits", "forest", "draws"),
            all=score("digits", "forest", "full"),
            enough=(as_good(of("digits", "forest", "draws")) or _missing("digits"))["m"],
            still=score("photographs", "forest", "draws"),
            the_same=score("photographs", "forest", "full"),
            median=f"{100 * float(np.median(apart_by)):.1f} %",
            most=f"{100 * max(apart_by):.0f} %",
        )
    except LookupError:
        return ""


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
    error = f"{row['error']:.3f}" if row["error"] > 1e-9 else "0"
    predicted = "" if not row["predicted"] else f" ({row['predicted']:.3f})"
    return f"{error}{predicted}, {row['score']:.4g}"


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
