"""The pictures of the three results: for light and for dark pages, without a background.

3.7 inches wide, so that text has 10 pixels where a telephone shows them.
"""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from studies.heroes.claims import at_least, percent
from studies.report.looks import LOOKS, SPARE, Look, figure_style

INKS = {"": "#333333", "-dark": "#D8DAE0"}
WAYS = {
    "draws": LOOKS["draws"],
    "Sobol points": LOOKS["field"],
    "kernel thinning": SPARE[0],
    "chosen": LOOKS["design"],
}
TURNS = {
    "draws": LOOKS["draws"],
    "weighted grid": LOOKS["field"],
    "principal axes": SPARE[0],
    "chosen": LOOKS["design"],
}


def pipeline(axes: Axes, found: dict[str, Any], suffix: str) -> None:
    """What is left of one view's mean-square error, against m."""
    several = [one for one in found["rows"] if one["m"] > 1]
    _lines(axes, several, "left", WAYS, suffix)
    axes.set(xlabel="views averaged over")
    axes.set_title("left of one view's mean-square error", loc="left")
    axes.set_xticks([4, 8, 16, 32, 64], ["4", "8", "16", "32", "64"])
    axes.set_yticks([0.003, 0.01, 0.03, 0.1, 0.3], ["0.003", "0.01", "0.03", "0.1", "0.3"])


def rotations(axes: Axes, found: dict[str, Any], suffix: str) -> None:
    """The change under rotation, against m."""
    _lines(axes, found["rows"], "change", TURNS, suffix)
    axes.set(xlabel="rotations averaged over")
    axes.set_title("change when turned, kcal/mol", loc="left")
    axes.set_xticks([1, 4, 12, 24, 60], ["1", "4", "12", "24", "60"])
    axes.set_yticks([0.01, 0.1, 1], ["0.01", "0.1", "1"])


def promise(axes: Axes, found: dict[str, Any], suffix: str) -> None:
    """Accuracy as photographs stand, and what can be promised when they are moved."""
    drawn, random = found["drawn"], found["pipeline"]
    lines: list[tuple[str, float, float | None, Look]] = [
        ("as they are", found["upright"], None, LOOKS["none"]),
        ("all turns and mirrors: certain", found["over_all"], None, LOOKS["design"]),
        ("the same, from draws", drawn["estimate"], drawn["at_least"], LOOKS["draws"]),
        ("random turns, crops, colours", random["estimate"], random["at_least"], LOOKS["draws"]),
    ]
    for place, (name, value, least, look) in enumerate(lines):
        colour = look.dark if suffix else look.colour
        if least is not None:
            axes.plot([least, value], [place, place], color=colour, linewidth=3)
            axes.plot(least, place, "|", color=colour, markersize=14, markeredgewidth=2.5)
        axes.plot(value, place, look.marker, color=colour, markersize=8)
        text = percent(value) if least is None else at_least(least)
        axes.text(0.4, place - 0.36, name)
        axes.text(0.8, place - 0.36, text, ha="right", weight="bold")
    axes.set(xlim=(0.4, 0.8), ylim=(3.6, -0.7), xlabel="accuracy, %; | is the bound that holds")
    axes.set_xticks([0.4, 0.5, 0.6, 0.7, 0.8], ["40", "50", "60", "70", "80"])
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)


def _lines(
    axes: Axes, rows: list[dict[str, Any]], key: str, ways: dict[str, Look], suffix: str
) -> None:
    """A line for each way, both axes logarithmic, a legend above."""
    axes.set(xscale="log", yscale="log")
    for way, look in ways.items():
        points = sorted((one["m"], one[key]) for one in rows if one["way"] == way)
        colour = look.dark if suffix else look.colour
        axes.plot(
            *zip(*points, strict=True), color=colour, marker=look.marker, markersize=5, label=way
        )
    axes.get_figure().legend(loc="outside upper center", ncols=2, frameon=False)  # type: ignore[union-attr]


PICTURES: dict[str, Callable[[Axes, dict[str, Any], str], None]] = {
    "pipeline": pipeline,
    "rotations": rotations,
    "promise": promise,
}


def picture(name: str, found: dict[str, Any], suffix: str) -> bytes:
    """One picture as SVG, for light pages or with `-dark`."""
    inked = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    sized = ("font.size", "axes.titlesize", "axes.labelsize", "legend.fontsize")
    style: Any = {**dict.fromkeys(inked, INKS[suffix]), **dict.fromkeys(sized, 8.5)}
    with figure_style(), mpl.rc_context({**style, "svg.hashsalt": name}):
        figure = Figure(figsize=(3.7, 2.6), layout="constrained")
        axes = figure.subplots()
        axes.spines[["top", "right"]].set_visible(False)
        PICTURES[name](axes, found, suffix)
        axes.minorticks_off()
        buffer = BytesIO()
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    return buffer.getvalue()
