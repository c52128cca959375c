"""The tables of the page: final values, certificates, and whatever the config says."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sparseaug._floats import text_up
from sparseaug.errors import shorten_text
from sparseaug.kernels.arrays import Floats
from studies.paper.compared import MEASURED
from studies.paper.comparison import Comparison
from studies.paper.kinds import BOUNDS, FACTS, OVER_THE_BOX
from studies.paper.results import Results
from studies.report.charts import method_label
from studies.report.markup import Markup, join, tag

_ABSENT, _TIMES = "\N{EN DASH}", "\N{MULTIPLICATION SIGN}"


def final_table(results: Results) -> Markup:
    """Mean and standard deviation at the last evaluation, a row for each method."""
    head = ["method", "oracle calls", *(each.title for each in results.quantities)]
    rows = [
        [
            method_label(name),
            f"{method.oracle_calls:,}",
            *(plus_minus(method.last(each.name)) for each in results.quantities),
        ]
        for name, method in results.methods.items()
    ]
    return table(head, rows, label="Where each method ends")


def certificate_table(results: Results) -> Markup:
    """For each S, a column, its deviation next to the bounds, and each bound next to the truth.

    Methods are columns: there are three of them, and too many facts for the width of a page.
    """
    facts = [fact for fact in FACTS if fact.column]
    bounds = [bound for bound in BOUNDS if bound.label]
    head = ["method", *(fact.column for fact in facts), *OVER_THE_BOX.values()]
    head.append("true norm at the end")
    head += [*(f"{bound.label} bound" for bound in bounds), "bounds at or above the truth"]
    rows = []
    for name, certificate in results.certificates.items():
        method = results.methods[name]
        held, compared = certificate.compare(method.curves["gradient_norm"])
        truth = float(method.last("gradient_norm").mean())
        row = [method_label(name)]
        for fact in facts:
            values = certificate.values.get(fact.name)
            row.append(_ABSENT if values is None else text_up(float(values.max()), 3))
        row += [_range(certificate.over_the_box(name)) for name in OVER_THE_BOX]
        row.append(f"{truth:.3g}")
        row += [_last(certificate.values.get(bound.name), truth) for bound in bounds]
        rows.append([*row, f"{held:,} of {compared:,}"])
    top, *lines = zip(head, *rows, strict=True)
    return table(top, lines, label="Bounds and truth")


def design_table(found: Comparison) -> Markup:
    """Mean and standard deviation over the seeds at the end, for draws and design of every size."""
    head = [
        "S",
        "m",
        "oracle calls",
        *(label[:1].upper() + label[1:] for label in MEASURED.values()),
    ]
    rows = []
    for size in found.sizes:
        for kind, each in size.kinds.items():
            ends = (plus_minus(each.by_seed(name)) for name in MEASURED)
            name = size.design if kind == "design" else kind
            rows.append([name, f"{size.m:,}", f"{each.oracle_calls:,}", *ends])
    ends = (plus_minus(found.full[name]) if name in found.full else "0" for name in MEASURED)
    calls = f"{found.full_calls:,}"
    return table(head, [*rows, ["full group", calls, calls, *ends]], label="Designs next to draws")


def facts_table(facts: Mapping[str, Any], *, label: str) -> Markup:
    """Names and values as they stand in the file."""
    rows = [[key.replace("_", " "), _fact(value)] for key, value in facts.items()]
    return table(None, rows, label=label, numbers=False)


def plus_minus(values: Floats) -> str:
    """Mean and sample standard deviation, the deviation to two digits and the mean as far.

    Examples:
        >>> import numpy as np
        >>> plus_minus(np.array([0.0471, 0.0523, 0.0502]))
        '0.0499 ± 0.0026'
        >>> plus_minus(np.array([0.04711]))
        '0.0471'
    """
    mean = float(values.mean())
    spread = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    if spread == 0:
        return f"{mean:.3g}"
    decimals = 1 - math.floor(math.log10(spread))
    if not 0 <= decimals <= 6:
        return f"{mean:.3g} ± {spread:.2g}"
    return f"{mean:.{decimals}f} ± {spread:.{decimals}f}"


def _range(ratios: Floats | None) -> str:
    """The smallest and the largest of the seeds."""
    if ratios is None:
        return _ABSENT
    return f"{ratios.min():.0f} to {ratios.max():.0f}{_TIMES}"


def _last(rows: Floats | None, truth: float) -> str:
    """The mean bound at the end and how many times the true norm it is."""
    if rows is None:
        return _ABSENT
    mean = float(rows[:, -1].mean())
    if truth <= 0:
        return text_up(mean, 3)
    ratio = mean / truth
    times = f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.2g}"
    return f"{text_up(mean, 3)} ({times}{_TIMES})"


def _fact(value: Any) -> str:
    if isinstance(value, list):
        return shorten_text(", ".join(map(str, value)), 300)
    return shorten_text(str(value), 300)


def table(
    head: Sequence[str] | None, rows: Iterable[Sequence[str]], *, label: str, numbers: bool = True
) -> Markup:
    """A table that may be wider than the page: what scrolls can be reached by keyboard, and is named."""
    kind = "number" if numbers else None
    body = [
        tag("tr", tag("th", row[0], scope="row"), *(tag("td", c, class_=kind) for c in row[1:]))
        for row in rows
    ]
    top = Markup("")
    if head is not None:
        cells = [tag("th", head[0], scope="col")]
        over = "number-head" if numbers else None
        cells += [tag("th", text, scope="col", class_=over) for text in head[1:]]
        top = tag("thead", tag("tr", *cells))
    kinds = None if numbers else "wide"
    rows_of = tag("table", top, tag("tbody", *body), class_=kinds, aria_label=label)
    return tag("div", join(rows_of), class_="scroll", tabindex="0", role="region", aria_label=label)
