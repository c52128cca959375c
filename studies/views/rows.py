"""The public table as a csv file: rows are checked when they are read, whoever has added them."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable
from pathlib import Path

from sparseaug.errors import FileFormatError
from studies.views.needed import KINDS, Row
from studies.views.summary import COLUMNS, SOURCE

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
    for name in ("task", "model", "scheme", "source"):
        if not cells[name]:
            raise ValueError(f"{name} is empty")
    for name in (*_NUMBERS, *_BOUNDS):
        row[name] = _finite(name, cells[name]) if cells[name] else None
    for name in ("m", "seeds", "repeats"):
        row[name] = _whole(name, cells[name], 1) if cells[name] else None
    if row["error"] is None or (row["m"] is None and row["kind"] != "full"):
        raise ValueError("error and m are needed")
    if row["error"] < 0:
        raise ValueError(f"error={cells['error']} is negative")
    if cells["order"] not in ("", "infinite"):
        _whole("order", cells["order"], 2)
    _check_better(cells)
    return row


def _finite(name: str, cell: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"{name}={cell!r} is not a number")
    return value


def _whole(name: str, cell: str, least: int) -> int:
    if not (cell.isdecimal() and int(cell) >= least):
        raise ValueError(f"{name}={cell!r} is not a whole number from {least} on")
    return int(cell)


def _check_better(cells: dict[str, str]) -> None:
    found = cells["better"]
    if found not in ("", "higher", "lower"):
        raise ValueError(f"better={found!r} is not higher, lower or empty")
    if found == "lower" and cells["unit"].startswith("accuracy"):
        raise ValueError(
            f"better='lower', and the unit is {cells['unit']!r}, of which higher is better"
        )


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
