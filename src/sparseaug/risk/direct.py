"""The same risk by the plain sum over data and transformations: the reference, and streaming."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, final

import numpy as np

from sparseaug._checks import check_integer, require_memory
from sparseaug.actions import Action
from sparseaug.kernels.arrays import Floats, check_vector, move
from sparseaug.risk.problem import Draws, KernelModel, Problem, chain
from sparseaug.sampling import GroupSample, Oracle
from sparseaug.sampling.oracle import require_oracle


@final
@dataclass(frozen=True, eq=False, repr=False)
class DirectRisk(Problem):
    """Half the mean of (f(g.x_i) - y_i)^2 over all transformed samples.

    Args:
        model: the kernel model
        data: (x, y): samples (n, ...) like the centres, and one target for each
        action: how the group moves a sample
        S: the sample

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> act, x = sa.flip_signs(sa.sign_flips(2)), np.eye(2)
        >>> model = sa.KernelModel(sa.GaussianKernel(1.0), x)
        >>> parts = model, (x, x.sum(1)), act, sa.Oracle(act.group).draw(3)
        >>> direct, risk = direct_risk(*parts), sa.augmented_risk(*parts)
        >>> bool(abs(direct.value(np.ones(4)) - risk.value(np.ones(4))) < 1e-12)
        True
    """

    S: GroupSample

    _words = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        _require_memory("S", self.S.m, self)

    @cached_property
    def features(self) -> Floats:
        """phi(g.x_i) for all g of S and all samples, (m n, R)."""
        moved = move(self.action, self.S.elements, self.x)
        return self.model.kernel._gram(moved.reshape(-1, *moved.shape[2:]), self.model.centers)

    def value(self, theta: Any) -> float:
        """The risk at theta."""
        residuals = self._residuals(check_vector("theta", theta, self.model.size))
        return float(0.5 * np.mean(residuals**2))

    def gradient(self, theta: Any) -> Floats:
        """Its gradient by theta."""
        return self._gradient(check_vector("theta", theta, self.model.size))

    def _gradient(self, theta: Floats) -> Floats:
        """The gradient at a float64 vector of the right length, which is not checked."""
        residuals = self._residuals(theta)
        return chain(theta, residuals @ self.features / len(residuals))

    def at_step(self, step: int) -> DirectRisk:
        """The risk that descent follows at this step: always this one."""
        return self

    def _residuals(self, theta: Floats) -> Floats:
        a, b = theta.reshape(2, -1)
        return np.asarray(self.features @ (a * b) - np.tile(self.y, self.S.m))


@final
@dataclass(frozen=True, eq=False, repr=False)
class StreamingRisk(Problem):
    """A fresh batch S_t of the oracle at every step, counted; built by `streaming_risk`.

    Args:
        model: the kernel model
        data: (x, y): samples (n, ...) like the centres, and one target for each
        action: how the group moves a sample
        oracle: where the elements come from; it counts them
        batch: elements drawn at each step
        first: calls the oracle had made before
    """

    S: Literal["streaming"] = field(default="streaming", init=False)
    oracle: Oracle
    batch: int
    first: int

    _words = ("streaming",)

    def __post_init__(self) -> None:
        super().__post_init__()
        require_oracle(self.oracle, self.action.group)
        object.__setattr__(self, "batch", check_integer("batch", self.batch, at_least=1))
        _require_memory("batch", self.batch, self)
        object.__setattr__(self, "first", check_integer("first", self.first))

    @property
    def calls(self) -> int:
        """Oracle calls so far."""
        return self.oracle.calls

    @property
    def draws(self) -> Draws:
        """The draws so far."""
        return ((self.oracle.seed, self.first, self.calls),)

    def at_step(self, step: int) -> DirectRisk:
        """The risk over the next batch of draws; steps are asked for in order, each once."""
        followed = object.__new__(DirectRisk)  # of parts that were checked
        followed.__dict__.update(
            model=self.model, data=self.data, action=self.action, S=self.oracle.fresh(self.batch)
        )
        return followed

    def resume(self, step: int) -> None:
        """Continue as if `step` more steps had been drawn."""
        step = check_integer("step", step, below=((1 << 63) - self.calls) // self.batch)
        self.oracle.advance_to(self.calls + step * self.batch)

    def identity(self) -> dict[str, str]:
        """What it depends on, by name: the problem, and which draws come next."""
        return {
            **super().identity(),
            "S": "a source" if self.oracle.has_source else "uniform draws",
            "oracle seed": str(self.oracle.seed),
            "first draw": str(self.oracle.calls),
            "batch": str(self.batch),
        }


def direct_risk(
    model: KernelModel, data: tuple[Any, Any], action: Action, S: GroupSample
) -> DirectRisk:
    """R_n^S by the plain sum, for checking `augmented_risk` and for samples used once."""
    return DirectRisk(model, data, action, S)


def streaming_risk(
    model: KernelModel, data: tuple[Any, Any], action: Action, oracle: Oracle, *, batch: int = 1
) -> StreamingRisk:
    """eq:streaming-group-sgd: the risk over `batch` fresh elements of the oracle at every step.

    Args:
        model: the kernel model
        data: (x, y): samples (n, ...) like the centres, and one target for each
        action: how the group moves a sample
        oracle: where the elements come from; it counts them
        batch: elements drawn at each step

    Returns:
        A risk for `descend`.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> act, x = sa.flip_signs(sa.sign_flips(2)), np.eye(2)
        >>> model = sa.KernelModel(sa.GaussianKernel(1.0), x)
        >>> risk = sa.risk.streaming_risk(model, (x, x.sum(1)), act, sa.Oracle(act.group), batch=3)
        >>> sa.descend(risk, np.ones(4), step_size=0.1, num_steps=10).calls
        30
    """
    first = getattr(oracle, "calls", 0)
    return StreamingRisk(model, data, action, oracle, batch, first)


def _require_memory(name: str, m: int, of: Problem) -> None:
    """Raise an `ArgumentError` where copies and features of so many elements would take gigabytes."""
    numbers = len(of.x) * max(of.x[0].size, len(of.model.centers))
    require_memory(name, m, numbers, "elements, with the copies of the data,")
