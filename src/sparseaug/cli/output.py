"""What the commands print, and what they read: rows of numbers, spectra.

Rows come from a file: JSON lists, or one row per line, such as a CSV file. A spectrum comes from JSON.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import numpy as np

from sparseaug._archive import parse_json
from sparseaug._io import read_bytes, show_path
from sparseaug.errors import SparseAugError, escape_controls, shorten_text, size_text
from sparseaug.groups import Group, format_order, group
from sparseaug.sampling import GroupSample

if TYPE_CHECKING:
    from sparseaug.spectrum.spectrum import Spectrum


def say(text: str = "") -> None:
    """Print a line, without what a terminal obeys."""
    click.echo(escape_controls(text))


def of_order(g: Group) -> str:
    """A group with its size: "S6 of order 720"."""
    return f"{g.name} of {f'order {format_order(g)}' if g.is_finite else 'infinite order'}"


LARGEST_TEXT = 1 << 26
"""Bytes of a text file of numbers, which are read as Python's."""


def read_spectrum(path: str) -> Spectrum:
    """The spectrum whose `to_dict()` a JSON file holds; anything else is a `UsageError`."""
    from sparseaug.spectrum.spectrum import Spectrum  # SciPy takes a while to import

    text = _read_text(path, "--spectrum")
    try:
        return Spectrum.from_dict(parse_json(text))
    except (SparseAugError, ValueError, RecursionError) as error:
        raise click.UsageError(
            f"--spectrum {show_path(path)} is not the JSON of spectrum.to_dict(): "
            f"{shorten_text(str(error))}"
        ) from error


def read_sample(path: str, name: str | None) -> GroupSample:
    """The sample that a file holds; the rows of a text file need the name of their group."""
    if name is None:
        if path.lower().endswith((".csv", ".json", ".txt")):
            raise click.UsageError(
                f"PATH {show_path(path)} is a text file of rows; give --group, the group they are from."
            )
        return GroupSample.load(path)
    g = group(name)
    rows = read_rows(path, real=g.row_dtype == np.float64)
    try:
        return GroupSample(g, g.check(rows))
    except SparseAugError as error:
        raise click.UsageError(f"PATH {show_path(path)} of {g.name}: {error}") from error


def read_rows(path: str, *, real: bool = False) -> list[list[Any]]:
    """Rows of a JSON file [[0, 1], ...] or of lines "0,1" or "0 1", below a line of names or without.

    Integers, or with `real` any numbers. Anything else is a `UsageError`.
    """
    kind = "numbers" if real else "integers"
    text = _read_text(path, "PATH")
    try:
        rows = (
            parse_json(text)
            if text.lstrip().startswith("[")
            else _lines(text, float if real else int)
        )
    except (ValueError, RecursionError) as error:
        raise click.UsageError(
            f"PATH {show_path(path)} is neither JSON nor lines of {kind}; leave out --group if it is "
            f"a saved sample: {shorten_text(str(error))}."
        ) from error
    if not isinstance(rows, list) or not rows or not all(_is_row(row, real) for row in rows):
        raise click.UsageError(
            f"PATH {show_path(path)} holds no rows of {kind}; write [[1, 0, 2], [2, 0, 1]], or "
            "one row per line."
        )
    return rows


def _read_text(path: str, name: str) -> str:
    try:
        data = read_bytes(path)
    except SparseAugError as error:
        raise click.UsageError(f"{name} {error}") from error
    if len(data) > LARGEST_TEXT:
        raise click.UsageError(
            f"{name} {show_path(path)} has {size_text(len(data))}, above {size_text(LARGEST_TEXT)}; "
            "give less."
        )
    try:
        return data.decode("utf-8-sig")
    except ValueError as error:
        raise click.UsageError(f"{name} {show_path(path)} is not text: {error}.") from error


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
