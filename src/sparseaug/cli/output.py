"""What is printed, whatever standard output is: a terminal, ASCII only, full, closed, a broken pipe.

Nothing is lost silently: what cannot be printed is one line on standard error and exit code 1.
"""

from __future__ import annotations

import contextlib
import os
import sys
from io import TextIOWrapper

from rich.console import Console, RenderableType

from sparseaug.errors import escape_controls
from sparseaug.groups import Group, format_order

_NARROWEST = 60  # columns


def prepare() -> None:
    """Give closed streams a file, and let standard output print any character in some way.

    A file opened later would get the number of a closed stream, and what is printed to it. For
    standard output the file takes no writes: printing fails, as it should, when everything is done.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            handle = os.open(os.devnull, os.O_WRONLY if name == "stderr" else os.O_RDONLY)
            if handle != number:
                os.dup2(handle, number)
                os.close(handle)
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def say(text: str = "") -> None:
    """Print a line, without what a terminal obeys."""
    sys.stdout.write(escape_controls(text) + "\n")


def show(thing: RenderableType) -> None:
    """Print a table, in the width and with the colours of the terminal."""
    console = Console()
    console.width = max(console.width, _NARROWEST)  # COLUMNS=0 would leave nothing
    with console.capture() as printed:
        console.print(thing)
    sys.stdout.write(printed.get())


def of_order(group: Group) -> str:
    """A group with its size: "S6 of order 720"."""
    if not group.is_finite:
        return f"{group.name} of infinite order"
    return f"{group.name} of order {format_order(group)}"


def flush() -> OSError | None:
    """Send out what was printed; the error, if that failed, after which nothing is printed any more."""
    try:
        sys.stdout.flush()
    except OSError as error:
        with contextlib.suppress(OSError):  # else the interpreter would try again when it ends
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return error
    return None
