"""CONTRIBUTING's list of packages: all of them, each above those that import it."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "sparseaug"


def listed(page: str) -> list[str]:
    block = page.split("## The packages")[1].split("```")[1]
    return [line.split()[0] for line in block.splitlines() if line and not line.startswith(" ")]


def wrong(order: list[str]) -> list[str]:
    """Packages that the list lacks or adds, and imports that go down it."""
    there = {
        path.stem
        for path in SOURCE.iterdir()
        if path.name[0] != "_" and (path.suffix == ".py" or (path / "__init__.py").exists())
    }
    found = [f"{name} is listed or there, not both" for name in sorted(there ^ set(order))]
    place = {name: i for i, name in enumerate(order)}
    for path in SOURCE.rglob("*.py"):
        package = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        for other in re.findall(
            r"^\s*(?:from|import) sparseaug\.(\w+)", path.read_text(), re.MULTILINE
        ):
            if place.get(other, -1) > place.get(package, len(order)):
                found.append(f"{package} imports {other}, which is below it")
    return found


def test_the_page_lists_every_package_above_those_that_import_it():
    order = listed((ROOT / "CONTRIBUTING.md").read_text())
    assert wrong(order) == []
    assert "risk is listed or there, not both" in wrong([name for name in order if name != "risk"])
    assert "actions imports groups, which is below it" in wrong(order[::-1])
