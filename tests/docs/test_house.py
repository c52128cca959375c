"""The maps of the house, CONTRIBUTING's list and the drawing, name every package and no other."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = {path.parent.name for path in ROOT.glob("src/sparseaug/*/__init__.py")}


def test_contributing_lists_every_package():
    block = (ROOT / "CONTRIBUTING.md").read_text().split("## The packages")[1].split("```")[1]
    assert set(block.split()) == PACKAGES | {"errors"}


def test_the_drawing_has_every_package():
    drawn = set(re.findall(r"<text[^>]*>([a-z]+)<", (ROOT / "docs/house.svg").read_text()))
    assert drawn >= PACKAGES
