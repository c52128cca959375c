"""What the paper could not show: certified bounds beside the true norm, and S beside its bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sparseaug.report.figure import frame, new_figure, plain, title
from sparseaug.report.results import BOUNDS, Array, Results, mean_and_sd
from sparseaug.report.style import BOUND_LOOKS, DEVIATION_LOOKS, Look, looks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLUMNS = 2


def draw_certificates(results: Results) -> Figure:
    """One panel for each certified method, on a common log axis, and the deviations last."""
    names = list(results.certificates)
    rows = -(-(len(names) + 1) // _COLUMNS)
    figure = new_figure(height=2.4 * rows + 0.3)
    grid = figure.subplots(rows, _COLUMNS, squeeze=False)
    panels = list(grid.flat)
    letters = "abcdefghijklmnopqrstuvwxyz"
    style = looks(results.methods)
    for panel, name, letter in zip(panels, names, letters, strict=False):
        _bounds(panel, results, name)
        title(panel, letter, f"{plain(style[name].label)}: full-gradient norm")
    _share_height(panels[: len(names)])
    last = panels[len(names)]
    _deviations(last, results)
    title(last, letters[len(names) % 26], r"deviation $\|\Pi_S - \Pi_G\|$")
    for empty in panels[len(names) + 1 :]:
        empty.set_axis_off()
    _legend(figure, results)
    return figure


def _bounds(axes: Axes, results: Results, name: str) -> None:
    certificate, method = results.certificates[name], results.methods[name]
    _line(axes, method.step, method.curves["gradient_norm"], BOUND_LOOKS["truth"])
    for key in BOUNDS:
        if key in certificate.bounds:
            _line(axes, certificate.step, certificate.bounds[key], BOUND_LOOKS[key])
    axes.set_yscale("log")
    frame(axes)
    axes.set_xlabel("iteration")


def _line(axes: Axes, step: Array, curves: Array, look: Look) -> None:
    """The mean, and the range over all seeds: a bound is judged by its worst seed."""
    mean, _ = mean_and_sd(curves)
    dashes = (0, look.dash) if look.dash else "-"
    axes.plot(step, mean, color=look.colour, linestyle=dashes, linewidth=1.5)
    low, high = curves.min(axis=0), curves.max(axis=0)
    axes.fill_between(step, low, high, color=look.colour, alpha=0.15, linewidth=0)


def _share_height(panels: list[Axes]) -> None:
    limits = [panel.get_ylim() for panel in panels]
    for panel in panels:
        panel.set_ylim(min(low for low, _ in limits), max(high for _, high in limits))


def _deviations(axes: Axes, results: Results) -> None:
    certificates = results.certificates
    sizes = [float(results.methods[name].oracle_calls) for name in certificates]
    order = np.argsort(sizes, kind="stable")
    names = [list(certificates)[i] for i in order]
    sizes = [sizes[i] for i in order]
    for key, values in (
        ("a_priori", [certificates[name].a_priori_bound for name in names]),
        ("sharp", [certificates[name].sharp_bound for name in names]),
    ):
        look = DEVIATION_LOOKS[key]
        known = [(m, value) for m, value in zip(sizes, values, strict=True) if value is not None]
        axes.plot(
            [m for m, _ in known],
            [value for _, value in known],
            color=look.colour,
            linestyle=(0, look.dash),
            marker=look.marker,
            markersize=4,
            label=look.label,
        )
    look = DEVIATION_LOOKS["measured"]
    for m, name in zip(sizes, names, strict=True):
        each = certificates[name].deviation
        beside = np.linspace(0.93, 1.07, len(each)) if len(each) > 1 else np.ones(1)
        label = look.label if name == names[0] else None
        axes.plot(m * beside, each, "o", color=look.colour, alpha=0.55, ms=3.5, mew=0, label=label)
    axes.set_xscale("log")
    axes.set_xticks(sizes, [f"{m:g}" for m in sizes])
    axes.minorticks_off()
    axes.set_xlabel(r"oracle calls $|S|$")
    axes.set_ylim(bottom=0)
    frame(axes)
    axes.legend(loc="best", fontsize=7)


def _legend(figure: Figure, results: Results) -> None:
    from matplotlib.lines import Line2D

    shown = [key for key in BOUNDS if any(key in c.bounds for c in results.certificates.values())]
    handles = [
        Line2D(
            [], [], color=look.colour, linestyle=(0, look.dash) if look.dash else "-", label=name
        )
        for name, look in (
            (BOUND_LOOKS[key].label + (" bound" if key != "truth" else ""), BOUND_LOOKS[key])
            for key in [*shown, "truth"]
        )
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
