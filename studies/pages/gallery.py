"""The pictures of the gallery, one for each card, and the spectrum of the how-to pages.

    python -m studies.pages.gallery docs/examples/gallery

Numbers are read from the tables of the page that a card links to or computed here: no study is run.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import matplotlib as mpl
import numpy as np

import sparseaug as sa
from sparseaug.nn.risk.tiles import share
from studies.pages.tables import number, read_table
from studies.report.looks import GREY, GRID, LOOKS, NAMES

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

DRAWS, DESIGN, STREAMING, FIELD, BLACK = (
    LOOKS[name].colour for name in ("draws", "design", "streaming", "field", "truth")
)


def bars(ax: Axes, values: dict[str, float], colours: list[str], unit: str) -> None:
    """One bar for each name, its number behind it."""
    places = range(len(values))
    ax.barh(places, list(values.values()), color=colours, height=0.62)
    ax.set_yticks(places, list(values))
    ax.invert_yaxis()
    for place, value in enumerate(values.values()):
        ax.annotate(f"{value:g}", (value, place), (4, 0), textcoords="offset points", va="center")
    ax.set_xlabel(unit)
    ax.margins(x=0.16)


def dots(ax: Axes, values: dict[str, float], unit: str) -> None:
    """One dot for each look on a logarithmic axis, which has no zero for bars; its number behind it."""
    ax.set_xscale("log")
    for place, (name, value) in enumerate(values.items()):
        ax.plot(value, place, LOOKS[name].marker, color=LOOKS[name].colour, markersize=8)
        text = f"{value:,.0f}" if value >= 10 else f"{value:.{3 if value >= 1 else 2}g}"
        ax.annotate(text, (value, place), (8, 0), textcoords="offset points", va="center")
    ax.set_yticks(range(len(values)), [NAMES[name] for name in values])
    ax.set_ylim(len(values) - 0.5, -0.5)
    ax.grid(axis="y", color=GRID)
    ax.set_xlabel(unit)


def by_size(ax: Axes, m: list[float], draws: list[float], designed: list[float]) -> None:
    """Draws and designs of m elements, both axes logarithmic."""
    for values, name in ((draws, "draws"), (designed, "design")):
        look = LOOKS[name]
        ax.loglog(m, values, color=look.colour, marker=look.marker, label=NAMES[name])
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
    rows = read_table("data/digits.csv", "learner", "way", "train, s")
    mine = [row for row in rows if (row["run"], row["learner"]) == ("first", "CNN")]
    found = {row["way"]: number(row["accuracy, %"]) for row in mine}
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
    rows = read_table("data/qm9.csv", "learner", "way", "train, s")
    mine = [row for row in rows if (row["run"], row["learner"]) == ("first", "kernel ridge")]
    found = {row["way"]: number(row["error, eV"]) for row in mine}
    values = {name: found[way] for name, way in ways.items()}
    bars(ax, values, [GREY, DRAWS, DRAWS, DRAWS, BLACK], "error of the energy, eV")


def rotations(ax: Axes) -> None:
    change = "change under rotation, 1e-3"
    rows = [r for r in read_table("data/rotations.csv", change) if r["learner"] == "turned"]
    mine = [[r for r in rows if r["way"].startswith(kind)] for kind in ("drawn", "design")]
    # 0.000 has no place on a logarithmic axis
    draws, designed = ([number(r[change]) or np.nan for r in found] for found in mine)
    by_size(ax, [number(r["rotations"]) for r in mine[1]], draws, designed)
    ax.set(xlabel="m, rotations averaged over", ylabel="change of the energy, 1e-3")


def distributed(ax: Axes) -> None:
    copies, ranks = 505, 3  # of examples/distributed.py: 101 images, 5 elements
    for rank, m in enumerate((4, 16, 64)):
        colour = LOOKS[f"one-shot-{m}"].colour
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
    rows = read_table("data/rates.csv", "group", "one-shot", "words", "streaming")
    for name, theory in (("words", -1), ("one-shot", -2), ("streaming", -4)):
        colour = LOOKS[name].colour
        ax.axhline(theory, color=GREY, linewidth=1)
        ax.plot([number(row[name]) for row in rows], "o", color=colour, markersize=4.5)
        ax.text(len(rows) + 0.5, theory, f"{name}\ntheory {theory}", color=colour, va="center")
    ax.set_xlim(-1, len(rows) + 9)
    ax.set_xticks([])
    ax.set(xlabel=f"{len(rows)} groups, from 16 to 2^1000 elements", ylabel="slope of calls in eps")


def deviation(ax: Axes) -> None:
    rows = read_table("data/deviation.csv", "group", "typical", "sharper bound")
    rows = [row for row in rows if re.fullmatch(r"S\d+", row["group"])]
    n = [int(row["group"][1:]) for row in rows]
    columns = {"bound": "a-priori-bound", "sharper bound": "sharp-bound", "mean": "deviation"}
    for column, name in columns.items():
        look, values = LOOKS[name], [number(row[column]) for row in rows]
        label = NAMES[name] + (", mean" if column == "mean" else " (95 %)")
        ax.plot(n, values, color=look.colour, marker=look.marker, label=label)
    ax.set(xlabel="n of the group S_n", ylabel="deviation of 64 draws", ylim=(0, 1.05))
    ax.figure.legend(loc="outside upper center", frameon=False, ncols=2, fontsize=9)


def certificates(ax: Axes) -> None:
    rows = read_table("certificates.md", "kind", "times the truth")
    found = {row["kind"].strip("`"): number(row["times the truth"]) for row in rows}
    names = ("a-priori", "spectral", "kernel", "words")
    values = {name: found[name] for name in names} | {"truth": 1.0}
    dots(ax, values, "bound / truth")
    ax.set_xlim(0.5, 3e7)


@cache
def measured_spectrum() -> sa.spectrum.Spectrum:
    """Of a network trained on digits without shifts, over the 64 periodic ones."""
    import torch
    from sklearn.datasets import load_digits

    images, labels = (torch.tensor(part) for part in load_digits(return_X_y=True))
    images = images.float().reshape(-1, 8, 8) / 16
    torch.manual_seed(0)
    layers = (torch.nn.Flatten(), torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10))
    net = torch.nn.Sequential(*layers, torch.nn.Softmax(1))
    optimizer = torch.optim.Adam(net.parameters(), 0.01)
    for _ in range(60):
        optimizer.zero_grad()
        torch.nn.functional.nll_loss(net(images[:1500]).log(), labels[:1500]).backward()
        optimizer.step()
    return sa.orbit_spectrum(net, sa.roll(sa.abelian(8, 8)), images[1500:1600])


def views(ax: Axes) -> None:
    spectrum = measured_spectrum()
    m = np.array([1, 2, 4, 8, 16, 32, 64])
    group = spectrum.group
    draws = [spectrum.predict(int(size)).rms for size in m]
    best = [
        spectrum.predict(sa.design(group, m=int(size), spectrum=spectrum)).rms for size in m[:-1]
    ]
    ax.loglog(m, draws, color=DRAWS, marker="o", label="m draws")
    ax.loglog(m[:-1], best, color=DESIGN, marker="s", label="a design of m, for the spectrum")
    ax.set_xticks(m, [str(size) for size in m])
    ax.set_yticks([0.05, 0.1, 0.2, 0.5], ["0.05", "0.1", "0.2", "0.5"])
    ax.minorticks_off()
    ax.set(xlabel="m, views averaged over", ylabel="rms error that is left")
    ax.legend(frameon=False)


def symmetry(ax: Axes) -> None:
    from sklearn.datasets import load_digits

    found = sa.test_invariance(load_digits().images[:100], sa.rotate_grid(sa.dihedral(4)))
    ax.hist(found.values[1:], 40, color=GREY)
    ax.axvline(found.values[0], color=BLACK, linewidth=2)
    ax.annotate(
        f"the digits as written\np = {found.pvalue:g}", (found.values[0], 0.8), (-8, 0),
        xycoords=("data", "axes fraction"), textcoords="offset points", ha="right", color=BLACK,
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
                colour = (DESIGN if side else FIELD) if (a, b) in chosen else GREY
                ax.scatter(b + 8 * side, a, 170 if (a, b) in chosen else 60, colour, linewidths=0)
        ax.text(8 * side + 2.5, 4.1, ("12 zipped", "24 crossed")[side], ha="center")
    ax.set(xlim=(-1, 14), ylim=(-0.8, 4.8))
    ax.set_axis_off()


def designs(ax: Axes) -> None:
    group = sa.symmetric(7)
    chosen, drawn = sa.design(group, degree=2), sa.Oracle(group, seed=0).draw(42)
    for S, look, label in (
        (drawn, "draws", "42 draws"),
        (chosen, "design", "a design of 42, AGL(1,7)"),
    ):
        levels = sa.profile(S).levels
        roots = [float(level.mean_square) ** 0.5 for level in levels]
        place = np.arange(len(levels)) + (0.2 if look == "design" else -0.2)
        ax.bar(place, roots, 0.38, color=LOOKS[look].colour, label=label)
    ax.set_xticks(range(len(levels)), [str(level.degree) for level in levels])
    ax.set(xlabel="degree: coordinates at a time", ylabel="root mean square left")
    ax.figure.legend(loc="outside upper center", frameon=False, ncols=2)


PICTURES: dict[str, Callable[[Axes], None]] = {
    "digits": digits,
    "qm9": qm9,
    "rotations": rotations,
    "distributed": distributed,
    "experiment": experiment,
    "rates": rates,
    "deviation": deviation,
    "certificates": certificates,
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
