"""The tables behind the pages: csv files in docs/data, and the short tables on the pages themselves."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[2] / "docs"


def read_table(page: str, *columns: str) -> list[dict[str, str]]:
    """The rows of a csv file, or of all tables of a page that have these columns."""
    path = DOCS / page
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        if rows and set(columns) <= rows[0].keys():
            return rows
        raise SystemExit(f"{page} has no table with the columns {', '.join(columns)}.")
    rows = []
    for block in re.findall(r"(?:^\|.*\n)+", path.read_text("utf-8"), re.MULTILINE):
        lines = [re.split(r"(?<!\\)\|", line.strip())[1:-1] for line in block.splitlines()]
        head, *body = ([cell.strip() for cell in line] for line in lines)
        if set(columns) <= set(head):
            rows += [dict(zip(head, line, strict=True)) for line in body[1:]]
    if not rows:
        raise SystemExit(f"{page} has no table with the columns {', '.join(columns)}.")
    return rows


def write_table(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Rows of the same columns as a csv file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def number(cell: str) -> float:
    """The first number of a cell: its mean, without the spread."""
    return float(cell.replace(",", "").split()[0])


def spread(cell: str) -> float:
    """What stands behind the sign of plus and minus, or 0."""
    return float(cell.partition("±")[2] or 0)
