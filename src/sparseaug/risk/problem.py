"""What a risk is of: data, an action, what is averaged over; and a kernel model under squared loss."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np

from sparseaug._checks import check_integer, check_type
from sparseaug.actions import Action
from sparseaug.actions.base import require_action
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Rows
from sparseaug.kernels.arrays import Floats, check_samples, check_vector, freeze, move
from sparseaug.risk.model import KernelModel
from sparseaug.sampling import GroupSample, Oracle
from sparseaug.sampling.identity import fingerprint, order_facts, problem_facts

Draws: TypeAlias = tuple[tuple[int, int, int], ...]
LossFunction: TypeAlias = Callable[[Floats, Any, Any], tuple[Any, Any]]

_FEATURES = 1 << 17  # kernel values of one block, which stay in a core's cache


class AugmentedProblem:
    """The base of all risks: data, an action, and what is averaged over.

    Attributes:
        data: (x, y)
        action: how the group moves a sample
        S: a GroupSample, None for the data as they are, "full" for the whole group, or
            "streaming" for fresh elements at every step
        oracle: of a streaming risk: where each step's elements come from, which counts them
        batch: how many of them
        first: calls that the oracle had made before
    """

    data: tuple[Any, Any]
    action: Action
    S: GroupSample | Literal["full", "streaming"] | None
    oracle: Oracle | None = None
    batch: int = 1
    first: int = 0

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.method}, {len(self.y)} samples, group "
            f"{self.action.distribution.name}, {shorten(self.calls)} oracle calls)"
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
        """Oracle calls behind S (of the letters, for words; 0 for the full group), or so far."""
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

    def at_step(self, step: int) -> Any:
        """What descent follows at this step: itself, or the risk on the next batch of fresh elements.

        Steps of a streaming risk are asked for in order, each once.
        """
        return self if self.oracle is None else self._on(self.oracle.fresh(self.batch))

    def resume(self, step: int) -> None:
        """Continue as if `step` more steps had been drawn."""
        if self.oracle is not None:
            step = check_integer("step", step, below=((1 << 63) - self.calls) // self.batch)
            self.oracle.advance_to(self.calls + step * self.batch)

    def identity(self) -> dict[str, str]:
        """What its gradients depend on to the last bit, by name and hash."""
        facts = {**self._facts(), "risk": type(self).__name__, **order_facts(self.S)}
        if self.oracle is None:
            return facts
        drawn = "a source" if self.oracle.has_source else "uniform draws"
        first = {"first draw": str(self.oracle.calls), "batch": str(self.batch)}
        return {**facts, "S": drawn, "oracle seed": str(self.oracle.seed), **first}

    def _on(self, S: GroupSample) -> Any:
        """The same risk on these elements."""
        raise NotImplementedError

    def _facts(self) -> dict[str, str]:
        """What it is of, by name and hash; equal for risks that differ by rounding only."""
        S = self.S if isinstance(self.S, GroupSample) else self.method
        return {"method": self.method, **problem_facts(*self.data, self.action, S)}


@dataclass(frozen=True, eq=False, repr=False)
class KernelProblem(AugmentedProblem):
    """The base of the risks of a kernel model, and of the evidence for certificates.

    Attributes:
        model: the kernel model
        data: (x, y): samples (n, ...) like the centres, and one target for each
        action: how the group moves a sample
        S: what is averaged over
    """

    model: KernelModel
    data: tuple[Any, Any]
    action: Action
    S: GroupSample | Literal["full", "streaming"] | None

    @property
    def losses(self) -> LossFunction:
        """Losses and gradients of single samples."""
        return self.model.losses

    def _checked_theta(self, theta: Any) -> Floats:
        """What a pilot asks: theta as a vector of the model's parameters."""
        return check_vector("theta", theta, self.model.size)

    def _element_gradients(self, theta: Floats, rows: Rows) -> Iterator[tuple[Floats, Floats]]:
        """And values (k,) and gradients (k, 2 R) of single elements, in blocks that fit memory."""
        x, y, model = self.x, self.y, self.model
        a, b = theta.reshape(2, -1)
        step = max(1, _FEATURES // (len(x) * len(model.centers)))
        for start in range(0, len(rows), step):
            moved = move(self.action, rows[start : start + step], x)
            k = len(moved)
            features = model.kernel._gram(moved.reshape(-1, *moved.shape[2:]), model.centers)
            with np.errstate(over="ignore", invalid="ignore"):  # of a theta that diverged
                residuals = (features @ (a * b)).reshape(k, len(x)) - y
                g = (residuals[:, None] @ features.reshape(k, len(x), -1))[:, 0] / len(x)
                both = np.concatenate([b * g, a * g], axis=1)
                values = 0.5 * np.mean(residuals**2, axis=1)
            yield values, both

    def _facts(self) -> dict[str, str]:
        centers = fingerprint(self.model.centers)
        return {**super()._facts(), "kernel": repr(self.model.kernel), "centers": centers}


def check_problem(
    model: Any,
    data: Any,
    action: Any,
    S: Any,
    *,
    words: tuple[str | None, ...] = (None, "full", "streaming"),
) -> tuple[Floats, Floats]:
    """Copies of the data that cannot change, or an `ArgumentError` for any of the four.

    `words` is what S may be but for a sample.
    """
    check_type("model", model, KernelModel, "a KernelModel")
    x, y = check_pair_of_data(data)
    x = check_samples("data[0]", x, like=model.centers)
    y = check_vector("data[1]", y, len(x))
    require_action(action)
    if isinstance(S, GroupSample):
        action.rows(S)  # S must be of the action's group
    elif not (S is None or isinstance(S, str)) or S not in words:
        names = ", ".join(map(repr, words))
        raise ArgumentError(f"S={shorten(S)} is not allowed; give a GroupSample, or {names}.")
    return freeze(x), freeze(y)


def check_pair_of_data(data: Any) -> tuple[Any, Any]:
    """(x, y) as it is."""
    if not isinstance(data, tuple) or len(data) != 2:
        raise ArgumentError(f"data={shorten(data)} is not a pair; give (x, y).")
    return data
