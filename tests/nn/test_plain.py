"""Whatever a layer or loss carries beyond its type: refused by name, or the limit is above the truth.

Each variant changes what is computed a hundredfold, or would, where a type alone would not tell.
"""

from __future__ import annotations

import copy
import functools
import math
from contextlib import ExitStack
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


def parametrized(layer: nn.Module, name: str) -> None:
    parametrize.register_parametrization(layer, name, Larger())


def after(*given):  # module, arguments, output; or with names before the output
    return 100 * given[-1]


def before(module, given):
    return (100 * given[0], *given[1:])


def at(part, name, value):
    """A buffer of another kind."""
    part._buffers[name] = value


def only(layer, hook):
    """A global hook that changes what this layer does."""
    return lambda module, *given: hook(module, *given) if module is layer else None


def hundred(tensor):
    return 100 * tensor if tensor.is_floating_point() else tensor


ONES = torch.ones(3)
VARIANTS = [  # on which part what is done, and what the refusal names
    ("linear", lambda f: f.register_forward_hook(after), "Linear has hooks"),
    ("linear", lambda f: f.register_forward_hook(after, with_kwargs=True, always_call=True), "hooks"),
    ("linear", lambda f: f.register_forward_pre_hook(before), "Linear has hooks"),
    ("conv", lambda c: c.register_full_backward_hook(lambda m, i, o: (100 * i[0],)), "has hooks"),
    ("conv", lambda c: c.register_full_backward_pre_hook(before), "Conv2d has hooks"),
    ("net", lambda n: n.register_forward_hook(after), "Sequential has hooks"),
    ("linear", lambda f: replaced(f, "forward"), "Linear has a forward"),
    ("net", lambda n: replaced(n, "forward"), "Sequential has a forward"),
    ("linear", lambda f: replaced(f, "_call_impl"), "Linear has a _call_impl"),
    ("linear", lambda f: own(f, "_compiled_call_impl", f.forward), "a _compiled_call_impl"),
    ("conv", lambda c: replaced(c, "_conv_forward"), "Conv2d has a _conv_forward"),
    ("conv", lambda c: own(c, "_reversed_padding_repeated_twice", [2] * 4), "a changed _rev"),
    ("conv", lambda c: own(c, "kernel_size", (1, 1)), "Conv2d has a weight of shape"),
    ("net", lambda n: own(n[3], "stride", None), "MaxPool2d has a changed"),
    ("net", lambda n: vars(n[3]).pop("ceil_mode"), "attributes that no MaxPool2d"),
    ("net", lambda n: own(n[1], "eps", torch.tensor(1e-05)), "BatchNorm2d has a changed eps"),
    ("linear", larger_weight, "Linear has a weight of its"),
    ("linear", lambda f: f.register_buffer("gain", ONES), "Linear has a tensor gain"),
    ("linear", lambda f: f.add_module("gain", nn.ReLU()), "Linear has parts gain"),
    (
        "net", lambda n: at(n[1], "running_var", ONES.double().as_subclass(Hundred)),
        "running_var that is not a plain"
    ),
    ("net", lambda n: at(n[1], "running_var", ONES.half()), "a running_var of torch.float16"),
    ("net", lambda n: at(n[1], "running_var", ONES + 0j), "a running_var of torch.complex64"),
    (
        "linear",
        lambda f: f._parameters.update(weight=nn.Parameter(f.weight.data.as_subclass(Hundred))),
        "Linear has a weight that is not a plain tensor"
    ),
    (
        "linear", lambda f: own(f.bias, "detach", lambda: torch.zeros(3).double()),
        "a bias that is not a plain tensor"
    ),
    ("linear", nn.utils.weight_norm, "Linear has"),
    ("linear", nn.utils.spectral_norm, "Linear has"),
    ("linear", lambda f: parametrized(f, "weight"), "the layer ParametrizedLinear is not known"),
    ("linear", lambda f: prune.l1_unstructured(f, "weight", 1), "Linear has"),
    ("linear", lambda f: of_type(f, Called), "layer Called is not known"),
    ("net", lambda n: of_type(n, Read), "Read has a __getattribute__"),
    ("net", lambda n: of_type(n, Listed), "Listed has a _modules"),
    ("net", lambda n: of_type(n, Forward), "Forward has a forward of its own"),
    ("net", lambda n: of_type(n, Twice), "Twice has a __iter__ of its own"),
    ("net", lambda n: n.append(torch.ao.nn.quantized.Dropout(0.0)), "the layer Dropout is not known"),
    ("net", lambda n: n.insert(6, nn.LazyLinear(3).double()), "LazyLinear is not known"),
    ("loss", lambda s: s.register_forward_hook(after), "MSELoss has hooks"),
    ("loss", lambda s: s.register_forward_pre_hook(before), "MSELoss has hooks"),
    ("loss", lambda s: replaced(s, "forward"), "MSELoss has a forward"),
    ("loss", lambda s: replaced(s, "_wrapped_call_impl"), "a _wrapped_call_impl"),
    ("loss", lambda s: of_type(s, Loss), "the loss Loss is not known"),
    (
        "loss", lambda s: (s.register_buffer("gain", ONES), parametrized(s, "gain")),
        "the loss ParametrizedMSELoss"
    ),
    ("loss", lambda s: own(s, "reduction", "sum"), "MSELoss is not"),
    (
        "linear", lambda f: everywhere.register_module_forward_hook(only(f, after)),
        "torch has global forward_hooks"
    ),
    (
        "linear", lambda f: everywhere.register_module_forward_pre_hook(only(f, before)),
        "torch has global forward_pre_hooks"
    ),
    (
        "net", lambda n: everywhere.register_module_full_backward_hook(lambda m, i, o: i),
        "torch has global backward_hooks"
    ),
    (
        "net", lambda n: everywhere.register_module_full_backward_pre_hook(before),
        "global backward_pre_hooks"
    ),
    ("net", lambda n: FunctionMode(), "the mode FunctionMode is active"),
    ("net", lambda n: DispatchMode(), "the mode DispatchMode is active"),
    ("net", lambda n: saved_tensors_hooks(torch.clone, hundred), "hooks on saved tensors are active"),
    ("net", lambda n: swapped(nn.Linear, "forward"), "a class whose forward was rep"),
    ("net", lambda n: swapped(nn.Module, "__call__"), "a class whose __call__ was"),
    ("net", lambda n: swapped(functional, "linear"), "torch.nn.functional.linear was replaced"),
    (
        "net", lambda n: swapped(functional, "mse_loss", functional.smooth_l1_loss),
        "functional.mse_loss was replaced"
    ),
    (
        "net", lambda n: swapped(torch, "batch_norm", functools.partial(torch.batch_norm)),
        "batch_norm was replaced"
    ),
    ("net", lambda n: swapped(torch.Tensor, "flatten"), "Tensor.flatten was replaced"),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore:Lazy modules", "ignore:.*deprecated")
@pytest.mark.parametrize(("part", "change", "name"), VARIANTS)
def test_what_a_type_does_not_tell_is_refused_and_no_audit_goes_below_the_truth(part, change, name):
    risk = risk_of(network())
    net = risk.module
    parts = {"net": net, "conv": net[0], "linear": net[5], "loss": risk.loss}
    assert truth(risk) <= derived_limit(risk) < math.inf
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
