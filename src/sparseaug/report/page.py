"""report.html: one page that needs nothing else, composed from charts, tables and verdicts."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Sequence
from importlib import resources
from typing import Any, Protocol

from sparseaug.report.charts import Chart, certificate_charts, method_charts
from sparseaug.report.markup import Markup, join, json_block, tag
from sparseaug.report.results import Results
from sparseaug.report.tables import certificate_table, facts_table, final_table

_TITLE = "Draw the transformations once: the experiment, reproduced"


class Verdict(Protocol):
    """A claim of the paper and what was measured about it."""

    @property
    def text(self) -> str:
        """What is claimed."""

    @property
    def measured(self) -> str:
        """What was found."""

    @property
    def holds(self) -> bool:
        """Whether that shows the claim."""


def render_page(results: Results, *, verdicts: Sequence[Verdict] = ()) -> str:
    """The whole page; without verdicts it has no section on claims."""
    curves, bounds = method_charts(results), certificate_charts(results)
    body = tag(
        "main",
        tag("h1", _TITLE),
        tag("p", _lead(results), class_="lead"),
        _headline(results, verdicts),
        _claims(verdicts),
        _curves(curves),
        tag("h2", "Where each method ends"),
        tag("p", f"Mean ± one standard deviation over {_seeds(results)}.", class_="soft"),
        final_table(results),
        _certificates(results, bounds, first=len(curves)),
        _setting(results),
        json_block("data", curves + bounds),
    )
    return _document(body)


def _document(body: Markup) -> str:
    """Style and script are allowed by their hashes alone, everything else by nothing."""
    css, js = (_asset(name) for name in ("page.css", "page.js"))
    policy = (
        f"default-src 'none'; style-src '{_digest(css)}'; script-src '{_digest(js)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    head = join(
        Markup('<meta charset="utf-8">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        tag("title", _TITLE),
        tag("style", Markup(css)),
    )
    script = tag("script", Markup(js))
    html = tag("html", tag("head", head), tag("body", body, script), lang="en")
    return f"<!doctype html>\n{html}\n"


def _asset(name: str) -> str:
    return resources.files("sparseaug.report").joinpath(name).read_text("utf-8")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _lead(results: Results) -> str:
    size = results.config.get("group_size")
    known = isinstance(size, int) and 0 < size < 100
    full = results.methods.get("full")
    every = f"all {full.oracle_calls:,}" if full else "all"
    sizes = [
        str(m.oracle_calls) for name, m in results.methods.items() if name.startswith("one-shot")
    ]
    few = " or ".join(([", ".join(sizes[:-1])] if sizes[1:] else []) + sizes[-1:])
    coordinates = f"{size} coordinates" if known else "coordinates"
    return (
        f"A small model learns a sum that does not care in which order its {coordinates} come, "
        f"trained with no reordering, with {every} of them at every step, with a fresh one each "
        f"step, or with a set S of {few or 'a few'} drawn once and reused for ever. "
        "Every risk and gradient below is that of the whole group, computed exactly."
    )


def _headline(results: Results, verdicts: Sequence[Verdict]) -> Markup:
    facts = [(f"{results.num_seeds}", "independent seeds")]
    if verdicts:
        count = sum(claim.holds is True for claim in verdicts)
        facts.insert(0, (f"{count} of {len(verdicts)}", "claims of the paper hold"))
    for name, what in (
        ("one-shot-64", "test risk with 64 oracle calls"),
        ("full", "test risk with the full group"),
        ("none", "test risk without augmentation"),
    ):
        if name in results.methods:
            risk = results.methods[name].curves["test_risk"][:, -1].mean()
            facts.append((f"{risk:.3g}", what))
    return tag("ul", *(tag("li", tag("b", a), tag("span", b)) for a, b in facts), class_="facts")


def _claims(verdicts: Sequence[Verdict]) -> Markup:
    if not verdicts:
        return Markup("")
    rows = []
    for claim in verdicts:
        word, mark = ("holds", "✓ holds") if claim.holds is True else ("fails", "✗ not shown")
        said = tag("div", tag("p", claim.text), tag("p", claim.measured, class_="soft"))
        rows.append(tag("li", tag("span", mark, class_=f"verdict {word}"), said))
    return join(
        tag("h2", "What the paper says, and what came out"), tag("ul", *rows, class_="claims")
    )


def _curves(charts: Sequence[Chart]) -> Markup:
    return join(
        tag("h2", "The curves"),
        tag(
            "p",
            "Means over the seeds, one standard deviation shaded (on a log axis as a ratio). Point at "
            "a curve or tap it to read it, Escape closes the reading; press a name to hide it, and log "
            "or linear to change the vertical axis.",
            class_="soft",
        ),
        _panel(charts, first=0, label="methods in the charts below"),
        tag("noscript", tag("p", "The curves need JavaScript; figure.pdf shows them without.")),
    )


def _certificates(results: Results, charts: Sequence[Chart], *, first: int) -> Markup:
    if not results.certificates:
        return Markup("")
    return join(
        tag("h2", "What is certified"),
        tag(
            "p",
            "Upper bounds on the full-gradient norm along the one-shot runs, beside the truth: "
            "a priori (the theorem, before S is seen, with probability 1 - δ), spectral (the exact "
            "deviation of this S) and kernel (S on this data). Bands span all seeds. Bounds are "
            "rounded up; in brackets, how many times the true norm they are.",
            class_="soft",
        ),
        _panel(charts, first=first, label="bounds in the charts below"),
        tag("h3", "Bounds and truth", class_="space"),
        certificate_table(results),
    )


def _panel(charts: Sequence[Chart], *, first: int, label: str) -> Markup:
    numbers = " ".join(str(first + i) for i in range(len(charts)))
    figures = [
        tag(
            "figure",
            tag("header", tag("h3", chart["title"]), tag("button", "log", type="button")),
            _svg(
                f"{chart['title']} against {chart['xLabel']}; arrow keys read values, Escape closes"
            ),
            tag("div", class_="tip", hidden="hidden", role="status"),
            class_="chart",
        )
        for chart in charts
    ]
    shown = f"Show or hide {label}"
    legend = tag("div", class_="legend", data_charts=numbers, role="group", aria_label=shown)
    return join(legend, tag("div", *figures, class_="charts"))


def _svg(label: str) -> Markup:
    """The parser gives <svg> its namespace, and the script takes it from there: no address."""
    return tag(
        "svg", class_="plot", viewBox="0 0 480 290", tabindex="0", role="img", aria_label=label
    )


def _setting(results: Results) -> Markup:
    spread = results.config.get("init_std")
    start = f"normal with standard deviation {spread}" if spread is not None else "normal"
    parts = [
        tag("h2", "How it was run"),
        tag(
            "p",
            f"One thing is our choice: the paper does not state the initialisation, and here the "
            f"entries of a and b are independent {start} (init_std in the configuration).",
        ),
    ]
    if results.config.get("quick"):
        parts.append(tag("p", "This is a quick run, with fewer seeds and steps than the paper's."))
    took = _took(results)
    if took:
        parts.append(tag("p", took))
    for name, facts in (("Configuration", results.config), ("Versions", results.versions)):
        if facts:
            parts += [tag("h3", name, class_="space"), facts_table(facts, label=name)]
    return join(*parts)


def _took(results: Results) -> str:
    timing = {key: float(value) for key, value in results.timing.items() if _is_time(value)}
    wall: float | None = timing.get("wall_seconds", timing.get("seconds"))
    parts = []
    if wall is not None:
        parts.append(f"It took {_duration(wall)}")
        if "jobs" in timing:
            parts[0] += f" with {timing['jobs']:g} worker" + "s" * (timing["jobs"] != 1)
    if "compute_seconds" in timing:
        parts.append(f"{_duration(timing['compute_seconds'])} of computing over all workers")
    return "; ".join(parts) + "." if parts else ""


def _is_time(value: Any) -> bool:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return number and 0 <= value < 1e12 and math.isfinite(value)


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def _seeds(results: Results) -> str:
    return "one seed" if results.num_seeds == 1 else f"{results.num_seeds} seeds"
