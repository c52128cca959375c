"""report.html: one page that needs nothing else, composed from charts, tables and verdicts."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from importlib import resources
from typing import Any

import numpy as np

from studies.paper.comparison import Comparison
from studies.paper.design_sentences import design_claims
from studies.paper.kinds import BOUNDS
from studies.paper.results import Results
from studies.paper.sentences import Claim
from studies.report.beyond import call_charts, credit, first_charts, sections
from studies.report.charts import Chart, certificate_charts, design_charts, method_charts
from studies.report.markup import Markup, join, json_block, tag
from studies.report.tables import certificate_table, design_table, facts_table, final_table

_TITLE = "Draw the transformations once: the experiment, reproduced"


def render_page(
    results: Results,
    *,
    verdicts: Sequence[Claim] = (),
    designs: Comparison | None = None,
    beyond: dict[str, Any] | None = None,
) -> str:
    """The whole page; what is not given has no section."""
    curves, bounds = method_charts(results), certificate_charts(results)
    compared = design_charts(designs) if designs else []
    calls, first = (call_charts(beyond), first_charts(beyond)) if beyond else ([], [])
    charts = [*curves, *bounds, *compared, *calls, *first]
    seeds = "one seed" if results.num_seeds == 1 else f"{results.num_seeds} seeds"
    body = tag(
        "main",
        tag("h1", _TITLE),
        tag("p", _lead(results), class_="lead"),
        credit(),
        _headline(results, verdicts),
        _claims(verdicts),
        _curves(curves),
        tag("h2", "Where each method ends"),
        tag("p", f"Mean ± one standard deviation over {seeds}.", class_="soft"),
        final_table(results),
        _certificates(results, bounds, first=len(curves)),
        _designs(designs, compared, first=len(curves + bounds)),
        *_beyond(beyond, calls, first, first=len(curves + bounds + compared)),
        _setting(results),
        json_block("data", [chart.to_dict() for chart in charts]),
    )
    return document(body, _TITLE)


def document(body: Markup, title: str) -> str:
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
        tag("title", title),
        tag("style", Markup(css)),
    )
    script = tag("script", Markup(js))
    html = tag("html", tag("head", head), tag("body", body, script), lang="en")
    return f"<!doctype html>\n{html}\n"


def _asset(name: str) -> str:
    return resources.files("studies.report").joinpath(name).read_text("utf-8")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _lead(results: Results) -> str:
    size, methods = results.config.get("group_size"), results.methods.items()
    coordinates = f"{size} coordinates" if size else "coordinates"
    every = "".join(f" {method.oracle_calls:,}" for name, method in methods if name == "full")
    sizes = [str(method.oracle_calls) for name, method in methods if name.startswith("one-shot")]
    return (
        f"A small model learns a sum, which does not depend on the order of its {coordinates}. It is "
        f"trained without reordering, with all{every} orders at every step, with a new one at each "
        f"step, or with a set S of {listed(sizes, 'or') or 'a few'} that is drawn once and reused. "
        "Every risk and gradient below is that of the whole group, computed exactly."
    )


def _headline(results: Results, verdicts: Sequence[Claim]) -> Markup:
    facts = [(f"{results.num_seeds}", "independent seeds")]
    if verdicts:
        count = sum(claim.holds is True for claim in verdicts)
        std = results.config.get("init_std")
        start = "" if std is None else f", from a start of standard deviation {std}"
        facts.insert(0, (f"{count} of {len(verdicts)}", f"claims of the paper hold{start}"))
    for name, what in (
        ("one-shot-64", "test risk with 64 oracle calls"),
        ("full", "test risk with the full group"),
        ("none", "test risk without augmentation"),
    ):
        if name in results.methods:
            risk = results.methods[name].last("test_risk").mean()
            facts.append((f"{risk:.3g}", what))
    return tag("ul", *(tag("li", tag("b", a), tag("span", b)) for a, b in facts), class_="facts")


def _claims(verdicts: Sequence[Claim]) -> Markup:
    if not verdicts:
        return Markup("")
    return join(
        tag("h2", "What the paper says, and what came out"),
        tag(
            "p",
            "What was measured stands below each claim: where the runs end, ± half of a 95 % interval "
            "over the seeds.",
            class_="soft",
        ),
        _verdicts(verdicts),
    )


def _verdicts(verdicts: Sequence[Claim]) -> Markup:
    rows = []
    for claim in verdicts:
        word, mark = ("holds", "✓ holds") if claim.holds is True else ("fails", "✗ not shown")
        said = tag("div", tag("p", claim.text), tag("p", claim.measured, class_="soft"))
        rows.append(tag("li", tag("span", mark, class_=f"verdict {word}"), said))
    return tag("ul", *rows, class_="claims")


def _curves(charts: Sequence[Chart]) -> Markup:
    return join(
        tag("h2", "The curves"),
        tag(
            "p",
            "Risks are means over all orders of the training or test samples; identity-order is the "
            "test risk of samples as they are. Means over the seeds, one standard deviation shaded (on "
            "a log axis as a ratio). Point at a curve or tap it to read it, Escape closes the reading; "
            "press a name to hide it, and log or linear to change the vertical axis.",
            class_="soft",
        ),
        panel(charts, first=0, label="methods in the charts below"),
        tag("noscript", tag("p", "The curves need JavaScript; figure.pdf shows them without.")),
    )


def _certificates(results: Results, charts: Sequence[Chart], *, first: int) -> Markup:
    if not results.certificates:
        return Markup("")
    bounds = [f"{bound.label} ({bound.basis})" for bound in BOUNDS if bound.label]
    return join(
        tag("h2", "What is certified"),
        tag(
            "p",
            "Upper bounds on the full-gradient norm along the one-shot runs, next to the truth: "
            f"{listed(bounds, 'and')}. Bands span all seeds. Bounds are rounded up; in brackets, "
            "how many times the true norm at the last iterate they are. The theorem bounds the error of "
            "the gradient at every theta of the box at once, so the table also compares it with the "
            "largest error that a search found at corners of the box.",
            class_="soft",
        ),
        panel(charts, first=first, label="bounds in the charts below"),
        tag("h3", "Bounds and truth", class_="space"),
        certificate_table(results),
    )


def _designs(found: Comparison | None, charts: Sequence[Chart], *, first: int) -> Markup:
    """Beyond the paper: S by design."""
    if found is None:
        return Markup("")
    names = [f"{size.design} (m = {size.m})" for size in found.sizes]
    samples = next(iter(found.sizes[0].kinds.values())).ends["discrepancy"].shape[1]
    return join(
        tag("h2", "Designs instead of draws"),
        tag(
            "p",
            "Not in the paper: the same experiment with S chosen by construction, "
            f"{listed(names, 'and')}, moved by a random element on either side, next to m independent "
            "draws and the full group. The discrepancy is the distance between the gradients over S and "
            f"over the whole group at the end of training. Each seed is the mean over {samples} S; bars "
            "and bands are one standard deviation over the seeds.",
            class_="soft",
        ),
        _verdicts(design_claims(found)),
        panel(charts, first=first, label="kinds of S in the charts below"),
        tag("h3", "Where each S ends", class_="space"),
        design_table(found),
    )


def _beyond(
    found: dict[str, Any] | None, calls: Sequence[Chart], steps: Sequence[Chart], *, first: int
) -> Iterable[Markup]:
    if found is None:
        return ()
    ends = panel(calls, first=first, label="kinds of S in the charts below")
    starts = panel(steps, first=first + len(calls), label="kinds of S in the chart below")
    return sections(found, ends, starts)


def panel(charts: Sequence[Chart], *, first: int, label: str) -> Markup:
    """The charts with one legend; they are numbers `first` and on of the page's data."""
    numbers = " ".join(str(first + i) for i in range(len(charts)))
    figures = [
        tag(
            "figure",
            tag("header", tag("h3", chart.title), tag("button", "log", type="button")),
            _svg(f"{chart.title} against {chart.x_label}; arrow keys read values, Escape closes"),
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
            f"entries of a and b are independent {start} (init_std in the configuration). How many "
            "claims hold depends on it: there is a table above.",
        ),
        *(tag("p", text) for text in (_steps(results), _clipped(results)) if text),
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


def _steps(results: Results) -> str:
    """What thm:main would need: steps of 1/L, with L over the box."""
    known = [c.values["box-L"] for c in results.certificates.values() if "box-L" in c.values]
    step = results.config.get("step_size")
    if not known or step is None:
        return ""
    L = np.concatenate(known)
    return (
        f"The paper's theorem takes steps of 1/L. L is {L.min():,.0f} to {L.max():,.0f} over the box, "
        f"so that the step {step} is {step * L.min():.0f} to {step * L.max():.0f} times 1/L: the "
        "theorem does not cover these runs. The certificates do, as they hold at any theta."
    )


def _clipped(results: Results) -> str:
    """Whether the box, over which B and L are taken, ever changed a step."""
    counts = [method.clipped for method in results.methods.values() if method.clipped.size]
    if not counts:
        return ""
    total = sum(int(each.sum()) for each in counts)
    if not total:
        return "No entry was clipped in any step: projection onto the box changed nothing."
    return (
        f"{total:,} entries were clipped by the projection onto the box, over all runs and steps."
    )


def _took(results: Results) -> str:
    if "seconds" not in results.timing:
        return ""
    took, jobs = f"It took {_duration(results.timing['seconds'])}", results.timing.get("jobs")
    return f"{took}." if jobs is None else f"{took} with {jobs:g} worker{'s' * (jobs != 1)}."


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def listed(words: Sequence[str], last: str) -> str:
    """Words in a sentence.

    Examples:
        >>> listed(["4", "16", "64"], "or")
        '4, 16 or 64'
    """
    return f" {last} ".join([", ".join(words[:-1])] * (len(words) > 1) + [*words[-1:]])
