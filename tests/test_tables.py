"""The table of every plan, profile and list of designs: text and HTML of the same cells."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import pytest

import sparseaug as sa
from sparseaug._tables import Table

HOSTILE = "<b>|\\*a*_b_ [c](d) `e` &amp; ~f~ $g$"


class Cells(HTMLParser):
    """The text of the cells, and all tags."""

    def __init__(self, page):
        super().__init__()
        self.cells, self.tags = [], set()
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_data(self, data):
        if self.cells:
            self.cells[-1] += data


def test_no_cell_is_read_as_markup():
    table = Table(("a", HOSTILE), [(HOSTILE, "1")], title=HOSTILE, notes=[HOSTILE])
    page = Cells(table.html().split("<p>")[0])
    assert page.cells == ["a", HOSTILE, HOSTILE, "1"]
    assert page.tags == {"table", "caption", "tr", "th", "td"}
    assert "<b>" not in table.html()


def test_a_column_of_words_is_folded_between_words_and_numbers_are_not():
    table = Table(("n", "what"), [("1" * 30, "word-and-word " * 9), ("2", "short")], numbers=[0])
    lines = table.text().split("\n")
    assert max(map(len, lines)) <= 80
    assert [line[:30].strip() for line in lines] == ["n", "1" * 30, "", "", "2"]
    assert "".join(line[30:] for line in lines).split() == ["what", *["word-and-word"] * 9, "short"]


SPECTRUM = sa.orbit_spectrum(lambda x: x[:, 0] ** 3, sa.roll(sa.cyclic(12)), np.arange(12.0)[None])
CERTIFICATES = sa.certificate.Certificates(
    {"exact": sa.certificate.Certificate("exact", 0.25, "certain", 0.0, 8, 0.2)},
    {"audited": "an audit draws fresh elements; give oracle=."},
)


@pytest.mark.parametrize(
    "shown",
    [
        sa.plan(sa.symmetric(5), eps=0.1, C=1.0, B=2.0, L=4.0, gap=1.0),
        sa.profile(sa.design(sa.symmetric(5), degree=2)),
        sa.deviation(sa.design(sa.symmetric(7), degree=2)),
        sa.inspect(sa.design(sa.symmetric(5), degree=2)),
        SPECTRUM,
        CERTIFICATES,
    ],
    ids=lambda shown: type(shown).__name__,
)
def test_notebooks_show_the_cells_that_are_printed(shown):
    table = shown._table()
    text = str(shown)
    page = Cells(shown._repr_html_().split("<p>")[0])
    shown_rows = (table.header, *table.rows) if any(table.header) else table.rows
    assert page.cells == [cell for row in shown_rows for cell in row]
    assert all(set(cell.split()) <= set(text.split()) for cell in page.cells)
    assert max(map(len, text.splitlines())) <= 80
