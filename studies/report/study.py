"""From the study's results.json to what a person opens: csv files, figures and study.html.

Findings, tables and panels are data; nothing here knows what was measured.
"""

from __future__ import annotations

import csv
import io
import itertools
import os
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sparseaug._io import check_path
from sparseaug.errors import MissingPackageError
from studies.paper.folder import using
from studies.rates import Finding, Line, Panel, Summary, Table, read_study
from studies.report.charts import Chart, Series
from studies.report.looks import (
    LOOKS,
    SPARE,
    Look,
    figure_bytes,
    figure_style,
    frame,
    new_figure,
    plain,
    title,
)
from studies.report.markup import Markup, json_block, tag
from studies.report.owned import require_ours, write_owned
from studies.report.page import document, panel
from studies.report.tables import table

if TYPE_CHECKING:
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

_TITLE = "The paper's rates and bounds, measured"
_DASHES = ((4, 2), (1, 1.4))
_MARKERS = "vP*X<"  # of further lines of one kind in a panel
_FEW = 6  # places on a logarithmic axis that are labelled themselves


def write_study(folder: str | os.PathLike[str]) -> list[Path]:
    """Write a csv file for each table, a figure for each part as .pdf and .png, and study.html.

    Everything is drawn before anything is written. Without matplotlib there are no figures.

    Args:
        folder: What `studies.paper.run_study` wrote to.

    Returns:
        The paths in the order written, the page last.

    Raises:
        FileFormatError: The results are damaged.
        StorageError: There are no results, or a file is in the way that was not written here.
    """
    path = check_path("folder", folder)
    data = read_study(path)
    names = list(data["parts"])
    parts = [(p["title"], Summary.from_dict(p["summary"])) for p in data["parts"].values()]
    files = {f"{each.name}.csv": _csv(each) for _, part in parts for each in part.tables}
    try:
        with figure_style():
            drawn = [
                (name, part) for name, (_, part) in zip(names, parts, strict=True) if part.panels
            ]
            for name, part in drawn:
                for kind in ("pdf", "png"):
                    files[f"{name}.{kind}"] = figure_bytes(draw_panels(part.panels), kind)
    except MissingPackageError:
        pass
    files["study.html"] = _page(data, parts).encode()
    write_owned(path, files)
    return [path / name for name in files]


def check_study(folder: str | os.PathLike[str]) -> None:
    """Raise a `StorageError` if a file is there that `write_study` would not replace."""
    path = check_path("folder", folder)
    with using(path):
        present = sorted(each.name for each in path.glob("*") if each.suffix in _OURS)
    require_ours(path, present)


_OURS = (".csv", ".pdf", ".png", ".html")


def _csv(given: Table) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(given.columns)
    writer.writerows([["" if cell is None else cell for cell in row] for row in given.rows])
    return text.getvalue().encode()


def draw_panels(panels: Sequence[Panel]) -> Figure:
    """All panels, two in a row, each with its legend below it."""
    columns = min(2, len(panels))
    rows = -(-len(panels) // columns)
    figure = new_figure(height=3.4 * rows)
    axes = list(figure.subplots(rows, columns, squeeze=False).flat)
    for empty in axes[len(panels) :]:
        empty.set_axis_off()
    for i, (ax, given, looks) in enumerate(zip(axes, panels, _looks(panels), strict=False)):
        frame(ax)
        for line, look in zip(given.lines, looks, strict=True):
            series = _series(line, look)
            style: dict[str, Any] = {"color": look.colour, "label": plain(line.label)}
            dash = (0, look.dash) if look.dash else "-"
            marker = "" if line.dashed else look.marker
            joined = "none" if line.kind == "points" else dash
            ax.plot(
                line.x, series.mean, marker=marker, ms=3, linestyle=joined, linewidth=1.3, **style
            )
            if len(line.rows) > 1:
                low, high = series.band(log=given.log_y)
                ax.fill_between(line.x, low, high, color=look.colour, alpha=0.12, lw=0)
        ax.set_xscale("log" if given.log_x else "linear")
        ax.set_yscale("log" if given.log_y else "linear", **_clip(given))
        ax.set_xlabel(plain(given.x_label))
        for axis, log in ((ax.xaxis, given.log_x), (ax.yaxis, given.log_y)):
            if log:
                _label_log(axis)
        places = sorted({x for line in given.lines for x in line.x})
        if given.log_x and len(places) <= _FEW:
            ax.set_xticks(places, [f"{x:g}" for x in places])
            ax.set_xticks([], minor=True)
        if ax.get_legend_handles_labels()[1]:
            below: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.2)}
            ax.legend(fontsize=7, ncols=2, frameon=False, **below)
        title(ax, chr(ord("a") + i % 26), plain(given.title, 60))
    return figure


def _label_log(axis: Axis) -> None:
    """Over less than two decades 1, 2 and 5 are labelled; within 0.01 and 10,000 as plain numbers."""
    from matplotlib.ticker import LogLocator

    low, high = axis.get_view_interval()
    if low >= 0.005 and high <= 20_000:
        axis.set_major_formatter("{x:g}")
        axis.set_minor_formatter("{x:g}" if high < 100 * low else "")
        if high < 100 * low:
            axis.set_minor_locator(LogLocator(subs=(2, 5)))
    else:
        axis.set_minor_formatter("")


def _clip(given: Panel) -> dict[str, Any]:
    return {"nonpositive": "clip"} if given.log_y else {}


def _looks(panels: Sequence[Panel]) -> list[list[Look]]:
    """A look for each line: that of its kind, the label up to a comma or colon, in every panel.

    Kinds that `LOOKS` knows have their own; others take the spare ones in turn.
    """
    found: dict[str, Look] = dict(LOOKS)
    spare = itertools.cycle(SPARE)
    looks = []
    for given in panels:
        times: Counter[tuple[str, bool]] = Counter()
        row = []
        for line in given.lines:
            kind = re.split("[,:]", line.label)[0]
            if kind not in found:
                found[kind] = next(spare)
            known, before = found[kind], times[kind, line.dashed]
            times[kind, line.dashed] += 1
            dash = _DASHES[before % len(_DASHES)] if line.dashed else ()
            marker = _MARKERS[(before - 1) % len(_MARKERS)] if before else known.marker
            row.append(Look(known.colour, known.dark, dash, marker))
        looks.append(row)
    return looks


def _page(data: dict[str, Any], parts: Sequence[tuple[str, Summary]]) -> str:
    charts: list[Chart] = []
    sections: list[Markup] = []
    for heading, summary in parts:
        sections += [tag("h2", heading), _findings(summary.findings)]
        for given, looks in zip(summary.panels, _looks(summary.panels), strict=True):
            chart = _chart(given, looks)
            sections.append(panel([chart], first=len(charts), label=f"lines of {given.title}"))
            charts.append(chart)
        for each in summary.tables:
            rows = [[_cell(cell) for cell in row] for row in each.rows]
            sections += [tag("h3", each.title, class_="space"), tag("p", each.note, class_="soft")]
            sections.append(table(each.columns, rows, label=each.title))
    short = "This is a quick study: small groups, few draws." if data["config"]["quick"] else ""
    title = parts[0][0] if len(parts) == 1 else _TITLE
    body = tag(
        "main",
        tag("h1", title),
        tag("p", _LEAD, class_="lead"),
        tag("p", short),
        *sections,
        json_block("data", [chart.to_dict() for chart in charts]),
    )
    return document(body, title)


_LEAD = (
    "Every number below is measured against exact truth: means over the whole group by enumeration, "
    "permanents, products of cosh or integration, and verified spectral norms. Intervals are 95 %, over "
    "seeds. A bound is a bound; what is marked as typical or predicted is an expectation and promises "
    "nothing."
)


def _findings(findings: Sequence[Finding]) -> Markup:
    rows = []
    for each in findings:
        word, mark = {
            True: ("holds", "✓ holds"),
            False: ("fails", "✗ not shown"),
            None: ("", "measured"),
        }[each.holds]
        said = tag("div", tag("p", each.text), tag("p", each.measured, class_="soft"))
        rows.append(tag("li", tag("span", mark, class_=f"verdict {word}".rstrip()), said))
    return tag("ul", *rows, class_="claims")


def _chart(given: Panel, looks: Sequence[Look]) -> Chart:
    series = [_series(line, look) for line, look in zip(given.lines, looks, strict=True)]
    return Chart(given.title, given.x_label, series, log=given.log_y, log_x=given.log_x)


def _series(line: Line, look: Look) -> Series:
    x, rows = np.array(line.x), np.array(line.rows)
    spread = "sd" if len(rows) > 1 else ""
    return Series(line.label, line.label, look, x, rows, line.kind, spread)


def _cell(value: Any) -> str:
    if value is None:
        return "\N{EN DASH}"
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 1e5 else f"{value:.1e}"
    return str(value)
