"""The risk of a module over fresh elements at every step, drawn from an oracle that counts."""

from __future__ import annotations

from typing import Any, Literal, final

from torch import Tensor, nn

from sparseaug._checks import check_integer
from sparseaug.actions import Action
from sparseaug.nn.risk.chunks import module_risk_identity, require_same
from sparseaug.nn.risk.fit import fit
from sparseaug.nn.risk.module_risk import Loss, ModuleRisk
from sparseaug.orbits.models import MOST_CALLS
from sparseaug.sampling import Oracle
from sparseaug.sampling.oracle import require_oracle


@final
class StreamingModuleRisk:
    """eq:streaming-group-sgd for a module: the risk over `batch` fresh elements at every step.

    Takes what `ModuleRisk` takes, with an oracle in place of S. Every rank holds an oracle of the same
    seed, and all of them see the same draws.

    Args:
        module: any `nn.Module` that treats samples one by one
        loss: as `ModuleRisk` takes it
        data: (x, y), tensors with one sample per row
        action: how the group moves x
        oracle: where the fresh elements come from
        batch: fresh elements per step
        y_action: how targets move, if they do
        chunk_size: copies that are in memory at once
    """

    method: Literal["streaming"] = "streaming"

    def __init__(
        self,
        module: nn.Module,
        loss: Loss,
        data: tuple[Any, Tensor],
        action: Action,
        oracle: Oracle,
        *,
        batch: int = 1,
        y_action: Action | None = None,
        chunk_size: int | None = None,
    ) -> None:
        batch = check_integer("batch", batch, at_least=1, below=MOST_CALLS)
        self._plain = ModuleRisk(
            module, loss, data, action, None, y_action=y_action, chunk_size=chunk_size
        )
        require_oracle(oracle, action.group)
        self.module, self.oracle, self.batch = module, oracle, batch
        facts = f"{oracle.seed} {oracle.calls} {batch}"
        require_same(self.theta, oracle=[facts.encode()])

    @property
    def parameters(self) -> list[nn.Parameter]:
        """The module's parameters in the order of theta."""
        return self._plain.parameters

    @property
    def theta(self) -> Tensor:
        """The module's parameters now, as one vector."""
        return self._plain.theta

    @property
    def calls(self) -> int:
        """Oracle calls so far."""
        return self.oracle.calls

    def at_step(self, step: int) -> ModuleRisk:
        """The risk over the next batch of draws; steps are asked for in order, each once."""
        return self._plain.on(self.oracle.fresh(self.batch))

    def resume(self, step: int) -> None:
        """Continue as if `step` more steps had been drawn."""
        step = check_integer("step", step, below=((1 << 63) - self.calls) // self.batch)
        self.oracle.advance_to(self.calls + step * self.batch)

    def identity(self) -> dict[str, str]:
        """What it depends on, by name: the problem, and which draws come next."""
        source = "a source" if self.oracle.has_source else "uniform draws"
        return {
            "method": self.method,
            **module_risk_identity(self._plain, source),
            "oracle seed": str(self.oracle.seed),
            "first draw": str(self.oracle.calls),
            "batch": str(self.batch),
        }

    def load(self, theta: Tensor) -> None:
        """Write theta into the module."""
        self._plain.load(theta)

    fit = fit  # risk.fit(optimizer, ...) is fit(risk, optimizer, ...)
