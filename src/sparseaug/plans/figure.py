"""Oracle calls against eps, each method a line: tab:nonconvex-comparison as a picture."""

from __future__ import annotations

import math
import os
from io import BytesIO
from typing import TYPE_CHECKING, Any

from sparseaug._io import check_path, read_bytes, show_path, write_atomic
from sparseaug.errors import ArgumentError, need, shorten, shorten_text
from sparseaug.plans import Plan
from sparseaug.plans.table import format_count

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".png", ".pdf")

_LINES = {  # colours that stay apart for colour-blind readers (Okabe and Ito), and dashes
    "full": ("#444444", "-", "full group"),
    "streaming": ("#D55E00", "-", "streaming"),
    "one-shot": ("#0072B2", "-", "one-shot"),
    "one-shot sharp": ("#0072B2", (0, (3, 1.2)), "one-shot, sharper bound"),
    "words": ("#009E73", "-", "words"),
}
_POINTS = 81
_QUIET = "#AAAAAA"
_GREY: dict[str, Any] = {"color": "#666666", "fontsize": 9}


def save_plan_figure(plan: Plan, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """Draw the plan's oracle calls a factor of ten around its eps; the file is whole or absent.

    Args:
        plan: What `sparseaug.plan` returned.
        path: The file to write, which ends in .png or .pdf; a link is not written through.
        overwrite: Whether to replace a file that is there and is not this very figure.

    Raises:
        StorageError: There is another file, or it cannot be written.
        MissingPackageError: matplotlib is not installed.
    """
    target = check_path("path", path)
    suffix = target.suffix.lower()
    if suffix not in FORMATS:
        raise ArgumentError(f"path={show_path(target)} is not a figure; end it in .png or .pdf.")
    if not isinstance(plan, Plan):
        raise ArgumentError(f"plan={shorten(plan)} is not a Plan.")
    if "crossovers" not in plan.facts:
        raise ArgumentError(f"plan={shorten(plan)} is not for eps; give plan(group, eps=...).")
    figures = need("matplotlib.figure", "a figure", extra="sparseaug[report]")
    figure = _draw(plan, figures.Figure(figsize=(7.2, 4.4), dpi=200, layout="constrained"))
    data = figure_bytes(figure, suffix[1:])
    there = os.path.isfile(target) and not os.path.islink(target)
    if not there or read_bytes(target) != data:
        write_atomic(target, data, overwrite=overwrite, follow=False)


def _draw(plan: Plan, figure: Figure) -> Figure:
    axes, eps = figure.subplots(), plan.facts["eps"]
    grid = _grid(plan)
    curves = _curves(plan, grid)
    most = max(max(calls) for name, calls in curves.items() if name != "full")
    if most > 10**300:
        raise ArgumentError(f"eps={eps!r} makes too many calls to draw; raise eps.")
    above = curves["full"][0] > 30 * most  # it would leave no room for the others
    if above:
        del curves["full"]
    _frame(axes, plan)
    axes.axvline(eps, color="#AAAAAA", linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
    for name, calls in curves.items():
        colour, dashes, _ = _LINES[name]
        axes.plot(grid, calls, color=colour, linestyle=dashes, linewidth=1.8)
        axes.plot([eps], [plan.row(name).calls or 1], "o", color=colour, markersize=5)
    axes.set_xlim(grid[0], grid[-1])
    axes.set_ylim(min(map(min, curves.values())) / 2, 3 * max(map(max, curves.values())))
    _label(axes, {name: calls[-1] for name, calls in curves.items()}, grid[-1])
    if above:
        text = f"full group: {format_count(plan.facts['order'])} calls, above this figure"
        white = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
        axes.text(0.015, 0.97, text, transform=axes.transAxes, va="top", bbox=white, **_GREY)
    return figure


def _grid(plan: Plan) -> list[float]:
    """From rough to fine. For eps >= 2CB one element is enough, and the lines have ended."""
    eps, C, B = (plan.facts[name] for name in ("eps", "C", "B"))
    rough = max(min(10 * eps, 1.99 * C * B), 1.5 * eps)
    ratio = eps / 10 / rough
    return [rough * ratio ** (i / (_POINTS - 1)) for i in range(_POINTS)]


def _curves(plan: Plan, grid: list[float]) -> dict[str, list[int]]:
    plans = [plan.at(eps) for eps in grid]
    return {name: [each.row(name).calls or 1 for each in plans] for name in _LINES}


def _frame(axes: Axes, plan: Plan) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    p = plan.facts
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda eps, _: f"{eps:g}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel(r"gradient norm $\varepsilon$, finer to the right")
    axes.set_ylabel("oracle calls")
    name = shorten_text(p["group"], 40)
    axes.set_title(f"{name}: what accuracy costs", loc="left", fontweight="bold", pad=22)
    constants = (
        rf"$\delta$ = {p['delta']:g},  C = {p['C']:g},  B = {p['B']:g},  L = {p['L']:g},  "
        rf"gap = {p['gap']:g},  $\sigma$ = {p['sigma']:g},  b = {p['b']}"
    )
    axes.text(0, 1.02, constants, transform=axes.transAxes, va="bottom", **_GREY)
    axes.tick_params(which="both", labelsize=9)
    frame(axes)


def _label(axes: Axes, ends: dict[str, int], eps: float) -> None:
    """Names at the ends of the lines, pushed apart by pairs until none covers another."""
    low, high = (math.log10(limit) for limit in axes.get_ylim())
    apart = 0.055 * (high - low)
    names = sorted(ends, key=ends.__getitem__)
    heights = [math.log10(ends[name]) for name in names]
    for _ in range(200):
        for i in range(len(heights) - 1):
            short = max(0.0, apart - (heights[i + 1] - heights[i]))
            heights[i] -= short / 2
            heights[i + 1] += short / 2
        heights[0] = max(heights[0], low)
    for name, height in zip(names, heights, strict=True):
        colour, _, label = _LINES[name]
        place: dict[str, Any] = {"xytext": (8, 0), "textcoords": "offset points", "va": "center"}
        place |= {"fontsize": 9, "annotation_clip": False}
        axes.annotate(label, (eps, 10**height), color=colour, **place)


def frame(axes: Axes) -> None:
    """Two spines, a light grid, nothing else."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(_QUIET)
    axes.grid(True, which="major", color="#ECECEC", linewidth=0.6)
    axes.tick_params(which="both", color=_QUIET)
    axes.set_axisbelow(True)


def figure_bytes(figure: Figure, kind: str) -> bytes:
    """The figure as "pdf" or "png", the same bytes for the same data."""
    undated: dict[str, Any] = {"pdf": {"CreationDate": None}, "png": {"Software": None}}[kind]
    buffer = BytesIO()
    figure.savefig(buffer, format=kind, metadata=undated)
    return buffer.getvalue()
