"""The same risk by the plain sum over data and transformations: the reference, and streaming."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from sparseaug.actions import Action
from sparseaug.errors import ArgumentError, check_integer
from sparseaug.kernels.arrays import Floats, check_action, check_floats, check_vector, freeze
from sparseaug.risk.identity import Facts, model_facts, problem_facts, sha256_of
from sparseaug.risk.model import KernelModel, check_data, check_model
from sparseaug.risk.moments import check_facts, check_method
from sparseaug.sampling import GroupSample, Oracle
from sparseaug.sampling.oracle import require_oracle
from sparseaug.sampling.sample import require_memory, require_sample


@final
@dataclass(frozen=True, eq=False)
class DirectRisk:
    """Half the mean of (f(g.x_i) - y_i)^2 over the features of all transformed samples."""

    model: KernelModel
    features: Floats  # (m n, R)
    targets: Floats  # (m n,)
    calls: int
    method: Literal["none", "full", "streaming", "one-shot"] = "one-shot"
    facts: Facts = field(default=(), repr=False)

    def __post_init__(self) -> None:
        check_model(self.model)
        features = check_floats("features", self.features)
        if features.ndim != 2 or features.shape[1] != len(self.model.centers) or not len(features):
            raise ArgumentError(
                f"features has shape {features.shape}; give (m n, {len(self.model.centers)})."
            )
        object.__setattr__(self, "features", features)
        object.__setattr__(self, "targets", check_vector("targets", self.targets, len(features)))
        check_integer("calls", self.calls)
        check_method(self.method)
        check_facts(self.facts)

    def value(self, theta: Any) -> float:
        """The risk at theta."""
        residual = self.features @ self.model.coefficients(theta) - self.targets
        return float(0.5 * np.mean(residual**2))

    def gradient(self, theta: Any) -> NDArray[Any]:
        """Its gradient by theta."""
        residual = self.features @ self.model.coefficients(theta) - self.targets
        return self.model.chain(theta, residual @ self.features / len(residual))

    def at_step(self, step: int) -> DirectRisk:
        """The risk that descent follows at this step: always this one."""
        return self

    def identity(self) -> dict[str, str]:
        """What it depends on, by name; by its features where it was not built by `direct_risk`."""
        by_hand = (("features", sha256_of(self.features)), ("targets", sha256_of(self.targets)))
        return {"method": self.method, **dict(model_facts(self.model) + (self.facts or by_hand))}


@final
@dataclass(frozen=True, eq=False)
class StreamingRisk:
    """A fresh batch S_t of the oracle at every step, counted; built by `streaming_risk`."""

    model: KernelModel
    data: tuple[Any, Any]
    action: Action
    oracle: Oracle
    batch: int
    first: int  # calls the oracle had made before
    method: Literal["streaming"] = "streaming"

    def __post_init__(self) -> None:
        x, y = check_data(check_model(self.model), self.data)
        object.__setattr__(self, "data", (freeze(x), freeze(y)))
        require_oracle(self.oracle, check_action(self.action).group)
        object.__setattr__(self, "batch", check_integer("batch", self.batch, at_least=1))
        _require_memory("batch", self.batch, self.model, x)
        object.__setattr__(self, "first", check_integer("first", self.first))
        check_method(self.method, ("streaming",))

    @property
    def calls(self) -> int:
        """Oracle calls so far."""
        return self.oracle.calls

    def at_step(self, step: int) -> DirectRisk:
        """The risk over the next batch of draws; steps are asked for in order, each once."""
        return _direct(self.model, *self.data, self.action, self.oracle.draw(self.batch))

    def resume(self, step: int) -> None:
        """Go on as if `step` more steps had been drawn."""
        step = check_integer("step", step, below=((1 << 63) - self.calls) // self.batch)
        self.oracle.advance_to(self.calls + step * self.batch)

    def identity(self) -> dict[str, str]:
        """What it depends on, by name: the problem, and which draws come next."""
        oracle = self.oracle
        source = "a source" if oracle.has_source else "uniform draws"
        return {
            "method": self.method,
            **dict(model_facts(self.model)),
            **dict(problem_facts(*self.data, self.action, source)),
            "oracle seed": str(oracle.seed),
            "first draw": str(oracle.calls),
            "batch": str(self.batch),
        }


def direct_risk(
    model: KernelModel, data: tuple[Any, Any], action: Action, S: GroupSample
) -> DirectRisk:
    """R_n^S by the plain sum, for checking `augmented_risk` and for samples used once."""
    x, y = check_data(check_model(model), data)
    check_action(action)
    require_sample(S)
    _require_memory("S", S.m, model, x)
    return _direct(model, x, y, action, S, problem_facts(x, y, action, S))


def streaming_risk(
    model: KernelModel, data: tuple[Any, Any], action: Action, oracle: Oracle, *, batch: int = 1
) -> StreamingRisk:
    """eq:streaming-group-sgd: the risk over `batch` fresh elements of the oracle at every step."""
    return StreamingRisk(model, data, action, oracle, batch, getattr(oracle, "calls", 0))


def _require_memory(name: str, m: int, model: KernelModel, x: Floats) -> None:
    """Raise an `ArgumentError` where copies and features of so many elements would take gigabytes."""
    numbers = len(x) * max(x[0].size, len(model.centers))
    require_memory(name, m, numbers, "elements, with the copies of the data,")


def _direct(
    model: KernelModel, x: Floats, y: Floats, action: Action, S: GroupSample, facts: Facts = ()
) -> DirectRisk:
    moved = np.asarray(action(S, x))
    features = model.features(moved.reshape(-1, *moved.shape[2:]))
    targets = np.tile(y, S.m)
    return DirectRisk(model, freeze(features), freeze(targets), S.calls_behind, "one-shot", facts)
