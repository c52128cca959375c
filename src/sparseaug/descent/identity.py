"""What the iterates of a run depend on, by name: a checkpoint belongs to one run and to no other.

A risk says itself what it depends on (`identity`). All rates of the schedule count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from sparseaug.errors import ArgumentError, shorten
from sparseaug.sampling.identity import fingerprint

MOST_RATES = 1 << 18
"""Steps whose rates are all looked at, in less than a second; of longer runs so many, evenly spread."""


def run_identity(
    risk: Any,
    theta0: Any,
    rate: Callable[[int], float],
    num_steps: int,
    project: Callable[[Any], Any] | None,
    eval_every: int,
) -> dict[str, str]:
    """Everything that decides the iterates, as short texts."""
    return {
        **_of_risk(risk),
        "theta0": fingerprint(theta0),
        "step_size": _rates(rate, num_steps),
        "num_steps": str(num_steps),
        "project": fingerprint(project),
        "eval_every": str(eval_every),
    }


def _of_risk(risk: Any) -> dict[str, str]:
    identity = getattr(risk, "identity", lambda: None)()
    if not isinstance(identity, Mapping) or not all(
        isinstance(text, str) for pair in identity.items() for text in pair
    ):
        raise ArgumentError(f"risk={shorten(risk)} has no identity() of texts, for checkpoint=.")
    return dict(identity)


def _rates(rate: Callable[[int], float], num_steps: int) -> str:
    """The one rate of all steps, or a hash of them."""
    count = min(num_steps, MOST_RATES)
    steps = (i * (num_steps - 1) // max(1, count - 1) for i in range(count))
    rates = np.array([rate(step) for step in steps])
    return repr(float(rates[0])) if (rates == rates[0]).all() else fingerprint(rates)
