"""What the commands print, and the files that they read: samples, rows of numbers, spectra."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import click

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


OPTIONS = {
    "profile(S), degree= or action=": "--profile or --degree",
    "use orbit_spectrum": "give --spectrum FILE, the JSON of orbit_spectrum",
}
"""What the library calls something, and the option of a command that is the same."""


def in_options(text: str) -> str:
    """What the library says, in the words of the command line."""
    for name, option in OPTIONS.items():
        text = text.replace(name, option)
    return text


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
        message = f"--spectrum {show_path(path)} is not a spectrum: {shorten_text(str(error))}"
        raise click.UsageError(message) from error


def read_sample(path: str, name: str | None) -> GroupSample:
    """The sample that a file holds, or the rows of a JSON or CSV file from a group of this name."""
    if name is None:
        if path.lower().endswith((".csv", ".json", ".txt")):
            raise click.UsageError(f"PATH {show_path(path)} is text of rows; give their --group.")
        return GroupSample.load(path)
    g = group(name)
    text = _read_text(path, "PATH")
    try:
        rows: Any = parse_json(text) if text.lstrip().startswith("[") else _lines(text)
        return GroupSample(g, rows)
    except (SparseAugError, ValueError, RecursionError) as error:
        message = f"PATH {show_path(path)} holds no rows of --group: {shorten_text(str(error))}"
        raise click.UsageError(message) from error


def _read_text(path: str, name: str) -> str:
    try:
        data = read_bytes(path)
    except SparseAugError as error:
        raise click.UsageError(f"{name} {error}") from error
    if len(data) > LARGEST_TEXT:
        raise click.UsageError(f"{name} {show_path(path)} has over {size_text(LARGEST_TEXT)}.")
    try:
        return data.decode("utf-8-sig")
    except ValueError as error:
        raise click.UsageError(f"{name} {show_path(path)} is not text: {error}.") from error


def _lines(text: str) -> list[list[float]]:
    """Numbers between commas, semicolons or blanks, below a line of names or without."""
    lines = [line.replace(",", " ").replace(";", " ").split() for line in text.splitlines()]
    rows = [[_number(entry) for entry in line] for line in lines if line]
    if rows and all(entry is None for entry in rows[0]):
        del rows[0]  # the names of the columns
    if not rows or any(entry is None for row in rows for entry in row):
        raise ValueError("it has lines of other things than numbers, or none")
    return cast(list[list[float]], rows)


def _number(entry: str) -> float | None:
    for kind in (int, float):
        try:
            return kind(entry)
        except ValueError:
            continue
    return None
