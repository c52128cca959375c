"""The picture of the first page: 64 shifts of a digit, those of S in green, and what S is worth.

    python -m studies.pages.picture docs/overview.svg

The accuracies are those that the tutorial prints. A card of its own colour, so that it can be read on
any page, light or dark.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from sklearn.datasets import load_digits

import sparseaug as sa
from studies.report.looks import GREY as BESIDE
from studies.report.looks import GRID, LOOKS

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial.md"
DIGIT = 3  # of the data set: a three
WIDE, HIGH = 640, 300
CELL, GAP = 26, 5  # of a small image, and between two
LEFT, RIGHT = 330, 610  # the axis, from 0 to 1
GREY, GREEN, INK = (LOOKS[name].colour for name in ("none", "design", "truth"))
STYLE = (
    f"text{{font:17px sans-serif;fill:{INK}}}.m{{text-anchor:middle}}.b{{font-weight:bold}}"
    f".s{{fill:none;stroke:{GREEN};stroke-width:3}}.o{{opacity:.32}}"
)


def accuracies() -> list[tuple[str, float, str]]:
    """Name, value and colour of each dot, as the tutorial prints them."""
    text = TUTORIAL.read_text("utf-8")
    found = [
        ("trained without shifts", r"as they are [\d.]+, shifted ([\d.]+)", GREY),
        ("trained on 16 of 64 shifts", r"images, shifted ([\d.]+)\n", GREEN),
        ("and averaged over 16", r"chosen, m = 16: right ([\d.]+)", GREEN),
        ("and averaged over all 64", r"all, m = 64: right ([\d.]+)", INK),
    ]
    return [(name, float(re.findall(pattern, text)[-1]), colour) for name, pattern, colour in found]


def draw() -> str:
    """The picture as SVG."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" role="img">',
        "<title>16 of the 64 shifts of a digit, and the accuracy on shifted digits</title>",
        f"<style>{STYLE}</style>",
        f'<defs><g id="d">{"".join(_pixels())}</g></defs>',
        f'<rect width="{WIDE}" height="{HIGH}" rx="12" fill="white" stroke="{BESIDE}"/>',
        *_shifts(),
        *_dots(),
    ]
    return "\n".join([*parts, "</svg>", ""])


def _pixels() -> list[str]:
    """The digit as squares, four times: a window on it is a shifted digit."""
    image = load_digits().images[DIGIT] / 16
    return [
        f'<path d="M{column + right} {row + down}h1v1h-1z" opacity="{image[row, column]:.1f}"/>'
        for down in (0, 8)
        for right in (0, 8)
        for row in range(8)
        for column in range(8)
        if image[row, column] >= 0.1
    ]


def _shifts() -> list[str]:
    S = sa.design(sa.abelian(8, 8), m=16, identity=True)
    chosen = set(map(tuple, S.elements.tolist()))
    made = []
    for down in range(8):
        for right in range(8):
            x, y = 24 + right * (CELL + GAP), 30 + down * (CELL + GAP)
            kind = "" if (down, right) in chosen else ' class="o"'
            made.append(f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{GRID}"/>')
            made.append(
                f'<svg x="{x}" y="{y}" width="{CELL}" height="{CELL}" '
                f'viewBox="{-right % 8} {-down % 8} 8 8"><use href="#d"{kind}/></svg>'
            )
            if not kind:
                square = f'width="{CELL + 4}" height="{CELL + 4}" rx="3"'
                made.append(f'<rect class="s" x="{x - 2}" y="{y - 2}" {square}/>')
    return made


def _dots() -> list[str]:
    """Accuracy as a place on a line, one line per method."""
    made = [f'<text class="b" x="{LEFT}" y="42">Right on shifted digits</text>']
    for row, (name, value, colour) in enumerate(accuracies()):
        y, x = 98 + 56 * row, LEFT + (RIGHT - LEFT) * value
        made += [
            f'<path d="M{LEFT} {y}H{RIGHT}" stroke="{BESIDE}" stroke-width="4"/>',
            f'<path d="M{LEFT} {y}H{x:.0f}" stroke="{colour}" stroke-width="4"/>',
            f'<circle cx="{x:.0f}" cy="{y}" r="9" fill="{colour}"/>',
            f'<text x="{LEFT}" y="{y - 16}">{name}</text>',
            f'<text class="b" x="{RIGHT}" y="{y - 16}" text-anchor="end">{value:.0%}</text>',
        ]
    return made


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(draw(), encoding="utf-8")
