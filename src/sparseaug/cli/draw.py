"""`sparseaug draw`: draw S, save it, say what it cost."""

from __future__ import annotations

import os

import click

from sparseaug.cli.output import say
from sparseaug.errors import shorten
from sparseaug.groups import format_order, group
from sparseaug.sampling import Oracle
from sparseaug.storage import LARGEST, check_path


@click.command()
@click.option("--group", "name", required=True, help="Group by name, such as S6 or C28xC28.")
@click.option("--m", type=int, required=True, help="Number of elements: one oracle call each.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same S every time.")
@click.option("--out", metavar="PATH", required=True, help="File to write.")
@click.option("--force", is_flag=True, help="Replace an existing file.")
def draw(name: str, m: int, seed: int, out: str, force: bool) -> None:
    """Draw m uniform elements of a group and save them as one file.

    \b
    Example:
      sparseaug draw --group S6 --m 64 --seed 0 --out S.safetensors
    """
    check_path("--out", out)
    if os.path.lexists(out) and not force:  # before the work; save() makes sure of it after
        raise click.UsageError(f"{out} exists already; choose another --out or add --force.")
    g = group(name)
    if 8 * m * g.width > LARGEST:
        raise click.UsageError(
            f"--m {shorten(m)} of rows of {g.width} integers makes a file of {shorten(8 * m * g.width)} "
            f"bytes, and the limit is {LARGEST}; lower --m."
        )
    oracle = Oracle(g, seed=seed)
    sample = oracle.draw(m)
    sample.save(out, overwrite=force)
    distinct = len(sample.counts()[0])
    say(f"group         {g.name} of order {format_order(g)}")
    say(f"elements      {sample.m}, {distinct} of them distinct")
    say(f"oracle calls  {oracle.calls}")
    say(f"sha256        {sample.sha256}")
    say(f"saved to      {out}")
