"""`sparseaug draw`: draw S, save it, say what it cost."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import click

from sparseaug._io import LARGEST, check_path
from sparseaug.cli.output import of_order, read_rows, say
from sparseaug.errors import shorten
from sparseaug.groups import Group, format_order, group, permutation_group
from sparseaug.sampling import GroupSample, Oracle

if TYPE_CHECKING:
    from sparseaug.spectral import Deviation


@click.command()
@click.option("--group", "name", help="Group by name, such as S6 or C28xC28.")
@click.option(
    "--generators",
    metavar="FILE",
    help="Instead, the group that permutations generate: JSON lists, or one image array per line.",
)
@click.option("--m", type=int, help="Number of elements: one oracle call each.")
@click.option("--full", is_flag=True, help="Instead, all of the group, at no call.")
@click.option("--target", type=float, help="Instead, as many as reach this deviation.")
@click.option("--degree", type=int, help="With --target: only functions of so many coordinates.")
@click.option("--identity", is_flag=True, help="With --m: the identity is one of them, undrawn.")
@click.option("--distinct", is_flag=True, help="With --m: without replacement.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same S every time.")
@click.option("--out", metavar="PATH", required=True, help="File to write.")
@click.option("--force", is_flag=True, help="Replace an existing file.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
def draw(
    name: str | None,
    generators: str | None,
    m: int | None,
    full: bool,
    target: float | None,
    degree: int | None,
    identity: bool,
    distinct: bool,
    seed: int,
    out: str,
    force: bool,
    as_json: bool,
) -> None:
    """Draw uniform elements of a group and save them as one file.

    \b
    Examples:
      sparseaug draw --group S6 --m 64 --seed 0 --out S.safetensors
      sparseaug draw --group D4 --full --out S.safetensors
      sparseaug draw --group S6 --target 0.25 --out S.safetensors
      sparseaug draw --generators moves.json --m 32 --identity --out S.safetensors
    """
    check_path("--out", out)
    if os.path.lexists(out) and not force:  # before the work; save() makes sure of it after
        raise click.UsageError(f"{out} exists already; choose another --out or add --force.")
    if (name is None) == (generators is None):
        raise click.UsageError("--group and --generators both name a group; give one of them.")
    if sum((m is not None, full, target is not None)) != 1:
        raise click.UsageError("--m, --full and --target say how many; give one of them.")
    if m is None and (identity or distinct):
        raise click.UsageError("--identity and --distinct go with --m.")
    if target is None and degree is not None:
        raise click.UsageError("--degree goes with --target.")
    g = group(name) if name is not None else _generated(str(generators))
    oracle = Oracle(g, seed=seed)
    found = None
    if target is not None:
        sample, found = _until(oracle, target, degree)
    elif m is None:
        sample = GroupSample.full(g)
    else:
        _require_room(m, g)
        sample = oracle.draw(m, identity=identity, distinct=distinct)
    sample.save(out, overwrite=force)
    facts = {
        "group": g.name,
        "order": format_order(g),
        "m": sample.m,
        "distinct": len(sample.counts()[0]),
        "calls": oracle.calls,
        "sha256": sample.sha256,
        "path": out,
    }
    if as_json:
        known = {} if found is None else {"deviation": found.to_dict()}
        say(json.dumps({**facts, **known}))
        return
    say(f"group         {of_order(g)}")
    say(f"elements      {sample.m}, {facts['distinct']} of them distinct")
    say(f"oracle calls  {oracle.calls}")
    if found is not None:
        say(str(found))
    say(f"sha256        {sample.sha256}")
    say(f"saved to      {out}")


def _generated(path: str) -> Group:
    return permutation_group(read_rows("--generators", path))


def _until(oracle: Oracle, target: float, degree: int | None) -> tuple[GroupSample, Deviation]:
    from sparseaug.spectral import draw_until  # SciPy takes a while to import

    drawn = draw_until(oracle, target=target, degree=degree)
    return drawn.sample, drawn.deviation


def _require_room(m: int, g: Group) -> None:
    if 8 * m * g.width > LARGEST:
        raise click.UsageError(
            f"--m {shorten(m)} of rows of {g.width} integers makes a file of {shorten(8 * m * g.width)} "
            f"bytes, and the limit is {LARGEST}; lower --m."
        )
