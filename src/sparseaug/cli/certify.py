"""`sparseaug certify`: how good S is. `sparseaug inspect`: what it misses, and what to use instead."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from typing import Any

import click

from sparseaug.cli.output import in_options, of_order, read_sample, read_spectrum, say
from sparseaug.cli.progress import waiting
from sparseaug.designs import records
from sparseaug.errors import GroupTooLargeError, UnsupportedError


@click.command(short_help="How good a saved S is, for the worst function or for your model.")
@click.argument("path")
@click.option("--group", "name", help="For a PATH of rows, JSON or CSV: the group they are from.")
@click.option("--degree", type=int, help="Only functions of this many coordinates at a time.")
@click.option(
    "--spectrum", "file", metavar="FILE", help="Of a model: what averaging over S leaves."
)
@click.option("--delta", type=float, default=0.05, show_default=True, help="Of the a-priori bound.")
@click.option("--profile", "by_degree", is_flag=True, help="A norm and a mean square per degree.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
def certify(
    path: str,
    name: str | None,
    degree: int | None,
    file: str | None,
    delta: float,
    by_degree: bool,
    as_json: bool,
) -> None:
    """Compute the deviation of the sample saved at PATH, or of rows in a text file.

    The deviation is the norm of Pi_S - Pi_G: how far an average over S is from that over the group, for
    the worst of all functions. With the spectrum of a model, FILE being the JSON of
    `orbit_spectrum(f, action, x).to_dict()`, it first says what averaging the model over S leaves.

    \b
    Examples:
      sparseaug certify S.safetensors
      sparseaug certify S.safetensors --json
      sparseaug certify S.safetensors --spectrum spectrum.json
      sparseaug certify S200.safetensors --degree 2
      sparseaug certify S.safetensors --profile
      sparseaug certify rows.csv --group S6
    """
    from sparseaug.norms import deviation, profile  # SciPy takes a while to import

    S = read_sample(path, name)
    left = None if file is None else read_spectrum(file).predict(S)
    facts: dict[str, Any] = {"group": S.group.name, "m": S.m}
    facts |= {"calls": S.calls_behind, "sha256": S.sha256}
    with waiting(f"certifying {os.path.basename(path)}") as watch:
        if by_degree:
            levels = profile(S, degree=degree, progress=watch)
            facts["profile"], table = levels.to_dict(), levels._table()
            title = table.title
        else:
            found = deviation(S, degree=degree, delta=delta, progress=watch)
            facts["deviation"], title = found.to_dict(), found.statement
            about = [
                ("group", of_order(S.group)),
                ("elements m", f"{S.m:,}, from {S.calls_behind:,} oracle calls"),
            ]
            table = replace(found._table(), rows=[*about, *found._table().rows])
    if left is None and S.origin.design:
        table = replace(table, title=f"{_of_design(S)}\n{title}")
    if left is not None:
        facts["prediction"], table = left.to_dict(), replace(table, title=f"{left}\n{title}")
    table = replace(table, title=in_options(table.title), notes=list(map(in_options, table.notes)))
    say(json.dumps(facts) if as_json else table.text())


def _of_design(S: Any) -> str:
    """What an average over a design leaves by the prior, since its worst function says little."""
    from sparseaug.spectrum.spectrum import prior

    to = next((one.degree for one in records(S.group) if one.name == S.origin.design), 0)
    exact = f", exact to degree {to}" if to else ""
    try:
        left = f"{100 * prior(S.group).predict(S).relative:.3g}% of the variance"
    except (UnsupportedError, GroupTooLargeError):
        return f"{S.origin.design}{exact}; of your own model: --spectrum FILE"
    return (
        f"{S.origin.design}{exact}: an average over it leaves {left} by a prior, the share of degree k "
        "as 1/k^3; of your own model: --spectrum FILE"
    )


@click.command(short_help="What a list of transformations misses, and what to use instead.")
@click.argument("path")
@click.option("--group", "name", help="For a PATH of rows, JSON or CSV: the group they are from.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
def inspect(path: str, name: str | None, as_json: bool) -> None:
    """Say on which degrees the rows at PATH are exact, what they miss, and what to use instead.

    PATH is a text file of rows that somebody else wrote, JSON or CSV, or a saved sample.

    \b
    Examples:
      sparseaug inspect rows.csv --group C4xC6
      sparseaug inspect S.safetensors --json
    """
    from sparseaug.designs import inspect as look  # SciPy takes a while to import

    S = read_sample(path, name)
    with waiting(f"inspecting {os.path.basename(path)}"):
        found = look(S)
    say(json.dumps(found.to_dict()) if as_json else str(found))
