"""The command line: parse, call, print; no mathematics.

Errors are one line. Exit codes: 2 for bad input and files that cannot be used, 130 for Ctrl-C, 1 where
memory ran out or standard output could not be written.
"""

from __future__ import annotations

import contextlib
import os
import sys

import click

from sparseaug import __version__
from sparseaug.cli.certify import certify, inspect
from sparseaug.cli.groups import groups, records
from sparseaug.cli.output import flush, name_options, prepare
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
      sparseaug plan --group S10 --deviation 0.25 --degree 2
      sparseaug plan --group S10 --eps 0.1 --C 1 --B 2 --L 4 --gap 1

    The paper's experiment is not installed with the library: run `make paper` in a clone of its source.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for command in (groups, records, draw, design, certify, inspect, plan, views):
    cli.add_command(command)


def main(group: click.Group = cli, *, interrupted: str = "") -> None:
    """Run a command of the group and exit with its code.

    Args:
        group: the commands
        interrupted: what is left after Ctrl-C; by default, which of the named files were written
    """
    prepare()
    before = _files()
    try:
        code, message = _run(group), ""
    except (click.Abort, KeyboardInterrupt):
        code, message = 130, f"Interrupted; {interrupted or _left(before)}."
    except click.ClickException as error:
        code, message = 2, f"Error: {error.format_message()}"
    except SparseAugError as error:
        typed = sys.argv[1:]
        command = next((group.commands[word] for word in typed if word in group.commands), None)
        code, message = 2, f"Error: {name_options(str(error), command, typed)}"
    except MemoryError:
        code, message = 1, f"Error: {_FULL}."
    except OSError as error:
        code, message = 1, f"Error: {error.strerror or error}."
    except SystemExit as leave:
        # with 0 after shell completion, else how click answers a broken pipe
        code, message = (1, f"Error: {_LOST}: Broken pipe; {_KEPT}.") if leave.code else (0, "")
    unprinted = flush()
    if unprinted is not None and code in (0, 1):
        code, message = 1, f"Error: {_LOST}: {unprinted.strerror or unprinted}; {_KEPT}."
    if message:
        with contextlib.suppress(OSError):
            line = shorten_text(escape_controls(" ".join(message.split())), _LONGEST)
            click.echo(line, err=True)
    sys.exit(code)


_LONGEST = 1000  # characters of a message; an argument may be longer
_LOST = "standard output could not be written"
_FULL = "out of memory; use smaller numbers, or a machine with more memory"
_KEPT = "what goes to files is in place"


def _files() -> dict[str, tuple[int, ...]]:
    """The files among the words that were typed, each with what changes when it is replaced."""
    found: dict[str, tuple[int, ...]] = {}
    for word in sys.argv[1:]:
        for path in (word, word.partition("=")[2]):
            with contextlib.suppress(OSError, ValueError):
                state = os.stat(path)
                found[path] = (state.st_ino, state.st_mtime_ns, state.st_size)
    return found


def _left(before: dict[str, tuple[int, ...]]) -> str:
    """What an interrupted command left: files are whole or absent."""
    written = [path for path, state in _files().items() if before.get(path) != state]
    return f"{', '.join(written)} is written" if written else "nothing was written"


def _run(group: click.Group) -> int:
    code = group.main(standalone_mode=False)
    return code if isinstance(code, int) else 0
