"""The map of the house: the committed picture is the one that the imports make."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("grimp")
from studies.pages import house

ROOT = Path(__file__).parents[2]


def test_the_picture_is_that_of_the_imports():
    """But for the sizes, which change with every commit."""
    made, again = (ROOT / "docs" / "house.svg").read_text("utf-8"), house.draw()
    made, again = (re.sub(r"[\d,]+ lines", "lines", picture) for picture in (made, again))
    assert made == again, "run python -m studies.pages.house docs/house.svg"


def test_every_package_is_on_the_map_above_what_it_imports():
    edges = house.reduce(house.imports())
    there = {path.parent.name for path in house.SOURCE.glob("*/__init__.py")}
    assert edges.keys() == there | {house.BASE}
    height = {name: i for i, row in enumerate(house.layers(edges)) for name in row}
    assert all(height[other] < height[name] for name in edges for other in edges[name])


def test_an_arrow_that_passes_a_layer_has_a_stop_there():
    edges = house.reduce({"a": {"b", "d"}, "b": {"c"}, "c": set(), "d": set()})
    assert house.layers(edges) == [["c", "d"], ["b", "a>d@1"], ["a"]]
