"""A bar while a command works."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from sparseaug.errors import escape_controls


class Waiting:
    """In a terminal: how much is done where that is known, and the time; it leaves nothing behind."""

    def __init__(self, title: str) -> None:
        console = Console(stderr=True)
        columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
        self._bar = Progress(
            *columns, console=console, transient=True, disable=not console.is_terminal
        )
        self._task = self._bar.add_task(escape(escape_controls(title)), total=None)

    def update(self, done: int, total: int) -> None:
        """Show that `done` of `total` is done."""
        self._bar.update(self._task, completed=done, total=total)

    def __enter__(self) -> Waiting:
        self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()
