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

from sparseaug.errors import ArgumentError, FileFormatError
from sparseaug.experiments import read_study
from sparseaug.experiments.study.part import Table
from sparseaug.experiments.study.views.summary import (
    COLUMNS,
    SOURCE,
    Row,
    agreement,
    frontier,
    needed,
    pairs,
)
from sparseaug.experiments.study.views.table import CASES

DOCS = Path(__file__).parents[1] / "docs"
KINDS = ("draws", "distinct", "field", "design", "full")
SHOWN = (1, 2, 4, 8, 16, 64, 128)  # m of draws in the tables of the page
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
    blocks = {"csv": _columns(), "needed": _markdown(needed(rows)), "agreement": _found(rows)}
    blocks |= {case.name: _task([r for r in rows if r["task"] == case.name]) for case in CASES}
    for name, text in blocks.items():
        mark = re.compile(rf"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
        places = mark.findall(page)
        if len(places) != 1:
            raise ArgumentError(f"page has {len(places)} places for {name}; one is needed.")
        begin, end = places[0]
        page = "\n".join([page.partition(begin)[0] + begin, text, end + page.partition(end)[2]])
    return page


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
    lines, first = [], _shown([r for r in rows if r["model"] == models[0]])
    added = [r for r in rows if r["source"] != SOURCE and r not in first]
    for row in [*first, *added]:
        found = [of.get((model, row["scheme"], row["m"])) for model in models]
        label = "all" if row["kind"] == "full" else row["scheme"]
        lines.append([label, row["m"] or "", *("" if r is None else _cell(r) for r in found)])
    return _markdown(Table("", "", columns, lines, f"Score: {rows[0]['unit']}."))


def _shown(rows: Sequence[Row]) -> list[Row]:
    best = frontier([row for row in rows if row["kind"] == "design"])
    chosen = []
    for row in rows:
        several = sum(other["scheme"] == row["scheme"] for other in rows) > 1
        if row["kind"] == "design":
            keep = row in best
        else:
            keep = row["kind"] == "full" or not several or row["m"] in SHOWN
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
