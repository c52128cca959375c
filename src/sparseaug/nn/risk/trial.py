"""That module and loss are a mean over samples, and a function of theta alone: tried on a few copies
when a risk is built, and again where something is certified."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from sparseaug.actions.arrays import call, describe, map_leaves
from sparseaug.errors import ArgumentError, UnsupportedError, shorten

if TYPE_CHECKING:
    from sparseaug.nn.risk.module_risk import ModuleRisk

_TRIED = 8  # samples of the trial, spread over the data
_LABELS = 32  # and one of each of so many labels, as classes may have weights
_LOOKED_AT = 1 << 20  # targets among which labels are looked for
_FAILURES = (RuntimeError, ValueError, TypeError, IndexError)  # of modules given the wrong shapes


def require_pure(module: nn.Module) -> None:
    """Refuse layers that mix samples, draw at random or change while they are in training mode: no mean
    over samples is left."""
    for name, layer in module.named_modules():
        if layer.training and _differs_in_training(layer):
            raise ArgumentError(
                f"module has {type(layer).__name__} at {name!r} in training mode; call module.eval() "
                "or use LayerNorm: the risk is a mean over samples."
            )


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
    """Try module and loss on a few copies, one by one, together and together again: without random
    numbers, the mean must be the same.

    So must the mean gradient, since a value may agree by chance: that of targets which broadcast
    against predictions does while all predictions are equal.
    """
    x, y = _copies_to_try(risk)
    state, theta = _random_state(y), risk.theta
    try:
        seen = _by_the_module(risk, x, y)
        together = _at(risk, theta, x, y)
        singles = [
            _at(risk, theta, map_leaves(lambda part, k=k: part[k : k + 1], x), y[k : k + 1])
            for k in range(len(y))
        ]
        again = _at(risk, theta, x, y)
    except _FAILURES as error:
        raise ArgumentError(
            f"module or loss does not take x of {describe(x)} and y of {describe(y)}: {error}"
        ) from error
    mean = torch.stack(singles).mean(0)
    slack = _slack(max(float(torch.linalg.vector_norm(single)) for single in singles), theta)
    value = float(together[0])
    if not math.isfinite(value):
        raise ArgumentError(f"loss is {value} on the first copies; check data and module.")
    drawn = _random_state(y) != state
    if drawn or _off(together, again) > slack:
        raise ArgumentError(
            "module or loss draws random numbers, or changes from call to call, and the risk is one "
            "function of theta; call module.eval() first."
        )
    if _off(seen, together) > slack:
        raise ArgumentError(
            "module or loss computes with parameters that torch.func.functional_call does not replace; "
            "a loss must depend on predictions and targets alone, a forward on its own module."
        )
    if not _off(together, mean) <= slack:  # nor if a sample alone has no finite loss
        raise ArgumentError(
            f"loss is not a mean over samples: {value:.6g} together, {float(mean[0]):.6g} one by one, "
            f"gradients {_off(together, mean):.2g} apart. Make the shapes of predictions and targets "
            'agree; for a sum or class weights give the loss of each sample (reduction="none").'
        )


def require_equal(risk: ModuleRisk, copied: ModuleRisk, theta: Tensor) -> None:
    """Raise an `UnsupportedError` unless a copy computes what the module does, on a few copies."""
    x, y = _copies_to_try(risk)
    one, other = (_at(each, theta, x, y) for each in (risk, copied))
    if not _off(one, other) <= _slack(float(torch.linalg.vector_norm(one)), theta):
        raise UnsupportedError(
            "a copy of the module or loss does not compute the same: a method or hook put in by hand "
            "holds the original, say; write a subclass instead."
        )


def _copies_to_try(risk: ModuleRisk) -> Any:
    """(x, y) of a few samples, moved by the first element."""
    copies = risk._copies_in(slice(0, 1), _samples_to_try(risk.data[1]))
    return tuple(map_leaves(lambda part: part.detach(), column) for column in copies)


def _random_state(y: Tensor) -> list[Any]:
    """Of torch's own generators, the one of the device of y among them."""
    states = [torch.get_rng_state()]
    if y.device.type == "cuda":
        states.append(torch.cuda.get_rng_state(y.device))
    return [state.numpy().tobytes() for state in states]


def _off(one: Tensor, other: Tensor) -> float:
    return float(torch.linalg.vector_norm(one - other))


def _slack(size: float, theta: Tensor) -> float:
    return float(torch.finfo(theta.dtype).eps ** 0.5 * (1 + size))


def _at(risk: ModuleRisk, theta: Tensor, x: Any, y: Tensor) -> Tensor:
    """The mean loss and its gradient at theta, in one vector, as the risk computes them."""
    leaf = theta.detach().requires_grad_()
    with torch.enable_grad():
        return _in_one_vector(risk._mean_loss(risk._split(leaf), x, y), [leaf])


def _by_the_module(risk: ModuleRisk, x: Any, y: Tensor) -> Tensor:
    """The same by the module's own parameters."""
    with torch.enable_grad():
        loss = risk.loss(call(risk.module, x), y)
        if not isinstance(loss, Tensor) or not loss.is_floating_point() or not loss.requires_grad:
            raise TypeError(f"it returned {shorten(loss)}; return a real tensor with a gradient")
        return _in_one_vector(loss.mean(), risk.parameters)


def _in_one_vector(mean: Tensor, by: Sequence[Tensor]) -> Tensor:
    parts = torch.autograd.grad(mean, by, allow_unused=True, materialize_grads=True)
    return torch.cat([mean.detach().reshape(1), *(part.reshape(-1) for part in parts)])


def _samples_to_try(y: Tensor) -> list[int]:
    """Samples for the trial."""
    n, each = len(y), y.numel() // len(y)
    spread = np.linspace(0, n - 1, min(_TRIED, n)).astype(np.int64)
    if y.is_floating_point() or y.is_complex() or not each:
        return np.unique(spread).tolist()
    step = 1 + y.numel() // _LOOKED_AT
    _, places = np.unique(y[::step].cpu().numpy(), return_index=True)
    return np.union1d(spread, places[:_LABELS] // each * step).tolist()
