"""`sparseaug plan`: draws, steps and oracle calls for a group, by each method."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click
from rich import box
from rich.table import Table

from sparseaug.cli.output import say, show
from sparseaug.groups import group

if TYPE_CHECKING:
    from sparseaug.planning import Plan


@click.command()
@click.option("--group", "name", required=True, help="Group by name, such as S10 or C28xC28.")
@click.option("--eps", type=float, required=True, help="Gradient norm to reach.")
@click.option("--delta", type=float, default=0.05, show_default=True, help="Risk of a bad draw.")
@click.option("--C", "C", type=float, required=True, help="Bound of point evaluation.")
@click.option("--B", "B", type=float, required=True, help="Mean norm of the gradient functions.")
@click.option("--L", "L", type=float, required=True, help="Smoothness of the loss.")
@click.option("--gap", type=float, required=True, help="Initial value less the infimum.")
@click.option("--sigma", type=float, help="Noise of one transformation; C times B if not given.")
@click.option("--b", type=int, default=1, show_default=True, help="Draws per streaming step.")
@click.option("--n", type=int, help="Number of samples, for the work and the memory.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
@click.option("--plot", metavar="PATH", help="Figure to write, .png or .pdf.")
@click.option("--force", is_flag=True, help="Replace an existing figure.")
def plan(
    name: str,
    eps: float,
    delta: float,
    C: float,
    B: float,
    L: float,
    gap: float,
    sigma: float | None,
    b: int,
    n: int | None,
    as_json: bool,
    plot: str | None,
    force: bool,
) -> None:
    """What a gradient norm of at most eps costs: steps and oracle calls, by each method.

    \b
    Examples:
      sparseaug plan --group S10 --eps 0.1 --delta 0.05 --C 1 --B 2 --L 4 --gap 1
      sparseaug plan --group S10 --eps 0.1 --C 1 --B 2 --L 4 --gap 1 --plot calls.png
    """
    from sparseaug.planning import plan as make_plan  # SciPy takes a while to import

    found = make_plan(
        group(name), eps=eps, delta=delta, C=C, B=B, L=L, gap=gap, sigma=sigma, b=b, n=n
    )
    if plot is not None:
        from sparseaug.report import save_plan_figure

        save_plan_figure(found, plot, overwrite=force)
    if as_json:
        say(json.dumps(found.to_dict(), allow_nan=False))
        return
    _show(found)


def _show(found: Plan) -> None:
    from sparseaug.planning import table as layout

    padding = (0, layout.spacing(found) - 1, 0, 0)
    table = Table(box=box.SIMPLE_HEAD, padding=padding, show_edge=False, pad_edge=False)
    names = layout.header(found)
    for column in names:
        side = "left" if column in (names[0], names[-1]) else "right"
        table.add_column(column, justify=side, no_wrap=True)  # type: ignore[arg-type]
    for row in found.rows:
        style = "bold" if row is found.best else None
        table.add_row(*layout.cells(found, row), style=style)
    say(layout.title(found) + "\n")
    show(table)
    say("\n" + "\n".join(layout.notes(found)))
