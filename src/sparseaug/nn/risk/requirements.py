"""What a risk is tried on when it is built: shapes, devices, and that it is a mean over samples.

Value and gradient of a module's risk for one element at a time, of many elements at once.

`torch.func.vmap` takes the gradient of the mean loss over the samples moved by one element, for a chunk
of elements in one pass; where one element's samples are more than a chunk, they come in parts. On a
processor a chunk of several elements has few copies: grouped convolutions, which gradients of several
elements at once take, are slow there, and a pass over some hundred copies is long enough by itself.

How many copies to compute at once: as many as keep what the module makes near the caches.

A few copies go through the module, and what its parts return is counted. On a processor a chunk is
fastest while all of it is some megabytes; an accelerator wants work for all its cores. Nothing is
timed, so that the same module and data have the same chunks, and the same bits, in every run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.func import grad_and_value, vmap

from sparseaug.actions import PreparedAction
from sparseaug.actions.arrays import call, describe, is_sharded, leaves, map_leaves, require_local
from sparseaug.actions.base import require_action, require_same_group
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Rows
from sparseaug.nn.risk.chunks import Tile

if TYPE_CHECKING:
    from sparseaug.nn.risk.module_risk import ModuleRisk

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
    if not callable(loss):
        raise ArgumentError(
            f"loss={shorten(loss)} cannot be called; give loss(prediction, target)."
        )
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
    copies = [risk.moved(Tile(slice(0, 1), slice(i, i + 1))) for i in _chosen(risk.data[1])]
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


def _chosen(y: Tensor) -> list[int]:
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
        bound = PreparedAction(risk.action, some, memory=0)
        y_bound = None if risk.y_action is None else PreparedAction(risk.y_action, some, memory=0)
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


# Measured on one core (networks of 32, 128 and 512 hidden units, a small convolutional one): within 15 %
# of the best of these sizes, and 16384 copies at once up to twice as slow.
SIZES_CPU = (256, 1024, 4096, 16384)
_ENTRIES_CPU = 1 << 21

SIZES_ACCELERATOR = (8192, 32768, 131072)
_ENTRIES_ACCELERATOR = 1 << 28  # a gigabyte in single precision


@final
@dataclass
class Chunk:
    """The chunk size of a risk and of the same risk over other samples, which share this object."""

    given: int | None
    device: torch.device
    found: int | None = None

    @property
    def size(self) -> int:
        """The one given, or found, or while there is neither the largest."""
        return self.given or self.found or self._sizes[-1]

    def wants_trial(self, copies: int) -> bool:
        """Whether none is known yet and the sizes make a difference for so many copies."""
        return self.given is None and self.found is None and copies > self._sizes[0]

    def find(self, entries: int) -> None:
        """Take the largest size whose chunks, of so many entries per copy, are not too large.

        Examples:
            >>> chunk = Chunk(None, torch.device("cpu"))
            >>> chunk.find(513)
            >>> chunk.size
            1024
        """
        most = _ENTRIES_CPU if self.device.type == "cpu" else _ENTRIES_ACCELERATOR
        fitting = [size for size in self._sizes if size * entries <= most]
        self.found = max(fitting, default=self._sizes[0])

    @property
    def _sizes(self) -> tuple[int, ...]:
        return SIZES_CPU if self.device.type == "cpu" else SIZES_ACCELERATOR


def count_entries(module: nn.Module, compute: Callable[[], Any]) -> int:
    """How many numbers the parts of a module return while `compute` runs.

    Examples:
        >>> model = nn.Sequential(nn.Linear(2, 5), nn.ReLU())
        >>> count_entries(model, lambda: model(torch.ones(1, 2)))
        10
    """
    total = 0

    def count(part: nn.Module, inputs: Any, output: Any) -> None:
        nonlocal total
        total += output.numel() if isinstance(output, Tensor) else 0

    parts = [part for part in module.modules() if not any(part.children())]
    hooks = [part.register_forward_hook(count) for part in parts]
    try:
        compute()
    finally:
        for hook in hooks:
            hook.remove()
    return total
