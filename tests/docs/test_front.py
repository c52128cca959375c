"""The entrance: figures of the README stand on the pages it links to."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
README, INDEX = ((ROOT / name).read_text() for name in ("README.md", "docs/index.md"))
PAPER = re.findall(
    r"(?:title|given-names|family-names): (.*)",
    (ROOT / "CITATION.cff").read_text().split("references:")[1],
)


def test_each_reason_has_a_figure_and_its_page_has_the_same():
    reasons = re.findall(r"^- \*\*(?:.|\n)*?\)\.$", README, re.MULTILINE)
    assert len(reasons) == 3
    for reason in reasons:
        figures = re.findall(r"(?<![\w.])\d+\.\d+(?!\w)", reason)
        page = (ROOT / re.search(r"\]\((docs/[^)]*)\)", reason)[1]).read_text()
        assert figures
        assert [figure for figure in figures if figure not in page] == []


def test_readme_and_first_page_say_what_it_is_in_the_same_words_and_cite_the_paper():
    line = re.search(r"^\*\*Data augmentation(?:.|\n)*?\*\*$", README, re.MULTILINE)[0]
    assert line in INDEX
    assert len(PAPER) == 5
    for page in (README, (ROOT / "docs/paper.md").read_text()):
        assert all(part in page for part in PAPER)
