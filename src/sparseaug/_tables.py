"""Tables for people, made in one place: text for terminals, HTML for notebooks, Markdown for pages."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap
from typing import final

WIDTH = 80


@final
@dataclass(frozen=True)
class Table:
    """Cells as text, a title above them and notes below; which columns are numbers, to the right.

    A header of empty cells is left out of the text.

    Examples:
        >>> from sparseaug._tables import Table
        >>> table = Table(("name", "m"), [("S*", "24"), ("C3", "3")], numbers=[1])
        >>> print(table.text())
        name   m
        S*    24
        C3     3
        >>> print(table.markdown())
        | name | m |
        | --- | ---: |
        | S\\* | 24 |
        | C3 | 3 |
    """

    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    numbers: Collection[int] = ()
    title: str = ""
    notes: Sequence[str] = ()

    def text(self) -> str:
        """Plain text; columns are one space apart where that makes it fit 80 characters, else two."""
        table = [self.header, *self.rows] if any(self.header) else self.rows
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        room = WIDTH - sum(widths)
        gap = " " if len(widths) - 1 <= room < 2 * (len(widths) - 1) else "  "
        sides = [">" if i in self.numbers else "<" for i in range(len(widths))]
        lines = [
            gap.join(f"{c:{s}{w}}" for c, s, w in zip(row, sides, widths, strict=True)).rstrip()
            for row in table
        ]
        notes = [part for note in self.notes for part in wrap(note, WIDTH, subsequent_indent="  ")]
        return "\n\n".join("\n".join(part) for part in ([self.title], lines, notes) if any(part))

    def markdown(self) -> str:
        """A table of Markdown, in which no cell is read as markup."""
        rule = ["---:" if i in self.numbers else "---" for i in range(len(self.header))]
        rows = [map(_plain, self.header), rule, *(map(_plain, row) for row in self.rows)]
        lines = [f"| {' | '.join(row)} |" for row in rows]
        notes = [_plain(note) + "  " for note in self.notes]  # two spaces end a line
        parts = ([_plain(self.title)], lines, notes)
        return "\n\n".join("\n".join(part) for part in parts if any(part))

    def html(self) -> str:
        """A table of HTML, in which no cell is read as markup."""
        rows = [self._row("th", self.header), *(self._row("td", row) for row in self.rows)]
        notes = "<br>".join(map(escape, self.notes))
        caption = f"<caption>{escape(self.title)}</caption>" * bool(self.title)
        return f"<table>{caption}{''.join(rows)}</table>" + f"<p>{notes}</p>" * bool(notes)

    def _row(self, tag: str, row: tuple[str, ...]) -> str:
        sides = ("right" if i in self.numbers else "left" for i in range(len(row)))
        cells = (
            f'<{tag} style="text-align: {side}">{escape(cell)}</{tag}>'
            for side, cell in zip(sides, row, strict=True)
        )
        return f"<tr>{''.join(cells)}</tr>"


def _plain(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>&|~$])", r"\\\1", " ".join(text.split()))


class Shown:
    """What prints as its table, and is one in a notebook."""

    __slots__ = ()

    def _table(self) -> Table:
        raise NotImplementedError

    def __str__(self) -> str:
        return self._table().text()

    def _repr_html_(self) -> str:
        return self._table().html()

    def _repr_markdown_(self) -> str:
        return self._table().markdown()
