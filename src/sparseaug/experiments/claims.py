"""The sentences of the paper's Results, each as a comparison over the seeds and a verdict.

Methods of one seed share everything but the method, so differences are taken within seeds. A
difference is written with its 95 % interval (Student), and "is larger" holds if all of it is above 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, final

import numpy as np
from scipy.special import stdtrit

from sparseaug.experiments.config import Config
from sparseaug.experiments.methods import one_shot
from sparseaug.experiments.results import MethodResult, Results
from sparseaug.kernels.arrays import Floats

LOT = 0.5
"""More elements improve "a lot" if this part of the test risk above that of full is gone."""

TRACKS = 0.05
"""Test risks "track" each other if they differ by at most this part of what augmenting gains."""

RISES = 0.25
"""A gradient norm "keeps fluctuating" if it rises at this part of the later evaluations or more."""

_NEEDED = ("group_size", "num_steps", "sample_sizes", "streaming_batch")


@final
@dataclass(frozen=True)
class Claim:
    """A sentence, what was measured, and whether that shows it; more seeds may where these do not."""

    text: str
    measured: str
    holds: bool

    def to_dict(self) -> dict[str, Any]:
        """All fields as JSON data."""
        return asdict(self)


def claims(results: Results | Mapping[str, Any]) -> list[Claim]:
    """The claims of the paper's Results, measured.

    Args:
        results: The table, or what is in results.json.

    Returns:
        One claim per sentence; none at all if the table lacks a method or a part of the config that
        the sentences are about.
    """
    table = results if isinstance(results, Results) else Results.from_dict(results)
    if not table.config.keys() >= set(_NEEDED):
        return []
    config = Config.from_dict({name: table.config[name] for name in _NEEDED})
    if not table.methods.keys() >= set(config.methods):
        return []
    r = _Table(config, table.methods)
    found = [_beats_none(r, "train_risk", "train"), _beats_none(r, "test_risk", "test")]
    if len(r.sizes) > 1:
        found.append(_more_elements_help(r))
    if len(r.sizes) > 2:
        found.append(_and_then_less(r))
    found += [_tracks(r, "full"), _tracks(r, "streaming"), _full_is_most_stationary(r)]
    if len(r.sizes) > 1:
        found.append(_approaches_full(r))
    return [*found, _fluctuates(r), _calls(r)]


@final
@dataclass(frozen=True)
class Difference:
    """Mean over the seeds of a paired difference, and half of its 95 % interval."""

    mean: float
    half: float

    @classmethod
    def of(cls, values: Floats) -> Difference:
        """From one difference per seed; a single seed leaves everything open."""
        n = len(values)
        if n < 2:
            return cls(float(values.mean()), math.inf)
        error = float(values.std(ddof=1)) / math.sqrt(n)
        return cls(float(values.mean()), float(stdtrit(n - 1, 0.975)) * error)

    @property
    def lower(self) -> float:
        """The lower end of the interval."""
        return self.mean - self.half

    @property
    def furthest(self) -> float:
        """The end of the interval that is further from zero, without its sign."""
        return abs(self.mean) + self.half

    def __str__(self) -> str:
        return f"{self.mean:.3g} ± {self.half:.2g}"


@final
@dataclass(frozen=True)
class _Table:
    """The methods that the config names, and what is needed of them."""

    config: Config
    results: Mapping[str, MethodResult]

    @property
    def sizes(self) -> tuple[int, ...]:
        return self.config.sample_sizes

    @property
    def one_shot(self) -> list[str]:
        return [one_shot(m).name for m in self.sizes]

    def last(self, method: str, name: str) -> Floats:
        return self.results[method].last(name)

    def gap(self, high: str, low: str, name: str) -> Difference:
        return Difference.of(self.last(high, name) - self.last(low, name))

    def nearest(self, method: str, name: str, *, above: bool) -> tuple[str, Difference]:
        """Which of the others ends nearest to it, and how far above (or below) it surely."""
        others = [other for other in self.config.methods if other != method]
        ends = [(other, method) if above else (method, other) for other in others]
        gaps = [self.gap(high, low, name) for high, low in ends]
        return min(zip(others, gaps, strict=True), key=lambda pair: pair[1].lower)


def _beats_none(r: _Table, name: str, which: str) -> Claim:
    worst, gain = r.nearest("none", name, above=False)
    measured = (
        f"none ends at {r.last('none', name).mean():.3g}; the least gain is that of {worst}, "
        f"{gain} below"
    )
    text = f"Every augmented method ends with a lower {which} risk than no augmentation."
    return Claim(text, measured, gain.lower > 0)


def _more_elements_help(r: _Table) -> Claim:
    few, more = r.one_shot[:2]
    gain, part = r.gap(few, more, "test_risk"), _excess_removed(r, few, more)
    measured = (
        f"test risk falls by {gain}, {part:.0%} of what {few} is above full; {LOT:.0%} is a lot"
    )
    text = f"Going from {r.sizes[0]} to {r.sizes[1]} fixed elements improves one-shot a lot."
    return Claim(text, measured, gain.lower > 0 and part >= LOT)


def _and_then_less(r: _Table) -> Claim:
    few, more, most = r.one_shot[:3]
    first, second = r.gap(few, more, "test_risk"), r.gap(more, most, "test_risk")
    ends = [r.last(method, "test_risk") for method in (few, more, most)]
    excess = Difference.of(ends[0] - 2 * ends[1] + ends[2])
    measured = f"gains {first}, then {second}; the first is larger by {excess}"
    text = f"Going from {r.sizes[1]} to {r.sizes[2]} improves less."
    return Claim(text, measured, excess.lower > 0)


def _tracks(r: _Table, other: str) -> Claim:
    largest = r.one_shot[-1]
    gap, gain = r.gap(largest, other, "test_risk"), r.gap("none", "full", "test_risk")
    part = gap.furthest / gain.mean if gain.mean > 0 else math.inf
    measured = (
        f"test risks end {gap} apart ({r.last(largest, 'test_risk').mean():.3g} against "
        f"{r.last(other, 'test_risk').mean():.3g}): at most {part:.2%} of what augmenting "
        f"gains; {TRACKS:.0%} would be close"
    )
    text = f"With {r.sizes[-1]} fixed elements one-shot closely tracks the test risk of {other}."
    return Claim(text, measured, part <= TRACKS)


def _full_is_most_stationary(r: _Table) -> Claim:
    nearest, gap = r.nearest("full", "gradient_norm", above=True)
    end = r.last("full", "gradient_norm").mean()
    text = "Full-group descent attains the smallest full-gradient norm."
    measured = f"full ends at {end:.3g}; the nearest is {nearest}, {gap} above"
    return Claim(text, measured, gap.lower > 0)


def _approaches_full(r: _Table) -> Claim:
    name, pairs = "gradient_norm", list(pairwise(r.one_shot))
    falls = [r.gap(few, more, name) for few, more in pairs]
    norms = " > ".join(f"{r.last(method, name).mean():.3g}" for method in r.one_shot)
    steps = ", then ".join(map(str, falls))
    sizes = ", ".join(map(str, r.sizes))
    return Claim(
        "One-shot's full-gradient norm approaches that of full as |S| grows.",
        f"{norms} for |S| = {sizes}, against {r.last('full', name).mean():.3g}; falls by {steps}",
        all(fall.lower > 0 for fall in falls),
    )


def _fluctuates(r: _Table) -> Claim:
    changes = {}
    for method in ("streaming", "full"):
        norms = r.results[method].curves["gradient_norm"]
        changes[method] = np.diff(norms[:, norms.shape[1] // 2 :], axis=1)
    if not changes["full"].size:
        return Claim(_FLUCTUATES, "too few evaluations to see", False)
    sizes = {method: abs(change).mean(axis=1) for method, change in changes.items()}
    more = Difference.of(sizes["streaming"] - sizes["full"])
    rises = {method: float((change > 0).mean()) for method, change in changes.items()}
    measured = (
        f"in the second half it changes by {sizes['streaming'].mean():.2g} from one evaluation to "
        f"the next, full's by {sizes['full'].mean():.2g} (apart by {more}); it rises at "
        f"{rises['streaming']:.0%} of them, full's at {rises['full']:.0%}"
    )
    holds = more.lower > 0 and rises["streaming"] >= RISES > rises["full"]
    return Claim(_FLUCTUATES, measured, holds)


def _calls(r: _Table) -> Claim:
    methods, batch = r.config.all_methods(), r.config.streaming_batch
    found = {method.name: r.results[method.name].oracle_calls for method in methods}
    order = math.factorial(r.config.group_size)
    return Claim(
        f"Oracle calls are |S| for one-shot, {order} for full and {batch} per step for streaming.",
        ", ".join(f"{method} {calls}" for method, calls in found.items()),
        found == {method.name: method.calls(r.config) for method in methods},
    )


_FLUCTUATES = "Streaming's full-gradient norm keeps fluctuating."


def _excess_removed(r: _Table, few: str, more: str) -> float:
    """How much of the test risk that `few` has above full is gone with `more`."""
    excess = float((r.last(few, "test_risk") - r.last("full", "test_risk")).mean())
    gain = float((r.last(few, "test_risk") - r.last(more, "test_risk")).mean())
    return gain / excess if excess > 0 else 0.0
