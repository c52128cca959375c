"""`sparseaug certify`: how good a saved S is."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any

import click
import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress as Bar

from sparseaug._floats import text_down, text_up
from sparseaug._io import show_path
from sparseaug.cli.output import of_order, read_rows, read_spectrum, say, say_facts
from sparseaug.errors import escape_controls, shorten_text
from sparseaug.groups import group
from sparseaug.sampling import GroupSample

if TYPE_CHECKING:
    from sparseaug.spectral import Deviation


@click.command()
@click.argument("path")
@click.option("--group", "name", help="For a PATH of rows, JSON or CSV: the group they are from.")
@click.option("--degree", type=int, help="Only functions of this many coordinates at a time.")
@click.option(
    "--spectrum", "file", metavar="FILE", help="Of a model: what averaging over S leaves."
)
@click.option("--delta", type=float, default=0.05, show_default=True, help="Of the a-priori bound.")
@click.option("--profile", "by_degree", is_flag=True, help="A norm and a mean square per degree.")
@click.option("--by", help='With --profile: "frequency" for shifts.')
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
def certify(
    path: str,
    name: str | None,
    degree: int | None,
    file: str | None,
    delta: float,
    by_degree: bool,
    by: str | None,
    as_json: bool,
) -> None:
    """Compute the norm of Pi_S - Pi_G for the sample saved at PATH, or for rows in a text file.

    That is about the worst of all functions. With the spectrum of a model, FILE being the JSON of
    `orbit_spectrum(f, action, x).to_dict()`, it first says what averaging the model over S leaves.

    Of rows it also says what they miss, and what to use instead.

    \b
    Examples:
      sparseaug certify S.safetensors
      sparseaug certify S.safetensors --json
      sparseaug certify S.safetensors --spectrum spectrum.json
      sparseaug certify S200.safetensors --degree 2
      sparseaug certify S.safetensors --profile
      sparseaug certify rows.csv --group S6
    """
    from sparseaug.designs import inspect
    from sparseaug.spectral import NormOptions, deviation, profile  # SciPy takes a while to import

    if by is not None and not by_degree:
        raise click.UsageError("--by goes with --profile.")
    if name is None and path.lower().endswith((".csv", ".json", ".txt")):
        raise click.UsageError(
            f"PATH {show_path(path)} is a text file of rows; give --group, the group they are from."
        )
    S = GroupSample.load(path) if name is None else _given(name, path)
    left = None if file is None else read_spectrum(file).predict(S)
    facts: dict[str, Any] = {
        "group": S.group.name,
        "m": S.m,
        "calls": S.calls_behind,
        "sha256": S.sha256,
    }
    if left is not None:
        facts["prediction"] = left.to_dict()
    if by_degree:
        with _LateBar(_title(path)) as bar:
            levels = profile(S, degree=degree, by=by or "degree", progress=bar.update)
        if as_json:
            say(json.dumps({**facts, "profile": levels.to_dict()}))
            return
        say(str(levels) if left is None else f"{left}\n\n{levels}")
        return
    with _LateBar(_title(path)) as bar:
        options = NormOptions(delta=delta)
        found = deviation(S, degree=degree, progress=bar.update, options=options)
    if as_json:
        if name is not None:
            facts["inspection"] = inspect(S).to_dict()
        say(json.dumps({**facts, "deviation": found.to_dict()}))
        return
    facts_shown = _facts(S, found)
    if left is not None:
        facts_shown.insert(2, ("prediction", str(left)))
    say_facts(*facts_shown)
    if left is None:
        say(
            "That is the worst of all functions; of a model at hand the prediction counts: --spectrum."
        )
    if name is not None or found.reason:
        say()
        say(str(inspect(S)) if name is not None else found.reason)


def _title(path: str) -> str:
    return f"certifying {escape(escape_controls(os.path.basename(path)))}"


def _given(name: str, path: str) -> GroupSample:
    g = group(name)
    return GroupSample(g, g.check(read_rows(path, real=g.row_dtype == np.float64)))


def _facts(S: GroupSample, found: Deviation) -> list[tuple[str, str]]:
    rows = [
        ("group", of_order(S.group)),
        ("elements m", f"{S.m}, from {S.calls_behind} oracle calls"),
        ("deviation", f"at most {text_up(found.value)}, {found.kind}"),
        ("", f"at least {text_down(found.lower)}"),
        ("attained at", shorten_text(found.block)),
        ("method", found.method),
    ]
    if found.floor:
        floor = text_down(found.floor)
        rows.append(("floor", f"{floor}: no {S.m} elements can do better"))
    if found.bound is not None:
        bound = text_up(found.bound)
        rows.append(("a-priori bound", f"{bound} with probability 1 - {found.delta!r}"))
    return rows


class _LateBar:
    """A progress bar that appears once the work has taken a second."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._bar: Bar | None = None
        self._start = time.monotonic()

    def update(self, done: int, total: int) -> None:
        """Show that `done` of `total` is done."""
        if self._bar is None:
            if time.monotonic() - self._start < 1:
                return
            console = Console(stderr=True)
            self._bar = Bar(console=console, transient=True, disable=not console.is_terminal)
            self._bar.start()
            self._task = self._bar.add_task(self._title, total=total)
        self._bar.update(self._task, completed=done, total=total)

    def __enter__(self) -> _LateBar:
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.stop()
