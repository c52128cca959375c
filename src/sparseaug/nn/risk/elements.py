"""Value and gradient of a module's risk for one element at a time, of many elements at once.

`torch.func.vmap` takes the gradient of the mean loss over the samples moved by one element, for a chunk
of elements in one pass; where one element's samples are more than a chunk, they come in parts. On a
processor a chunk of several elements has few copies: grouped convolutions, which gradients of several
elements at once take, are slow there, and a pass over some hundred copies is long enough by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.func import grad_and_value, vmap

from sparseaug.actions import Bound
from sparseaug.actions.trees import map_leaves
from sparseaug.groups import Rows
from sparseaug.nn.risk.requirements import require_pure

if TYPE_CHECKING:
    from sparseaug.nn.risk.module_risk import ModuleRisk

_VECTORS = 1 << 26  # entries of the gradients of one chunk, which autograd holds twice
_COPIES_ON_CPU = 256  # of several elements in one pass


def element_gradients(
    risk: ModuleRisk, theta: Tensor, rows: Rows
) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Values (k,) and gradients (k, P) of the elements, a chunk of them at a time."""
    require_pure(risk.module)
    n = len(risk.data[1])
    leaf = theta.detach()

    def loss(parameters: Tensor, x: Any, y: Tensor) -> Tensor:
        return risk._mean_loss(risk._split(parameters), x, y)

    def single(x: Any, y: Tensor) -> tuple[Tensor, Tensor]:
        parameters = leaf.detach().requires_grad_()
        with torch.enable_grad():
            value = loss(parameters, x, y)
            return torch.autograd.grad(value, parameters)[0][None], value[None]

    many = vmap(grad_and_value(loss), in_dims=(None, 0, None if risk.y_action is None else 0))
    samples = min(n, risk.chunk_size)
    most = risk.chunk_size if leaf.device.type != "cpu" else min(_COPIES_ON_CPU, risk.chunk_size)
    count = max(1, min(most // samples, _VECTORS // max(1, risk.size)))
    for start in range(0, len(rows), count):
        some = rows[start : start + count]
        bound = Bound(risk.action, some, memory=0)
        y_bound = None if risk.y_action is None else Bound(risk.y_action, some, memory=0)
        found: Any
        gradient: Any = 0.0
        value: Any = 0.0
        for first in range(0, n, samples):
            part = slice(first, min(n, first + samples))
            x, y = (map_leaves(lambda a, part=part: a[part], data) for data in risk.data)
            moved = bound(x)
            if y_bound is not None:
                y = y_bound(y)
            if len(some) > 1:
                found = many(leaf, moved, y)
            else:
                one = map_leaves(lambda a: a[0], moved)
                found = single(one, y if y_bound is None else y[0])
            share = (part.stop - first) / n
            gradient = gradient + found[0].detach() * share
            value = value + found[1].detach() * share
        yield _array(value), _array(gradient)


def _array(tensor: Tensor) -> NDArray[Any]:
    """In single precision at least."""
    kept = tensor.to(torch.promote_types(tensor.dtype, torch.float32))
    return np.asarray(kept.cpu())
