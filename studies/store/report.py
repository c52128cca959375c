"""Tables and the picture of `studies.store`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from studies.report.looks import LOOKS, SPARE

T95 = {2: 12.71, 3: 4.303, 4: 3.182, 5: 2.776}  # Student's t, two sides, by the number of seeds
WAYS = {
    **{name: LOOKS[name] for name in ("none", "streaming", "draws", "design", "full")},
    **{"own draws": LOOKS["distinct draws"], "moved first": SPARE[0]},
}


def summary(found: dict[str, Any], head: str) -> list[dict[str, Any]]:
    """Of each way and m: score, passes, seconds, and the gap to streaming's last epoch."""
    rows = [row for row in found["rows"] if row["head"] == head]
    last = {
        r["seed"]: r["score"] for r in rows if r["way"] == "streaming" and r["m"] == found["epochs"]
    }
    lines = []
    for way, m in dict.fromkeys((row["way"], row["m"]) for row in rows):
        of = [row for row in rows if (row["way"], row["m"]) == (way, m)]
        line = {"way": way, "m": m, "passes": float(np.mean([row["passes"] for row in of]))}
        line |= {"score": np.mean([row["score"] for row in of])}
        line["half"] = _half([row["score"] for row in of])
        line["spread"] = float(np.std([row["score"] for row in of], ddof=1))
        cost = found["seconds_per_pass"] * found["samples"]
        line["head seconds"] = float(np.mean([row["seconds"] for row in of]))
        line["seconds"] = line["passes"] * cost + line["head seconds"]
        if last:
            gaps = [row["score"] - last[row["seed"]] for row in of]
            line |= {"gap": float(np.mean(gaps)), "gap half": _half(gaps)}
        lines.append(line)
    return lines


def tables(found: list[dict[str, Any]]) -> str:
    """A table for each case and head, then the certificates."""
    text = []
    for case in found:
        text.append(
            f"## {case['case']}: {case['function']}, {case['group']}, {case['samples']} samples, "
            f"{1e3 * case['seconds_per_pass']:.2f} ms per pass\n"
        )
        unit = 1000 if case["regression"] else 100
        for head in dict.fromkeys(row["head"] for row in case["rows"]):
            text.append(
                f"{head}\n\n| way | m | passes per sample | seconds | score | +- | to streaming | +- |\n"
                "|---|---|---|---|---|---|---|---|"
            )
            for line in summary(case, head):
                gap = [
                    f"{unit * line[key]:+.2f}" if key in line else "" for key in ("gap", "gap half")
                ]
                text.append(
                    f"| {line['way']} | {line['m']} | {line['passes']:.1f} | {line['seconds']:.1f} | "
                    f"{unit * line['score']:.2f} | {unit * line['half']:.2f} | {' | '.join(gap)} |"
                )
            text.append("")
        for each in case["certificates"]:
            text.append(", ".join(f"{name}: {value}" for name, value in each.items()) + "\n")
    return "\n".join(text)


def draw(found: list[dict[str, Any]], path: Path) -> None:
    """Score over passes, with one standard deviation."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    panels = [
        (case, head)
        for case in found
        for head in dict.fromkeys(row["head"] for row in case["rows"] if row["way"] == "streaming")
    ]
    with mpl.rc_context({"svg.hashsalt": "store", "svg.fonttype": "none"}):
        figure = Figure(figsize=(3.1 * len(panels) / 2 + 0.6, 5.2), layout="constrained")
        axes = figure.subplots(2, -(-len(panels) // 2), squeeze=False)
        for place, (case, head) in zip(axes.T.flat, panels, strict=False):
            lines, unit = summary(case, head), 1000 if case["regression"] else 100
            for way, look in WAYS.items():
                of = [line for line in lines if line["way"] == way]
                place.errorbar(
                    [line["passes"] for line in of],
                    [unit * line["score"] for line in of],
                    [unit * line["spread"] for line in of],
                    **{"marker": look.marker, "color": look.colour, "label": way},
                    **{"ms": 4, "lw": 1.2},
                )
            place.set_xscale("log", base=2)
            ticks = [1, 2, 4, 8, 16, 32, 64]
            place.set_xticks(ticks, map(str, ticks), fontsize=7)
            place.tick_params(labelsize=7)
            place.set_title(f"{case['case']}, {head}", fontsize=8)
            place.set_ylabel("mean error, meV" if case["regression"] else "accuracy, %", fontsize=7)
        for place in axes.T.flat[len(panels) :]:
            place.set_axis_off()
        handles, names = axes[0, 0].get_legend_handles_labels()
        where: Any = {"loc": "outside upper center", "ncols": 7, "fontsize": 7, "frameon": False}
        figure.legend(handles, names, **where)
        figure.supxlabel("passes of the frozen function per training sample", fontsize=8)
        figure.savefig(path, metadata={"Date": None})


def _half(values: list[float]) -> float:
    """Half of a 95 % interval over seeds."""
    if len(values) not in T95:
        return float("nan")
    return T95[len(values)] * float(np.std(values, ddof=1)) / len(values) ** 0.5
