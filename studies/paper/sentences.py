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

from sparseaug.kernels.arrays import Floats
from studies.paper.config import Config
from studies.paper.methods import one_shot
from studies.paper.results import MethodResult, Results

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
    """A sentence, what was measured, and whether that shows it; more seeds may where these do not.

    Args:
        text: the sentence
        measured: what was measured
        holds: whether that shows it
    """

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
    r = _Ends(config, table.methods)
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
class _Ends:
    """Where the methods of a config end."""

    def __init__(self, config: Config, methods: Mapping[str, MethodResult]) -> None:
        self.config, self.methods = config, methods
        self.sizes = config.sample_sizes
        self.one_shot = [one_shot(m).name for m in self.sizes]

    def gap(self, high: str, low: str, name: str) -> Difference:
        return Difference.of(self.methods[high].last(name) - self.methods[low].last(name))

    def mean(self, method: str, name: str) -> str:
        return f"{self.methods[method].last(name).mean():.3g}"


def _beats_none(r: _Ends, name: str, which: str) -> Claim:
    gains = {other: r.gap("none", other, name) for other in r.config.methods if other != "none"}
    worst, gain = min(gains.items(), key=_lower)
    return Claim(
        f"Every augmented method ends with a lower {which} risk than no augmentation.",
        f"none ends at {r.mean('none', name)}; {worst}, which gains least, ends {gain} below",
        gain.lower > 0,
    )


def _more_elements_help(r: _Ends) -> Claim:
    few, more = r.one_shot[:2]
    gain, excess = r.gap(few, more, "test_risk"), r.gap(few, "full", "test_risk")
    part = gain.mean / excess.mean if excess.mean > 0 else 0.0
    return Claim(
        f"Going from {r.sizes[0]} to {r.sizes[1]} fixed elements improves one-shot a lot.",
        f"test risk falls by {gain}, {part:.0%} of its distance to full; {LOT:.0%} counts as a lot",
        gain.lower > 0 and part >= LOT,
    )


def _and_then_less(r: _Ends) -> Claim:
    few, more, most = r.one_shot[:3]
    first, second = r.gap(few, more, "test_risk"), r.gap(more, most, "test_risk")
    ends = [r.methods[method].last("test_risk") for method in (few, more, most)]
    excess = Difference.of(ends[0] - 2 * ends[1] + ends[2])
    return Claim(
        f"Going from {r.sizes[1]} to {r.sizes[2]} improves less.",
        f"gains {first}, then {second}; the first is larger by {excess}",
        excess.lower > 0,
    )


def _tracks(r: _Ends, other: str) -> Claim:
    name, largest = "test_risk", r.one_shot[-1]
    gap, gain = r.gap(largest, other, name), r.gap("none", "full", name)
    part = gap.furthest / gain.mean if gain.mean > 0 else math.inf
    return Claim(
        f"With {r.sizes[-1]} fixed elements one-shot closely tracks the test risk of {other}.",
        f"test risks end {gap} apart ({r.mean(largest, name)} against {r.mean(other, name)}): at most "
        f"{part:.2%} of what augmenting gains; {TRACKS:.0%} counts as close",
        part <= TRACKS,
    )


def _full_is_most_stationary(r: _Ends) -> Claim:
    name = "gradient_norm"
    gaps = {other: r.gap(other, "full", name) for other in r.config.methods if other != "full"}
    nearest, gap = min(gaps.items(), key=_lower)
    return Claim(
        "Full-group descent attains the smallest full-gradient norm.",
        f"full ends at {r.mean('full', name)}; the nearest is {nearest}, {gap} above",
        gap.lower > 0,
    )


def _approaches_full(r: _Ends) -> Claim:
    name = "gradient_norm"
    falls = [r.gap(few, more, name) for few, more in pairwise(r.one_shot)]
    norms = " > ".join(r.mean(method, name) for method in r.one_shot)
    sizes, steps = ", ".join(map(str, r.sizes)), ", then ".join(map(str, falls))
    return Claim(
        "One-shot's full-gradient norm approaches that of full as |S| grows.",
        f"{norms} for |S| = {sizes}, against {r.mean('full', name)}; falls by {steps}",
        all(fall.lower > 0 for fall in falls),
    )


def _fluctuates(r: _Ends) -> Claim:
    text = "Streaming's full-gradient norm keeps fluctuating."
    norms = (r.methods[name].curves["gradient_norm"] for name in ("streaming", "full"))
    streaming, full = (np.diff(rows[:, rows.shape[1] // 2 :], axis=1) for rows in norms)
    if not full.size:
        return Claim(text, "too few evaluations to see", False)
    ours, theirs = (abs(changes).mean(axis=1) for changes in (streaming, full))
    rises, theirs_rise = (float((changes > 0).mean()) for changes in (streaming, full))
    more = Difference.of(ours - theirs)
    measured = (
        f"in the second half it changes by {ours.mean():.2g} from one evaluation to the next, full's "
        f"by {theirs.mean():.2g} (apart by {more}); it rises at {rises:.0%} of them, full's at "
        f"{theirs_rise:.0%}"
    )
    return Claim(text, measured, more.lower > 0 and rises >= RISES > theirs_rise)


def _calls(r: _Ends) -> Claim:
    methods, batch = r.config.all_methods(), r.config.streaming_batch
    found = {method.name: r.methods[method.name].oracle_calls for method in methods}
    order = math.factorial(r.config.group_size)
    return Claim(
        f"Oracle calls are |S| for one-shot, {order} for full and {batch} per step for streaming.",
        ", ".join(f"{method} {calls}" for method, calls in found.items()),
        found == {method.name: method.calls(r.config) for method in methods},
    )


def _lower(named: tuple[str, Difference]) -> float:
    return named[1].lower
