"""The tables of the page: final values, certificates, and whatever the config says."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from sparseaug.errors import shorten_text
from sparseaug.report.markup import Markup, join, tag
from sparseaug.report.results import (
    BOUNDS,
    QUANTITIES,
    Array,
    CertificateResult,
    MethodResult,
    Results,
)
from sparseaug.report.style import BOUND_LOOKS, QUANTITY_NAMES, looks

_ABSENT, _TIMES = "\N{EN DASH}", "\N{MULTIPLICATION SIGN}"


def final_table(results: Results) -> Markup:
    """Mean and standard deviation at the last evaluation, a row for each method."""
    style = looks(results.methods)
    rows = [
        [
            style[name].label,
            f"{method.oracle_calls:,}",
            *(plus_minus(method.curves[quantity][:, -1]) for quantity in QUANTITIES),
        ]
        for name, method in results.methods.items()
    ]
    head = ["method", "oracle calls", *(QUANTITY_NAMES[q] for q in QUANTITIES)]
    return _table(head, rows, label="Where each method ends")


def certificate_table(results: Results) -> Markup:
    """For each S its deviation beside the bounds, and each bound beside the truth at the end."""
    style = looks(results.methods)
    head = [
        "method",
        "largest deviation of S",
        "sharper a-priori bound",
        "a-priori bound",
        "true norm at the end",
        *(f"{BOUND_LOOKS[key].label} bound" for key in BOUNDS),
        "bounds at or above the truth",
    ]
    rows = []
    for name, certificate in results.certificates.items():
        method = results.methods[name]
        held, compared = bounds_that_hold(certificate, method)
        rows.append(
            [
                style[name].label,
                round_up(float(certificate.deviation.max())),
                _optional(certificate.sharp_bound),
                _optional(certificate.a_priori_bound),
                f"{method.curves['gradient_norm'][:, -1].mean():.3g}",
                *(_last_bound(certificate, method, key) for key in BOUNDS),
                f"{held:,} of {compared:,}",
            ]
        )
    return _table(head, rows, label="Bounds and truth")


def facts_table(facts: Mapping[str, Any], *, label: str) -> Markup:
    """Names and values as they stand in the file."""
    rows = [[key.replace("_", " "), _fact(value)] for key, value in facts.items()]
    return _table(None, rows, label=label, numbers=False)


def bounds_that_hold(certificate: CertificateResult, method: MethodResult) -> tuple[int, int]:
    """How many bounds are at least the true norm, of how many, over seeds, steps and kinds."""
    held = compared = 0
    _, ours, theirs = np.intersect1d(certificate.step, method.step, return_indices=True)
    truth = method.curves["gradient_norm"][:, theirs]
    for curves in certificate.bounds.values():
        held += int((curves[:, ours] >= truth).sum())
        compared += truth.size
    return held, compared


def plus_minus(values: Array) -> str:
    """Mean and sample standard deviation, the deviation to two digits and the mean as far.

    Examples:
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


def round_up(value: float, digits: int = 3) -> str:
    """An upper bound to three significant digits, never below itself.

    Examples:
        >>> round_up(0.65401), round_up(0.27), round_up(1234.5)
        ('0.655', '0.27', '1.24e+03')
    """
    if value <= 0 or not math.isfinite(value):
        return f"{value:g}"
    text = f"{value:.{digits}g}"
    if float(text) < value:
        text = f"{value + 10.0 ** (math.floor(math.log10(value)) - digits + 1):.{digits}g}"
    return text


def _last_bound(certificate: CertificateResult, method: MethodResult, key: str) -> str:
    """The mean bound at the end and how many times the true norm it is."""
    if key not in certificate.bounds:
        return _ABSENT
    mean = float(certificate.bounds[key][:, -1].mean())
    truth = float(method.curves["gradient_norm"][:, -1].mean())
    if truth <= 0:
        return round_up(mean)
    ratio = mean / truth
    times = f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.2g}"
    return f"{round_up(mean)} ({times}{_TIMES})"


def _optional(bound: float | None) -> str:
    return _ABSENT if bound is None else round_up(bound)


def _fact(value: Any) -> str:
    if isinstance(value, list):
        return shorten_text(", ".join(map(str, value)), 300)
    return shorten_text(str(value), 300)


def _table(
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
        cells += [tag("th", text, scope="col", class_="number-head") for text in head[1:]]
        top = tag("thead", tag("tr", *cells))
    kinds = None if numbers else "wide"
    table = tag("table", top, tag("tbody", *body), class_=kinds, aria_label=label)
    return tag("div", join(table), class_="scroll", tabindex="0", role="region", aria_label=label)
