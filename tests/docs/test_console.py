"""What the command prints on a page is what it prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from studies.pages.console import BLOCK, run_again

ROOT = Path(__file__).parents[2]
PAGES = [
    page
    for page in (ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md")))
    if BLOCK.search(page.read_text())
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_output_of_commands_on_a_page_is_what_they_print(page):
    text = page.read_text()
    again = f"run python -m studies.pages.console {page.relative_to(ROOT)}"
    assert text.splitlines() == run_again(text).splitlines(), again


def test_a_page_with_another_output_is_found():
    page = "```console\n$ sparseaug --version\nsparseaug, version 9\n```\n"
    assert "version 9" not in run_again(page)
    assert "$ sparseaug --version\nsparseaug" in run_again(page)
    assert len(PAGES) > 0
