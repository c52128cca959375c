"""docs/records.md and its picture, made from the tables.

    python -m studies.records.page

What stands on the page between `<!-- NAME -->` and `<!-- end -->` is written anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

import sparseaug as sa
from sparseaug.designs.records import Record, record_counts
from studies.pages.tables import DOCS
from studies.report.looks import LOOKS, figure_bytes, figure_style, frame, new_figure

PAGE = DOCS / "records.md"

OPENQUAD = {
    **{1: 4, 2: 12, 3: 24, 4: 57, 5: 60, 6: 154, 7: 168, 8: 312, 9: 360, 11: 672},
    **{13: 1176, 14: 1260, 15: 1776, 17: 2520, 19: 3300},
}
"""Rotations of Graef's rules of equal weights for each degree, as openquad 0.3.0 has them."""

WEIGHTED = {1: 4, 2: 11, 3: 23, 4: 43, 5: 60, 6: 116, 7: 168, 8: 240, 9: 300, 11: 504, 14: 960}
"""The same with weights."""

DRAWS = 20


def all_records() -> list[Record]:
    """Of every group that has some."""
    return [record for name in record_counts() for record in sa.records(name)]


def cell(record: Record | None) -> str:
    """Its elements, bold where no set has fewer, else with the bound."""
    if record is None:
        return ""
    return f"**{record.m:,}**" if record.optimal else f"{record.m:,} ({record.bound:,.0f})"


def markdown(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table of a page, numbers to the right."""
    lines = [list(header), *map(list, rows)]
    lines.insert(1, ["---:"] * len(lines[0]))
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def exact(groups: dict[str, str], degrees: Iterable[int]) -> str:
    """The smallest exact sets: a row for each group, a column for each degree."""
    columns = list(degrees)
    rows = []
    for label, name in groups.items():
        found = {r.degree: r for r in sa.records(name) if r.criterion == "exact"}
        if found:
            rows.append([label, *(cell(found.get(degree)) for degree in columns)])
    return markdown(["", *(f"degree {degree}" for degree in columns)], rows)


def permutations() -> str:
    """S_n, n to 16."""
    return exact({f"$S_{{{n}}}$": f"S{n}" for n in range(3, 17)}, range(1, 5))


def signs() -> str:
    """Z_2^d, by strength."""
    return exact({f"$d = {d}$": f"Z2^{d}" for d in range(3, 25)}, range(2, 8))


def products() -> str:
    """Classes beside columns, exact to degree 2."""
    sizes = range(2, 11)
    rows = []
    for c in sizes:
        row = [f"**{c} classes**"]
        for p in sizes:
            found = sa.records(f"S{min(c, p)}xS{max(c, p)}")
            row.append(cell(next((r for r in found if r.degree == 2), None)) if c <= p else "")
        rows.append(row)
    return markdown(["", *(f"{p} columns" for p in sizes)], rows)


def rotations() -> str:
    """Exact sets of rotations beside those of others."""
    found = {r.degree or 0: r for r in sa.records("SO3") if r.criterion == "exact"}
    rows = [
        [str(degree), cell(r), str(OPENQUAD.get(degree, "")), str(WEIGHTED.get(degree, ""))]
        for degree, r in sorted(found.items())
    ]
    return markdown(["exact to l", "records", "openquad, equal weights", "with weights"], rows)


def orders() -> str:
    """Orders with even middles and even neighbours."""
    rows = []
    for n in range(3, 17):
        found = {r.criterion: r for r in sa.records(f"S{n}")}
        cells = [cell(found.get(name)) for name in ("middle", "neighbours")]
        if any(cells):
            rows.append([str(n), *cells])
    return markdown(["items", "even middles", "even neighbours"], rows)


def summary() -> str:
    """How many there are, and how many no set can beat."""
    found = all_records()
    rows = []
    kinds: dict[str, Callable[[Record], bool]] = {
        "exact to a degree": lambda r: r.criterion == "exact",
        "least deviation, all functions": lambda r: r.criterion == "deviation" and r.degree is None,
        "least deviation to a degree": lambda r: (
            r.criterion == "deviation" and r.degree is not None
        ),
        "orders": lambda r: r.criterion in ("middle", "neighbours"),
        "all": lambda r: True,
    }
    for kind, mine in kinds.items():
        here = [r for r in found if mine(r)]
        rows.append([kind, str(len(here)), str(sum(r.optimal for r in here))])
    return markdown(["criterion", "records", "optimal"], rows)


TABLES: dict[str, Callable[[], str]] = {
    **{"summary": summary, "permutations": permutations, "orders": orders, "signs": signs},
    **{"rotations": rotations, "products": products},
}


def written(text: str) -> str:
    """The page with its tables written anew."""
    for name, make in TABLES.items():
        before, mark, rest = text.partition(f"<!-- {name} -->\n\n")
        text = before + mark + make() + rest[rest.index("\n<!-- end -->") :]
    return text


def picture() -> Figure:
    """Deviation against m: draws, records, and what no set can beat; and sizes of exact rotations."""
    figure = new_figure(height=2.6)
    panels = figure.subplots(1, 3)
    for panel, name in zip(panels, ("S6", "C64"), strict=False):
        _least(panel, name)
    found = {r.degree or 0: r for r in sa.records("SO3") if r.criterion == "exact"}
    axes = panels[2]
    frame(axes)
    style: dict[str, Any] = {"markersize": 4, "linewidth": 0.8}
    for label, look, sizes in (
        ("openquad, equal weights", LOOKS["field"], OPENQUAD),
        ("records", LOOKS["design"], {k: r.m for k, r in found.items()}),
        ("no set can be better", LOOKS["a-priori-bound"], {k: r.bound for k, r in found.items()}),
    ):
        points = zip(*sorted(sizes.items()), strict=True)
        axes.semilogy(*points, look.marker, color=look.colour, label=label, **style)
    axes.set(xlabel="exact to l", ylabel="rotations m", title="rotations of space")
    handles = [h for panel in panels for h in zip(*panel.get_legend_handles_labels(), strict=True)]
    by_label = {label: handle for handle, label in handles}
    figure.legend(by_label.values(), by_label.keys(), loc="outside lower center", ncols=4)
    return figure


def _least(axes: Axes, name: str) -> None:
    """The least deviation of a group against m."""
    frame(axes)
    found = [r for r in sa.records(name) if r.criterion == "deviation" and r.degree is None]
    sizes = [r.m for r in found]
    seeds = range(DRAWS)
    drawn = [
        sum(sa.deviation(sa.Oracle(name, seed=seed).draw(m)).value for seed in seeds) / DRAWS
        for m in sizes
    ]
    lines = {
        "draws, mean of 20": (LOOKS["draws"], drawn),
        "records": (LOOKS["design"], [r.value for r in found]),
        "no set can be better": (LOOKS["a-priori-bound"], [r.bound for r in found]),
    }
    for label, (look, values) in lines.items():
        style: dict[str, Any] = {"markersize": 4, "linewidth": 0.8, "label": label}
        axes.loglog(sizes, values, marker=look.marker, color=look.colour, **style)
    axes.set(xlabel="elements m", ylabel="deviation", title=name)


def main() -> None:
    """Write the page and its picture."""
    PAGE.write_text(written(PAGE.read_text("utf-8")), "utf-8")
    with figure_style():
        (DOCS / "records.png").write_bytes(figure_bytes(picture(), "png"))


if __name__ == "__main__":
    main()
