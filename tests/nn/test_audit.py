"""The audit of a module: never a certificate below the truth."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

import sparseaug as sa
from sparseaug import nn as sann
from sparseaug.certificate import KINDS
from sparseaug.errors import ArgumentError, UnsupportedError

ACT = sa.permute_axis(sa.symmetric(4))
X = torch.tensor(np.random.default_rng(0).normal(size=(6, 4)))
Y = X.square().sum(1, keepdim=True) + X[:, :1]


def network(seed: int = 0, inputs: int = 4) -> nn.Module:
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(inputs, 3), nn.Tanh(), nn.Linear(3, 1)).double()


def risk_of(S, seed: int = 0) -> sann.ModuleRisk:
    return sann.ModuleRisk(network(seed), nn.MSELoss(), (X, Y), ACT, S)


def squared_norm(risk: sann.ModuleRisk, theta: torch.Tensor) -> float:
    """The truth, by enumeration."""
    return float(risk.on("full").gradient(theta).square().sum())


def test_certificates_of_a_module_are_never_below_the_truth():
    S = sa.Oracle(ACT.group, seed=0).draw(6)
    for seed in range(5):
        risk = risk_of(S, seed)
        run = sa.descend(risk, risk.theta, step_size=0.1, num_steps=50)
        each = risk.on("full")
        norms = [
            float(each.on(sa.GroupSample(ACT.group, row[None])).gradient(run.best).norm())
            for row in np.concatenate(list(ACT.group.elements()))
        ]
        oracle = sa.Oracle(ACT.group, seed=100 + seed)
        found = sa.certify(run)
        one = sann.audit(risk, run.best, oracle, calls=200, largest=max(norms))
        truth = squared_norm(risk, run.best) ** 0.5
        assert truth <= one.bound <= max(norms)
        assert one.failure_probability == 0.05
        assert one.calls == run.calls + 200 == 206
        assert "if no transformation's gradient is longer" in one.holds
        assert set(found.omitted) == set(KINDS) - {"exact"}
        assert abs(found["exact"].truth - truth) <= 1e-12 * truth <= found["exact"].bound


def test_without_a_limit_on_single_gradients_nothing_is_drawn():
    risk, oracle = risk_of(None), sa.Oracle(ACT.group)
    found = sa.certify(risk.theta, risk, oracle=oracle, audit_calls=10)
    assert list(found) == ["exact"]
    assert "sparseaug.audit_risk" in found.omitted["audited"]
    with pytest.raises(UnsupportedError, match="largest="):
        sa.certify(risk.theta, risk, oracle=oracle, audit_calls=10, kinds=["audited"])
    assert oracle.calls == 0
    with pytest.raises(ArgumentError, match="largest=1e-09 is below a gradient"):
        sann.audit(risk, risk.theta, oracle, calls=10, largest=1e-9)


def test_a_module_that_cannot_be_copied_is_not_certified():
    module = network()
    module.cached = module[0].weight * 2  # not a leaf
    risk = sann.ModuleRisk(module, nn.MSELoss(), (X, Y), ACT, None)
    found = sa.certify(risk.theta, risk, oracle=sa.Oracle(ACT.group), audit_calls=50)
    assert not found
    assert "cannot be copied" in found.omitted["exact"]


def test_a_module_whose_copy_computes_with_the_original_is_not_certified():
    module = network()
    plain = module[0].forward
    module[0].forward = lambda x: plain(x)  # in a copy it still calls the original layer
    risk = sann.ModuleRisk(module, nn.MSELoss(), (X, Y), ACT, None)
    found = sa.certify(risk.theta, risk)
    assert "does not compute the same" in found.omitted["exact"]


def test_a_module_in_single_precision_is_certified_in_double_precision():
    """In float32 the product of w and x is y itself; in truth it is 1/16 larger: w x = y + 2^-4."""
    swap = sa.permute_axis(sa.symmetric(2))
    x, y = torch.full((1, 2), 2.0**20 + 2.0**8), torch.full((1, 1), 2.0**20 + 2.0**9)
    module = nn.Linear(2, 1, bias=False)
    with torch.no_grad():
        module.weight.copy_(torch.tensor([[1 + 2.0**-12, 0.0]]))
    single = sann.ModuleRisk(module, nn.MSELoss(), (x, y), swap, None)
    assert float(single.gradient(single.theta).norm()) == 0
    truth = 2 * 2.0**-4 * float(x.double().norm())
    oracle = sa.Oracle(swap.group)
    found = sann.audit(single, single.theta, oracle, calls=400, largest=2e5)
    assert found.bound >= truth
    assert "the module's gradients in float64 are taken as exact" in found.holds
    exact = sa.certify(single.theta, single)["exact"]
    assert abs(exact.truth - truth) <= 1e-12 * truth
    assert module.weight.dtype == torch.float32  # a copy was made
