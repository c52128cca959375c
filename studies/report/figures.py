"""The charts on paper: the paper's figure (fig:kernel-permutation), certificates, designs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from studies.paper.comparison import Comparison
from studies.paper.results import Results
from studies.report.charts import (
    TRUTH,
    Chart,
    Series,
    certificate_charts,
    design_charts,
    method_charts,
)
from studies.report.looks import frame, new_figure, plain, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLUMNS = 2
_BARS: dict[str, Any] = {"capsize": 2.5, "elinewidth": 1, "zorder": 4}


def draw_figure(results: Results) -> Figure:
    """Draw means over seeds, with one standard deviation as a band or a bar."""
    charts = [chart for chart in method_charts(results) if chart.panel]
    figure, panels = _grid(len(charts), height=2.5)
    for axes, chart in zip(panels, charts, strict=True):
        if chart.log_x:
            _cost(axes, chart)
        else:
            _curves(axes, chart, alpha=0.11)
            _zoom(axes, chart)
    _name(panels, charts)
    legend = [
        _handle(each, each.label, marker=None if each.kind == "level" else each.look.marker)
        for each in charts[-1].series
    ]
    figure.legend(handles=legend, loc="outside upper center", ncols=min(3, len(legend)))
    return figure


def draw_certificates(results: Results) -> Figure:
    """One panel for each certified method, on a common log axis, and the deviations last."""
    charts = certificate_charts(results)
    figure, panels = _grid(len(charts), height=2.4, legend=0.5)
    for axes, chart in zip(panels[:-1], charts, strict=False):
        _curves(axes, chart, alpha=0.15)
        axes.set_yscale("log")
    limits = [axes.get_ylim() for axes in panels[:-1]]
    for axes in panels[:-1]:
        axes.set_ylim(min(low for low, _ in limits), max(high for _, high in limits))
    _deviations(panels[-1], charts[-1])
    _name(panels, charts)
    series = {each.group: each for chart in charts[:-1] for each in chart.series}
    truth = series.pop(TRUTH)
    legend = [_handle(each, f"{each.label} bound") for each in series.values()]
    legend.append(_handle(truth, truth.label))
    figure.legend(handles=legend, loc="outside upper center", ncols=min(3, len(legend)))
    return figure


def draw_designs(found: Comparison) -> Figure:
    """Designs and draws against m, with one standard deviation over the seeds as a bar."""
    charts = design_charts(found)
    figure, panels = _grid(len(charts), height=2.5, columns=len(charts))
    for axes, chart in zip(panels, charts, strict=True):
        _against(axes, chart)
        axes.set_xticks(chart.series[0].x, [f"{size:g}" for size in chart.series[0].x])
        axes.minorticks_off()
    _name(panels, charts)
    names = ", ".join(f"{size.design} at {size.m}" for size in found.sizes)
    _legend(figure, charts)
    figure.supxlabel(plain(f"designs: {names}", 200), fontsize=7)
    return figure


def draw_products(charts: list[Chart]) -> Figure:
    """Where runs end against the oracle calls."""
    from matplotlib.ticker import LogLocator, NullFormatter

    figure, panels = _grid(len(charts), height=2.6)
    for axes, chart in zip(panels, charts, strict=True):
        _against(axes, chart)
        axes.xaxis.set_major_formatter("{x:g}")
        if chart.panel_log:
            axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axes.yaxis.set_major_formatter("{x:g}")
            axes.yaxis.set_minor_formatter(NullFormatter())
    _name(panels, charts)
    _legend(figure, charts, columns=3)
    return figure


def _against(axes: Axes, chart: Chart) -> None:
    """Series at their sizes or calls, on a log axis; levels as lines."""
    for each in chart.series:
        if each.kind == "level":
            axes.axhline(each.mean[-1], color=each.look.colour, linestyle=(0, each.look.dash))
            continue
        low, high = each.band(log=chart.panel_log)
        bars = np.stack([each.mean - low, high - each.mean])
        style = _ink(each) if each.kind == "line" else {"color": each.look.colour, "ls": "none"}
        style |= {"marker": each.look.marker, "markersize": 4}
        axes.errorbar(each.x, each.mean, yerr=bars, **style, **_BARS)
    axes.set_xscale("log")
    if chart.panel_log and all((each.mean > 0).all() for each in chart.series):
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)


def _legend(figure: Figure, charts: Iterable[Chart], columns: int | None = None) -> None:
    """One entry for each label of all panels."""
    drawn = {each.label: each for chart in charts for each in chart.series}
    legend = [
        _handle(each, each.label, marker=None if each.kind == "level" else each.look.marker)
        for each in drawn.values()
    ]
    figure.legend(handles=legend, loc="outside upper center", ncols=columns or len(legend))


def _grid(
    count: int, *, height: float, legend: float = 0.0, columns: int = _COLUMNS
) -> tuple[Figure, list[Axes]]:
    """A figure with so many panels, so many in a row; what is left over stays empty."""
    rows = -(-count // columns)
    figure = new_figure(height=height * rows + legend)
    panels = list(figure.subplots(rows, columns, squeeze=False).flat)
    for empty in panels[count:]:
        empty.set_axis_off()
    return figure, panels[:count]


def _name(panels: Iterable[Axes], charts: Iterable[Chart]) -> None:
    """Letter, title and horizontal axis of each panel."""
    for i, (axes, chart) in enumerate(zip(panels, charts, strict=True)):
        frame(axes)
        axes.set_xlabel(chart.x_label.replace("|S|", "$|S|$"))
        deviation = r"deviation $\|\Pi_S - \Pi_G\|$"
        title(axes, chr(ord("a") + i % 26), plain(chart.panel, 60) if chart.panel else deviation)


def _curves(axes: Axes, chart: Chart, *, alpha: float) -> None:
    for each in chart.series:
        axes.plot(each.x, each.mean, **_ink(each), zorder=4 if each.look.above else 3)
        low, high = each.band(log=chart.panel_log)
        axes.fill_between(each.x, low, high, color=each.look.colour, alpha=alpha, linewidth=0)


def _zoom(axes: Axes, chart: Chart) -> None:
    """Let the means set the limits of a log axis, not bands that reach zero.

    A linear one starts at zero, and the first fifth may leave at the top: it would flatten the rest.
    """
    means = np.concatenate([each.mean for each in chart.series])
    if not chart.panel_log:
        tops = [each.band()[1][each.x >= 0.2 * each.x[-1]].max() for each in chart.series]
        axes.set_ylim(0, 1.15 * max(tops) or 1)
    elif (means > 0).any():
        axes.set_yscale("log", nonpositive="clip")
        axes.set_ylim(means[means > 0].min() / 1.6, means.max() * 1.6)


def _cost(axes: Axes, chart: Chart) -> None:
    """Each method at its calls, on a linear axis from zero."""
    for each in chart.series:
        colour, (low, high) = each.look.colour, each.band()
        if each.kind == "level":
            axes.axhline(each.mean[-1], color=colour, linestyle=(0, each.look.dash or (4, 2)))
            axes.axhspan(low[-1], high[-1], color=colour, alpha=0.13, lw=0)
            continue
        if each.kind == "line":
            axes.plot(each.x, each.mean, color=colour, linewidth=1.2, zorder=2)
        end = each.x[-1:], each.mean[-1:], each.sd[-1:]
        axes.errorbar(*end, color=colour, marker=each.look.marker, markersize=4.5, **_BARS)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_ylim(0, 1.25 * max(each.band()[1][-1] for each in chart.series) or 1)


def _deviations(axes: Axes, chart: Chart) -> None:
    """Bounds as lines; of the deviation every seed, side by side."""
    for each in chart.series:
        label = each.label.removeprefix("deviation: ")
        if each.kind == "line":
            axes.plot(each.x, each.mean, **_ink(each), marker=each.look.marker, ms=4, label=label)
            continue
        beside = np.linspace(0.93, 1.07, len(each.rows)) if len(each.rows) > 1 else np.ones(1)
        dots: dict[str, Any] = {"color": each.look.colour, "alpha": 0.55, "ms": 3.5, "mew": 0}
        axes.plot([], [], "o", **dots, label=label)
        for size, column in zip(each.x, each.rows.T, strict=True):
            axes.plot(size * beside, column, "o", **dots)
        axes.set_xscale("log")
        axes.set_xticks(each.x, [f"{size:g}" for size in each.x])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.legend(loc="best", fontsize=7)


def _ink(series: Series) -> dict[str, Any]:
    dash = series.look.dash
    return {"color": series.look.colour, "linestyle": (0, dash) if dash else "-", "linewidth": 1.5}


def _handle(series: Series, label: str, *, marker: str | None = None) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], **_ink(series), marker=marker, markersize=4, label=plain(label))
