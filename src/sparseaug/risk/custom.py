"""The risk of any loss: a function of theta, samples and targets that returns losses and gradients."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, final

import numpy as np

from sparseaug._checks import check_callable, check_integer, check_real
from sparseaug.actions import Action
from sparseaug.actions.arrays import as_numpy, joined, map_leaves, require_samples
from sparseaug.actions.base import require_action
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Rows
from sparseaug.kernels.arrays import Floats, check_vector
from sparseaug.risk.problem import AugmentedProblem, LossFunction, check_pair_of_data
from sparseaug.sampling import GroupSample, Oracle
from sparseaug.sampling.identity import fingerprint
from sparseaug.sampling.sample import as_sample

_NUMBERS = 1 << 22  # of gradients that are held at a time, 32 MiB


@final
@dataclass(frozen=True, eq=False, repr=False)
class CustomRisk(AugmentedProblem):
    """The risk of a user's loss, built by `custom_risk`.

    Attributes:
        function: (theta, x, y) to losses (k,) and gradients (k, p)
        data: (x, y)
        action: how the group moves a sample
        S: a GroupSample, None for the data as they are, "full", or "streaming"
        largest: no gradient of a single sample is longer, as the user says
        oracle: of a streaming risk: where each step's elements come from
        batch: how many of them
        first: calls that the oracle had made before
    """

    function: LossFunction
    data: tuple[Any, Any]
    action: Action
    S: GroupSample | Literal["full", "streaming"] | None
    largest: float | None = None
    oracle: Oracle | None = None
    batch: int = 1
    first: int = 0

    def losses(self, theta: Floats, x: Any, y: Any) -> tuple[Floats, Floats]:
        """Losses (k,) and gradients (k, p) of a batch by the function; what it returns is checked.

        Args:
            theta: parameters (p,)
            x: samples (k, ...)
            y: targets (k, ...)
        """
        found, k, p = self.function(theta, x, y), len(y), len(theta)
        if isinstance(found, tuple) and len(found) == 2:
            losses, gradients = (np.asarray(as_numpy(part), dtype=np.float64) for part in found)
            if losses.shape == (k,) and gradients.shape == (k, p):
                return losses, gradients
        given = f"function returned {shorten(found)}"
        raise ArgumentError(f"{given}; return losses ({k},) and gradients ({k}, {p}).")

    @cached_property
    def elements(self) -> Rows | None:
        """What is averaged over; None for the data as they are."""
        if self.S == "full":
            return self.action.group.all_elements()
        return self.S.elements if isinstance(self.S, GroupSample) else None

    def value(self, theta: Any) -> float:
        """The risk at theta, for "streaming" that of the data as they are."""
        theta = check_vector("theta", theta)
        values: list[float] = []
        for block, _ in self._element_gradients(theta, self.elements):
            values.extend(block)
        return math.fsum(values) / len(values)

    def gradient(self, theta: Any) -> Floats:
        """Its gradient."""
        theta, total, count = check_vector("theta", theta), 0.0, 0
        for _, block in self._element_gradients(theta, self.elements):
            total, count = total + block.sum(axis=0), count + len(block)
        return np.asarray(total / count)

    def _on(self, S: GroupSample) -> CustomRisk:
        return CustomRisk(self.function, self.data, self.action, S)

    def _facts(self) -> dict[str, str]:
        return {**super()._facts(), "function": fingerprint(self.function)}

    def _checked_theta(self, theta: Any) -> Floats:
        return check_vector("theta", theta)

    def _element_gradients(
        self, theta: Floats, rows: Rows | None
    ) -> Iterator[tuple[Floats, Floats]]:
        """Values (k,) and gradients (k, p) of single elements, in blocks that fit memory."""
        n = len(self.y)
        if rows is None:
            losses, gradients = self.losses(theta, self.x, self.y)
            yield losses.mean(keepdims=True), gradients.mean(axis=0, keepdims=True)
            return
        step = max(1, _NUMBERS // (n * len(theta)))
        y = np.concatenate([self.y] * step)
        for start in range(0, len(rows), step):
            some = rows[start : start + step]
            k = len(some)
            losses, gradients = self.losses(theta, joined(self.action(some, self.x)), y[: k * n])
            yield losses.reshape(k, n).mean(axis=1), gradients.reshape(k, n, -1).mean(axis=1)


def custom_risk(
    function: LossFunction,
    data: tuple[Any, Any],
    action: Action,
    S: GroupSample | Oracle | Literal["full"] | None,
    *,
    largest: float | None = None,
    batch: int = 1,
) -> CustomRisk:
    """The risk of any loss, for `descend`, `pilot` and `certify`.

    Args:
        function: function(theta, x, y) of a vector theta (p,), k moved samples and their targets
            returns losses (k,) and gradients by theta (k, p), in NumPy or JAX
        data: (x, y)
        action: how the group moves a sample
        S: what is averaged over: a GroupSample, "full" for all of a group that can be listed, None
            for the data as they are, or an Oracle, whose fresh elements each step takes (streaming)
        largest: no gradient of a single moved sample is longer: then `certify(run, oracle=...)`
            can audit
        batch: fresh elements for each streaming step

    Returns:
        The risk.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> def logistic(theta, x, y):  # labels -1 and 1
        ...     margin = y * (x @ theta)
        ...     return np.log1p(np.exp(-margin)), -(y / (1 + np.exp(margin)))[:, None] * x
        >>> x = np.random.default_rng(0).normal(size=(50, 4))
        >>> act = sa.permute_axis(sa.symmetric(4))
        >>> S = sa.Oracle(act.group, seed=0).draw(8)
        >>> risk = sa.custom_risk(logistic, (x, np.sign(x.sum(1))), act, S)
        >>> run = sa.descend(risk, np.zeros(4), step_size=0.5, num_steps=50)
        >>> round(risk.value(run.best), 3), round(sa.certify(run)["exact"].truth, 3)
        (0.179, 0.055)
    """
    check_callable("function", function, "function(theta, x, y)")
    x, targets = check_pair_of_data(data)
    require_action(action)
    n = require_samples(x, "data[0]")
    y = np.array(as_numpy(targets))
    if not n or y.ndim < 1 or len(y) != n:
        raise ArgumentError(f"data[1] has shape {y.shape}; give one target for each of {n} rows.")
    if largest is not None:
        largest = check_real("largest", largest, above=0)
    batch = check_integer("batch", batch, at_least=1)
    data = map_leaves(_copy, x), y
    if isinstance(S, Oracle):
        if S.distribution != action.distribution:
            name = action.distribution.name
            raise ArgumentError(f"S={shorten(S)} is not an Oracle of {name}; use the same group.")
        return CustomRisk(function, data, action, "streaming", largest, S, batch, S.calls)
    if isinstance(S, str) and S == "full":
        action.group.all_elements()  # refused here where they are too many
    elif S is not None:
        S = as_sample(S, action.distribution)
    return CustomRisk(function, data, action, S, largest)


def _copy(x: Any) -> Any:
    """What the caller may write to later; arrays of other libraries stay as they are."""
    return x.copy() if isinstance(x, np.ndarray) else x
