"""Rows of numbers from a file: JSON lists, or one row per line, such as a CSV file."""

from __future__ import annotations

from typing import Any

import click

from sparseaug.archive import parse_json
from sparseaug.errors import shorten_text
from sparseaug.storage import read_bytes, show_path

LARGEST_TEXT = 1 << 26
"""Bytes of a text file of rows, which is read as Python numbers."""


def read_rows(option: str, path: str, *, real: bool = False) -> list[list[Any]]:
    """Rows of a JSON file [[0, 1], ...] or of lines "0,1" or "0 1", below a line of names or without.

    Integers, or with `real` any numbers. Anything else is a `UsageError`.
    """
    kind = "numbers" if real else "integers"
    data = read_bytes(path)
    if len(data) > LARGEST_TEXT:
        raise click.UsageError(
            f"{option} {show_path(path)} has {len(data)} bytes, above {LARGEST_TEXT}; give fewer rows."
        )
    try:
        text = data.decode("utf-8-sig")
        rows = (
            parse_json(text)
            if text.lstrip().startswith("[")
            else _lines(text, float if real else int)
        )
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise click.UsageError(
            f"{option} {show_path(path)} is neither JSON nor lines of {kind}: "
            f"{shorten_text(str(error))}."
        ) from error
    if not isinstance(rows, list) or not rows or not all(_is_row(row, real) for row in rows):
        raise click.UsageError(
            f"{option} {show_path(path)} holds no rows of {kind}; write [[1, 0, 2], [2, 0, 1]], or "
            "one row per line."
        )
    return rows


def _lines(text: str, number: type[int] | type[float]) -> list[list[Any]]:
    lines = [line.replace(",", " ").replace(";", " ").split() for line in text.splitlines()]
    lines = [line for line in lines if line]
    if lines and not any(map(_is_number, lines[0])):
        lines = lines[1:]  # the names of the columns
    return [[number(entry) for entry in line] for line in lines]


def _is_number(entry: str) -> bool:
    try:
        float(entry)
    except ValueError:
        return False
    return True


def _is_row(row: Any, real: bool) -> bool:
    kinds = (int, float) if real else (int,)
    return isinstance(row, list) and bool(row) and all(type(entry) in kinds for entry in row)
