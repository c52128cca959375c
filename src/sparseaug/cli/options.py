"""Errors in the words of the command line: the library says `degree=9`, its user typed `--degree 9`."""

from __future__ import annotations

import re
from collections.abc import Collection

import click


def name_options(message: str, command: click.Command | None, typed: Collection[str]) -> str:
    """The message with the options of the command in place of the library's arguments.

    An option stands for the argument of its own name; one that was typed also for the argument that is
    its metavar in small letters, such as `path` or `seed`.

    Args:
        message: of an error
        command: which was run; None where there was none
        typed: the words after the program's name

    Examples:
        >>> import click
        >>> command = click.Command("x", params=[click.Option(["--max-batch"])])
        >>> name_options("max_batch=0 is not allowed; give 0 < max_batch < 9.", command, [])
        '--max-batch=0 is not allowed; give 0 < --max-batch < 9.'
    """
    names = dict[str, str]()
    words = {word.split("=")[0] for word in typed}
    for option in command.params if command is not None else ():
        if isinstance(option, click.Option):
            long = option.opts[0]
            if long in words and option.metavar is not None:
                names.setdefault(option.metavar.lower(), long)
            names[long.removeprefix("--").replace("-", "_")] = long
    for name, long in names.items():
        alone = rf"(?<![\w=.'-]){name}=(?:True\b|(?=[\s,.;)]|$))"  # a flag, or without a value
        message = re.sub(rf"{alone}|(?<= < ){name}(?= < )", long, message)
        message = re.sub(rf"(?<![\w=.'-]){name}=", f"{long}=", message)
    return message
