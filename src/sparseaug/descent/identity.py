"""What the iterates of a run depend on, by name: a checkpoint belongs to one run and to no other.

A risk says itself what it depends on (`identity`). All rates of the schedule count, and what `project`
does: a `box` by its width, another function by where it takes theta_0 and some points around it, unless
it has an `identity()` of its own that says more. A function that differs elsewhere only is
not noticed. The same holds for `evaluate`, of which the names of its quantities count: it does not move
theta.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from array_api_compat import is_torch_array

from sparseaug.actions.arrays import as_numpy
from sparseaug.errors import ArgumentError, shorten
from sparseaug.risk.identity import sha256_of
from sparseaug.sampling import keyed_rng

MOST_RATES = 1 << 18
"""Steps whose rates are all looked at, in less than a second; of longer runs so many, evenly spread."""

_AWAY = (0.0, 1.0, 10.0, 100.0, 1000.0)  # how far from theta_0 a projection is tried


def run_identity(
    risk: Any,
    theta0: Any,
    rate: Callable[[int], float],
    num_steps: int,
    project: Callable[[Any], Any] | None,
    **numbers: float,
) -> dict[str, str]:
    """Everything that decides the iterates, as short texts."""
    return {
        **_of_risk(risk),
        "theta0": sha256_of(theta0),
        "step_size": _rates(rate, num_steps),
        "num_steps": str(num_steps),
        "project": _projection(project, theta0),
        **{name: repr(value) for name, value in numbers.items()},
    }


def like(theta: Any, array: Any) -> Any:
    """A NumPy array as theta's library, type and device have it."""
    if is_torch_array(theta):
        return theta.new_tensor(array)
    if isinstance(theta, np.ndarray):
        return array.astype(theta.dtype, copy=False)
    return theta.__array_namespace__().asarray(array, dtype=theta.dtype)


def _of_risk(risk: Any) -> dict[str, str]:
    identity = getattr(risk, "identity", None)
    if not callable(identity):
        raise ArgumentError(
            f"risk={shorten(risk)} does not say what it depends on, so that a checkpoint of another run "
            "could not be recognised; give it identity(), a dict of names and texts, or leave out "
            "checkpoint=."
        )
    found = identity()
    texts = isinstance(found, Mapping) and all(
        isinstance(text, str) for pair in found.items() for text in pair
    )
    if not texts:
        raise ArgumentError(f"risk.identity() is {shorten(found)}; give a dict of names and texts.")
    return dict(found)


def _rates(rate: Callable[[int], float], num_steps: int) -> str:
    """The one rate of all steps, or a hash of them."""
    count = min(num_steps, MOST_RATES)
    steps = (i * (num_steps - 1) // max(1, count - 1) for i in range(count))
    rates = np.array([rate(step) for step in steps])
    return repr(float(rates[0])) if (rates == rates[0]).all() else sha256_of(rates)


def _projection(project: Callable[[Any], Any] | None, theta0: Any) -> str:
    if project is None:
        return "none"
    identity = getattr(project, "identity", None)
    if callable(identity):
        return str(identity())
    start = np.asarray(as_numpy(theta0))
    z = keyed_rng(0, "identity of a projection").standard_normal(start.shape)
    try:
        moved = [project(like(theta0, (start + away * z).astype(start.dtype))) for away in _AWAY]
        return sha256_of(*moved)
    except Exception as error:
        raise ArgumentError(
            f"project={shorten(project)} failed at a point around theta0, where a checkpoint tries it: "
            f"{shorten(error)}; give it identity(), a text that tells it from others."
        ) from error
