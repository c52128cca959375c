"""What the PyTorch layer asks of its arguments: dense tensors, what models return, and of a risk that
module and loss are a mean over samples, which is tried when it is built."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from sparseaug._checks import check_callable
from sparseaug.actions import Action
from sparseaug.actions.arrays import (
    call,
    describe,
    is_sharded,
    leaves,
    map_leaves,
    require_dense,
    require_local,
    require_samples,
)
from sparseaug.actions.base import require_action, require_same_group
from sparseaug.errors import ArgumentError, shorten
from sparseaug.nn.graphs import is_graph
from sparseaug.nn.risk.tiles import Tile
from sparseaug.orbits.models import choose_output

if TYPE_CHECKING:
    from sparseaug.nn.risk.module_risk import ModuleRisk


def require_tensor(name: str, x: Any, axes: int) -> None:
    """Raise an `ArgumentError` unless x is a tensor with at least this many axes."""
    if not isinstance(x, Tensor):
        if is_graph(x):
            raise ArgumentError(
                f"{name}={shorten(x)} is a graph, not a tensor; move n graphs of one size by "
                "OneShotDataset(graphs, permute_nodes(group), S), join its items by "
                "Batch.from_data_list and average what the model returns: "
                "outputs.unflatten(0, (S.m, n)).mean(0)."
            )
        raise ArgumentError(f"{name}={shorten(x)} is not a tensor; convert it, torch.as_tensor.")
    if x.layout is not torch.strided:  # one without memory is on another device than S
        require_dense(name, x)
    require_local(name, x)
    if x.ndim < axes:
        raise ArgumentError(f"{name} has shape {tuple(x.shape)}; give at least {axes} axes.")


def require_output(y: Any, count: int) -> Tensor:
    """What a model returned, or an `ArgumentError` unless it is a tensor with so many rows."""
    if not isinstance(y, Tensor) or y.ndim < 1 or y.shape[0] != count:
        given = f"shape {tuple(y.shape)}" if isinstance(y, Tensor) else f"a {type(y).__name__}"
        raise ArgumentError(f"model returned {given}; return ({count}, ...){choose_output(y)}.")
    require_local("the output of model", y)
    return y


def require_outputs(y: Any, count: int) -> Any:
    """The same for a tuple or dict of outputs, or for one."""
    if not leaves(y):
        raise ArgumentError(f"model returned an empty {type(y).__name__}; return ({count}, ...).")
    for part in leaves(y):
        require_output(part, count)
    return y


def require_batch(action: Action, x: Any) -> int:
    """How many samples a batch of tensors that the action moves has, or an `ArgumentError` if none."""
    action.over(x)
    for part in leaves(x):
        require_tensor("x", part, 2)
    if not (size := require_samples(x)):
        raise ArgumentError("x is empty; give at least one sample.")
    return size


_TRIED = 8  # samples of the trial, spread over the data
_LABELS = 32  # and one of each of so many labels, as classes may have weights
_LOOKED_AT = 1 << 20  # targets among which labels are looked for
_FAILURES = (RuntimeError, ValueError, TypeError, IndexError)  # of modules given the wrong shapes


def check_tensors(
    module: Any, loss: Any, data: Any, action: Any, y_action: Any
) -> tuple[Any, Tensor]:
    """(x, y) as they are, or an `ArgumentError` that names what does not fit."""
    if not isinstance(module, nn.Module):
        raise ArgumentError(f"module={shorten(module)} is not an nn.Module.")
    check_callable("loss", loss, "loss(prediction, target)")
    require_action(action)
    require_same_group(action, y_action, "y_action")
    pair = isinstance(data, tuple) and len(data) == 2 and torch.is_tensor(data[1])
    if not pair or not all(map(torch.is_tensor, leaves(data[0]))):
        raise ArgumentError(f"data={shorten(data)} is not a pair of tensors; give (x, y).")
    x, y = data
    action.over(x)
    parts = [("x", part) for part in leaves(x)] + [("y", y)]
    for name, part in parts:
        require_local(f"{name} of data", part)
    for _, part in parts[:-1]:
        if part.ndim < 2 or y.ndim < 1 or len(part) != len(y) or not len(part):
            raise ArgumentError(
                f"data has samples of shape {tuple(part.shape)} and targets of shape "
                f"{tuple(y.shape)}; give (n, ...) and (n, ...) with n >= 1."
            )
    _require_parameters(module, parts)
    for name, part in parts:
        if not bool(torch.isfinite(part).all()):
            raise ArgumentError(f"data has {name} that is not finite; remove such samples.")
    return x, y


def _require_parameters(module: nn.Module, parts: list[tuple[str, Tensor]]) -> None:
    trained = [p for p in module.parameters() if p.requires_grad]
    if not trained:
        raise ArgumentError("module has no parameter that requires a gradient.")
    if any(map(is_sharded, trained)):
        raise ArgumentError(
            "module has parameters that are spread over ranks, and theta is one vector; give the module "
            "as it is before fully_shard: each rank computes its share of the copies."
        )
    kinds = {(p.dtype, p.device) for p in trained}
    if len(kinds) > 1:
        raise ArgumentError(
            f"module has parameters of several types or devices ({sorted(map(str, kinds))}); theta "
            "is one vector: use module.to(...)."
        )
    ((_, device),) = kinds
    for name, part in parts:
        if part.device != device:
            raise ArgumentError(
                f"data has {name} on {part.device}, but the module is on {device}; use .to(...)."
            )


def require_pure(module: nn.Module) -> None:
    """Refuse layers that mix samples or draw at random while training: no mean over samples is left."""
    for name, layer in module.named_modules():
        batch = isinstance(layer, nn.modules.batchnorm._BatchNorm) and layer.training
        drop = isinstance(layer, nn.modules.dropout._DropoutNd) and layer.training and layer.p > 0
        if batch or drop:
            raise ArgumentError(
                f"module has {type(layer).__name__} at {name!r} in training mode, but the risk is a "
                "mean over samples; call module.eval() first, or use GroupNorm or LayerNorm."
            )


def require_mean(risk: ModuleRisk) -> None:
    """Try module and loss on a few copies, one by one and together: the mean must be the same.

    So must the mean gradient, since a value may agree by chance: that of targets which broadcast
    against predictions does while all predictions are equal.
    """
    copies = [
        risk._copies_in(Tile(slice(0, 1), slice(i, i + 1))) for i in _samples_to_try(risk.data[1])
    ]
    x, y = (
        map_leaves(lambda *parts: torch.cat(parts).detach(), *column)
        for column in zip(*copies, strict=True)
    )
    try:
        with torch.no_grad():
            shapes = f"{_shape(call(risk.module, x))} and {_shape(y)}"
    except _FAILURES as error:
        raise ArgumentError(f"module does not take x of {describe(x)}: {error}") from error
    try:
        together = _value_and_gradient(risk, x, y)
        mean, size = torch.zeros_like(together), 0.0
        for k in range(len(y)):
            one = map_leaves(lambda part, k=k: part[k : k + 1], x)
            single = _value_and_gradient(risk, one, y[k : k + 1])
            mean += single / len(y)
            size = max(size, float(torch.linalg.vector_norm(single)))
    except ArgumentError:
        raise
    except _FAILURES as error:
        raise ArgumentError(
            f"loss does not take predictions and targets of shape {shapes}: {error}"
        ) from error
    value = float(together[0])
    if not math.isfinite(value):
        raise ArgumentError(f"loss is {value} on the first copies; check data and module.")
    slack = torch.finfo(together.dtype).eps ** 0.5
    off = float(torch.linalg.vector_norm(together - mean))
    if not off <= slack * (1 + size):  # nor if a sample alone has no finite loss
        raise ArgumentError(
            f"loss is not a mean over samples: {value:.6g} together, {float(mean[0]):.6g} one by one, "
            f"gradients {off:.2g} apart, on predictions and targets of shape {shapes}. Make the "
            "shapes agree, and for a sum or class weights give the loss of each sample "
            '(reduction="none").'
        )


def _value_and_gradient(risk: ModuleRisk, x: Any, y: Tensor) -> Tensor:
    """The mean loss and its gradient by the module's parameters, in one vector."""
    with torch.enable_grad():
        loss = risk.loss(call(risk.module, x), y)
        if not isinstance(loss, Tensor) or not loss.is_floating_point():
            raise ArgumentError(f"loss returned {shorten(loss)}; return a tensor of real numbers.")
        if not loss.requires_grad:
            raise ArgumentError(
                "loss has no gradient by the module's parameters; see that neither module nor loss "
                "detaches them, or computes under no_grad."
            )
        mean = loss.mean()
        parts = torch.autograd.grad(
            mean, risk.parameters, allow_unused=True, materialize_grads=True
        )
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


def _shape(value: Any) -> Any:
    return tuple(value.shape) if isinstance(value, Tensor) else shorten(value)
