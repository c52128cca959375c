"""Renew docs/views.csv, docs/views.png and the tables of docs/views.md from a finished study of views.

    python -m studies.pages.views FOLDER

FOLDER is what `python -m studies views --out FOLDER` wrote. Rows of docs/views.csv that others
have added (their `source` is not ours) are kept. Tables stand between HTML comments, and are made
from docs/views.csv alone; without FOLDER they are written again from what is there.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import numpy as np

from sparseaug.errors import ArgumentError
from studies.pages.tables import DOCS
from studies.rates import read_study
from studies.report.looks import figure_bytes, figure_style
from studies.report.study import draw_panels
from studies.views.needed import Row, left_by_draws, needed, views_needed
from studies.views.rows import as_csv, merged, read_rows
from studies.views.summary import DESIGNS, SOURCE, apart, panels


def renewed(page: str, rows: Sequence[Row]) -> str:
    """The page with its tables made again."""
    blocks = {"short": _short(rows), "needed": _needed(rows)}
    for name, text in blocks.items():
        mark = re.compile(rf"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
        places = mark.findall(page)
        if len(places) != 1:
            raise ArgumentError(f"page has {len(places)} places for {name}; one is needed.")
        begin, end = places[0]
        page = "\n".join([page.partition(begin)[0] + begin, text, end + page.partition(end)[2]])
    return page


SHORT = """\
- **Draws leave 1 / sqrt(m), whatever the model.** A tenth of one view's error takes {draws} of them.
  From a small group draw without repetition: {shifts} of 64 shifts do as much.
- **Designs pay for some models.** The kernel machine needs {orders} orders of atoms instead of {draws},
  and {signs} of 64 signs on graphs. For the network on digits they gain nothing.
- **What libraries of the field do.** A tenth takes {many} views of a weighted grid of rotations and
  {rotations} of a design. Five crops leave {crops}, five distinct draws {five}.
- **A canonical form is not an average**, and about as far from the mean over the group as one random
  view. Its score may be better all the same: sorted atoms have {in_order} eV, all orders
  {all_orders}. For the model that was trained on canonical signs the whole group is better.
- **Scores.** The forest on digits goes from {one} to {all} %. Nothing changes for the forest on
  photographs.
- **You can know beforehand.** The formula behind `sa.choose` agrees with {rows} measured errors of
  designs to {median} in the median."""
"""What to take away; the numbers are those of the rows."""


def _short(rows: Sequence[Row]) -> str:
    """Empty where a row is missing that a sentence is about."""

    def of(task: str, model: str, kind: str = "", scheme: str = "") -> list[Row]:
        mine = [row for row in rows if (row["task"], row["model"]) == (task, model)]
        named = [row for row in mine if kind in ("", row["kind"]) and scheme in ("", row["scheme"])]
        return named or _missing(task)

    def views(*which: str) -> int:
        return views_needed(of(*which)) or _missing(which[0])

    def left(*which: str) -> str:
        errors = [row["error"] for row in of(*which) if row["m"]]
        return _percent(min(errors or _missing(which[0])))

    def score(*which: str) -> str:
        return _known(of(*which)[0])

    sorted_ = "kernel, trained sorted"
    try:
        apart_by = [value for value, _ in apart(rows, DESIGNS)] or _missing("predicted")
        return SHORT.format(
            draws=views("atoms", "kernel", "draws"),
            shifts=views("digits", "network", "distinct"),
            orders=views("atoms", "kernel", "design"),
            signs=views("graphs", "kernel", "design"),
            rotations=views("water", "network", "design"),
            many=views("water", "network", "field"),
            crops=left("digits", "network", "field"),
            five=_percent(left_by_draws(5, 64)),
            in_order=score("atoms", sorted_, "field", "sorted"),
            all_orders=score("atoms", sorted_, "full"),
            one=score("digits", "forest", "draws"),
            all=score("digits", "forest", "full"),
            rows=len(apart_by),
            median=f"{100 * float(np.median(apart_by)):.2f} %",
        )
    except LookupError:
        return ""


def _percent(error: float) -> str:
    return f"{100 * error:.1f} %"


def _known(row: Row) -> str:
    return _missing(row["task"]) if row["score"] is None else f"{row['score']:.3g}"


def _missing(task: str) -> NoReturn:
    raise LookupError(task)


def _needed(rows: Sequence[Row]) -> str:
    """How many views leave a tenth, for each task and model; draws always need as many."""
    found = needed(rows)
    models: dict[tuple[str, ...], list[str]] = {}  # those with the same cells share a line
    for row in found.rows:
        known = dict(zip(found.columns, row, strict=True))
        task = known["task"].split(",")[0]  # the page says how large each group is
        same = (task, known["distinct"], known["field"], known["designs"])
        models.setdefault(same, []).append(known["model"])
    lines = ["| task | model | distinct draws | field | designs |", "|---|---|---|---|---|"]
    for (task, *cells), names in models.items():
        lines.append("| " + " | ".join([task, "; ".join(names), *cells]) + " |")
    return "\n".join(lines)


def main() -> None:
    there = read_rows(DOCS / "views.csv") if (DOCS / "views.csv").exists() else []
    rows = there
    if len(sys.argv) > 1:
        folder = Path(sys.argv[1])
        if read_study(folder)["config"]["quick"]:
            raise ArgumentError(f"{folder} holds a quick study; the page shows whole ones.")
        rows = merged(read_rows(folder / "views.csv"), there)
        (DOCS / "views.csv").write_text(as_csv(rows), encoding="utf-8")
    with figure_style():
        (DOCS / "views.png").write_bytes(figure_bytes(draw_panels(panels(rows)), "png"))
    page = DOCS / "views.md"
    page.write_text(renewed(page.read_text(encoding="utf-8"), rows), encoding="utf-8")
    print(f"{len(rows)} rows, {sum(row['source'] != SOURCE for row in rows)} of them by others.")


if __name__ == "__main__":
    main()
