"""The paper's figure (fig:kernel-permutation) in four panels: two risks, stationarity, calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sparseaug.report.figure import frame, new_figure, plain, title
from sparseaug.report.results import MethodResult, Results, mean_and_sd
from sparseaug.report.style import Look, looks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PANELS = (
    ("train_risk", "fully augmented training risk"),
    ("test_risk", "permutation-averaged test risk"),
    ("gradient_norm", "full-gradient norm"),
)


def draw_figure(results: Results) -> Figure:
    """Draw means over seeds, with one standard deviation as a band or a bar."""
    figure = new_figure(height=5.0)
    axes = figure.subplots(2, 2).flat
    style = looks(results.methods)
    for panel, (quantity, name), letter in zip(axes, _PANELS, "abc", strict=False):
        for method in results.methods.values():
            _curve(panel, method, quantity, style[method.name])
        frame(panel)
        panel.set_xlabel("iteration")
        title(panel, letter, name)
    for panel, quantity in ((axes[0], "train_risk"), (axes[1], "test_risk")):
        _zoom(panel, results, quantity)
    _log_of_positive(axes[2], results)
    _cost(axes[3], results, style)
    _legend(figure, results, style)
    return figure


def _curve(axes: Axes, method: MethodResult, quantity: str, look: Look) -> None:
    mean, spread = mean_and_sd(method.curves[quantity])
    axes.plot(
        method.step,
        mean,
        color=look.colour,
        linestyle=(0, look.dash) if look.dash else "-",
        linewidth=1.5,
        zorder=4 if method.name == "full" else 3,  # its dashes show what lies beneath
    )
    low = mean - spread
    if quantity == "gradient_norm":  # on its log axis the band is even in ratio, and never at zero
        low = np.divide(mean**2, mean + spread, out=np.zeros_like(mean), where=mean + spread > 0)
    axes.fill_between(method.step, low, mean + spread, color=look.colour, alpha=0.11, linewidth=0)


def _zoom(axes: Axes, results: Results, quantity: str) -> None:
    """Start at zero, and let the first fifth leave at the top: it would flatten the rest."""
    tops = []
    for method in results.methods.values():
        mean, spread = mean_and_sd(method.curves[quantity])
        tops.append((mean + spread)[method.step >= 0.2 * method.step[-1]].max())
    axes.set_ylim(0, 1.15 * max(tops) or 1)


def _log_of_positive(axes: Axes, results: Results) -> None:
    """A log axis, if any mean is above zero; the means set its limits, not bands that reach zero."""
    means = np.concatenate(
        [mean_and_sd(m.curves["gradient_norm"])[0] for m in results.methods.values()]
    )
    if (means > 0).any():
        axes.set_yscale("log", nonpositive="clip")
        axes.set_ylim(means[means > 0].min() / 1.6, means.max() * 1.6)


def _cost(axes: Axes, results: Results, style: dict[str, Look]) -> None:
    """Final test risk at each method's calls; no calls at all is a level, not a point."""
    for method in results.methods.values():
        look = style[method.name]
        mean, spread = mean_and_sd(method.curves["test_risk"])
        if method.oracle_calls == 0:
            axes.axhline(mean[-1], color=look.colour, linestyle=(0, look.dash or (4, 2)))
            axes.axhspan(
                mean[-1] - spread[-1], mean[-1] + spread[-1], color=look.colour, alpha=0.13, lw=0
            )
            continue
        paid = method.calls > 0
        if method.name == "streaming" and paid.sum() > 1:
            axes.plot(method.calls[paid], mean[paid], color=look.colour, linewidth=1.2, zorder=2)
        axes.errorbar(
            [method.oracle_calls],
            mean[-1:],
            yerr=spread[-1:],
            color=look.colour,
            marker=look.marker,
            markersize=4.5,
            capsize=2.5,
            elinewidth=1,
            zorder=4,
        )
    frame(axes)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    ends = [mean_and_sd(m.curves["test_risk"]) for m in results.methods.values()]
    axes.set_ylim(0, 1.25 * max(mean[-1] + spread[-1] for mean, spread in ends) or 1)
    axes.set_xlabel("oracle calls")
    title(axes, "d", "final test risk against oracle calls")


def _legend(figure: Figure, results: Results, style: dict[str, Look]) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D(
            [],
            [],
            color=look.colour,
            linestyle=(0, look.dash) if look.dash else "-",
            marker=None if results.methods[name].oracle_calls == 0 else look.marker,
            markersize=4,
            linewidth=1.5,
            label=plain(look.label),
        )
        for name, look in style.items()
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=min(3, len(handles)))
