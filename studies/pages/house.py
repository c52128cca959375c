"""The map of the house, from the import graph: packages in layers, arrows to what they import.

    python -m studies.pages.house docs/house.svg

An arrow that others imply is left out (the transitive reduction). A package stands one layer above the
highest one that it imports. The modules of the library that are no packages are one box at the bottom.
"""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path

import grimp

SOURCE = Path(__file__).parents[2] / "src" / "sparseaug"
BASE = "errors"
"""Stands for all modules next to the packages: typed errors, checks, rounding, files, tables."""

WIDTH, ROW, BOX, HIGH = 880, 84, 132, 44  # of the picture; of a layer; of a package
_STYLE = (
    "text{font:bold 13px sans-serif;text-anchor:middle;fill:#1A1A1A}"
    "rect{fill:#EAF3FA;stroke:#0072B2}path{fill:none;stroke:#8A8A8A;stroke-width:1.4}"
)


def imports() -> dict[str, set[str]]:
    """What each package imports, of the others."""
    graph = grimp.build_graph("sparseaug", exclude_type_checking_imports=True, cache_dir=None)
    found: dict[str, set[str]] = {BASE: set()}
    for module in graph.modules - {"sparseaug", "sparseaug.__main__"}:  # which starts the command
        others = graph.find_modules_directly_imported_by(module) - {"sparseaug"}
        found.setdefault(package_of(module), set()).update(map(package_of, others))
    return {name: others - {name} for name, others in found.items()}


def package_of(module: str) -> str:
    """The package that a module is in."""
    name = module.split(".")[1]
    return name if (SOURCE / name).is_dir() else BASE


def reduce(edges: dict[str, set[str]]) -> dict[str, list[str]]:
    """Only arrows that no others imply.

    Examples:
        >>> reduce({"a": {"b", "c"}, "b": {"c"}, "c": set()})
        {'a': ['b'], 'b': ['c'], 'c': []}
    """

    def reached(name: str) -> set[str]:
        return edges[name].union(*map(reached, edges[name]))

    return {
        name: sorted(others - set[str]().union(*map(reached, others)))
        for name, others in edges.items()
    }


def layers(edges: dict[str, list[str]]) -> list[list[str]]:
    """Packages by their height above the base; a stop (from>to@layer) where an arrow passes one."""

    def height(name: str) -> int:
        return max((1 + height(other) for other in edges[name]), default=0)

    rows: list[list[str]] = [[] for _ in range(1 + max(map(height, edges)))]
    for name, others in sorted(edges.items()):
        rows[height(name)].append(name)
        for other in others:
            for passed in range(height(other) + 1, height(name)):
                rows[passed].append(f"{name}>{other}@{passed}")
    below: dict[str, float] = {}
    for row in rows:  # each above the middle of what it imports
        row.sort(key=lambda name: (_middle(name, edges, below), name))
        below |= {name: (i + 1) / (len(row) + 1) for i, name in enumerate(row)}
    return rows


def _middle(name: str, edges: dict[str, list[str]], below: dict[str, float]) -> float:
    """Of what is imported, or of the stops on the way there, in the layers below."""
    owner, _, target = name.partition("@")[0].partition(">")
    ways = [f"{owner}>{other}" for other in ([target] if target else edges[owner])]
    under = [
        max((k for k in below if k.startswith(f"{way}@")), default=way.split(">")[1])
        for way in ways
    ]
    return sum(below[each] for each in under) / len(under) if under else 0.5


def draw() -> str:
    """The picture as SVG."""
    edges = reduce(imports())
    rows = layers(edges)
    high = ROW * len(rows)
    place = {
        name: (x, high - ROW * (level + 0.5))
        for level, row in enumerate(rows)
        for name, x in zip(row, _places(row), strict=True)
    }
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {high}" role="img">',
        "<title>The packages of sparseaug, each above those that it imports</title>",
        f"<style>{_STYLE}</style>",
        '<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto"><path d="M0 0 8 4 0 8z" style="fill:#8A8A8A;stroke:none"/></marker></defs>',
    ]
    for name, others in sorted(edges.items()):
        for other in others:
            passed = sorted(
                (stop for stop in place if stop.startswith(f"{name}>{other}@")), reverse=True
            )
            parts.append(_arrow([place[each] for each in (name, *passed, other)]))
    for name in sorted(edges):
        parts += _box(name, *place[name])
    return "\n".join([*parts, "</svg>", ""])


def _places(row: list[str]) -> list[float]:
    """The middles of boxes and of stops, which take no room, with even gaps between them."""
    wide = [0 if "@" in name else BOX for name in row]
    gap = (WIDTH - sum(wide)) / (len(row) + 1)
    return [gap * (i + 1) + sum(wide[:i]) + wide[i] / 2 for i in range(len(row))]


def _arrow(stops: list[tuple[float, float]]) -> str:
    """From the lower edge of the first to the upper edge of the last."""
    (x, y), (end, low) = stops[0], stops[-1]
    y, low = y + HIGH / 2, low - HIGH / 2
    path = f"M{x:.0f} {y:.0f}"
    for a, b in [*stops[1:-1], (end, low)]:
        path += f"C{x:.0f} {(y + b) / 2:.0f} {a:.0f} {(y + b) / 2:.0f} {a:.0f} {b:.0f}"
        x, y = a, b
    return f'<path d="{path}" marker-end="url(#a)"/>'


def _box(name: str, x: float, y: float) -> list[str]:
    wide = BOX if name != BASE else 4 * BOX
    shown = name if name != BASE else "errors, checks, rounding, files, tables"
    return [
        f'<rect x="{x - wide / 2:.0f}" y="{y - HIGH / 2:.0f}" width="{wide}" height="{HIGH}" rx="6"/>',
        f'<text x="{x:.0f}" y="{y + 4:.0f}">{escape(shown)}</text>',
    ]


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(draw(), encoding="utf-8")
