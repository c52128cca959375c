"""`sparseaug groups`: the families, or one group by name; `sparseaug records`: the best known sets."""

from __future__ import annotations

import json

import click

from sparseaug._archive import to_json
from sparseaug._tables import Table
from sparseaug.cli.output import say
from sparseaug.designs import records as known
from sparseaug.designs.constructions.recorded import record_counts
from sparseaug.groups import Group, format_order, group
from sparseaug.groups.catalogue import CATALOGUE

_FAMILIES = (
    *((row.example, row.what, row.acts_by) for row in CATALOGUE),
    ("C28xC28", "shifts of an image", "roll"),
    ("S3xZ2^4", "direct products", "product_action"),
)
_YOUR_OWN = "Also from your own data: permutation_group, matrix_group, table_group."


@click.command(short_help="The families of groups, or groups by name, with orders.")
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
    elif names:
        logs = [(g.name, format_order(g), f"{g.log_order:.2f}") for g in chosen]
        say(Table(("name", "order", "log order"), logs, numbers=(1, 2)).text())
    else:
        header = ("name", "order", "what it is", "acts by")
        rows = [(g.name, format_order(g), *f[1:]) for g, f in zip(chosen, _FAMILIES, strict=True)]
        say(Table(header, rows, numbers=(1,), notes=[_YOUR_OWN]).text())


@click.command(short_help="The best known sets of a group, with what no set can beat.")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
def records(name: str | None, as_json: bool) -> None:
    """List the best known sets of a group, or, without one, the groups that have records.

    \b
    Examples:
      sparseaug records
      sparseaug records S10
      sparseaug records SO3 --json
    """
    if name is not None:
        found = known(group(name))
        say(json.dumps(found.to_dict()) if as_json else str(found))
        return
    counts = record_counts()
    if as_json:
        say(json.dumps(counts))
        return
    rows = [(each, str(count)) for each, count in counts.items()]
    notes = [f"{sum(counts.values())} records of {len(counts)} groups. One: sparseaug records S10"]
    say(Table(("group", "records"), rows, numbers=(1,), notes=notes).text())


def _facts(g: Group) -> dict[str, object]:
    return {
        "name": g.name,
        "order": to_json(g.order),
        "log_order": to_json(g.log_order),
        "width": g.width,
        "is_abelian": g.is_abelian,
    }
