"""One table of kinds: the documentation and the functions say the same."""

from __future__ import annotations

from pathlib import Path

from sparseaug.certificate import TABLE

PAGE = Path(__file__).parents[2] / "docs" / "certificates.md"


def test_the_page_has_the_table_and_no_other_kinds():
    """Name, what it holds with, what it needs; the bound is typeset there."""
    rows = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| `")]
    found = [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows]
    expected = [[f"`{name}`", kind.holds, kind.needs] for name, kind in TABLE.items()]
    assert [[name, *rest] for name, _, *rest in found] == expected
