"""Ordinary optimisers on a module's risk, stopped before a step that is not finite.

`fit` is a method of both risks, of one S and of fresh elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, final

import torch
from torch import Tensor

from sparseaug._checks import check_callable, check_integer, check_type
from sparseaug.descent import NonFiniteError, Trace
from sparseaug.descent.trace import Recorder
from sparseaug.errors import ArgumentError
from sparseaug.nn.ranks import any_rank, require_same
from sparseaug.spectrum.models import MOST_CALLS

if TYPE_CHECKING:
    from sparseaug.nn.risk.module_risk import ModuleRisk, StreamingModuleRisk


@final
@dataclass(frozen=True)
class FitStep:
    """What a callback sees after each step: the risk and its gradient norm before the step.

    Args:
        step: number of the step, from 1
        value: the risk before the step
        gradient_norm: its gradient norm before the step
        calls: oracle calls so far
    """

    step: int
    value: float
    gradient_norm: float
    calls: int


def fit(
    self: ModuleRisk | StreamingModuleRisk,
    optimizer: torch.optim.Optimizer,
    *,
    num_steps: int,
    callback: Callable[[FitStep], Any] | None = None,
) -> Trace:
    """Take `num_steps` steps of any optimiser over the module's parameters, by the whole risk.

    `callback` is called after every step with a `FitStep`; return True, on any rank, to stop. The trace
    has one row per step. A risk or gradient that is not finite raises a `NonFiniteError`, with the
    parameters as they were before the step.

    Args:
        optimizer: any optimiser of torch over the module's parameters
        num_steps: most steps to take
        callback: called after every step with a `FitStep`; return True, on any rank, to stop

    Examples:
        >>> import torch
        >>> import sparseaug as sa
        >>> from sparseaug import nn as sann
        >>> act = sa.flip_signs(sa.sign_flips(2))
        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> _ = torch.manual_seed(0)
        >>> model = torch.nn.Linear(2, 1)
        >>> risk = sann.ModuleRisk(model, torch.nn.MSELoss(), (x, x[:, :1]), act, "full")
        >>> trace = risk.fit(torch.optim.Adam(model.parameters(), lr=0.1), num_steps=50)
        >>> len(trace), round(float(trace["value"][0]), 1), round(float(trace["value"][-1]), 1)
        (50, 9.1, 1.0)
    """
    check_type("optimizer", optimizer, torch.optim.Optimizer, "a torch optimizer")
    num_steps = check_integer("num_steps", num_steps, at_least=1, below=MOST_CALLS)
    if callback is not None:
        check_callable("callback", callback, "callback(step)")
    parameters = self.parameters
    own = {id(p) for p in parameters}
    if own != {id(p) for p in self.module.parameters() if p.requires_grad}:
        raise ArgumentError(
            "module trains other parameters than when the risk was made; make it again."
        )
    if not own & {id(p) for group in optimizer.param_groups for p in group["params"]}:
        raise ArgumentError("optimizer holds none of the module's parameters; give it those.")
    require_same(parameters[0], module=parameters)
    recorder = Recorder()
    for step in range(num_steps):
        seen = _take_step(self, optimizer, parameters, step)
        recorder.add(asdict(seen))
        stop = callback is not None and bool(callback(seen))
        if any_rank(stop, parameters[0]):
            break
    return recorder.trace()


def _take_step(
    risk: ModuleRisk | StreamingModuleRisk,
    optimizer: torch.optim.Optimizer,
    parameters: Sequence[Tensor],
    step: int,
) -> FitStep:
    """One step; an optimiser that asks several times, as L-BFGS does, follows the same risk."""
    followed, start = risk.at_step(step), risk.theta
    asked: list[FitStep] = []

    def closure() -> Tensor:
        value, gradient = followed.value_and_gradient(risk.theta)
        norm = torch.linalg.vector_norm(gradient, dtype=value.dtype)
        if not bool(torch.isfinite(value) & torch.isfinite(norm)):
            error = NonFiniteError(
                f"loss is {float(value)} with a gradient of norm {float(norm)} at step {step}; lower "
                "the learning rate."
            )
            error.step, error.best = step, start
            raise error
        for parameter, part in zip(
            parameters, gradient.split([p.numel() for p in parameters]), strict=True
        ):
            parameter.grad = part.view_as(parameter).clone()
        if not asked:
            asked.append(FitStep(step, float(value), float(norm), risk.calls))
        return value

    try:
        optimizer.step(closure)  # type: ignore[arg-type]
    except NonFiniteError:
        risk.load(start)  # L-BFGS has moved the parameters before it asks again
        raise
    return asked[0]
