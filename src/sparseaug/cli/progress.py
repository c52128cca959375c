"""Something that moves while a command works for longer than a second."""

from __future__ import annotations

from threading import Timer

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from sparseaug.errors import escape_controls


class Waiting:
    """In a terminal, after a second: a spinner, how much is done where that is known, and the time."""

    def __init__(self, title: str) -> None:
        console = Console(stderr=True)
        columns = SpinnerColumn(), TextColumn("{task.description}"), BarColumn()
        self._bar = Progress(*columns, TimeElapsedColumn(), console=console, transient=True)
        self._task = self._bar.add_task(escape(escape_controls(title)), total=None)
        self._timer = Timer(1.0, self._bar.start)
        self._timer.daemon = True
        self._shown = console.is_terminal

    def update(self, done: int, total: int) -> None:
        """Show that `done` of `total` is done."""
        self._bar.update(self._task, completed=done, total=total)

    def __enter__(self) -> Waiting:
        if self._shown:
            self._timer.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._shown:
            self._timer.cancel()
            self._timer.join()
            if self._bar.live.is_started:
                self._bar.stop()
