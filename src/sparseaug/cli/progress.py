"""A bar while a command works."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from sparseaug._checks import Progress as Update
from sparseaug.errors import escape_controls


@contextmanager
def waiting(title: str) -> Iterator[Update]:
    """In a terminal: how much is done where that is known, and the time; it leaves nothing behind."""
    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    task = bar.add_task(escape(escape_controls(title)), total=None)
    with bar:
        yield lambda done, total: bar.update(task, completed=done, total=total)
