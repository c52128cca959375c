"""The picture of the first page, from the results of the paper's experiment.

    make paper && python -m studies.pages.picture paper docs/overview.png

What S is, how many elements are needed, and what is proved of it: all numbers are read from the folder.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np

import sparseaug as sa
from studies.pages.gallery import dots
from studies.paper import read_comparison, read_results
from studies.report.looks import GREY, LOOKS, NAMES

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

BOUNDS = ("a-priori", "spectral", "landmarks")


def show_sample(ax: Axes) -> None:
    """All 720 orderings as dots, those of S in colour."""
    S = sa.Oracle(sa.symmetric(6), seed=0).draw(64)
    chosen = np.isin(np.arange(720), S.group.rank(S.elements))
    x, y = np.divmod(np.arange(720), 24)
    ax.scatter(x[~chosen], y[~chosen], 9, GREY, linewidths=0)
    ax.scatter(x[chosen], y[chosen], 24, LOOKS["one-shot-64"].colour, linewidths=0)
    ax.set_axis_off()
    ax.set_title("720 orderings of six numbers,\nand S: 64 of them, drawn once")


def show_sizes(ax: Axes, folder: Path) -> None:
    """The error of the gradient against m, for draws and designs."""
    found = read_comparison(folder)
    if found is None:
        raise SystemExit(f"{folder} has no designs.json; make paper writes it.")
    sizes = found.sizes
    for kind in ("draws", "design"):
        means = [size.by_seed(kind, "discrepancy").mean() for size in sizes]
        line = {"color": LOOKS[kind].colour, "marker": LOOKS[kind].marker, "label": NAMES[kind]}
        ax.loglog([s.m for s in sizes], means, **line)
    ax.set_xticks([size.m for size in sizes], [str(size.m) for size in sizes], minor=False)
    ax.minorticks_off()
    ax.set_xlabel("m, elements in S")
    ax.legend(frameon=False)
    ax.set_title("how far the gradient over S is\nfrom the one over all 720")


def show_bounds(ax: Axes, folder: Path) -> None:
    """What is proved of the gradient over the group at the end of training, beside the truth."""
    found = read_results(folder)
    certificates = found.certificates["one-shot-64"].values
    truth = np.median(found.methods["one-shot-64"].curves["gradient_norm"][:, -1])
    values = {name: float(np.median(certificates[name][:, -1])) for name in BOUNDS}
    dots(ax, values | {"truth": float(truth)}, "")
    ax.set_xlim(0.01, 1e6)
    ax.set_title("what is proved of the gradient\nover all 720, after training on S")


def main() -> None:
    folder, out = Path(sys.argv[1]), Path(sys.argv[2])
    plt.rcParams.update({"font.size": 10, "axes.spines.top": False, "axes.spines.right": False})
    for shape, size, path in (
        ((1, 3), (11, 3.3), out),
        ((3, 1), (4, 9.4), out.with_stem(f"{out.stem}-narrow")),  # for telephones
    ):
        figure, axes = plt.subplots(*shape, figsize=size, layout="constrained")
        show_sample(axes[0])
        show_sizes(axes[1], folder)
        show_bounds(axes[2], folder)
        figure.savefig(path, dpi=110, facecolor="white")


if __name__ == "__main__":
    main()
