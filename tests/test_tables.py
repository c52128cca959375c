"""The table of every plan, profile and list of designs: text, HTML and Markdown of the same cells."""

from __future__ import annotations

from html.parser import HTMLParser

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
    render = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable("table").render
    page = Cells(render(table.markdown().split("\n\n")[1]))
    assert page.cells[1].strip() == HOSTILE
    assert not page.tags & {"b", "em", "a", "code"}


def test_columns_move_together_only_where_that_makes_the_table_fit():
    for width, between in ((75, 2), (76, 2), (77, 1), (78, 1), (79, 2)):
        (line, _) = Table(("x" * (width - 2), "y", "z"), [("", "", "")]).text().split("\n")
        assert line.count(" ") == 2 * between, width


@pytest.mark.parametrize(
    "shown",
    [
        sa.plan(sa.symmetric(5), eps=0.1, C=1.0, B=2.0, L=4.0, gap=1.0),
        sa.plan(sa.symmetric(5), deviation=0.5, degree=2),
        sa.designs(sa.symmetric(6)),
        sa.profile(sa.design(sa.symmetric(5), degree=2)),
    ],
    ids=lambda shown: type(shown).__name__,
)
def test_notebooks_and_pages_show_the_cells_that_are_printed(shown):
    table = shown._table()
    text = str(shown)
    page = Cells(shown._repr_html_().split("<p>")[0])
    assert page.cells == [cell for row in (table.header, *table.rows) for cell in row]
    assert all(cell in text for cell in page.cells)
    lines = [line for line in shown._repr_markdown_().splitlines() if line.startswith("|")]
    assert len(lines) == 2 + len(table.rows)
