"""What a module's risk depends on, by name and hash: how `descend` tells one checkpoint from another.

theta holds the parameters that train; frozen ones and buffers count by their values, the module by its
printed structure, the loss by its name and its buffers. Code inside `forward` is not looked at.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from torch import nn

from sparseaug.nn.states import without_addresses
from sparseaug.risk.identity import action_sha256, problem_facts, sha256_of

if TYPE_CHECKING:
    from sparseaug.nn.risk.module_risk import ModuleRisk


def module_risk_identity(risk: ModuleRisk, S: str) -> dict[str, str]:
    """What a risk over S depends on; `S` is a sha256, "full", "none", or where draws come from."""
    x, y = risk.data
    moves = "none" if risk.y_action is None else action_sha256(risk.y_action, y)
    return {
        "module": _module_sha256(risk.module),
        "loss": _name(risk.loss),
        **dict(problem_facts(x, y, risk.action, S)),
        "y_action": moves,
    }


def _module_sha256(module: nn.Module) -> str:
    structure = [without_addresses(repr(module))]
    for name, parameter in module.named_parameters():
        kind = "trained" if parameter.requires_grad else sha256_of(parameter)
        structure.append(f"{name} {tuple(parameter.shape)} {parameter.dtype} {kind}")
    return sha256_of(*structure, dict(module.named_buffers()))


def _name(loss: Any) -> str:
    if isinstance(loss, nn.Module):
        return f"{without_addresses(repr(loss))} {sha256_of(dict(loss.named_buffers()))[:12]}"
    if isinstance(loss, functools.partial):
        return f"partial({_name(loss.func)}, {loss.args}, {loss.keywords})"
    named = loss if hasattr(loss, "__qualname__") else type(loss)
    return f"{named.__module__}.{named.__qualname__}"
