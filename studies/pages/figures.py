"""The figures of the result pages, drawn from the tables that the pages link to.

    python -m studies.pages.figures

They are docs/which.png, docs/evidence-*.png and docs/examples/*.png. No study is run:
docs/data holds what was measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from matplotlib.figure import Figure

import sparseaug as sa
from studies.examples.study import look_of
from studies.pages.tables import DOCS, number, read_table, spread
from studies.report.looks import LOOKS, SPARE, figure_bytes, figure_style, frame, new_figure

DIGITS = (
    *("none", "one-shot 4", "one-shot 16", "one-shot 64", "one-shot 4 + average"),
    *("one-shot 16 + average", "one-shot 64 + average", "own 16", "own 16 + average", "lattice 32"),
    *("streaming 4, spread", "streaming 16, spread", "streaming 64, spread"),
    *("streaming, per image", "full", "full + average"),
)
QM9 = (
    *("none", "one-shot 4", "one-shot 16", "one-shot 64", "one-shot 4 + average"),
    *("one-shot 16 + average", "one-shot 64 + average", "own 16", "own 16 + average", "own 64"),
    *("own 64 + average", "64 words of 16 calls + average"),
    *("design PSL(2,11) + average", "streaming 4, spread", "streaming 16, spread"),
    *("streaming 64, spread", "streaming, per molecule", "sorted", "spectrum"),
    "invariant by design",
)
FAMILIES = {
    **{"Z2^": "sign flips", "C": "shifts", "D": "dihedral groups"},
    **{"B": "signed permutations", "S": "symmetric groups"},
}


def by_way(table: str, column: str, ways: tuple[str, ...]) -> Figure:
    """One panel for each learner, one line for each way: means as dots, spreads as bars."""
    rows = read_table(table, "learner", "way", column)
    found: dict[tuple[str, str], str] = {}
    for row in rows:  # where a row was measured twice, the first
        found.setdefault((row["learner"], row["way"]), row[column])
    learners = list(dict.fromkeys(row["learner"] for row in rows))
    figure = new_figure(height=0.19 * len(ways) + 0.7)
    panels = figure.subplots(1, len(learners), sharex=True, sharey=True)
    for panel, learner in zip(panels, learners, strict=True):
        frame(panel)
        for place, way in enumerate(ways):
            cell, look = found.get((learner, way)), look_of(way)
            if cell is not None:
                bar: dict[str, Any] = {
                    "xerr": spread(cell),
                    "fmt": look.marker,
                    "markersize": 4,
                    "capsize": 2,
                }
                panel.errorbar(number(cell), place, color=look.colour, **bar)
        panel.set_title(learner, loc="left")
        panel.set_xlabel(column)
    panels[0].set_yticks(range(len(ways)), ways)
    panels[0].set_ylim(len(ways) - 0.5, -0.5)
    return figure


def rotations() -> Figure:
    """What averages over m rotations leave, for both networks."""
    change = "change under rotation, 1e-3"
    rows = read_table("data/rotations.csv", change)
    figure = new_figure(height=3.0)
    panels = figure.subplots(1, 2)
    kinds = {
        **{"drawn": ("draws", LOOKS["draws"]), "design": ("design", LOOKS["design"])},
        "Lebedev": ("field: weighted grids", LOOKS["field"]),
        "integer": ("integer quaternions", SPARE[0]),
    }
    for panel, learner in zip(panels, ("unturned", "turned"), strict=True):
        frame(panel)
        mine = [row for row in rows if row["learner"] == learner]
        for kind, (label, look) in kinds.items():
            points = sorted(
                (number(row["rotations"]), number(row[change]) / 1000)
                for row in mine
                if row["way"].startswith(kind) and number(row[change]) > 0
            )
            panel.loglog(
                *zip(*points, strict=True), color=look.colour, marker=look.marker, ms=4, label=label
            )
        none = number(next(row[change] for row in mine if row["way"] == "none")) / 1000
        look = LOOKS["none"]
        panel.axhline(none, color=look.colour, linestyle=(0, look.dash), label="not averaged")
        panel.set(xlabel="rotations m", title=f"network trained on {learner} structures")
    panels[0].set_ylabel("change of the energy, of its spread")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5)
    return figure


def rates() -> Figure:
    """The slope of calls in eps on every group, with its interval."""
    rows = read_table("data/rates.csv", "group", "one-shot", "words", "streaming")
    figure = new_figure(height=2.6)
    axes = figure.subplots()
    frame(axes)
    for name, theory in (("words", -1), ("one-shot", -2), ("streaming", -4)):
        look = LOOKS[name]
        axes.axhline(theory, color=LOOKS["none"].colour, linewidth=0.8)
        for place, row in enumerate(rows):
            middle, low, high = (
                number(part) for part in row[name].strip("]").replace("[", "").split(" ")
            )
            ends = [[middle - low], [high - middle]]
            bar: dict[str, Any] = {"fmt": look.marker, "markersize": 4, "elinewidth": 0.8}
            axes.errorbar(place, middle, ends, color=look.colour, **bar)
        label = f"{name},\ntheory {theory}"
        axes.text(len(rows) - 0.2, theory, label, color=look.colour, va="center")
    axes.set_xlim(-0.7, len(rows) + 2.6)
    axes.set_xticks(range(len(rows)), [row["group"] for row in rows], rotation=60)
    axes.set_ylabel("slope of log calls in log eps")
    return figure


def deviation() -> Figure:
    """The mean deviation of 64 draws against log|G|, by family, below the bounds."""
    rows = read_table("data/deviation.csv", "group", "mean", "sharper bound", "bound")
    figure = new_figure(height=2.8)
    axes = figure.subplots()
    frame(axes)
    bounds = sorted((math.log(sa.group(row["group"]).order), number(row["bound"])) for row in rows)
    look = LOOKS["a-priori-bound"]
    label = "the paper's bound (95 %)"
    axes.plot(*zip(*bounds, strict=True), color=look.colour, linestyle=(0, look.dash), label=label)
    for (start, name), look in zip(FAMILIES.items(), SPARE, strict=False):
        mine = [row for row in rows if row["group"].rstrip("0123456789") == start]
        points = sorted(
            (math.log(sa.group(row["group"]).order), number(row["mean"])) for row in mine
        )
        axes.plot(
            *zip(*points, strict=True), color=look.colour, marker=look.marker, ms=4, label=name
        )
    axes.set(xlabel="log |G|", ylabel="deviation of 64 draws", ylim=(0, 1.05))
    figure.legend(loc="outside right center")
    return figure


def which() -> Figure:
    """What sets of m elements leave, for each pair of data and model."""
    kinds = {
        **{"draws": LOOKS["draws"], "worst case": SPARE[2], "lattice, solid, array": SPARE[1]},
        **{"no model: prior": SPARE[0], "for the model": LOOKS["design"]},
    }
    pair = "data, model, group"
    rows = read_table("which.md", pair, *kinds)
    figure = new_figure(height=0.26 * len(rows) + 0.8)
    axes = figure.subplots()
    frame(axes)
    for kind, look in kinds.items():
        values = [number(row[kind].strip("*")) for row in rows]
        style: dict[str, Any] = {"color": look.colour, "markersize": 5, "label": kind}
        axes.plot(values, range(len(rows)), look.marker, **style)
    axes.set_xscale("log")
    axes.set_yticks(range(len(rows)), [f"{row[pair]}, m = {row['m']}" for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel("share of one view's mean-square error that is left")
    figure.legend(loc="outside upper center", ncols=5)
    return figure


def tabular() -> Figure:
    """What the lists of tabular models leave, and as many chosen members."""
    rows = read_table("tabular.md", "list", "classes, columns", "left", "chosen")
    figure = new_figure(height=0.26 * len(rows) + 0.8)
    axes = figure.subplots()
    frame(axes)
    places = range(len(rows))
    members = [number(row["m"].rstrip(", al")) for row in rows]
    for label, look, values in (
        ("as many draws", LOOKS["draws"], [1 / m for m in members]),
        ("their own list", LOOKS["field"], [number(row["left"]) for row in rows]),
        ("chosen", LOOKS["design"], [number(row["chosen"]) for row in rows]),
    ):
        axes.plot(values, places, look.marker, color=look.colour, markersize=5, label=label)
    axes.set_xscale("log")
    named = [
        f"{row['list']}, {row['classes, columns']}; m = {m:.0f}"
        for row, m in zip(rows, members, strict=True)
    ]
    axes.set_yticks(places, named)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel("share of a typical model's variance that is left")
    figure.legend(loc="outside upper center", ncols=3)
    return figure


FIGURES: dict[str, Callable[[], Figure]] = {
    "examples/digits.png": lambda: by_way("data/digits.csv", "accuracy, %", DIGITS),
    "examples/qm9.png": lambda: by_way("data/qm9.csv", "error, eV", QM9),
    "examples/rotations.png": rotations,
    "which.png": which,
    "tabular.png": tabular,
    "evidence-rates.png": rates,
    "evidence-deviation.png": deviation,
}


def main() -> None:
    with figure_style():
        for name, draw in FIGURES.items():
            (DOCS / name).write_bytes(figure_bytes(draw(), "png"))


if __name__ == "__main__":
    main()
