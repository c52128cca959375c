"""That a risk is a mean over samples and a function of theta alone: tried on a few copies when it is
built, and again where something is certified."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from sparseaug.actions.arrays import call, describe, map_leaves
from sparseaug.errors import ArgumentError, UnsupportedError

if TYPE_CHECKING:
    from sparseaug.nn.risk.module_risk import ModuleRisk

_TRIED = 8  # samples of the trial, spread over the data
_LABELS = 32  # and one of each of so many labels, as classes may have weights
_LOOKED_AT = 1 << 20  # targets among which labels are looked for
_FAILURES = (RuntimeError, ValueError, TypeError, IndexError, AttributeError)  # of wrong shapes


def require_pure(module: nn.Module) -> None:
    """Refuse layers that mix samples, draw at random or change while they are in training mode."""
    for name, layer in module.named_modules():
        if layer.training and _differs_in_training(layer):
            kind = f"{type(layer).__name__} at {name!r}"
            raise ArgumentError(f"module has {kind} in training mode; call module.eval().")


def _differs_in_training(layer: Any) -> bool:
    """Whether training mode is another function for it, as far as it is of torch."""
    match layer:
        case nn.modules.batchnorm._BatchNorm() | nn.RReLU():
            return True
        case nn.modules.instancenorm._InstanceNorm():
            return layer.running_mean is not None
        case nn.modules.dropout._DropoutNd():
            return layer.p > 0
        case nn.MultiheadAttention() | nn.RNNBase():
            return layer.dropout > 0
    return False


def try_risk(risk: ModuleRisk) -> None:
    """Compare a few copies together, one by one, and by the module's own parameters.

    Values and gradients must be the same, without random numbers. Values alone may agree by chance:
    those of targets which broadcast against predictions do while all predictions are equal.
    """
    x, y = _copies_to_try(risk)
    theta, state = risk.theta, _random_state(y)
    try:
        together, own = risk._sum(theta, [(x, y, 1.0)]), _by_the_module(risk, x, y)
        parts = [map_leaves(lambda part, k=k: part[k : k + 1], (x, y)) for k in range(len(y))]
        singles = torch.stack([risk._sum(theta, [(*part, 1.0)]) for part in parts])
    except _FAILURES as error:
        given = f"x of {describe(x)} and y of {describe(y)}"
        raise ArgumentError(f"module or loss does not take {given}: {error}") from error
    if _random_state(y) != state:
        raise ArgumentError("module or loss draws random numbers; call module.eval() first.")
    slack = _slack(float(torch.linalg.vector_norm(singles, dim=1).max()), theta)
    mean = singles.mean(0)
    if not _off(together, mean) <= slack:  # nor if a loss is not finite
        values = f"{together[-1]:.6g} together, {mean[-1]:.6g} one by one"
        raise ArgumentError(
            f"loss is not a mean over samples: {values}, gradients {_off(together, mean):.2g} apart; "
            'let shapes of outputs and targets agree, or use reduction="none".'
        )
    if not _off(together, own) <= slack:
        raise ArgumentError(
            "module or loss uses parameters that functional_call does not replace; leave them out."
        )


def require_equal(risk: ModuleRisk, copied: ModuleRisk, theta: Tensor) -> None:
    """Raise an `UnsupportedError` unless a copy computes what the module does, on a few copies."""
    x, y = _copies_to_try(risk)
    one, other = (each._sum(theta, [(x, y, 1.0)]) for each in (risk, copied))
    if not _off(one, other) <= _slack(float(torch.linalg.vector_norm(one)), theta):
        raise UnsupportedError("a copy of the module does not compute the same; write a subclass.")


def _copies_to_try(risk: ModuleRisk) -> Any:
    """(x, y) of a few samples, some of each label among them, moved by the first element."""
    y = risk.data[1]
    n, each = len(y), y.numel() // len(y)
    which = np.linspace(0, n - 1, min(_TRIED, n)).astype(np.int64)
    if each and not (y.is_floating_point() or y.is_complex()):
        step = 1 + y.numel() // _LOOKED_AT
        _, places = np.unique(y[::step].cpu().numpy(), return_index=True)
        which = np.union1d(which, places[:_LABELS] // each * step)
    copies = risk._copies_in(range(1), np.unique(which).tolist())
    return map_leaves(Tensor.detach, copies)


def _by_the_module(risk: ModuleRisk, x: Any, y: Tensor) -> Tensor:
    """Gradient and value as the risk has them, by the module's own parameters."""
    with torch.enable_grad():
        mean = risk.loss(call(risk.module, x), y).mean()
        found = torch.autograd.grad(
            mean, risk.parameters, allow_unused=True, materialize_grads=True
        )
    return torch.cat([*(part.reshape(-1) for part in found), mean.detach().reshape(1)])


def _random_state(y: Tensor) -> list[bytes]:
    """Of torch's own generators, the one of the device of y among them."""
    states = [torch.get_rng_state()]
    if y.device.type == "cuda":
        states.append(torch.cuda.get_rng_state(y.device))
    return [state.numpy().tobytes() for state in states]


def _off(one: Tensor, other: Tensor) -> float:
    return float(torch.linalg.vector_norm(one - other))


def _slack(size: float, theta: Tensor) -> float:
    return float(torch.finfo(theta.dtype).eps ** 0.5 * (1 + size))
