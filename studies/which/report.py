"""The tables and the picture of `studies.which`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from studies.report.looks import LOOKS, SPARE
from studies.which.claims import best_other, ours, sizes

COLUMNS = ("draws", "distinct", "deviation", "prior", "catalogue", "field", "spectrum")
DRAWN = {
    **{"draws": LOOKS["draws"], "field": LOOKS["field"], "deviation": SPARE[2]},
    **{"prior": SPARE[0], "spectrum": LOOKS["design"]},
}
"""Kinds of sets in the picture; the one that is advised is the design."""


def tables(pairs: list[dict[str, Any]]) -> str:
    """The share of one view's error that is left, by pair, m and set; then what was chosen."""
    lines = [
        f"| pair | group | m | {' | '.join(COLUMNS)} | of the best other |",
        "|---|---|---|" + "---|" * (len(COLUMNS) + 1),
    ]
    for pair in pairs:
        for m in sizes(pair):
            cells = []
            for kind in COLUMNS:
                fitting = [s for s in pair["sets"] if s["m"] == m and s["kind"] == kind]
                best = min(fitting, key=lambda s: s["left"], default=None)
                name = f" ({best['name']})" if best and kind == "catalogue" else ""
                cells.append(_share(best) + name if best else "")
            mine, other = ours(pair, m), best_other(pair, m)
            none = mine is None or max(mine["left"], other["left"]) < 1e-9
            ratio = "" if none or mine is None else f"{mine['left'] / max(other['left'], 1e-9):.2f}"
            lines.append(
                f"| {pair['pair']} | {pair['group']} | {m} | {' | '.join(cells)} | {ratio} |"
            )
    lines += ["", "| pair | asked | chosen | m | left, same inputs | left, others | draws |"]
    lines.append("|---|---|---|---|---|---|---|")
    for pair in pairs:
        for one in pair["choices"]:
            head = f"| {pair['pair']} | {one['share']} | "
            if "m" not in one:
                told = one.get("unmeasured") or f"refused: {one['refused']}"
                lines.append(head + f"{told} | | | | |")
                continue
            same, test = (math.sqrt(max(0.0, one[half][0])) for half in ("same", "test"))
            lines.append(
                head + f"{one['name']} | {one['m']} | {same:.3g} | {test:.3g} | {one['draws']} |"
            )
    return "\n".join(lines) + "\n"


def _share(one: dict[str, Any]) -> str:
    bar = f" +- {one['noise']:.1g}" if one["noise"] else ""
    return f"{one['left']:.3g}{bar}" if one["left"] > 1e-9 else "0"


def draw(pairs: list[dict[str, Any]], path: Path) -> None:
    """One panel for each pair: what is left over m."""
    from matplotlib.figure import Figure

    columns = min(4, max(1, len(pairs)))
    rows = math.ceil(max(1, len(pairs)) / columns)
    figure = Figure(figsize=(3 * columns, 2.4 * rows), layout="constrained")
    for place, pair in enumerate(pairs, 1):
        axes = figure.add_subplot(rows, columns, place)
        for kind, look in DRAWN.items():
            at: dict[int, float] = {}
            for s in pair["sets"]:
                if s["kind"] == kind:
                    at[s["m"]] = min(at.get(s["m"], 1.0), max(s["left"], 1e-6))
            line = {"color": look.colour, "marker": look.marker, "ms": 3, "lw": 1.2}
            axes.loglog(list(at), list(at.values()), label=kind, **line)
        axes.set_title(f"{pair['pair']} ({pair['group']})", fontsize=8)
        axes.set_xticks(sizes(pair), map(str, sizes(pair)), fontsize=7)
        axes.minorticks_off()
        axes.tick_params(labelsize=7)
    handles, labels = figure.axes[0].get_legend_handles_labels() if pairs else ([], [])
    figure.legend(handles, labels, loc="outside upper center", ncols=5, fontsize=7, frameon=False)
    figure.supxlabel("elements of S", fontsize=8)
    figure.supylabel("share of one view's error that is left, on other inputs", fontsize=8)
    figure.savefig(path)
