"""`sparseaug plan`: draws, steps and oracle calls for a group, by each method."""

from __future__ import annotations

import json
from typing import Any

import click

from sparseaug.cli.output import in_options, say
from sparseaug.cli.progress import waiting
from sparseaug.groups import group


@click.command(short_help="How many elements a goal takes, by each method.")
@click.option("--group", "name", required=True, help="Group by name, such as S10 or C28xC28.")
@click.option("--deviation", type=float, help="Deviation to reach: how many elements?")
@click.option("--eps", type=float, help="Instead, gradient norm to reach: which steps and calls?")
@click.option("--degree", type=int, help="Only functions of so many coordinates at a time.")
@click.option("--delta", type=float, default=0.05, show_default=True, help="Risk of a bad draw.")
@click.option("--C", "C", type=float, help="With --eps: bound of point evaluation.")
@click.option("--B", "B", type=float, help="With --eps: mean norm of the gradient functions.")
@click.option("--L", "L", type=float, help="With --eps: smoothness of the loss.")
@click.option("--gap", type=float, help="With --eps: initial value less the infimum.")
@click.option("--sigma", type=float, help="Noise of one transformation; C times B if not given.")
@click.option("--b", type=int, help="Draws per streaming step; 1 if not given.")
@click.option("--n", type=int, help="Number of samples, for the work and the memory.")
@click.option("--max-batch", type=int, help="Transformations in a step, at most.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
def plan(name: str, as_json: bool, **asked: Any) -> None:
    """How many elements a deviation takes, or what a gradient norm of at most eps costs.

    \b
    Examples:
      sparseaug plan --group S10 --deviation 0.25 --degree 2
      sparseaug plan --group S10 --eps 0.1 --delta 0.05 --C 1 --B 2 --L 4 --gap 1
    """
    from sparseaug.plans import plan as make_plan  # SciPy takes a while to import

    with waiting(f"planning for {name}"):
        found = make_plan(group(name), **asked)
    say(json.dumps(found.to_dict(), allow_nan=False) if as_json else in_options(str(found)))
