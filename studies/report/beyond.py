"""Sections of report.html beyond the paper: products, batches of streaming, first steps, starts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from studies.paper.beyond import BATCHES, CALLS, FIRST
from studies.report.charts import Chart, Series
from studies.report.looks import Look, looks
from studies.report.markup import Markup, tag
from studies.report.tables import table

PAPER = (
    "Sparse Data Augmentation for Optimization with Provable Guarantees",
    "Behrooz Tahmasebi and Melanie Weber",
)
"""Title and authors."""

_ENDS = {"test_risk": "final test risk", "gradient_norm": "final full-gradient norm"}
_SHOWN = (0, 1, 2, 5, 10, 20, 30, 40)  # of the first steps
_CURVES = (  # of the first steps
    "none",
    "4 draws",
    "64 draws",
    f"products of {CALLS[-1]}",
    *(f"streaming, b = {b}" for b in BATCHES),
    "full group",
)


def credit() -> Markup:
    """Whose experiment it is."""
    title, authors = PAPER
    return tag("p", f"The experiment is that of {authors}, {title}.", class_="soft")


def call_charts(found: dict[str, Any]) -> list[Chart]:
    """Where runs end against the oracle calls: draws, products, streaming, and two levels."""
    labels = {
        "draws": "m draws",
        "products": "products of a few draws",
        "streaming": "streaming, b = 1 and 8",
        "full": "full group",
        "none": "no augmentation",
    }
    style, charts = looks(labels), []
    for name, label in _ENDS.items():
        series = []
        for kind, words in labels.items():
            rows = [row for row in found["rows"].values() if row["kind"] == kind]
            x = np.array([float(row["calls"]) for row in rows])
            ends = np.array([row[name] for row in rows]).T
            drawn = {"streaming": "points", "full": "level", "none": "level"}.get(kind, "line")
            series.append(Series(f"beyond:{kind}", words, style[kind], x, ends, drawn))
        title, log = label[:1].upper() + label[1:], name == "gradient_norm"
        charts.append(
            Chart(title, "oracle calls", series, log=log, log_x=True, panel=label, panel_log=log)
        )
    return charts


def first_charts(found: dict[str, Any]) -> list[Chart]:
    """The full-gradient norm at each of the first steps."""
    style = _first_looks()
    series = []
    for name in _CURVES:
        rows = np.array(found["rows"][name]["first"])
        steps = np.arange(float(rows.shape[1]))
        series.append(Series(f"first:{name}", name, style[name], steps, rows))
    label = f"full-gradient norm, first {FIRST} steps"
    return [Chart(label[:1].upper() + label[1:], "iteration", series)]


def _first_looks() -> dict[str, Look]:
    known = ("none", "one-shot-4", "one-shot-64", "products", "streaming", "streaming-8", "full")
    return dict(zip(_CURVES, looks(known).values(), strict=True))


def sections(found: dict[str, Any], calls: Markup, first: Markup) -> Iterator[Markup]:
    """All of them, around the charts of `call_charts` and `first_charts`."""
    rows = found["rows"]
    seeds = len(next(iter(rows.values()))["test_risk"])
    yield tag("h2", "Fewer oracle calls: all subproducts of a few draws")
    yield tag(
        "p",
        "Not in the paper: S holds all 2^c ordered subproducts of c draws, with the mean-square error "
        "of 2^c draws for c calls. The curves show where each run ends, means and one standard "
        f"deviation over {seeds} seeds; the table has mean and median.",
        class_="soft",
    )
    yield calls
    yield tag("h3", "Draws, products and batches", class_="space")
    yield _ends_table(rows)
    yield tag("p", _fluctuation(rows), class_="soft")
    yield tag("h2", f"The first {FIRST} steps")
    yield tag(
        "p",
        f"Curves are means over {seeds} seeds with one standard deviation; the table has medians.",
        class_="soft",
    )
    yield first
    yield tag("h3", "Median of the full-gradient norm", class_="space")
    steps = [[name, *(f"{_at(row, step):.3g}" for step in _SHOWN)] for name, row in rows.items()]
    yield table(["S", *(f"step {step}" for step in _SHOWN)], steps, label="The first steps")
    yield tag("h2", "What depends on the start")
    yield tag(
        "p",
        "The paper does not give the standard deviation of its start. Claims of the paper that hold "
        f"from others, over {seeds} seeds each, and entries clipped in all runs and steps.",
        class_="soft",
    )
    yield _starts_table(found["starts"])


def _ends_table(rows: dict[str, Any]) -> Markup:
    head = ["S", "oracle calls", "elements"]
    head += ["test risk: mean", "median", "full-gradient norm: mean", "median"]
    head += ["late spread: mean", "entries clipped"]
    body = []
    for name, row in rows.items():
        cells = [name, f"{row['calls']:,}", f"{row['elements']:,}"]
        for what in _ENDS:
            cells += [f"{np.mean(row[what]):.4f}", f"{np.median(row[what]):.4f}"]
        body.append([*cells, f"{np.mean(row['late_spread']):.2f}", f"{sum(row['clipped']):,}"])
    return table(head, body, label="Draws, products and batches")


def _starts_table(starts: Sequence[dict[str, Any]]) -> Markup:
    lines = [
        [
            f"{one['init_std']:g}",
            f"{one['of'] - len(one['missed'])} of {one['of']}",
            f"{one['clipped']:,}",
            " ".join(one["missed"]) or "\N{EN DASH}",
        ]
        for one in starts
    ]
    head = ["init_std", "claims that hold", "entries clipped", "not shown"]
    return table(head, lines, label="Starts", numbers=False)


def _at(row: dict[str, Any], step: int) -> float:
    return float(np.median([norms[step] for norms in row["first"]]))


def _fluctuation(rows: dict[str, Any]) -> str:
    """Whether streaming's fluctuation comes from b."""
    one, eight = (np.mean(rows[f"streaming, b = {b}"]["late_spread"]) for b in BATCHES)
    return (
        "Late spread is the standard deviation of the full-gradient norm over the last half of a run, "
        f"over its mean. Streaming: {one:.2f} with b = 1 and {eight:.2f} with b = 8."
    )
