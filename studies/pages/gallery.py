"""The pictures of the gallery, one for each card.

    python -m studies.pages.gallery docs/examples/gallery

Numbers are read from the tables of the page that a card links to, or made by the examples on it, which
are run: no picture can show anything else than its page does.
"""

from __future__ import annotations

import doctest
import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

import sparseaug as sa
from sparseaug.nn.risk.tiles import share
from studies.report.looks import LOOKS

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

DOCS = Path(__file__).parents[2] / "docs"
DRAWS, DESIGN, STREAMING = (LOOKS[name].colour for name in ("draws", "design", "streaming"))
GREY, BLACK = "#C9C9C9", "#1A1A1A"


def read_table(page: str, *columns: str) -> list[dict[str, str]]:
    """The rows of all tables of a page that have these columns."""
    rows: list[dict[str, str]] = []
    for block in re.findall(r"(?:^\|.*\n)+", (DOCS / page).read_text("utf-8"), re.MULTILINE):
        lines = [re.split(r"(?<!\\)\|", line.strip())[1:-1] for line in block.splitlines()]
        head, *body = ([cell.strip() for cell in line] for line in lines)
        if set(columns) <= set(head):
            rows += [dict(zip(head, line, strict=True)) for line in body[1:]]
    if not rows:
        raise SystemExit(f"{page} has no table with the columns {', '.join(columns)}.")
    return rows


def number(cell: str) -> float:
    """The first number of a cell: its mean, without the spread."""
    return float(cell.replace(",", "").split()[0])


def run_page(page: str, before: str) -> dict[str, Any]:
    """The names that the examples of a page leave, those before a heading."""
    text = (DOCS / page).read_text("utf-8").split(before)[0]
    test = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    if runner.run(test, clear_globs=False).failed:
        raise SystemExit(f"{page}: its examples do not run.")
    return test.globs


def bars(
    ax: Axes, values: dict[str, float], colours: list[str], unit: str, *, log: bool = False
) -> None:
    """One bar for each name, its number behind it."""
    places = range(len(values))
    ax.barh(places, list(values.values()), color=colours, height=0.62)
    ax.set_yticks(places, list(values))
    ax.invert_yaxis()
    if log:
        ax.set_xscale("log")
    for place, value in enumerate(values.values()):
        ax.annotate(f"{value:g}", (value, place), (4, 0), textcoords="offset points", va="center")
    ax.set_xlabel(unit)
    ax.margins(x=0.16)


def by_size(ax: Axes, m: list[float], draws: list[float], designed: list[float]) -> None:
    """Draws and designs of m elements, both axes logarithmic."""
    for values, look, label in ((draws, "draws", "m draws"), (designed, "design", "a design of m")):
        ax.loglog(m, values, color=LOOKS[look].colour, marker=LOOKS[look].marker, label=label)
    ax.set_xticks(m, [f"{size:g}" for size in m])
    ax.minorticks_off()
    ax.legend(frameon=False)


def digits(ax: Axes) -> None:
    ways = {
        "no shifts": "none",
        "16 calls, spread": "streaming 16, spread",
        "16 calls, one-shot": "one-shot 16",
        "... averaged": "one-shot 16 + average",
        "30,000 calls": "streaming, per image",
    }
    rows = read_table("examples/digits.md", "learner", "way", "train, s")
    found = {row["way"]: number(row["accuracy, %"]) for row in rows if row["learner"] == "CNN"}
    values = {name: found[way] for name, way in ways.items()}
    bars(ax, values, [GREY, STREAMING, DRAWS, DRAWS, STREAMING], "accuracy on shifted digits, %")


def qm9(ax: Axes) -> None:
    ways = {
        "as they come": "none",
        "16 orders": "one-shot 16",
        "64 orders": "one-shot 64",
        "... averaged": "one-shot 64 + average",
        "sorted": "sorted",
    }
    rows = read_table("examples/qm9.md", "learner", "way", "train, s")
    found = {
        row["way"]: number(row["error, eV"]) for row in rows if row["learner"] == "kernel ridge"
    }
    values = {name: found[way] for name, way in ways.items()}
    bars(ax, values, [GREY, DRAWS, DRAWS, DRAWS, BLACK], "error of the energy, eV")


def rotations(ax: Axes) -> None:
    change = "change under rotation, 1e-3"
    rows = [r for r in read_table("examples/rotations.md", change) if r["learner"] == "turned"]
    mine = [[r for r in rows if r["way"].startswith(kind)] for kind in ("drawn", "design")]
    # 0.000 has no place on a logarithmic axis
    draws, designed = ([number(r[change]) or np.nan for r in found] for found in mine)
    by_size(ax, [number(r["rotations"]) for r in mine[1]], draws, designed)
    ax.set(xlabel="m, rotations averaged over", ylabel="change of the energy, 1e-3")


def distributed(ax: Axes) -> None:
    copies, ranks = 505, 3  # of examples/distributed.py: 101 images, 5 elements
    for rank, colour in enumerate((DRAWS, DESIGN, STREAMING)):
        x, y = np.divmod(np.arange(*share(copies, rank, ranks)), 17)
        ax.scatter(x, y, 22, colour, marker="s", linewidths=0, label=f"rank {rank}")
    ax.set_axis_off()
    ax.set_title("505 copies on 3 processes, none twice")
    ax.legend(frameon=False, ncols=3, loc="upper center", bbox_to_anchor=(0.5, 0.0))


def experiment(ax: Axes) -> None:
    rows = read_table("howto/reproduce.md", "discrepancy of the design", "of draws")
    columns = ("m", "of draws", "discrepancy of the design")
    by_size(ax, *([number(row[column]) for row in rows] for column in columns))
    ax.set(xlabel="m, elements in S", ylabel="error of the gradient")


def rates(ax: Axes) -> None:
    rows = read_table("evidence.md", "group", "one-shot, theory -2", "words, -1")
    for column, colour, theory in (
        ("words, -1", DESIGN, -1),
        ("one-shot, theory -2", DRAWS, -2),
        ("slope", STREAMING, -4),
    ):
        ax.axhline(theory, color=GREY, linewidth=1)
        ax.plot([number(row[column]) for row in rows], "o", color=colour, markersize=4.5)
        name = "streaming" if column == "slope" else column.split(",")[0]
        ax.text(len(rows) + 0.5, theory, f"{name}\ntheory {theory}", color=colour, va="center")
    ax.set_xlim(-1, len(rows) + 9)
    ax.set_xticks([])
    ax.set(xlabel=f"{len(rows)} groups, from 16 to 2^1000 elements", ylabel="slope of calls in eps")


def deviation(ax: Axes) -> None:
    rows = read_table("evidence.md", "group", "typical", "sharper bound")
    rows = [row for row in rows if re.fullmatch(r"S\d+", row["group"])]
    n = [int(row["group"][1:]) for row in rows]
    for column, look in (
        ("bound", "a-priori-bound"),
        ("sharper bound", "sharp-bound"),
        ("mean", "deviation"),
    ):
        label = "exact, mean" if column == "mean" else f"{column} (95 %)"
        values = [number(row[column]) for row in rows]
        ax.plot(n, values, color=LOOKS[look].colour, marker=LOOKS[look].marker, label=label)
    ax.set(xlabel="n of the group S_n", ylabel="deviation of 64 draws", ylim=(0, 1.35))
    ax.legend(frameon=False, ncols=2, fontsize=9)


def certificates(ax: Axes) -> None:
    rows = read_table("certificates.md", "kind", "times the truth")
    names = {
        "a-priori": "the paper's bound",
        "spectral": "exact deviation",
        "kernel": "kernel discrepancy",
        "landmarks": "closed forms",
        "exact": "exact",
    }
    found = {row["kind"]: number(row["times the truth"]) for row in rows}
    values = {label: found[name] for name, label in names.items()}
    colours = [LOOKS["truth" if name == "exact" else name].colour for name in names]
    bars(ax, values, colours, "bound / truth, after one-shot with m = 64", log=True)
    ax.set_xlim(0.5, 1e4)


@cache
def measured_spectrum() -> sa.orbits.Spectrum:
    spectrum: sa.orbits.Spectrum = run_page("howto/views.md", "## A forest")["spectrum"]
    return spectrum


def views(ax: Axes) -> None:
    spectrum = measured_spectrum()
    m = np.array([1, 2, 4, 8, 16, 32, 64])
    group = spectrum.group
    draws = [spectrum.predict(int(size)).rms for size in m]
    best = [
        spectrum.predict(sa.design(group, m=int(size), spectrum=spectrum)).rms for size in m[:-1]
    ]
    ax.loglog(m, draws, color=DRAWS, marker="o", label="m draws")
    ax.loglog(m[:-1], best, color=DESIGN, marker="s", label="m by the spectrum")
    ax.set_xticks(m, [str(size) for size in m])
    ax.set_yticks([0.05, 0.1, 0.2, 0.5], ["0.05", "0.1", "0.2", "0.5"])
    ax.minorticks_off()
    ax.set(xlabel="m, views averaged over", ylabel="rms error that is left")
    ax.legend(frameon=False)


def symmetry(ax: Axes) -> None:
    found = run_page("howto/symmetry_test.md", "## Which of my symmetries")["found"]
    ax.hist(found.values[1:], 40, color=GREY)
    ax.axvline(found.values[0], color=STREAMING, linewidth=2)
    ax.annotate(
        f"the digits as written\np = {found.pvalue:g}", (found.values[0], 0.8), (-8, 0),
        xycoords=("data", "axes fraction"), textcoords="offset points", ha="right", color=STREAMING,
    )  # fmt: skip
    ax.set_xticks([])
    ax.set(xlabel="how far the data are from symmetric", ylabel="moved data sets")


def inspected(ax: Axes) -> None:
    for side, rows in enumerate(
        ([[i % 4, i % 6] for i in range(12)], [[i, j] for i in range(4) for j in range(6)])
    ):
        chosen = {(a, b) for a, b in rows}
        for a in range(4):
            for b in range(6):
                colour = (DESIGN if side else STREAMING) if (a, b) in chosen else GREY
                ax.scatter(b + 8 * side, a, 170 if (a, b) in chosen else 60, colour, linewidths=0)
        ax.text(8 * side + 2.5, 4.1, ("12 zipped", "24 crossed")[side], ha="center")
    ax.set(xlim=(-1, 14), ylim=(-0.8, 4.8))
    ax.set_axis_off()


def designs(ax: Axes) -> None:
    group = sa.symmetric(7)
    chosen, drawn = sa.design(group, degree=2), sa.Oracle(group, seed=0).draw(42)
    for S, look, label in ((drawn, "draws", "42 draws"), (chosen, "design", "AGL(1,7), 42")):
        levels = sa.profile(S).levels
        roots = [float(level.mean_square) ** 0.5 for level in levels]
        place = np.arange(len(levels)) + (0.2 if look == "design" else -0.2)
        ax.bar(place, roots, 0.38, color=LOOKS[look].colour, label=label)
    ax.set_xticks(range(len(levels)), [str(level.degree) for level in levels])
    ax.set(xlabel="degree: coordinates at a time", ylabel="root mean square left")
    ax.legend(frameon=False)


PICTURES: dict[str, Callable[[Axes], None]] = {
    "digits": digits,
    "qm9": qm9,
    "rotations": rotations,
    "distributed": distributed,
    "experiment": experiment,
    "rates": rates,
    "deviation": deviation,
    "certificates": certificates,
    "views": views,
    "symmetry": symmetry,
    "inspect": inspected,
    "designs": designs,
}


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    plt.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False})
    for name, draw in PICTURES.items():
        figure, axes = plt.subplots(figsize=(4.6, 2.9), layout="constrained")
        draw(axes)
        figure.savefig(folder / f"{name}.png", dpi=140, facecolor="white")
        plt.close(figure)
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.6), layout="constrained")
    measured_spectrum().plot(axes[0])
    views(axes[1])
    figure.savefig(folder / "spectrum.png", dpi=110, facecolor="white")


if __name__ == "__main__":
    main()
