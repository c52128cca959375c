"""One table of kinds: the documentation and the functions say the same."""

from __future__ import annotations

from pathlib import Path

from sparseaug.certificate import TABLE

PAGE = Path(__file__).parents[2] / "docs" / "certificates.md"


def test_the_page_has_the_table_and_no_other_kinds():
    rows = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| `")]
    expected = [
        " | ".join((f"| `{name}`", *(text.replace("|", r"\|") for text in texts))) + " |"
        for name, kind in TABLE.items()
        for texts in [(kind.bound, kind.holds, kind.needs)]
    ]
    assert rows == expected
