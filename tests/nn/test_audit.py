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


def test_a_closer_limit_gives_a_tighter_bound_of_stated_probability():
    risk = risk_of(None)
    found, narrower = (
        sann.audit(risk_of(None), risk.theta, sa.Oracle(ACT.group), calls=500, largest=limit)
        for limit in (50.0, 10.0)
    )
    truth = squared_norm(risk, risk.theta) ** 0.5
    assert truth <= narrower.bound < found.bound
    assert found.holds == (
        "with probability 1 - 0.05 over the audit's draws, if no transformation's gradient is longer "
        "than 50.0, and the module's gradients in float64 are taken as exact"
    )


def test_certify_and_audit_are_one_audit():
    risk = risk_of(sa.Oracle(ACT.group, seed=0).draw(6))
    by_hand = sann.audit(risk, risk.theta, sa.Oracle(ACT.group, seed=1), calls=300)
    options = {"oracle": sa.Oracle(ACT.group, seed=1), "audit_calls": 300, "kinds": ["audited"]}
    assert sa.certify(risk.theta, risk, **options)["audited"] == by_hand


def unknown() -> sann.ModuleRisk:
    """A network with a layer that is not known."""
    module = nn.Sequential(nn.Linear(4, 3), nn.SiLU(), nn.Linear(3, 1)).double()
    return sann.ModuleRisk(module, nn.MSELoss(), (X, Y), ACT, None)


def test_a_layer_that_is_not_known_is_named_before_the_first_draw():
    risk, oracle = unknown(), sa.Oracle(ACT.group)
    found = sa.certify(risk.theta, risk, oracle=oracle, audit_calls=10)
    assert list(found) == ["exact"]
    assert "the layer SiLU is not known" in found.omitted["audited"]
    assert "give sparseaug.nn.audit largest=" in found.omitted["audited"]
    with pytest.raises(UnsupportedError, match="largest="):
        sa.certify(risk.theta, risk, oracle=oracle, audit_calls=10, kinds=["audited"])
    assert oracle.calls == 0
    with pytest.raises(UnsupportedError, match="function space"):
        sa.certify(risk.theta, risk, kinds=["spectral"])
    with pytest.raises(UnsupportedError, match="give oracle="):
        sa.certify(risk.theta, risk, kinds=["audited"])


def test_known_layers_need_no_limit_from_the_user():
    risk = risk_of(sa.Oracle(ACT.group, seed=0).draw(6))
    found = sa.certify(risk.theta, risk, oracle=sa.Oracle(ACT.group, seed=1), audit_calls=500)
    one, truth = found["audited"], squared_norm(risk, risk.theta) ** 0.5
    assert truth <= one.bound
    assert one.condition == "the module's gradients in float64 are taken as exact"
    assert "longer than" not in one.holds
    assert not one.certain


def test_a_certificate_is_of_theta_and_not_of_what_the_module_holds():
    risk, other = risk_of(None, seed=0), risk_of(None, seed=1)
    before = risk.theta
    options = {"oracle": sa.Oracle(ACT.group), "audit_calls": 50}
    found = sa.certify(other.theta, risk, **options)
    assert torch.equal(risk.theta, before)
    own = sa.certify(other.theta, other, oracle=sa.Oracle(ACT.group), audit_calls=50)
    for kind in ("exact", "audited"):
        assert found[kind].bound == own[kind].bound


def test_a_module_that_cannot_be_copied_is_not_certified():
    module = network()
    module.cached = module[0].weight * 2  # not a leaf
    risk = sann.ModuleRisk(module, nn.MSELoss(), (X, Y), ACT, None)
    found = sa.certify(risk.theta, risk, oracle=sa.Oracle(ACT.group), audit_calls=50)
    assert not found
    assert "Sequential cannot be copied" in found.omitted["exact"]


def test_exact_refuses_groups_above_its_budget_by_their_size():
    big = sa.permute_axis(sa.symmetric(10))
    x = torch.zeros(3, 10, dtype=torch.float64)
    risk = sann.ModuleRisk(network(inputs=10), nn.MSELoss(), (x, x[:, :1]), big, None)
    with pytest.raises(UnsupportedError, match="3,628,800 elements of S10 times 3 samples"):
        sa.certify(risk.theta, risk, kinds=["exact"])


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
    both = sa.certify(single.theta, single, oracle=oracle, audit_calls=100)
    assert abs(both["exact"].truth - truth) <= 1e-12 * truth
    assert both["audited"].bound >= truth
    assert module.weight.dtype == torch.float32  # a copy was made


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_the_certificate_of_a_rounded_module_is_that_of_its_parameters_in_double(dtype):
    module = network().to(dtype)
    rounded = sann.ModuleRisk(module, nn.MSELoss(), (X.to(dtype), Y.to(dtype)), ACT, None)
    data = X.to(dtype).double(), Y.to(dtype).double()
    double = sann.ModuleRisk(network().to(dtype).double(), nn.MSELoss(), data, ACT, None)
    bounds = [
        sa.certify(risk.theta, risk, oracle=sa.Oracle(ACT.group), audit_calls=50)
        for risk in (rounded, double)
    ]
    for kind in ("exact", "audited"):
        assert bounds[0][kind].bound == bounds[1][kind].bound


def test_cosets_give_a_module_the_mean_gradient_over_each_translate():
    S = sa.Oracle(ACT.group, seed=0).draw(8)
    risk = risk_of(S)
    truth = squared_norm(risk, risk.theta) ** 0.5
    one = sa.GroupSample(ACT.group, ACT.group.identity())
    options = {"calls": 3000, "largest": 20.0}
    plain, cosets, full = (
        sann.audit(risk_of(S), risk.theta, sa.Oracle(ACT.group, 9), translates_of=T, **options)
        for T in (one, None, "full")
    )
    assert truth <= full.bound <= cosets.bound < plain.bound
    assert cosets.calls == plain.calls == 8 + 3000
    until = 1.02 * plain.bound
    stopped = sann.audit(risk_of(S), risk.theta, sa.Oracle(ACT.group, 9), until=until, **options)
    assert stopped.calls < 8 + 3000
    assert truth <= stopped.bound <= 1.02 * plain.bound


def test_no_bound_is_above_the_limit_nor_rounded_below_it():
    risk = risk_of(None)
    for limit in np.random.default_rng(0).uniform(20, 90, 50):
        found = sann.audit(
            risk_of(None), risk.theta, sa.Oracle(ACT.group), calls=4, delta=1e-9, largest=limit
        )
        assert found.bound == limit  # the radius is larger


def test_bad_audits_are_refused_by_name():
    S = sa.Oracle(ACT.group, seed=7).draw(6)
    risk = risk_of(S)
    good = {"oracle": sa.Oracle(ACT.group, seed=8), "calls": 10, "delta": 0.05}
    for changed, message in (
        ({"oracle": sa.Oracle(sa.symmetric(5))}, "oracle="),
        ({"oracle": sa.Oracle(ACT.group, seed=7)}, "oracle has the seed 7 of S"),
        ({"calls": 1}, "calls=1"),
        ({"delta": 1.0}, "delta=1.0"),
        ({"largest": 1e-9}, "largest=1e-09 is not a limit"),
        ({"largest": -1.0}, "largest=-1.0"),
        ({"largest": 1e-200}, "largest=1e-200"),  # whose square would be 0
        ({"largest": 1e200}, "largest=1e[+]200"),
        ({"theta": np.zeros(19)}, "theta="),
        ({"theta": risk.theta[1:]}, "theta="),
        ({"risk": "risk"}, "risk='risk' is not a ModuleRisk"),
    ):
        with pytest.raises(ArgumentError, match=message):
            sann.audit(**{"risk": risk, "theta": risk.theta, **good, **changed})
    assert good["oracle"].calls == 10  # where a gradient had to be seen first
    with pytest.raises(ArgumentError, match="theta="):
        sa.certify(np.zeros(19), risk, oracle=good["oracle"], audit_calls=10)
    streaming = sann.StreamingModuleRisk(
        network(), nn.MSELoss(), (X, Y), ACT, sa.Oracle(ACT.group, seed=9)
    )
    with pytest.raises(ArgumentError, match=r"risk=.*after a streaming run give one with S=None"):
        sann.audit(streaming, streaming.theta, **good)
    with pytest.raises(ArgumentError, match="nor a risk that can be audited"):
        sa.certify(risk.theta, streaming)


def test_the_calls_of_a_streaming_run_are_in_its_certificate():
    oracle = sa.Oracle(ACT.group, seed=1)
    streaming = sann.StreamingModuleRisk(network(), nn.MSELoss(), (X, Y), ACT, oracle, batch=2)
    run = sa.descend(streaming, streaming.theta, step_size=0.1, num_steps=15)
    found = sa.certify(run, risk_of(None), oracle=oracle, audit_calls=100)
    assert (run.calls, found["audited"].calls, oracle.calls) == (30, 130, 130)


def test_draws_behind_words_and_translates_are_not_drawn_again():
    drawn = sa.Oracle(ACT.group, seed=7).draw(4)
    for S in (drawn.words(2, 8), drawn.translate(sa.Oracle(ACT.group, seed=9))):
        risk = risk_of(S)
        with pytest.raises(ArgumentError, match="oracle has the seed 7 of S"):
            sann.audit(risk, risk.theta, sa.Oracle(ACT.group, seed=7), calls=10)
        past = sa.Oracle(ACT.group, seed=7)
        past.advance_to(4)
        before = past.calls
        assert sann.audit(risk, risk.theta, past, calls=10).calls == risk.calls + 10
        assert past.calls == before + 10
