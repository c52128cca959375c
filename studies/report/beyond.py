"""Sections of report.html that the paper has no counterpart of: products, batches, first steps, starts.

They are shown where `python -m studies.paper.beyond` has left its file in the folder.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from studies.paper.beyond import FIRST
from studies.report.markup import Markup, join, tag
from studies.report.tables import table

PAPER = (
    "Sparse Data Augmentation for Optimization with Provable Guarantees",
    "Behrooz Tahmasebi and Melanie Weber",
)
"""Title and authors."""

_SHOWN = (0, 1, 2, 5, 10, 20, 30, 40)  # of the first steps


def credit() -> Markup:
    """Whose experiment it is."""
    title, authors = PAPER
    return tag("p", f"The experiment is that of {authors}, {title}.", class_="soft")


def sections(found: dict[str, Any] | None) -> Markup:
    """All of them, or nothing."""
    return join(*_sections(found)) if found else Markup("")


def _sections(found: dict[str, Any]) -> Iterator[Markup]:
    rows, seeds = found["rows"], found["seeds"]
    yield tag("h2", "Fewer oracle calls: all subproducts of a few draws")
    yield tag(
        "p",
        "Not in the paper: S holds all 2^c ordered subproducts of c draws, with the mean-square error "
        f"of 2^c draws for c calls. Mean and median over {seeds} seeds where each run ends.",
        class_="soft",
    )
    head = ["S", "oracle calls", "elements", "test risk, mean", "median"]
    head += ["full-gradient norm, mean", "median", "late spread"]
    body = []
    for name, row in rows.items():
        cells = [name, f"{row['calls']:,}", f"{row['elements']:,}"]
        for what in ("test_risk", "gradient_norm"):
            cells += [f"{np.mean(row[what]):.4f}", f"{np.median(row[what]):.4f}"]
        body.append([*cells, f"{np.mean(row['late_spread']):.2f}"])
    yield table(head, body, label="Draws, products and batches")
    yield tag("p", _fluctuation(rows), class_="soft")
    yield tag("h2", f"The first {FIRST} steps")
    yield tag("p", f"Median of the full-gradient norm over {seeds} seeds.", class_="soft")
    steps = [[name, *(f"{_at(row, step):.3g}" for step in _SHOWN)] for name, row in rows.items()]
    yield table(["S", *(f"step {step}" for step in _SHOWN)], steps, label="The first steps")
    if "starts" in found:
        yield tag("h2", "What depends on the start")
        lines = [
            [
                f"{one['init_std']:g}",
                f"{one['of'] - len(one['missed'])} of {one['of']}",
                "; ".join(one["missed"]) or "\N{EN DASH}",
                f"{one['clipped']:,}",
            ]
            for one in found["starts"]
        ]
        head = ["init_std", "claims that hold", "not shown", "entries clipped"]
        yield table(head, lines, label="Starts", numbers=False)


def _at(row: dict[str, Any], step: int) -> float:
    return float(np.median([norms[step] for norms in row["first"]]))


def _fluctuation(rows: dict[str, Any]) -> str:
    """Whether streaming's fluctuation comes from b."""
    one, eight = (np.mean(rows[f"streaming, b = {b}"]["late_spread"]) for b in (1, 8))
    return (
        "Late spread is the standard deviation of the full-gradient norm over the last half of a run, "
        f"over its mean. Streaming: {one:.2f} with b = 1 and {eight:.2f} with b = 8."
    )
