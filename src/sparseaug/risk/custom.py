"""The risk of any loss: a function of theta, samples and targets that returns losses and gradients."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias, final

import numpy as np

from sparseaug._checks import check_callable, check_choice, check_integer, check_real, check_type
from sparseaug.actions import Action
from sparseaug.actions.arrays import as_numpy, joined, map_leaves, require_samples
from sparseaug.actions.base import require_action
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Rows
from sparseaug.kernels.arrays import Floats, check_vector
from sparseaug.risk.identity import name_of, order_facts, problem_facts
from sparseaug.risk.problem import Draws
from sparseaug.sampling import GroupSample, Oracle
from sparseaug.sampling.sample import as_sample

LossFunction: TypeAlias = Callable[[Floats, Any, Any], tuple[Any, Any]]

_NUMBERS = 1 << 22  # of gradients that are held at a time, 32 MiB


@final
@dataclass(frozen=True, eq=False)
class Losses:
    """Losses and gradients of a batch of samples, by a user's function; what it returns is checked."""

    function: LossFunction

    def __call__(self, theta: Floats, x: Any, y: Any) -> tuple[Floats, Floats]:
        """(k,) and (k, p)."""
        found = self.function(theta, x, y)
        if not isinstance(found, tuple) or len(found) != 2:
            raise ArgumentError(
                f"function returned {shorten(found)}; return (losses, gradients) of shapes (k,), (k, p)."
            )
        losses, gradients = (np.asarray(as_numpy(part), dtype=np.float64) for part in found)
        k = len(y)
        if losses.shape != (k,) or gradients.shape != (k, len(theta)):
            raise ArgumentError(
                f"function returned shapes {losses.shape} and {gradients.shape} for {k} samples and "
                f"{len(theta)} parameters; return ({k},) and ({k}, {len(theta)})."
            )
        return losses, gradients


@dataclass(frozen=True, eq=False)
class BatchRisk:
    """The mean loss of a batch: what one stochastic step follows."""

    losses: Callable[[Floats, Any, Any], tuple[Floats, Floats]]
    x: Any
    y: Any

    def value(self, theta: Any) -> float:
        """The mean loss."""
        return float(self.losses(check_vector("theta", theta), self.x, self.y)[0].mean())

    def gradient(self, theta: Any) -> Floats:
        """The mean gradient."""
        return np.asarray(self.losses(check_vector("theta", theta), self.x, self.y)[1].mean(axis=0))


@final
@dataclass(frozen=True, eq=False, repr=False)
class CustomRisk:
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

    def __repr__(self) -> str:
        return (
            f"CustomRisk({self.method}, {len(self.y)} samples, group {self.action.group.name}, "
            f"{shorten(self.calls)} oracle calls)"
        )

    @property
    def x(self) -> Any:
        """The inputs."""
        return self.data[0]

    @property
    def y(self) -> Any:
        """The targets."""
        return self.data[1]

    @property
    def method(self) -> str:
        """Which of "none", "full", "streaming" and "one-shot" it is."""
        if self.S is None:
            return "none"
        return self.S if isinstance(self.S, str) else "one-shot"

    @property
    def calls(self) -> int:
        """Oracle calls behind S, or those of the streaming steps so far."""
        if self.oracle is not None:
            return self.oracle.calls
        return self.S.calls_behind if isinstance(self.S, GroupSample) else 0

    @property
    def draws(self) -> Draws:
        """(seed, start, stop) of the oracle draws behind it that are known."""
        if self.oracle is not None:
            return ((self.oracle.seed, self.first, self.calls),)
        return self.S.origin.draws if isinstance(self.S, GroupSample) else ()

    @cached_property
    def audits(self) -> dict[str, list[tuple[Any, ...]]]:
        """The audits made of it, by iterate: those of one iterate share the delta of one."""
        return {}

    @cached_property
    def losses(self) -> Losses:
        """The function, checked."""
        return Losses(self.function)

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

    def at_step(self, step: int) -> Any:
        """What descent follows at this step: itself, or the next fresh batch of elements."""
        if self.oracle is None:
            return self
        return CustomRisk(self.function, self.data, self.action, self.oracle.fresh(self.batch))

    def resume(self, step: int) -> None:
        """Continue as if `step` more steps had been drawn."""
        if self.oracle is not None:
            self.oracle.advance_to(self.calls + step * self.batch)

    def identity(self) -> dict[str, str]:
        """What its gradients depend on, by name and hash; of the function its name alone."""
        facts = problem_facts(*self.data, self.action, self.S if self.S is not None else "none")
        facts |= {"risk": "CustomRisk", "function": name_of(self.function), **order_facts(self.S)}
        if self.oracle is not None:
            first = {"first draw": str(self.oracle.calls), "batch": str(self.batch)}
            facts |= {"oracle seed": str(self.oracle.seed), **first}
        return facts

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
    if len(check_type("data", data, tuple, "a pair; give (x, y)")) != 2:
        raise ArgumentError(f"data has {len(data)} parts; give (x, y).")
    require_action(action)
    n = require_samples(data[0], "data[0]")
    y = np.asarray(as_numpy(data[1]))
    if not n or y.ndim < 1 or len(y) != n:
        raise ArgumentError(
            f"data[1] has shape {y.shape} for {n} samples; give one target for each."
        )
    if largest is not None:
        largest = check_real("largest", largest, above=0)
    batch = check_integer("batch", batch, at_least=1)
    data = map_leaves(_copy, data[0]), y.copy()
    if isinstance(S, Oracle):
        if S.distribution != action.distribution:
            raise ArgumentError(
                f"S={shorten(S)} is not an Oracle of {shorten(action.distribution.name)}; use the same "
                "distribution."
            )
        return CustomRisk(function, data, action, "streaming", largest, S, batch, S.calls)
    if isinstance(S, str):
        check_choice("S", S, ("full",))
        action.group.all_elements()  # refused here where they are too many
    elif S is not None:
        S = as_sample(S, action.distribution)
    return CustomRisk(function, data, action, S, largest)


def _copy(x: Any) -> Any:
    """What the caller may write to later; arrays of other libraries stay as they are."""
    return x.copy() if isinstance(x, np.ndarray) else x
