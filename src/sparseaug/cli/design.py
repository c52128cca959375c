"""`sparseaug design`: S by construction, or the table of what is known."""

from __future__ import annotations

import json
import os

import click
from rich import box
from rich.table import Table

from sparseaug._io import check_path
from sparseaug.cli.output import of_order, say, show
from sparseaug.designs import design as make
from sparseaug.designs import designs
from sparseaug.designs.offers import Designs, Offer
from sparseaug.groups import Group, group
from sparseaug.sampling import GroupSample, Oracle


@click.command()
@click.option("--group", "name", required=True, help="Group by name, such as S7 or C28xC28.")
@click.option("--degree", type=int, help="Exact for functions of so many coordinates at a time.")
@click.option("--m", type=int, help="Number of elements, at most.")
@click.option("--name", "construction", help="A design of the table, such as lattice or nested.")
@click.option(
    "--translate-seed",
    metavar="SEED",
    type=int,
    help="Make it unbiased by oracle calls with this seed.",
)
@click.option(
    "--side",
    type=click.Choice(["left", "right", "both"]),
    default="right",
    show_default=True,
    help="Where the translating element stands; both takes two calls.",
)
@click.option("--out", metavar="PATH", help="File to write.")
@click.option("--force", is_flag=True, help="Replace the file if it is there.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
def design(
    name: str,
    degree: int | None,
    m: int | None,
    construction: str | None,
    translate_seed: int | None,
    side: str,
    out: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Make S by construction, at no oracle call; without --degree, --m and --name, list what is known.

    \b
    Examples:
      sparseaug design --group S7
      sparseaug design --group S7 --degree 2 --translate-seed 0 --out S.safetensors
      sparseaug design --group C28xC28 --m 49 --name lattice --out S.safetensors
    """
    if out is not None:
        check_path("--out", out)
        if os.path.lexists(out) and not force:  # before the work; save() makes sure of it after
            raise click.UsageError(f"{out} exists already; choose another --out or add --force.")
    g = group(name)
    if degree is None and m is None and construction is None:
        if out is not None or translate_seed is not None:
            raise click.UsageError("--out and --translate-seed need --degree, --m or --name.")
        _list(designs(g), as_json=as_json)
        return
    sample = make(g, m=m, degree=degree, name=construction)
    if translate_seed is not None:
        sample = sample.translate(Oracle(g, seed=translate_seed), side=side)
    if out is not None:
        sample.save(out, overwrite=force)
    _tell(g, sample, _offer(g, sample), out, as_json=as_json)


def _list(table: Designs, *, as_json: bool) -> None:
    if as_json:
        say(json.dumps(table.to_dict()))
        return
    shown = Table(box=box.SIMPLE_HEAD)
    shown.add_column("design", style="bold")
    shown.add_column("m", justify="right")
    shown.add_column("exact to degree", justify="right")
    shown.add_column("deviation", justify="right")
    shown.add_column("source")
    for offer in table:
        shown.add_row(*offer.cells())
    show(shown)
    if not len(table):
        say(f"No design of {table.group.name} is known; draw S, or draw a pool and thin it.")


def _offer(g: Group, sample: GroupSample) -> Offer | None:
    known = (offer for offer in designs(g) if offer.name == sample.origin.design)
    return next(known, None)


def _tell(
    g: Group, sample: GroupSample, offer: Offer | None, out: str | None, *, as_json: bool
) -> None:
    degree = 0 if offer is None else offer.degree
    if as_json:
        facts = {
            "group": g.name,
            "design": sample.origin.design,
            "m": sample.m,
            "exact_to_degree": degree,
            "calls": sample.calls,
            "side": sample.origin.side,
            "sha256": sample.sha256,
            "out": out,
        }
        say(json.dumps(facts))
        return
    say(f"group         {of_order(g)}")
    say(f"design        {sample.origin.design}" + (f", exact to degree {degree}" if degree else ""))
    say(f"elements      {sample.m}, {len(sample.counts()[0])} of them distinct")
    say(f"oracle calls  {sample.calls}")
    say(f"sha256        {sample.sha256}")
    if out is not None:
        say(f"saved to      {out}")
