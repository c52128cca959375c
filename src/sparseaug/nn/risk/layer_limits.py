"""A limit on the gradient norm of any single transformation, from the layers of a network.

For an action by isometries ||g x_i|| = ||x_i||, whatever g. From there a bound of ||a|| goes forward
through the layers, one of ||delta|| (the derivative of the loss by a layer's output) comes back from
the loss, and a layer's parameters get the product:

    z = W a + b:   ||z|| <= ||W|| ||a|| + ||b||,   ||delta_a|| <= ||W|| ||delta_z||,
                   ||dW||_F = ||delta_z|| ||a||,   ||db|| = ||delta_z||.

G is the mean over samples of the roots of the sums of squares. What is not known is refused by name.
"""

# Every rule below is of the form ||out|| <= factor ||a|| + shift, ||delta_a|| <= slope ||delta_out||,
# and ||d parameter|| <= (a number for each sample) ||delta_out||. Of a tensor at P places (the rows of
# a Linear, the pixels of a Conv) the derivative by a bias is a sum of P vectors: sqrt(P) ||delta||.
#
# Conv: with A the matrix of patches, z = W A, so ||z|| <= ||W|| ||A||_F, and each input entry is in at
# most `uses` patches: ||A||_F <= sqrt(uses) ||a||, and ||dW||_F <= ||delta|| ||A||_F. Where the matrix
# of the whole layer is small its own norm is taken, if that is less.
# All numbers are sums and products of non-negative ones, and are lifted once by all roundings; what a
# product loses by underflow is added to it.

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from sparseaug._floats import SMALLEST, gamma, lifted
from sparseaug._floats import norm as length
from sparseaug.errors import UnsupportedError
from sparseaug.kernels.arrays import Floats
from sparseaug.nn.risk.plain import change_of, change_of_torch, is_plain
from sparseaug.nn.risk.trial import require_pure
from sparseaug.norms.verified import norm_upper

if TYPE_CHECKING:
    from sparseaug.nn.risk.module_risk import ModuleRisk

_DENSE = 1 << 22  # entries of the matrix of a Conv layer up to which it is written out


@final
@dataclass
class Rule:
    """One layer: ||out|| <= factor ||a|| + shift, at most `cap`; ||delta_a|| <= slope
    ||delta_out||."""

    factor: float
    slope: float
    shift: float = 0.0
    cap: float = math.inf
    parameters: list[tuple[nn.Parameter, Callable[[Floats], Floats]]] = field(default_factory=list)


@np.errstate(over="ignore", invalid="ignore")  # a limit that overflows is refused
def derived_limit(risk: ModuleRisk) -> float:
    """G for a risk in double precision, or an `UnsupportedError` that names what is not known."""
    require_pure(risk.module)
    _require_plain(change_of_torch())
    _require_isometries(risk)
    x, y = risk.data
    a, n = x[:1].clone(), len(y)  # a layer may work in place
    norm = _norms(x)
    walked, roundings = [], n + x[0].numel()
    with torch.no_grad():
        for layer in _flat(risk.module):
            out = layer(a)
            if len(out) != 1:
                raise _unknown(f"{type(layer).__name__} does not keep samples apart")
            rule = _RULES[type(layer)](layer, a, out)
            walked.append((rule, norm))
            norm = np.minimum(rule.factor * norm + rule.shift + SMALLEST, rule.cap)
            roundings += (
                64 + a.numel() + 2 * out.numel() + sum(p.numel() for p in layer.parameters())
            )
            a = out
    delta = _slope_of_loss(risk, norm, a) + SMALLEST
    parts: dict[nn.Parameter, Floats] = {}
    for rule, before in reversed(walked):
        for parameter, times in rule.parameters:
            if parameter.requires_grad:  # a parameter of two layers gets both derivatives
                each = (times(before) + SMALLEST) * delta + SMALLEST
                parts[parameter] = parts.get(parameter, 0.0) + each
        delta = delta * rule.slope + SMALLEST
    total = np.hypot.reduce(list(parts.values()), axis=0)
    limit = lifted(float(total.mean()), 2 * roundings + 40)
    if not math.isfinite(limit):
        raise _unknown("the norms of the layers are too large for a float")
    return limit


def _require_isometries(risk: ModuleRisk) -> None:
    for name, action in (("action", risk.action), ("y_action", risk.y_action)):
        if action is not None and action.kind not in ("entries", "signs"):
            raise _unknown(
                f"the {name} is {action.kind!r}, and only actions that move entries and signs are "
                "known to keep norms"
            )
    if not isinstance(risk.data[0], Tensor):
        raise _unknown("the module takes several inputs")
    if not all(map(is_plain, risk.data)):
        raise _unknown("the data are of a subclass of Tensor, or have methods of their own")


def _require_plain(change: str | None) -> None:
    if change is not None:
        raise _unknown(f"{change}, so types do not tell what is computed")


def _flat(module: nn.Module) -> Iterator[nn.Module]:
    """The layers in the order of the computation, all of them known and plain."""
    kind = type(module)
    if kind not in _RULES and not isinstance(module, nn.Sequential):
        known = ", ".join(sorted(kind.__name__ for kind in _RULES))
        raise _unknown(
            f"the layer {kind.__name__} is not known (nn.Sequential of {known} is; for "
            "x + f(x), as in residual networks, norms and slopes add up)"
        )
    _require_plain(change_of(module))
    if isinstance(module, nn.Sequential):
        for layer in module:
            yield from _flat(layer)
    else:
        yield module


def _linear(layer: Any, a: Tensor, out: Tensor) -> Rule:
    size = norm_upper(layer.weight.detach().cpu().numpy())
    places = math.sqrt(a[0].numel() / a.shape[-1])
    rule = Rule(size, size, parameters=[(layer.weight, lambda norm: norm)])
    return _with_bias(rule, layer.bias, places)


def _conv(layer: Any, a: Tensor, out: Tensor) -> Rule:
    if a.ndim != layer.weight.ndim:
        raise _unknown(
            f"{type(layer).__name__} takes the samples of an x of {a.ndim} axes for channels"
        )
    ones = torch.ones_like(a[:, :1]).requires_grad_()
    counter = nn.utils.skip_init(  # no random numbers
        type(layer), 1, 1, layer.kernel_size, layer.stride, layer.padding, layer.dilation,
        bias=False, padding_mode=layer.padding_mode, dtype=a.dtype, device=a.device,
    )  # fmt: skip
    with torch.enable_grad():
        nn.init.ones_(counter.weight)
        (uses,) = torch.autograd.grad(counter(ones).sum(), ones)
    repeated = math.sqrt(round(float(uses.max())))
    weight = layer.weight.detach().reshape(layer.groups, -1, layer.weight[0].numel())
    size = max(norm_upper(block.cpu().numpy()) for block in weight) * repeated
    if a.numel() * out.numel() <= _DENSE:
        basis = torch.eye(a.numel(), dtype=a.dtype, device=a.device).reshape(-1, *a.shape[1:])
        matrix = layer(basis) - layer(torch.zeros_like(a))
        rows = matrix.reshape(len(basis), -1).cpu().numpy()
        # an entry is a weight plus the bias, less the bias: a few roundings of at most their sum
        error = gamma(layer.weight[0].numel() + 4) * length(rows.ravel())
        if layer.bias is not None:
            error += gamma(8) * _length(layer.bias) * math.sqrt(rows.size)
        size = min(size, norm_upper(rows, 2 * error))
    rule = Rule(size, size, parameters=[(layer.weight, lambda norm: repeated * norm)])
    return _with_bias(rule, layer.bias, math.sqrt(out[0, 0].numel()))


def _batch_norm(layer: Any, a: Tensor, out: Tensor) -> Rule:
    if layer.running_mean is None:
        raise _unknown(f"{type(layer).__name__} has no running statistics, so it mixes samples")
    inverse = (layer.running_var + layer.eps).rsqrt()
    scale = inverse if layer.weight is None else inverse * layer.weight.abs()
    places = math.sqrt(a[0, 0].numel())
    largest, mean = float(inverse.max()), _length(layer.running_mean)
    shift = _length(layer.running_mean * scale) * places
    rule = Rule(float(scale.max()), float(scale.max()), shift)
    if layer.weight is not None:
        rule.parameters.append((layer.weight, lambda norm: (norm + mean * places) * largest))
    return _with_bias(rule, layer.bias, places)


def _with_bias(rule: Rule, bias: nn.Parameter | None, places: float) -> Rule:
    """The same layer with a bias that is added at so many places (their root)."""
    if bias is not None:
        rule.shift += _length(bias) * places
        rule.parameters.append((bias, lambda norm: np.full_like(norm, places)))
    return rule


def _max_pool(layer: Any, a: Tensor, out: Tensor) -> Rule:
    """An entry is in at most so many windows."""
    if layer.dilation not in (1, (1, 1)):
        raise _unknown("MaxPool2d with dilation is not known")
    sides = zip(_pair(layer.kernel_size), _pair(layer.stride), strict=True)
    repeated = math.sqrt(math.prod(-(-side // step) for side, step in sides))
    return Rule(repeated, repeated)


def _pair(value: Any) -> tuple[int, int]:
    return tuple(value) if isinstance(value, tuple | list) else (value, value)


def _plain(layer: Any, a: Tensor, out: Tensor) -> Rule:
    return Rule(1.0, 1.0)


def _tanh(layer: Any, a: Tensor, out: Tensor) -> Rule:
    return Rule(1.0, 1.0, cap=math.sqrt(out[0].numel()))


_RULES: dict[type[nn.Module], Callable[[Any, Tensor, Tensor], Rule]] = {
    **dict.fromkeys((nn.Conv1d, nn.Conv2d, nn.Conv3d), _conv),
    **dict.fromkeys((nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d), _batch_norm),
    **dict.fromkeys((nn.ReLU, nn.Identity, nn.Flatten, nn.Dropout), _plain),
    nn.Linear: _linear,
    nn.Tanh: _tanh,
    nn.MaxPool2d: _max_pool,
}


def _slope_of_loss(risk: ModuleRisk, norm: Floats, out: Tensor) -> Floats:
    """A bound of the norm of the derivative of each sample's loss by the output.

    A squared or Huber loss is a mean over the d entries of a sample: its derivative is a residual, or
    that cut off at `delta`, times 2/d or 1/d. That of the cross-entropy is the difference of two
    probability vectors, at most sqrt(2) long, or a mean of such.
    """
    y, entries = risk.data[1], out[0].numel()
    same = [kind() for name, kind in _LOSSES.items() if getattr(functional, name) is risk.loss]
    loss: Any = same[0] if same else risk.loss  # a function, as the layer with its defaults
    kind = type(loss)
    if kind in _LOSSES.values():
        _require_plain(change_of(loss))
    if kind in (nn.MSELoss, nn.HuberLoss):
        pairs = math.prod(torch.broadcast_shapes(out.shape, y[:1].shape))
        if not pairs == entries == y[0].numel():
            raise _unknown("targets that broadcast against the outputs are not known")
    far = norm + _norms(y)
    if kind is nn.MSELoss and loss.reduction != "sum":
        return 2 * far / entries
    if kind is nn.HuberLoss and loss.reduction != "sum":
        return np.minimum(far, loss.delta * math.sqrt(entries)) / entries
    if kind is nn.CrossEntropyLoss and loss.reduction != "sum":
        if loss.weight is not None or y.is_floating_point() or bool((y == loss.ignore_index).any()):
            raise _unknown("CrossEntropyLoss with weights, soft or ignored targets is not known")
        return np.full_like(norm, math.sqrt(2))
    raise _unknown(
        f"the loss {getattr(loss, '__name__', kind.__name__)} is not known (MSELoss, HuberLoss and "
        "CrossEntropyLoss are)"
    )


_LOSSES: dict[str, type[nn.Module]] = {
    "mse_loss": nn.MSELoss,
    "huber_loss": nn.HuberLoss,
    "cross_entropy": nn.CrossEntropyLoss,
}


def _norms(x: Tensor) -> Floats:
    """The norm of each sample."""
    return np.array([_length(row) for row in x])


def _length(x: Tensor) -> float:
    """At any scale."""
    return length(x.detach().double().reshape(-1).cpu().numpy())


def _unknown(why: str) -> UnsupportedError:
    return UnsupportedError(
        f"{why}, so the size of single gradients cannot be derived; give sparseaug.nn.audit "
        "largest=, a limit on the gradient norm of any single transformation ('A limit by hand' in the "
        "guide to modules), or take an estimate, sparseaug.pilot."
    )
