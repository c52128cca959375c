"""The command line: parse, call, print; no mathematics. Errors are one line and exit code 2."""

from __future__ import annotations

import sys

import click

from sparseaug import __version__
from sparseaug.cli.certify import certify
from sparseaug.cli.draw import draw
from sparseaug.cli.groups import groups
from sparseaug.cli.plan import plan
from sparseaug.cli.reproduce import reproduce
from sparseaug.errors import SparseAugError


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="sparseaug")
@click.pass_context
def cli(context: click.Context) -> None:
    """One-shot sparse augmentation: draw S once, know how good it is, train on it.

    \b
    Examples:
      sparseaug reproduce --out paper
      sparseaug groups
      sparseaug draw --group S6 --m 64 --seed 0 --out S.safetensors
      sparseaug certify S.safetensors
      sparseaug plan --group S10 --eps 0.1 --C 1 --B 2 --L 4 --gap 1
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


cli.add_command(groups)
cli.add_command(draw)
cli.add_command(certify)
cli.add_command(plan)
cli.add_command(reproduce)


def main() -> None:
    """Entry point of the `sparseaug` command."""
    try:
        cli.main(standalone_mode=False)
    except click.exceptions.Exit as leave:
        sys.exit(leave.exit_code)
    except click.Abort:
        click.echo("Aborted.", err=True)
        sys.exit(130)
    except click.ClickException as error:
        _fail(error.format_message())
    except SparseAugError as error:
        _fail(str(error))


def _fail(message: str) -> None:
    click.echo(f"Error: {' '.join(message.split())}", err=True)
    sys.exit(2)
