"""Rows of integers from a file: JSON lists, or one row of numbers per line, such as a CSV file."""

from __future__ import annotations

import json
from typing import Any

import click

from sparseaug.errors import shorten_text
from sparseaug.storage import read_bytes, show_path

LARGEST_TEXT = 1 << 26
"""Bytes of a text file of rows, which is read as Python integers."""


def read_rows(option: str, path: str) -> list[list[int]]:
    """Rows of a JSON file [[0, 1], ...] or of lines "0,1" or "0 1", below a line of names or without.

    Anything else is a `UsageError`.
    """
    data = read_bytes(path)
    if len(data) > LARGEST_TEXT:
        raise click.UsageError(
            f"{option} {show_path(path)} has {len(data)} bytes, above {LARGEST_TEXT}; give fewer rows."
        )
    try:
        text = data.decode("utf-8-sig")
        rows = json.loads(text) if text.lstrip().startswith("[") else _lines(text)
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise click.UsageError(
            f"{option} {show_path(path)} is neither JSON nor lines of integers: "
            f"{shorten_text(str(error))}."
        ) from error
    if not isinstance(rows, list) or not rows or not all(map(_is_row, rows)):
        raise click.UsageError(
            f"{option} {show_path(path)} holds no rows of integers; write [[1, 0, 2], [2, 0, 1]], or "
            "one row per line."
        )
    return rows


def _lines(text: str) -> list[list[int]]:
    lines = [line.replace(",", " ").replace(";", " ").split() for line in text.splitlines()]
    lines = [line for line in lines if line]
    if lines and not any(entry.lstrip("+-").isdigit() for entry in lines[0]):
        lines = lines[1:]  # the names of the columns
    return [[int(entry) for entry in line] for line in lines]


def _is_row(row: Any) -> bool:
    return isinstance(row, list) and bool(row) and all(type(entry) is int for entry in row)
