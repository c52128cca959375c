"""`python -m studies`: those with a folder, which are resumed; others are `python -m studies.NAME`."""

from __future__ import annotations

import click

from sparseaug import cli
from studies.commands.paper import paper
from studies.commands.rates import rates, views


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def studies() -> None:
    """The evidence behind sparseaug: the paper's experiment, its rates, and how many views are enough.

    \b
    Examples:
      python -m studies paper --out paper
      python -m studies rates --out study
      python -m studies views --out views
    """


for command in (paper, rates, views):
    studies.add_command(command)


def main() -> None:
    """Run one of them and exit with its code."""
    cli.main(studies, interrupted="Interrupted; what is finished is kept: run it again to resume.")
