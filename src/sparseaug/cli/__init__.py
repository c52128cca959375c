"""The command line: parse, call, print; no mathematics.

Errors are one line. Exit codes: 2 for bad input and files that cannot be used, 130 for Ctrl-C, 1 where
memory ran out or standard output could not be written. What the library says of
`max_batch=` is about `--max-batch`.
"""

from __future__ import annotations

import os
import sys

import click

from sparseaug import __version__
from sparseaug.cli.audit import audit
from sparseaug.cli.certify import certify, inspect
from sparseaug.cli.groups import groups, records
from sparseaug.cli.plan import plan
from sparseaug.cli.samples import design, draw
from sparseaug.cli.views import views
from sparseaug.errors import SparseAugError, escape_controls, shorten_text


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="sparseaug")
@click.pass_context
def cli(context: click.Context) -> None:
    """Augment data with a small, fixed set S of transformations: make S, know how good it is.

    \b
    Examples:
      sparseaug groups
      sparseaug records S10
      sparseaug draw --group S6 --m 64 --seed 0 --out S.safetensors
      sparseaug design --group S7 --degree 2 --out S.safetensors
      sparseaug certify S.safetensors
      sparseaug inspect rows.csv --group S6
      sparseaug audit pairs --group S4 --n 240 --out pairs.csv
      sparseaug plan --group S10 --deviation 0.25 --degree 2
      sparseaug plan --group S10 --eps 0.1 --C 1 --B 2 --L 4 --gap 1

    The paper's experiment is not installed with the library: run `make paper` in a clone of its source.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for command in (groups, records, draw, design, certify, inspect, plan, audit, views):
    cli.add_command(command)


def main(group: click.Group = cli, *, interrupted: str = "Interrupted.") -> None:
    """Run a command of the group and exit with its code.

    Args:
        group: the commands
        interrupted: what is said after Ctrl-C
    """
    message = ""
    try:
        result = group.main(standalone_mode=False)
        code = result if isinstance(result, int) else 0
        if sys.stdout is not None:  # where it is closed
            sys.stdout.flush()
    except (click.Abort, KeyboardInterrupt):
        code, message = 130, interrupted
    except click.ClickException as error:
        code, message = 2, f"Error: {error.format_message()}"
    except SparseAugError as error:
        code, message = 2, f"Error: {error}"
    except MemoryError:
        said = "out of memory; use smaller numbers, or a machine with more memory."
        code, message = 1, f"Error: {said}"
    except OSError as error:
        code, message = 1, f"Error: {error.strerror or error}; what goes to files is in place."
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # else Python tries to print again as it ends
    if message:
        line = shorten_text(escape_controls(" ".join(message.split())), _LONGEST)
        click.echo(line, err=True)
    sys.exit(code)


_LONGEST = 1000  # characters of a message; an argument may be longer
