"""What the PyTorch layer asks of its arguments: dense tensors, and what models return."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from sparseaug._checks import check_callable
from sparseaug.actions import Action
from sparseaug.actions.arrays import (
    is_sharded,
    leaves,
    require_dense,
    require_local,
    require_samples,
)
from sparseaug.actions.base import require_action, require_same_group
from sparseaug.errors import ArgumentError, shorten
from sparseaug.nn.graphs import is_graph
from sparseaug.spectrum.models import choose_output


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
    ((dtype, device),) = kinds
    if dtype.is_complex:
        raise ArgumentError(
            f"module has parameters of {dtype}, but theta is a vector of real numbers; keep real and "
            "imaginary parts as one real parameter (torch.view_as_complex)."
        )
    for name, part in parts:
        if part.device != device:
            raise ArgumentError(
                f"data has {name} on {part.device}, but the module is on {device}; use .to(...)."
            )
