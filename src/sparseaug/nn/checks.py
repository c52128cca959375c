"""What the PyTorch layer asks of its arguments: flags, choices, dense tensors, models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from sparseaug.actions import Action
from sparseaug.actions.arrays import leaves, require_dense, require_local, require_samples
from sparseaug.errors import ArgumentError, shorten
from sparseaug.nn.adapters.graphs import is_graph
from sparseaug.orbits.models import choose_output


def check_flag(name: str, value: Any) -> bool:
    """True or False as it is, or an `ArgumentError`: a list or an array is neither."""
    if not isinstance(value, bool | np.bool_):
        raise ArgumentError(f"{name}={shorten(value)} is neither True nor False; give one of them.")
    return bool(value)


def check_choice(name: str, value: Any, allowed: Sequence[str]) -> str:
    """One of the allowed words, or an `ArgumentError` that lists them."""
    if not isinstance(value, str) or value not in allowed:
        words = " or ".join(f'"{word}"' for word in allowed)
        raise ArgumentError(f"{name}={shorten(value)} is unknown; give {words}.")
    return value


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


def require_outputs(y: Any, count: int) -> Tensor:
    """What a model returned, or an `ArgumentError` unless it is a tensor with so many rows."""
    if not isinstance(y, Tensor) or y.ndim < 1 or y.shape[0] != count:
        given = f"shape {tuple(y.shape)}" if isinstance(y, Tensor) else f"a {type(y).__name__}"
        raise ArgumentError(f"model returned {given}; return ({count}, ...){choose_output(y)}.")
    require_local("the output of model", y)
    return y


def require_batch(action: Action, x: Any) -> int:
    """How many samples a batch of tensors that the action moves has, or an `ArgumentError` if none."""
    action.over(x)
    for part in leaves(x):
        require_tensor("x", part, 2)
    if not (size := require_samples(x)):
        raise ArgumentError("x is empty; give at least one sample.")
    return size
