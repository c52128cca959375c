"""What is certified of a one-shot run: one table of bounds, and one of facts about S and its seed.

A row of `BOUNDS` is a list over seeds and evaluations in the certificates of results.json, a row of
`FACTS` a list over the seeds. Those with a label are also lines and columns of figure and page.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from sparseaug.certificate import Evidence
from sparseaug.theory import sharp_deviation_bound, symmetric_dimension_sum
from studies.paper.box import gap, largest_error, largest_norm, smoothness
from studies.paper.problem import Problem

DELTA = 0.05
"""Chance of failing of what is promised before S is drawn."""


@final
@dataclass(frozen=True)
class Bound:
    """A bound of the full-gradient norm at each evaluated step."""

    name: str  # in results.json
    kind: str  # of certificate, as `sparseaug.certify` names it
    label: str = ""  # in the figure and on the page; "" if it is only in the file
    basis: str = ""  # what it rests on, for the page
    over_box: bool = False  # B is taken over the box of theta, and not at the iterate


@final
@dataclass(frozen=True)
class Fact:
    """A number about S, or about the problem of its seed."""

    name: str  # in results.json
    value: Callable[[Problem, Evidence], float | None]
    label: str = ""  # in the figure and on the page; "" if it is only in the file
    column: str = ""  # head of its column on the page


def _sharp(given: Problem, known: Evidence) -> float:
    S = known.sample
    return sharp_deviation_bound(
        S.m, dimension_sum=symmetric_dimension_sum(S.group.width), delta=DELTA
    )


BOUNDS = (
    Bound(
        "a-priori",
        "a-priori",
        "a priori",
        "the theorem, before S is seen, with probability 1 - δ",
        over_box=True,
    ),
    Bound("spectral", "spectral", "spectral", "the exact deviation of this S"),
    Bound("kernel", "kernel", "kernel", "S on this data"),
    Bound("words", "words", "words", "words of S in its place, which may be all of a small group"),
    Bound("a-priori-at-theta", "a-priori"),
)
FACTS = (
    Fact(
        "deviation",
        lambda given, known: known.known_deviation.value,
        "exact, each S",
        "largest deviation of S",
    ),
    Fact("sharp-bound", _sharp, "sharper a-priori bound", "sharper a-priori bound"),
    Fact(
        "a-priori-bound",
        lambda given, known: known.known_deviation.bound,
        "a-priori bound",
        "a-priori bound",
    ),
    Fact("floor", lambda given, known: known.known_deviation.floor),
    Fact("box-B", largest_norm),
    Fact("box-L", smoothness),
    Fact("initial-gap", gap),
    Fact("box-error", largest_error),
)

OVER_THE_BOX = {
    "a-priori-bound": "theorem over the box, of the largest error found there",
    "deviation": "the same with the exact deviation",
}
"""Facts which, times B over the box, bound the error of the gradient on S at every theta of the box:
columns of the page that compare them with `box-error`, a supremum with a supremum."""
