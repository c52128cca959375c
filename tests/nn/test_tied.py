"""Layers and parameters with two names: computed right by every verb, and left as they are, also when
the model fails on the way."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

import sparseaug as sa
from sparseaug import nn as sann

ACT = sa.flip_signs(sa.sign_flips(3))
S = sa.Oracle(ACT.group, seed=1).draw(5)
X = torch.randn(6, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
Y = X.square() + X[:, :1]


class Alias(nn.Module):
    """The last layer under a name of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 3))
        self.head = self.body[-1]

    def forward(self, x):
        return self.body(x) + self.head(torch.tanh(self.body[0](x)))


class Twice(nn.Module):
    """One parameter under two names of one layer."""

    def __init__(self) -> None:
        super().__init__()
        self.first = self.second = nn.Parameter(torch.eye(3))
        self.shift = nn.Parameter(torch.zeros(3))

    def forward(self, x):
        return torch.tanh(x @ self.first + self.shift) @ self.second


def repeated() -> nn.Module:
    layer = nn.Linear(3, 3)
    return nn.Sequential(layer, nn.Tanh(), layer)


MODULES = {
    "alias": Alias,
    "one parameter twice": Twice,
    "repeated": repeated,
}


def made(name: str) -> nn.Module:
    torch.manual_seed(0)
    return MODULES[name]().double().eval()


def risk_of(module: nn.Module, over=S) -> sann.ModuleRisk:
    return sann.ModuleRisk(module, nn.MSELoss(), (X, Y), ACT, over)


def places(module: nn.Module) -> dict[str, object]:
    """What is under every name, the objects themselves."""
    return {
        **dict(module.named_modules(remove_duplicate=False)),
        **{f"parameter {k}": v for k, v in module.named_parameters(remove_duplicate=False)},
        **{f"buffer {k}": v for k, v in module.named_buffers(remove_duplicate=False)},
    }


def same(before: dict[str, object], after: dict[str, object]) -> bool:
    return before.keys() == after.keys() and all(before[k] is after[k] for k in before)


def fit(risk):
    torch.optim.SGD(risk.module.parameters(), lr=0.01).step(risk.backward)


VERBS = {
    "gradient": lambda risk: risk.gradient(risk.theta),
    "load": lambda risk: risk.load(risk.theta + 0.5),
    "fit": fit,
    "exact": lambda risk: risk.exact(risk.theta),
    "audit": lambda risk: sann.audit(risk, risk.theta, sa.Oracle(ACT.group), calls=4, largest=1e6),
    "average": lambda risk: sann.OrbitAverage(risk.module, ACT, S)(X),
}


class BrokenError(Exception):
    pass


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("name", MODULES)
def test_every_name_has_the_same_object_after_each_verb_also_one_that_fails_on_the_way(name, verb):
    module = made(name)
    risk, before = risk_of(module), places(module)
    VERBS[verb](risk)
    assert same(before, places(module))
    if verb == "load":
        return

    def fail(*_):
        raise BrokenError

    last = [part for part in module.modules() if not any(part.children())][-1]
    hook = last.register_forward_hook(fail)
    with pytest.raises(BrokenError):
        VERBS[verb](risk)
    assert same(before, places(module))
    hook.remove()
    assert math.isfinite(risk.value(risk.theta))


@pytest.mark.parametrize("name", MODULES)
def test_value_and_gradient_are_those_of_autograd_on_all_copies(name):
    """At another theta than the module holds, which keeps its own."""
    module = made(name)
    risk = risk_of(module)
    theta = risk.theta + torch.linspace(-0.5, 0.5, risk.size, dtype=torch.float64)
    held = risk.theta
    value, gradient = risk.value_and_gradient(theta)
    assert torch.equal(risk.theta, held)
    risk.load(theta)
    copies = torch.as_tensor(np.concatenate(ACT(S.elements, X.numpy())))
    loss = functional.mse_loss(module(copies), Y.repeat(S.m, 1))
    trained = [p for p in module.parameters() if p.requires_grad]
    expected = torch.cat([g.reshape(-1) for g in torch.autograd.grad(loss, trained)])
    torch.testing.assert_close(value, loss.detach(), rtol=1e-12, atol=1e-12)
    torch.testing.assert_close(gradient, expected, rtol=1e-12, atol=1e-12)
