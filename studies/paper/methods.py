"""The methods that are compared: one table for everyone who names a method."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

from sparseaug.risk import augmented_risk, streaming_risk

if TYPE_CHECKING:
    from studies.paper.config import Config
    from studies.paper.problem import Problem


@final
@dataclass(frozen=True)
class Method:
    """One way to train."""

    name: str  # in files and claims
    label: str  # in the figure and on the page
    calls: Callable[[Config], int]  # oracle calls of a run
    risk: Callable[[Problem, Any], Any]  # what it descends on, given the risk over the whole group


def one_shot(m: int) -> Method:
    """The method that draws m elements once and reuses them."""
    return Method(
        f"one-shot-{m}",
        f"one-shot, |S| = {m}",
        lambda config: m,
        lambda p, _: _risk(p, p.sample(m)),
    )


def find_method(name: str) -> Method | None:
    """The method of that name; None where there is none, as in a file of another program.

    Examples:
        >>> find_method("one-shot-8").label
        'one-shot, |S| = 8'
    """
    size = re.fullmatch("one-shot-([1-9][0-9]{0,17})", name)
    if size:
        return one_shot(int(size[1]))
    return next((each for each in FIXED if each.name == name), None)


def _risk(given: Problem, S: Any) -> Any:
    return augmented_risk(given.model, given.train, given.action, S)


def _streaming(given: Problem, full: Any) -> Any:
    oracle, batch = given.oracle("streaming"), given.config.streaming_batch
    return streaming_risk(given.model, given.train, given.action, oracle, batch=batch)


FIXED = (
    Method("none", "no augmentation", lambda config: 0, lambda p, full: _risk(p, None)),
    Method("full", "full group", lambda c: math.factorial(c.group_size), lambda p, full: full),
    Method("streaming", "streaming", lambda c: c.num_steps * c.streaming_batch, _streaming),
)
"""The methods without a size, in the order in which they are run and listed."""
