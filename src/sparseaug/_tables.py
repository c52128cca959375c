"""Tables for people, made in one place: text for terminals, HTML for notebooks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from html import escape
from itertools import zip_longest
from textwrap import TextWrapper
from typing import final

WIDTH = 80


@final
@dataclass(frozen=True)
class Table:
    """Cells as text, a title above them and notes below; which columns are numbers, to the right.

    A header of empty cells is left out of text and HTML.

    Examples:
        >>> from sparseaug._tables import Table
        >>> table = Table(("name", "m"), [("S*", "24"), ("C3", "3")], numbers=[1])
        >>> print(table.text())
        name   m
        S*    24
        C3     3
    """

    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    numbers: Collection[int] = ()
    title: str = ""
    notes: Sequence[str] = ()

    def text(self) -> str:
        """Plain text of 80 columns: where two spaces between columns are too many, one; else the
        widest columns of words are folded, between words, if that is enough.
        """
        table = [self.header, *self.rows] if any(self.header) else self.rows
        columns = list(zip(*table, strict=True))
        widths = [max(map(len, column)) for column in columns]
        room = WIDTH - sum(widths)
        gap = " " if len(widths) - 1 <= room < 2 * (len(widths) - 1) else "  "
        least = [
            w
            if i in self.numbers
            else max(len(word) for cell in c for word in cell.split() or [""])
            for i, (w, c) in enumerate(zip(widths, columns, strict=True))
        ]
        most = WIDTH - 2 * (len(widths) - 1)
        while room < len(widths) - 1 and sum(least) <= most < sum(widths):
            free = [i for i, w in enumerate(widths) if w > least[i]]
            widths[max(free, key=widths.__getitem__)] -= 1
        sides = [">" if i in self.numbers else "<" for i in range(len(widths))]
        lines = [
            gap.join(f"{c:{s}{w}}" for c, s, w in zip(line, sides, widths, strict=True)).rstrip()
            for row in table
            for line in zip_longest(*map(_fold, row, widths), fillvalue="")
        ]
        parts = (fold(self.title), lines, [line for note in self.notes for line in fold(note)])
        return "\n\n".join("\n".join(part) for part in parts if any(part))

    def html(self) -> str:
        """A table of HTML, in which no cell is read as markup."""
        head = self._row("th", self.header) * any(self.header)
        rows = "".join(self._row("td", row) for row in self.rows)
        notes = "<br>".join(map(escape, self.notes))
        caption = f"<caption>{escape(self.title)}</caption>" * bool(self.title)
        table = f"<table>{caption}{head}{rows}</table>" * bool(caption or rows)
        return table + f"<p>{notes}</p>" * bool(notes)

    def _row(self, tag: str, row: tuple[str, ...]) -> str:
        sides = ("right" if i in self.numbers else "left" for i in range(len(row)))
        cells = (
            f'<{tag} style="text-align: {side}">{escape(cell)}</{tag}>'
            for side, cell in zip(sides, row, strict=True)
        )
        return f"<tr>{''.join(cells)}</tr>"


def fold(text: str) -> list[str]:
    """Lines of at most 80 characters, broken between words, the second of a paragraph indented.

    Examples:
        >>> from sparseaug._tables import fold
        >>> [len(line) for line in fold("word " * 20)]
        [79, 21]
    """
    return [part for line in text.splitlines() for part in _fold(line, WIDTH, "  ")]


def _fold(text: str, width: int, indent: str = "") -> list[str]:
    if len(text) <= width:
        return [text]
    wrapper = TextWrapper(width, subsequent_indent=indent)
    wrapper.break_long_words = wrapper.break_on_hyphens = False
    return wrapper.wrap(text)


class Shown:
    """What prints as its table and is one in a notebook; one with a `__str__` of its own shows that."""

    __slots__ = ()

    def _table(self) -> Table:
        return Table((), (), notes=str(self).splitlines())

    def __str__(self) -> str:
        return self._table().text()

    def _repr_html_(self) -> str:
        return self._table().html()
