"""docs/records.md and its picture, made from the tables.

    python -m studies.records.page

What is between `<!-- NAME -->` and `<!-- end -->` on the page, and what its commands print, is written
again.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

import sparseaug as sa
from sparseaug._floats import text_down, text_up
from sparseaug.designs.constructions.recorded import record_counts, recorded
from studies.pages.tables import DOCS
from studies.report.looks import (
    GREY,
    LOOKS,
    Look,
    figure_bytes,
    figure_style,
    frame,
    new_figure,
    title,
)

PAGE = DOCS / "records.md"

GRAEF = {
    **{1: 4, 2: 12, 3: 24, 4: 57, 5: 60, 6: 154, 7: 168, 8: 312, 9: 360, 11: 672},
    **{13: 1176, 14: 1260, 15: 1776, 17: 2520, 19: 3300, 23: 5880},
}
"""Rotations of Gräf's rules of equal weights by l, as openquad 0.3.0 has them."""

WEIGHTED = {1: 4, 2: 11, 3: 23, 4: 43, 5: 60, 6: 116, 7: 168, 8: 240, 9: 300, 11: 504, 14: 960}
"""The same with weights."""

WOMERSLEY = {
    **{1: 4, 2: 12, 3: 24, 4: 57, 5: 60, 6: 154, 7: 229, 8: 325, 9: 445, 10: 592, 11: 769},
    **{12: 977, 13: 1220, 14: 1500, 15: 1821},
}
"""Half the points of his smallest symmetric designs of degree 2 l + 1 on the sphere S^3 (2018)."""

SEQUENCES = {6: 12, 7: 12, 8: 18, 9: 24}
"""Orders of perfect sequence covering arrays of strength 3, without reverses: 8 items by Gentle and
Wanless (2023), the others by Na, Jedwab and Li (2023)."""

FAMILIES = {
    "permutations": "permutations",
    "orders": "orders, even by middles or neighbours",
    "signs": "sign flips",
    "shifts": "shifts, grids, mirror images",
    "rotations": "rotations",
    "products": "pairs of permutations",
}
"""The tables, as the page calls them."""

LEAST = ("S5", "S6", "S7", "Z2^8", "Z2^10", "C64", "C256", "C8xC8", "C16xC16", "C32xC32")
LEAST_SIZES = (4, 8, 16, 32, 64)
"""The groups and sizes in the table of least deviations."""

DRAWS = 20


def best_known(name: str) -> list[Any]:
    """The records of a group."""
    return list(recorded(sa.group(name)))


def all_records() -> dict[str, list[Any]]:
    """By family."""
    found: dict[str, list[Any]] = {family: [] for family in FAMILIES}
    for name in record_counts():
        for record in best_known(name):
            found[record.table].append(record)
    return found


def gap(record: Any) -> float:
    """How many times the bound it is."""
    reached = record.value if record.criterion == "deviation" else record.m
    return 1.0 if record.optimal else reached / record.bound if record.bound else math.inf


def exact_sizes(name: str) -> dict[int, Any]:
    """The smallest sets of a group that are exact, by degree."""
    return {r.degree: r for r in best_known(name) if r.criterion == "exact" and r.degree}


def cell(record: Any | None) -> str:
    """Its elements, bold where no set has fewer, else with the bound."""
    if record is None:
        return ""
    return f"**{record.m:,}**" if record.optimal else f"{record.m:,} ({record.bound:,.0f})"


def markdown(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table of a page: words to the left, numbers to the right."""
    lines = [list(header), *map(list, rows)]
    lines.insert(1, [":---", *["---:"] * (len(lines[0]) - 1)])
    return "".join(f"|{'|'.join(line)}|\n" for line in lines)


def summary() -> str:
    """For each family: how many there are, and how near they are to what no set can beat."""
    families = all_records()
    named = [(FAMILIES[name], found) for name, found in families.items()]
    every = [record for found in families.values() for record in found]
    header = ["sets of", "records", "optimal", "within 10 % of the bound", "within twice the bound"]
    rows = []
    for label, found in [*named, ("**all**", every)]:
        gaps = [gap(record) for record in found]
        counts = [sum(x <= most for x in gaps) for most in (1, 1.1, 2)]
        rows.append([label, f"{len(found):,}", *(f"{count:,}" for count in counts)])
    return markdown(header, rows)


def permutations() -> str:
    """S_n, n to 16: exact to a degree, and the two kinds of orders."""
    rows = []
    for n in range(3, 17):
        found, exact = best_known(f"S{n}"), exact_sizes(f"S{n}")
        orders = {r.criterion: r for r in found if r.criterion in ("middle", "neighbours")}
        cells = [*map(exact.get, (2, 3, 4)), *map(orders.get, ("middle", "neighbours"))]
        rows.append([str(n), *map(cell, cells)])
    return markdown(
        ["n", "degree 2", "degree 3", "degree 4", "even middles", "even neighbours"], rows
    )


def signs() -> str:
    """Z_2^d by even strength."""
    found = {d: exact_sizes(f"Z2^{d}") for d in range(3, 25)}
    rows = [[str(d), *(cell(sizes.get(t)) for t in (2, 4, 6))] for d, sizes in found.items()]
    return markdown(["signs", "strength 2", "strength 4", "strength 6"], rows)


def least() -> str:
    """The least deviation of all functions, for a few groups and sizes."""
    rows = []
    for name in LEAST:
        found = {r.m: r for r in best_known(name) if r.criterion == "deviation" and not r.by_degree}
        rows.append([name, *(_value(found.get(m)) for m in LEAST_SIZES)])
    return markdown(["group", *(f"m = {m}" for m in LEAST_SIZES)], rows)


def _value(record: Any | None) -> str:
    """Its deviation, bold where none is smaller, else with the bound."""
    if record is None:
        return ""
    value = text_up(record.value or 0.0, 3)
    return f"**{value}**" if record.optimal else f"{value} ({text_down(record.bound, 3)})"


def shifts() -> str:
    """C_n: those of at most a fifth of all that meet the bound."""
    found = [r for r in all_records()["shifts"] if re.fullmatch(r"C\d+", r.group.name)]
    sizes = sorted((int(r.group.order), r.m) for r in found if r.optimal)
    orders, least = zip(*((n, m) for n, m in sizes if 5 * m <= n), strict=True)
    return markdown(["n", *map(str, orders)], [["m", *map(str, least)]])


def rotations() -> str:
    """Exact sets of rotations next to those of others."""
    found = exact_sizes("SO3")
    header = ["exact to l", "records", "Gräf", "Womersley", "Gräf, with weights"]
    rows = []
    for degree in sorted({*found, *range(1, 18)}):
        others = [sizes.get(degree) for sizes in (GRAEF, WOMERSLEY, WEIGHTED)]
        told = [f"{size:,}" if size else "" for size in others]
        if found.get(degree) or any(told):
            rows.append([str(degree), cell(found.get(degree)), *told])
    return markdown(header, rows)


def products() -> str:
    """Two orders at once, exact to degree 2."""
    sizes = range(2, 11)
    rows = [
        [f"**{c}**", *(cell(exact_sizes(f"S{c}xS{p}").get(2)) if c <= p else "" for p in sizes)]
        for c in sizes
    ]
    return markdown(["", *map(str, sizes)], rows)


def better() -> str:
    """What others have with fewer elements than the records, or where there is no record."""
    turns = {degree: record.m for degree, record in exact_sizes("SO3").items()}
    orders = {n: r.m for n in SEQUENCES for r in best_known(f"S{n}") if r.criterion == "middle"}
    rows = []
    for label, theirs, ours in (
        ("rotations, Gräf, l = {}", GRAEF, turns),
        ("rotations, Womersley, l = {}", WOMERSLEY, turns),
        ("orders without reverses, n = {}", SEQUENCES, orders),
    ):
        for key, size in theirs.items():
            if size < ours.get(key, math.inf):
                told = f"{ours[key]:,}" if key in ours else "none"
                rows.append([label.format(key), f"{size:,}", told])
    return markdown(["sets of", "others", "records"], rows)


TABLES: dict[str, Callable[[], str]] = {
    **{"summary": summary, "permutations": permutations, "signs": signs, "least": least},
    **{"shifts": shifts, "rotations": rotations, "products": products, "better": better},
}


def written(text: str) -> str:
    """The page with its tables written again."""
    for name, make in TABLES.items():
        part = re.compile(rf"(?<=<!-- {name} -->\n).*?(?=<!-- end -->)", re.DOTALL)
        made = f"\n{make()}\n"
        text, count = part.subn(made.replace("\\", r"\\"), text)
        if count != 1:
            raise SystemExit(f"{PAGE.name} has {count} places for the table {name}; it needs one.")
    return text


RECORDS, BOUND = LOOKS["design"], LOOKS["a-priori-bound"]
SHADES = {
    "(d) optimal": (1.0, LOOKS["one-shot-64"].colour),
    "(d) within 10 % of the bound": (1.1, LOOKS["one-shot-16"].colour),
    "(d) within 50 %": (1.5, LOOKS["one-shot-4"].colour),
    "(d) farther": (math.inf, GREY),
}
"""At most how many times the bound, and the colour of these."""


def picture() -> Figure:
    """Deviation against m next to draws and bounds, sizes of exact rotations, and all gaps."""
    figure = new_figure(height=5.6)
    (a, b), (c, d) = figure.subplots(2, 2)
    title(a, "a", "deviation, permutations of six")
    _least(a, "S6", None)
    title(b, "b", "deviation to l = 6, rotations")
    _least(b, "SO3", 6)
    title(c, "c", "rotations, m / functions to l")
    _exact(c)
    title(d, "d", "records, and how near the bound they are")
    _gaps(d)
    drawn = [x for axes in figure.axes for x in zip(*axes.get_legend_handles_labels(), strict=True)]
    shown = {label: handle for handle, label in drawn}
    figure.legend(shown.values(), shown.keys(), loc="outside lower center", ncols=3)
    return figure


def _least(axes: Axes, name: str, degree: int | None) -> None:
    """The least deviation of a group against m."""
    frame(axes)
    found = [r for r in best_known(name) if r.criterion == "deviation" and r.by_degree == degree]
    sizes = [r.m for r in found]
    drawn = [_mean_of_draws(name, m, degree) for m in sizes]
    _points(axes, LOOKS["draws"], f"random draws, mean of {DRAWS}", sizes, drawn)
    _records(axes, sizes, [r.value for r in found], [r.optimal for r in found])
    _line(axes, "no set can be lower", sizes, [r.bound or math.nan for r in found])
    axes.set(xscale="log", yscale="log", xlabel="elements m")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter("{x:g}")
        axis.set_minor_locator(NullLocator())


def _mean_of_draws(name: str, m: int, degree: int | None) -> float:
    samples = (sa.Oracle(name, seed=seed).draw(m) for seed in range(DRAWS))
    return fmean(sa.deviation(S, degree=degree).value for S in samples)


def _exact(axes: Axes) -> None:
    """The smallest exact sets of rotations against l, divided by the number of functions."""
    frame(axes)
    found = exact_sizes("SO3")
    theirs = {
        degree: min(sizes.get(degree, math.inf) for sizes in (GRAEF, WOMERSLEY))
        for degree in sorted(GRAEF | WOMERSLEY)
        if degree <= max(found)
    }
    records = list(found.values())
    _points(axes, LOOKS["field"], "Gräf or Womersley", *_per_function(theirs))
    ours = _per_function({degree: r.m for degree, r in found.items()})
    _records(axes, *ours, [r.optimal for r in records])
    bounds = _per_function({degree: r.bound for degree, r in found.items()})
    _line(axes, "no set can be lower", *bounds)
    axes.set(xlabel="exact to l", ylim=(0, None))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))


def _per_function(sizes: Mapping[int, float]) -> tuple[list[int], list[float]]:
    """Each l, and its size for each of the sum of (2 k + 1)^2 entries of D^0, ..., D^l."""
    functions = {
        degree: (degree + 1) * (2 * degree + 1) * (2 * degree + 3) // 3 for degree in sizes
    }
    return list(sizes), [size / functions[degree] for degree, size in sizes.items()]


def _gaps(axes: Axes) -> None:
    """How many of each family are how near to their bounds."""
    frame(axes)
    families = all_records()
    names = [FAMILIES[name].split(",")[0].replace(" of ", " of\n") for name in families]
    left, least = [0] * len(names), 0.0
    for label, (most, colour) in SHADES.items():
        counts = [sum(least < gap(r) <= most for r in found) for found in families.values()]
        axes.barh(names, counts, left=left, color=colour, label=label)
        left, least = [x + y for x, y in zip(left, counts, strict=True)], most
    axes.invert_yaxis()
    axes.set(xlabel="records")


def _line(axes: Axes, label: str, x: Sequence[float], y: Sequence[float]) -> None:
    """What no set can beat."""
    axes.plot(x, y, color=BOUND.colour, dashes=BOUND.dash, label=label)


def _records(axes: Axes, x: Sequence[float], y: Sequence[float], optimal: Sequence[bool]) -> None:
    """Those that no set can beat are full, the others hollow."""
    for label, full in (("record", False), ("record, optimal", True)):
        mine = [(a, b) for a, b, best in zip(x, y, optimal, strict=True) if best == full]
        if mine:
            _points(axes, RECORDS, label, *zip(*mine, strict=True), full=full)


def _points(
    axes: Axes, look: Look, label: str, x: Sequence[float], y: Sequence[float], *, full: bool = True
) -> None:
    face = look.colour if full else "white"
    style: dict[str, Any] = {"markeredgecolor": look.colour, "markersize": 4, "linestyle": ""}
    axes.plot(x, y, marker=look.marker, markerfacecolor=face, label=label, **style)


def main() -> None:
    """Write the page and its picture."""
    PAGE.write_text(written(PAGE.read_text("utf-8")), "utf-8")
    with figure_style():
        (DOCS / "records.png").write_bytes(figure_bytes(picture(), "png"))


if __name__ == "__main__":
    main()
