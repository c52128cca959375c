"""Three pictures of the documentation that are computed, not read from a table.

    python -m studies.pages.computed

They are docs/howto/spectrum.png, docs/howto/symmetry_test.png and docs/constructions.png.
"""

from __future__ import annotations

from functools import cache

import matplotlib as mpl
import numpy as np

import sparseaug as sa
from studies.pages.tables import DOCS
from studies.report.looks import GREY, LOOKS

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

DRAWS, DESIGN, BLACK = (LOOKS[name].colour for name in ("draws", "design", "truth"))


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


def main() -> None:
    plt.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False})
    for name, draw in {"howto/symmetry_test": symmetry, "constructions": designs}.items():
        figure, axes = plt.subplots(figsize=(4.6, 2.9), layout="constrained")
        draw(axes)
        figure.savefig(DOCS / f"{name}.png", dpi=140, facecolor="white")
        plt.close(figure)
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.6), layout="constrained")
    measured_spectrum().plot(axes[0])
    views(axes[1])
    figure.savefig(DOCS / "howto/spectrum.png", dpi=110, facecolor="white")


if __name__ == "__main__":
    main()
