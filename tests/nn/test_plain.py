"""Whatever a layer or loss carries beyond its type: refused by name, or the limit is above the truth.

Each variant changes what is computed a hundredfold, or would, where a type alone would not tell.
"""

from __future__ import annotations

import copy
import functools
import math
import sys
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from unittest import mock

import pytest
import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks
from torch.nn import functional
from torch.nn.modules import module as everywhere
from torch.nn.utils import parametrize, prune
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

import sparseaug as sa
from sparseaug import nn as sann
from sparseaug._floats import norm as length
from sparseaug.errors import SparseAugError, UnsupportedError
from sparseaug.nn.risk.layer_limits import derived_limit

TURN = sa.rotate_grid(sa.dihedral(4))
IMAGES = torch.randn(4, 2, 4, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
TARGETS = torch.randn(4, 3, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


def network() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(
        *(nn.Conv2d(2, 3, 3, padding=1, padding_mode="circular"), nn.BatchNorm2d(3), nn.ReLU()),
        *(nn.MaxPool2d(2), nn.Flatten(), nn.Linear(12, 3)),
    ).double().eval()  # fmt: skip


def risk_of(module: nn.Module) -> sann.ModuleRisk:
    return sann.ModuleRisk(module, nn.MSELoss(), (IMAGES, TARGETS), TURN, None)


def truth(risk: sann.ModuleRisk) -> float:
    """The longest gradient over the group."""
    rows = TURN.group.all_elements()
    each = (risk.on(sa.GroupSample(TURN.group, row[None])).gradient(risk.theta) for row in rows)
    return max(length(gradient.numpy()) for gradient in each)


def times_100(function):
    """A function of anybody else's, whose results are a hundred times those of this one."""

    @functools.wraps(function)
    def larger(*args, **named):
        return 100 * function(*args, **named)

    return larger


class Hundred(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        out = super().__torch_function__(func, types, args, kwargs or {})
        return 100 * out.as_subclass(torch.Tensor) if func is functional.linear else out


class FunctionMode(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return (times_100(func) if func is functional.linear else func)(*args, **(kwargs or {}))


class DispatchMode(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        wanted = func is torch.ops.aten.addmm.default
        return (times_100(func) if wanted else func)(*args, **(kwargs or {}))


class Called(nn.Linear):
    def __call__(self, x):
        return 100 * super().__call__(x)


class Loss(nn.MSELoss):
    def __call__(self, p, y):
        return 100 * super().__call__(p, y)


class Read(nn.Sequential):
    def __getattribute__(self, name):
        return super().__getattribute__(name)


class Listed(nn.Sequential):
    @property
    def _modules(self):
        return self.__dict__["_modules"]


class Forward(nn.Sequential):
    def forward(self, x):
        return 100 * super().forward(x)


class Twice(nn.Sequential):
    def __iter__(self):
        yield from (*super().__iter__(), nn.ReLU())


class Larger(nn.Module):
    def forward(self, weight):
        return 100 * weight


def own(owner, name, value) -> None:
    vars(owner)[name] = value


def replaced(owner, name):
    """A method of the instance's own."""
    own(owner, name, times_100(getattr(owner, name)))


def of_type(module: nn.Module, kind: type) -> None:
    module.__class__ = kind


def swapped(owner, name, value=None):
    """While the test runs."""
    return mock.patch.object(owner, name, value or times_100(getattr(owner, name)))


def larger_weight(layer: nn.Module) -> None:
    weight = layer._parameters.pop("weight")
    layer.register_parameter("kept", weight)
    own(layer, "weight", (100 * weight).detach())


VARIANTS = {
    # what is done to (net, conv, linear, loss): and what the refusal names
    "forward hook": (lambda n, c, f, s: f.register_forward_hook(lambda m, a, o: 100 * o), "hooks"),
    "hook with names": (
        lambda n, c, f, s: f.register_forward_hook(
            lambda m, a, k, o: 100 * o, with_kwargs=True, always_call=True
        ),
        "Linear has hooks",
    ),
    "forward pre-hook": (
        lambda n, c, f, s: f.register_forward_pre_hook(lambda m, a: (100 * a[0],)),
        "Linear has hooks",
    ),
    "backward hook": (
        lambda n, c, f, s: c.register_full_backward_hook(lambda m, i, o: (100 * i[0],)),
        "Conv2d has hooks",
    ),
    "backward pre-hook": (
        lambda n, c, f, s: c.register_full_backward_pre_hook(lambda m, o: (100 * o[0],)),
        "Conv2d has hooks",
    ),
    "hook of the container": (
        lambda n, c, f, s: n.register_forward_hook(lambda m, a, o: 100 * o),
        "Sequential has hooks",
    ),
    "own forward": (lambda n, c, f, s: own(f, "forward", times_100(f.forward)), "a forward"),
    "own forward of the container": (
        lambda n, c, f, s: own(n, "forward", times_100(n.forward)),
        "Sequential has a forward",
    ),
    "own _call_impl": (
        lambda n, c, f, s: own(f, "_call_impl", times_100(f._call_impl)),
        "Linear has a _call_impl",
    ),
    "own compiled call": (
        lambda n, c, f, s: own(f, "_compiled_call_impl", times_100(f.forward)),
        "Linear has a _compiled_call_impl",
    ),
    "own _conv_forward": (
        lambda n, c, f, s: own(c, "_conv_forward", times_100(c._conv_forward)),
        "Conv2d has a _conv_forward",
    ),
    "padding mode set later": (
        lambda n, c, f, s: own(c, "_reversed_padding_repeated_twice", [2, 2, 2, 2]),
        "Conv2d has a changed _reversed_padding_repeated_twice",
    ),
    "kernel size that is not the weight's": (
        lambda n, c, f, s: own(c, "kernel_size", (1, 1)),
        "Conv2d has a weight of shape",
    ),
    "stride that is none": (lambda n, c, f, s: own(n[3], "stride", None), "MaxPool2d has a changed"),
    "no attribute": (lambda n, c, f, s: vars(n[3]).pop("ceil_mode"), "attributes that no MaxPool2d"),
    "tensor as attribute": (
        lambda n, c, f, s: own(n[1], "eps", torch.tensor(1e-5)),
        "BatchNorm2d has a changed eps",
    ),
    "weight that is an attribute": (lambda n, c, f, s: larger_weight(f), "Linear has a weight of its"),
    "buffer of another name": (
        lambda n, c, f, s: f.register_buffer("gain", torch.tensor(100.0)),
        "Linear has a tensor gain",
    ),
    "part of a layer": (lambda n, c, f, s: f.add_module("gain", nn.ReLU()), "Linear has parts gain"),
    "statistics of another kind": (
        lambda n, c, f, s: n[1]._buffers.update(running_var=torch.ones(3).double().as_subclass(Hundred)),
        "BatchNorm2d has a running_var that is not a plain tensor",
    ),
    "statistics in half precision": (
        lambda n, c, f, s: n[1]._buffers.update(running_var=torch.ones(3).half()),
        "BatchNorm2d has a running_var of torch.float16",
    ),
    "complex statistics": (
        lambda n, c, f, s: n[1]._buffers.update(running_var=torch.ones(3) + 0j),
        "BatchNorm2d has a running_var of torch.complex64",
    ),
    "parameter of a subclass": (
        lambda n, c, f, s: f._parameters.update(weight=nn.Parameter(f.weight.data.as_subclass(Hundred))),
        "Linear has a weight that is not a plain tensor",
    ),
    "parameter with a method": (
        lambda n, c, f, s: own(f.bias, "detach", lambda: torch.zeros(3).double()),
        "Linear has a bias that is not a plain tensor",
    ),
    "weight_norm": (lambda n, c, f, s: nn.utils.weight_norm(f), "Linear has"),
    "spectral_norm": (lambda n, c, f, s: nn.utils.spectral_norm(f), "Linear has"),
    "parametrization": (
        lambda n, c, f, s: nn.utils.parametrize.register_parametrization(f, "weight", Larger()),
        "the layer ParametrizedLinear is not known",
    ),
    "pruned": (lambda n, c, f, s: prune.l1_unstructured(f, "weight", 1), "Linear has"),
    "subclass with a __call__": (lambda n, c, f, s: of_type(f, Called), "layer Called is not known"),
    "container with a __getattribute__": (
        lambda n, c, f, s: of_type(n, Read),
        "Read has a __getattribute__",
    ),
    "container with other _modules": (
        lambda n, c, f, s: of_type(n, Listed),
        "Listed has a _modules",
    ),
    "quantized": (
        lambda n, c, f, s: n.append(torch.ao.nn.quantized.Dropout(0.0)),
        "the layer Dropout is not known",
    ),
    "lazy": (lambda n, c, f, s: n.insert(6, nn.LazyLinear(3).double()), "LazyLinear is not known"),
    "loss with a forward hook": (
        lambda n, c, f, s: s.register_forward_hook(lambda m, a, o: 100 * o),
        "MSELoss has hooks",
    ),
    "loss with a pre-hook": (
        lambda n, c, f, s: s.register_forward_pre_hook(lambda m, a: (100 * a[0], a[1])),
        "MSELoss has hooks",
    ),
    "loss with a forward": (lambda n, c, f, s: own(s, "forward", times_100(s.forward)), "a forward"),
    "loss with a _wrapped_call_impl": (
        lambda n, c, f, s: own(s, "_wrapped_call_impl", times_100(s._wrapped_call_impl)),
        "MSELoss has a _wrapped_call_impl",
    ),
    "loss of a subclass": (lambda n, c, f, s: of_type(s, Loss), "the loss Loss is not known"),
    "loss with a parametrization": (
        lambda n, c, f, s: (
            s.register_buffer("gain", torch.ones(1)),
            nn.utils.parametrize.register_parametrization(s, "gain", Larger()),
        ),
        "the loss ParametrizedMSELoss is not known",
    ),
    "loss with another reduction": (lambda n, c, f, s: own(s, "reduction", "sum"), "MSELoss is not"),
    "global forward hook": (
        lambda n, c, f, s: nn.modules.module.register_module_forward_hook(
            lambda m, a, o: 100 * o if m is f else o
        ),
        "torch has global forward_hooks",
    ),
    "global pre-hook": (
        lambda n, c, f, s: nn.modules.module.register_module_forward_pre_hook(
            lambda m, a: (100 * a[0],) if m is f else a
        ),
        "torch has global forward_pre_hooks",
    ),
    "global backward hook": (
        lambda n, c, f, s: nn.modules.module.register_module_full_backward_hook(lambda m, i, o: i),
        "torch has global backward_hooks",
    ),
    "global backward pre-hook": (
        lambda n, c, f, s: nn.modules.module.register_module_full_backward_pre_hook(
            lambda m, o: (100 * o[0],)
        ),
        "torch has global backward_pre_hooks",
    ),
    "function mode": (lambda n, c, f, s: FunctionMode(), "the mode FunctionMode is active"),
    "dispatch mode": (lambda n, c, f, s: DispatchMode(), "the mode DispatchMode is active"),
    "hooks on saved tensors": (
        lambda n, c, f, s: torch.autograd.graph.saved_tensors_hooks(
            torch.clone, lambda t: 100 * t if t.is_floating_point() else t
        ),
        "hooks on saved tensors are active",
    ),
    "class with another forward": (
        lambda n, c, f, s: swapped(nn.Linear, "forward", times_100(nn.Linear.forward)),
        "Linear has a class whose forward was replaced",
    ),
    "Module with another __call__": (
        lambda n, c, f, s: swapped(nn.Module, "__call__", times_100(nn.Module.__call__)),
        "has a class whose __call__ was replaced",
    ),
    "replaced function": (
        lambda n, c, f, s: swapped(functional, "linear", times_100(functional.linear)),
        "torch.nn.functional.linear was replaced",
    ),
    "function of another name": (
        lambda n, c, f, s: swapped(functional, "mse_loss", functional.smooth_l1_loss),
        "torch.nn.functional.mse_loss was replaced",
    ),
    "replaced function of torch": (
        lambda n, c, f, s: swapped(torch, "batch_norm", functools.partial(torch.batch_norm)),
        "torch.batch_norm was replaced",
    ),
    "replaced method of tensors": (
        lambda n, c, f, s: swapped(torch.Tensor, "flatten", times_100(torch.Tensor.flatten)),
        "Tensor.flatten was replaced",
    ),
    "method of another class": (
        lambda n, c, f, s: swapped(nn.ReLU, "forward", nn.Mish.forward),
        "ReLU has a class whose forward was replaced",
    ),
    "other functions for one module of torch": (
        lambda n, c, f, s: swapped(
            sys.modules["torch.nn.modules.linear"],
            "F",
            SimpleNamespace(linear=times_100(functional.linear)),
        ),
        "Linear has another module as F",
    ),
    "function below that of torch": (
        lambda n, c, f, s: (
            n.append(nn.Dropout().eval()),
            swapped(torch._VF, "dropout", lambda x, p, train: 100 * x),
        )[1],
        "torch._VF.dropout was replaced",
    ),
    "kernel from Python": (
        lambda n, c, f, s: kernel("relu", lambda x: 100 * x.clamp(min=0)),
        "the kernel aten/relu/AutogradCPU was replaced",
    ),
}  # fmt: skip


@contextmanager
def kernel(name, function):
    library = torch.library.Library("aten", "IMPL")
    library.impl(name, function, "AutogradCPU")
    try:
        yield
    finally:
        library._destroy()


@contextmanager
def changed(variant: str, risk: sann.ModuleRisk):
    """The change, undone after: a handle of a hook, a patch, or a mode."""
    done = VARIANTS[variant][0](risk.module, risk.module[0], risk.module[5], risk.loss)
    with ExitStack() as stack:
        done = change(parts[part])
        if hasattr(done, "__enter__"):  # a handle of a hook, a patch, or a mode
            stack.enter_context(done)
        with pytest.raises(UnsupportedError) as refused:
            derived_limit(risk)
        assert name in str(refused.value)
        try:  # by the public door, with a copy in between, which may carry less than the original
            bound = sann.audit(risk, risk.theta, sa.Oracle(TURN.group), calls=20).bound
        except (SparseAugError, RuntimeError, AttributeError, UserWarning):
            return  # torch refuses some by itself, once they are computed
        assert risk.on("full").gradient(risk.theta).norm() <= bound


HARMLESS = {
    "tag": lambda n: own(n[5], "tag", "head"),
    "stored methods of states": lambda n: n[5].register_state_dict_pre_hook(lambda *a: None),
    "hook of loading": lambda n: n[5].register_load_state_dict_post_hook(lambda *a: None),
    "numpy numbers": lambda n: n.append(nn.Linear(torch.tensor(3).numpy()[()], 3).double()),
    "copied": lambda n: n.append(copy.deepcopy(n[2])),
    "frozen": lambda n: n[0].requires_grad_(False),
    "training, where it changes nothing": lambda n: n[5].train(),
    "no bias": lambda n: n.append(nn.Linear(3, 3, bias=False).double()),
    "no affine": lambda n: n.insert(1, nn.BatchNorm2d(3, affine=False).double().eval()),
    "named": lambda n: of_type(n, type("Named", (nn.Sequential,), {})),
}


@pytest.mark.parametrize("change", HARMLESS)
def test_what_changes_nothing_is_not_refused(change):
    module = network()
    HARMLESS[change](module)
    risk = risk_of(module)
    limit = derived_limit(risk)
    assert truth(risk) <= limit < math.inf
    # a default device, and what packages replace and no layer calls, as torch_geometric does
    with torch.device("cpu"), swapped(torch, "index_select"):
        assert derived_limit(risk) == limit


@pytest.mark.parametrize("scale", [1e-200, 1e-160])
def test_squares_that_underflow_do_not_lower_the_limit(scale):
    """Tiny inputs, weights and biases, and then a layer that is as large."""
    first, second = nn.Linear(32, 8).double(), nn.Linear(8, 3).double()
    for layer, factor in ((first, scale), (second, 1 / scale)):
        for parameter in layer.parameters():
            parameter.data.mul_(factor)
    nn.init.zeros_(second.bias)
    module = nn.Sequential(nn.Flatten(), first, second)
    data = (IMAGES, torch.zeros_like(TARGETS))
    for loss in (nn.MSELoss(), nn.HuberLoss()):
        risk = sann.ModuleRisk(module, loss, data, TURN, None)
        assert 0 < truth(risk) <= derived_limit(risk)
    module = nn.Sequential(nn.Flatten(), nn.Linear(32, 3, bias=False).double())
    nn.init.zeros_(module[1].weight)
    data = (scale * IMAGES, 1e150 * TARGETS)
    risk = sann.ModuleRisk(module, nn.MSELoss(), data, TURN, None)
    assert 0 < truth(risk) <= derived_limit(risk)


def patched(module: nn.Module) -> nn.Module:
    """A layer's method put there by hand: a copy of it still calls the original."""
    inner = module[5].forward
    own(module[5], "forward", lambda x: 100 * inner(x))
    return module


class Returned(nn.Sequential):
    def __deepcopy__(self, memo):
        layers = network()
        layers[2] = nn.Tanh()
        return layers


def hooked(module: nn.Module) -> nn.Module:
    first = module[0]
    module[5].register_forward_hook(lambda m, a, out: out * first.weight.square().sum())
    return module


@pytest.mark.parametrize("change", [patched, hooked, lambda n: Returned(*n)])
def test_a_copy_that_computes_something_else_is_not_certified(change):
    risk = risk_of(change(network()))
    with pytest.raises(UnsupportedError, match="does not compute the same"):
        risk.exact(risk.theta)
    with pytest.raises(UnsupportedError, match="does not compute the same"):
        sann.audit(risk, risk.theta, sa.Oracle(TURN.group), calls=5, largest=1e6)


def test_data_of_a_subclass_are_refused():
    risk = risk_of(nn.Sequential(nn.Flatten(), nn.Linear(32, 3)).double())
    risk.data = (IMAGES.as_subclass(Hundred), TARGETS)
    with pytest.raises(UnsupportedError, match="subclass of Tensor"):
        derived_limit(risk)
