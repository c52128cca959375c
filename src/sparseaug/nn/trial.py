"""What a risk is tried on when it is built: shapes, devices, and that it is a mean over samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from sparseaug.actions import Action
from sparseaug.errors import ArgumentError, shorten
from sparseaug.nn.tiles import Tile

if TYPE_CHECKING:
    from sparseaug.nn.module_risk import ModuleRisk

_TRIED = 8  # samples of the trial, spread over the data
_FAILURES = (RuntimeError, ValueError, TypeError, IndexError)  # of modules given the wrong shapes


def check_tensors(
    module: Any, loss: Any, data: Any, action: Any, y_action: Any
) -> tuple[Tensor, Tensor]:
    """(x, y) as they are, or an `ArgumentError` that names what does not fit."""
    if not isinstance(module, nn.Module):
        raise ArgumentError(f"module={shorten(module)} is not an nn.Module.")
    if not callable(loss):
        raise ArgumentError(
            f"loss={shorten(loss)} cannot be called; give loss(prediction, target)."
        )
    for name, given in (("action", action), ("y_action", y_action)):
        if not isinstance(given, Action) and not (name == "y_action" and given is None):
            raise ArgumentError(f"{name}={shorten(given)} is not an action.")
    if y_action is not None and y_action.group != action.group:
        raise ArgumentError(
            f"y_action is of {y_action.group.name}, but the action is of {action.group.name}."
        )
    if not isinstance(data, tuple) or len(data) != 2 or not all(map(torch.is_tensor, data)):
        raise ArgumentError(f"data={shorten(data)} is not a pair of tensors; give (x, y).")
    x, y = data
    if x.ndim < 2 or y.ndim < 1 or len(x) != len(y) or not len(x):
        raise ArgumentError(
            f"data has samples of shape {tuple(x.shape)} and targets of shape {tuple(y.shape)}; "
            "give (n, ...) and (n, ...) with n >= 1."
        )
    _require_parameters(module, x, y)
    for name, part in (("x", x), ("y", y)):
        if not bool(torch.isfinite(part).all()):
            raise ArgumentError(f"data has {name} that is not finite; remove such samples.")
    return x, y


def _require_parameters(module: nn.Module, x: Tensor, y: Tensor) -> None:
    trained = [p for p in module.parameters() if p.requires_grad]
    if not trained:
        raise ArgumentError("module has no parameter that requires a gradient.")
    kinds = {(p.dtype, p.device) for p in trained}
    if len(kinds) > 1:
        raise ArgumentError(
            f"module has parameters of several types or devices ({sorted(map(str, kinds))}); theta "
            "is one vector: use module.to(...)."
        )
    ((_, device),) = kinds
    for name, part in (("x", x), ("y", y)):
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
    """Try module and loss on a few copies, one by one and together: the mean must be the same."""
    x, y = risk.moved(Tile(slice(0, 1), slice(0, len(risk.data[0]))))
    chosen = torch.linspace(0, len(x) - 1, min(_TRIED, len(x))).long().unique().to(x.device)
    x, y = x[chosen], y[chosen]

    def mean_loss(which: slice) -> Tensor:
        loss = risk.loss(risk.module(x[which]), y[which])
        if not isinstance(loss, Tensor) or not loss.is_floating_point():
            raise ArgumentError(f"loss returned {shorten(loss)}; return a tensor of real numbers.")
        return loss if loss.ndim == 0 else loss.mean()

    with torch.no_grad():
        try:
            prediction = risk.module(x)
            shapes = f"{_shape(prediction)} and {_shape(y)}"
        except _FAILURES as error:
            given = f"x of shape {tuple(x.shape)} and type {x.dtype}"
            raise ArgumentError(f"module does not take {given}: {error}") from error
        try:
            together = mean_loss(slice(None))
            one_by_one = torch.stack([mean_loss(slice(k, k + 1)) for k in range(len(x))]).mean()
        except _FAILURES as error:
            raise ArgumentError(
                f"loss does not take predictions and targets of shape {shapes}: {error}"
            ) from error
    if not bool(torch.isfinite(together)):
        raise ArgumentError(
            f"loss is {float(together)} on the first copies; check data and module."
        )
    slack = torch.finfo(together.dtype).eps ** 0.5
    if not torch.allclose(together, one_by_one, rtol=slack, atol=slack):
        raise ArgumentError(
            f"loss is not a mean over samples: {float(together):.6g} together, {float(one_by_one):.6g} "
            f"one by one, on predictions and targets of shape {shapes}. Make the shapes agree, and for "
            'a sum or class weights give the loss of each sample (reduction="none").'
        )


def _shape(value: Any) -> Any:
    return tuple(value.shape) if isinstance(value, Tensor) else shorten(value)
