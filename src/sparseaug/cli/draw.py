"""`sparseaug draw`: draw S, save it, say what it cost."""

from __future__ import annotations

import os
from pathlib import Path

import click

from sparseaug.groups import format_order, group
from sparseaug.sampling import Oracle


@click.command()
@click.option("--group", "name", required=True, help="Group by name, such as S6 or C28xC28.")
@click.option("--m", type=int, required=True, help="Number of elements: one oracle call each.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same S every time.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="File to write.")
@click.option("--force", is_flag=True, help="Replace the file if it is there.")
def draw(name: str, m: int, seed: int, out: Path, force: bool) -> None:
    """Draw m uniform elements of a group and save them as one file.

    \b
    Example:
      sparseaug draw --group S6 --m 64 --seed 0 --out S.safetensors
    """
    if os.path.exists(out) and not force:  # before the work; save() makes sure of it after
        raise click.UsageError(f"{out} is there already; choose another --out or add --force.")
    g = group(name)
    oracle = Oracle(g, seed=seed)
    sample = oracle.draw(m)
    sample.save(out, overwrite=force)
    distinct = len(sample.counts()[0])
    click.echo(f"group         {g.name} of order {format_order(g)}")
    click.echo(f"elements      {sample.m}, {distinct} of them distinct")
    click.echo(f"oracle calls  {oracle.calls}")
    click.echo(f"sha256        {sample.sha256}")
    click.echo(f"saved to      {out}")
