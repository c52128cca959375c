"""The same risk by the plain sum over data and transformations: the reference, and streaming."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from sparseaug.actions import Action
from sparseaug.errors import check_integer
from sparseaug.kernels.arrays import Floats, freeze
from sparseaug.risk.model import KernelModel
from sparseaug.risk.moments import check_data
from sparseaug.sampling import GroupSample, Oracle
from sparseaug.sampling.oracle import require_oracle


@final
@dataclass(frozen=True, eq=False)
class DirectRisk:
    """Half the mean of (f(g.x_i) - y_i)^2 over the features of all transformed samples."""

    model: KernelModel
    features: Floats  # (m n, R)
    targets: Floats  # (m n,)
    calls: int
    method: Literal["none", "full", "streaming", "one-shot"] = "one-shot"

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

    @property
    def calls(self) -> int:
        """Oracle calls so far."""
        return self.oracle.calls

    def at_step(self, step: int) -> DirectRisk:
        """The risk over the next batch of draws; steps are asked for in order, each once."""
        S = self.oracle.draw(self.batch)
        return direct_risk(self.model, self.data, self.action, S)

    def resume(self, step: int) -> None:
        """Go on as if `step` steps had been drawn already."""
        self.oracle.advance_to(self.first + step * self.batch)


def direct_risk(
    model: KernelModel, data: tuple[Any, Any], action: Action, S: GroupSample
) -> DirectRisk:
    """R_n^S by the plain sum, for checking `augmented_risk` and for samples used once."""
    x, y = check_data(data)
    moved = np.asarray(action(S, np.asarray(x, np.float64)))
    features = model.features(moved.reshape(-1, *moved.shape[2:]))
    targets = np.tile(np.asarray(y, np.float64), S.m)
    return DirectRisk(model, freeze(features), freeze(targets), S.calls)


def streaming_risk(
    model: KernelModel, data: tuple[Any, Any], action: Action, oracle: Oracle, *, batch: int = 1
) -> StreamingRisk:
    """eq:streaming-group-sgd: the risk over `batch` fresh elements of the oracle at every step."""
    require_oracle(oracle, action.group)
    batch = check_integer("batch", batch, at_least=1)
    return StreamingRisk(model, check_data(data), action, oracle, batch, oracle.calls)
