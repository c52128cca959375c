"""`sparseaug groups`: the families, or one group by name."""

from __future__ import annotations

import json

import click
from rich import box
from rich.table import Table

from sparseaug.cli.output import say, show
from sparseaug.groups import Group, format_order, group
from sparseaug.groups.catalogue import CATALOGUE
from sparseaug.plans.table import to_json

_FAMILIES = (
    *((row.example, row.what, row.acts_by) for row in CATALOGUE),
    ("C28xC28", "shifts of an image", "roll"),
    ("S3xZ2^4", "direct products", "product_action"),
)


@click.command()
@click.argument("names", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
def groups(names: tuple[str, ...], as_json: bool) -> None:
    """List the families of groups, or the named groups, with their orders.

    \b
    Examples:
      sparseaug groups
      sparseaug groups S10 Z2^4096 --json
    """
    chosen = [group(name) for name in names or [family[0] for family in _FAMILIES]]
    if as_json:
        say(json.dumps([_facts(g) for g in chosen]))
        return
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("name", style="bold", no_wrap=True)
    table.add_column("order", justify="right", no_wrap=True)
    if names:
        table.add_column("log order", justify="right")
    else:
        table.add_column("what it is")
        table.add_column("acts by")
    notes = [(g.name, "", "") for g in chosen] if names else _FAMILIES
    for g, (_, what, acts) in zip(chosen, notes, strict=True):
        table.add_row(g.name, format_order(g), *([f"{g.log_order:.2f}"] if names else [what, acts]))
    show(table)
    if not names:
        say("Also from your own data: permutation_group, matrix_group, table_group.")


def _facts(g: Group) -> dict[str, object]:
    return {
        "name": g.name,
        "order": to_json(g.order),
        "log_order": to_json(g.log_order),
        "width": g.width,
        "is_abelian": g.is_abelian,
    }
