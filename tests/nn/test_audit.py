"""The audit of a module: unbiased over all draws, covering, never a certificate below the truth."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch
from scipy import stats
from torch import nn

import sparseaug as sa
from sparseaug import nn as sann
from sparseaug.certificate import KINDS
from sparseaug.errors import ArgumentError, UnsupportedError
from sparseaug.nn.risk.audit import Sums, certificate_of, jackknife

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


def test_the_estimate_is_unbiased_over_all_draws_of_a_small_group():
    act = sa.roll(sa.cyclic(3), axes=(-1,))
    x = X[:, :3].clone()
    risk = sann.ModuleRisk(network(inputs=3), nn.MSELoss(), (x, Y), act, None)
    found = []
    for rows in itertools.product(range(3), repeat=4):
        source = iter(rows)
        oracle = sa.Oracle(act.group, source=lambda rng, source=source: [next(source)])
        found.append(sann.audit(risk, risk.theta, oracle, 4).squared_norm)
    truth = squared_norm(risk, risk.theta)
    assert len(found) == 81
    assert abs(np.mean(found) - truth) <= 1e-12 * max(1.0, truth)
    assert min(found) < truth < max(found)


def test_the_sums_are_those_of_the_single_gradients():
    """Against the formulas written out over all pairs."""
    risk = risk_of(None)
    fresh = sa.Oracle(ACT.group, seed=3).draw(50)
    each = [
        risk.on(sa.GroupSample(ACT.group, row[None])).gradient(risk.theta) for row in fresh.elements
    ]
    v = torch.stack(each)
    gram = v @ v.T
    pairs = (gram.sum() - gram.diagonal().sum()) / (50 * 49)
    groups = np.arange(50) * 40 // 50
    without = []
    for k in range(40):
        kept = torch.tensor(groups != k)
        g = gram[kept][:, kept]
        without.append(float((g.sum() - g.diagonal().sum()) / (len(g) * (len(g) - 1))))
    half = stats.t.ppf(0.95, 39) * np.sqrt(39 / 40 * np.sum((without - np.mean(without)) ** 2))
    found = sann.audit(risk, risk.theta, sa.Oracle(ACT.group, seed=3), 50, delta=0.1)
    assert abs(found.squared_norm - float(pairs)) <= 1e-12
    np.testing.assert_allclose(found.interval, [max(0, pairs - half), pairs + half], rtol=1e-9)
    assert (found.calls, found.kind, found.delta) == (50, "estimate", 0.1)
    assert found.to_dict()["interval"] == list(found.interval)


@pytest.mark.parametrize("N", [20, 60, 120])
@pytest.mark.parametrize("mean", [0.0, 0.1, 2.0])
def test_the_interval_covers_the_truth_about_as_often_as_it_says(mean, N):
    """Of 400 audits with a coverage of 0.95, fewer than 359 covered has probability below 1e-5.

    Near a mean of zero the jackknife is known to be too wide; it must not be too narrow.
    """
    assert stats.binom.cdf(358, 400, 0.95) < 1e-5
    generator = torch.Generator().manual_seed(N)
    scales = torch.linspace(0.2, 2, 30).double()  # coordinates of very different spread
    covered = 0
    for _ in range(400):
        noise = torch.rand(N, 30, dtype=torch.float64, generator=generator) - 0.5
        low, high = jackknife(Sums(mean / 30**0.5 + scales * noise, N, 30), 0.05)
        covered += low <= mean**2 <= high
    assert covered >= 359


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
        found = sa.certify(run, oracle=oracle, audit_calls=200, largest=max(norms))
        one = found["audited"]
        truth = squared_norm(risk, run.best) ** 0.5
        assert truth <= one.bound <= max(norms)
        assert one.failure_probability == 0.05
        assert one.calls == run.calls + 200 == 206
        assert "if no transformation's gradient is longer" in one.holds
        assert set(found.omitted) == set(KINDS) - {"audited"}


def test_a_limit_gives_an_interval_of_stated_probability_around_the_truth():
    risk = risk_of(None)
    found = sann.audit(risk, risk.theta, sa.Oracle(ACT.group), 500, largest=50.0)
    low, high = found.interval
    assert low <= squared_norm(risk, risk.theta) <= high <= found.norm_bound**2
    assert found.kind == "with probability 1 - 0.05"
    narrower = sann.audit(risk, risk.theta, sa.Oracle(ACT.group), 500, largest=10.0)
    assert narrower.norm_bound < found.norm_bound


def test_without_a_limit_there_is_no_certificate_and_the_reason_is_said():
    risk = risk_of(None)
    found = sa.certify(risk.theta, risk, oracle=sa.Oracle(ACT.group), audit_calls=10)
    assert not found
    assert "give largest=" in found.omitted["audited"]
    with pytest.raises(UnsupportedError, match="largest="):
        sa.certify(risk.theta, risk, oracle=sa.Oracle(ACT.group), audit_calls=10, kinds=["audited"])
    with pytest.raises(UnsupportedError, match="function space"):
        sa.certify(risk.theta, risk, kinds=["spectral"])
    with pytest.raises(UnsupportedError, match="give oracle="):
        sa.certify(risk.theta, risk, largest=9.0, kinds=["audited"])


def test_single_precision_is_not_certified():
    risk = sann.ModuleRisk(network().float(), nn.MSELoss(), (X.float(), Y.float()), ACT, None)
    options = {"oracle": sa.Oracle(ACT.group), "audit_calls": 10, "largest": 100.0}
    with pytest.raises(UnsupportedError, match=r"module.double\(\)"):
        sa.certify(risk.theta, risk, kinds=["audited"], **options)
    assert sann.audit(risk, risk.theta, sa.Oracle(ACT.group), 10).calls == 10


def test_a_gradient_that_single_precision_hides_is_not_bounded_in_single_precision():
    """In float32 the product of w and x is y itself; in truth it is 1/16 larger: w x = y + 2^-4."""
    swap = sa.permute_axis(sa.symmetric(2))
    x, y = torch.full((1, 2), 2.0**20 + 2.0**8), torch.full((1, 1), 2.0**20 + 2.0**9)
    module = nn.Linear(2, 1, bias=False)
    with torch.no_grad():
        module.weight.copy_(torch.tensor([[1 + 2.0**-12, 0.0]]))
    limit = 2e5
    single = sann.ModuleRisk(module, nn.MSELoss(), (x, y), swap, None)
    assert float(single.gradient(single.theta).norm()) == 0
    oracle = sa.Oracle(swap.group)
    with pytest.raises(UnsupportedError, match=r"float32.*module.double\(\)"):
        sann.audit(single, single.theta, oracle, 400, largest=limit)
    assert oracle.calls == 0  # refused before anything is drawn
    for half in (torch.float16, torch.bfloat16):
        other = sann.ModuleRisk(
            nn.Linear(4, 1).to(half), nn.MSELoss(), (X.to(half), Y.to(half)), ACT, None
        )
        with pytest.raises(UnsupportedError, match="whose roundings may hide a gradient"):
            sann.audit(other, other.theta, sa.Oracle(ACT.group), 10, largest=limit)

    double = sann.ModuleRisk(module.double(), nn.MSELoss(), (x.double(), y.double()), swap, None)
    truth = 2 * 2.0**-4 * float(x.double().norm())
    found = sann.audit(double, double.theta, oracle, 400, largest=limit)
    assert found.interval[0] <= truth**2 <= found.interval[1]
    assert "up to the rounding of the module in float64" in found.holds
    assert found.holds in str(found)


def test_the_upper_end_is_not_rounded_below_the_limit_itself():
    risk = risk_of(None)
    for limit in np.random.default_rng(0).uniform(20, 90, 50):
        found = sann.audit(risk, risk.theta, sa.Oracle(ACT.group), 4, delta=1e-9, largest=limit)
        assert Fraction(found.interval[1]) >= Fraction(float(limit)) ** 2  # the radius is larger
        assert found.norm_bound == limit
        unlimited = replace(found, largest=None)
        assert Fraction(unlimited.norm_bound) ** 2 >= Fraction(found.interval[1])


def test_bad_audits_are_refused_by_name():
    S = sa.Oracle(ACT.group, seed=7).draw(6)
    risk = risk_of(S)
    good = {"oracle": sa.Oracle(ACT.group, seed=8), "calls": 10, "delta": 0.05}
    for changed, message in (
        ({"oracle": sa.Oracle(sa.symmetric(5))}, "oracle="),
        ({"oracle": sa.Oracle(ACT.group, seed=7)}, "oracle has the seed 7 of S"),
        ({"calls": 3}, "calls=3"),
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
    model = sa.KernelModel(sa.GaussianKernel(1.0), np.zeros((1, 4)))
    evidence = sa.Evidence(model, (X.numpy(), Y.numpy()[:, 0]), ACT, None)
    with pytest.raises(ArgumentError, match="largest is known"):
        sa.certify(np.zeros(2), evidence, largest=1.0)
    with pytest.raises(ArgumentError, match="box is for the kernel models"):
        sa.certify(risk.theta, risk, box=1.0)
    with pytest.raises(ArgumentError, match="theta="):
        sa.certify(np.zeros(19), risk, oracle=good["oracle"], audit_calls=10, largest=9.0)
    streaming = sann.StreamingModuleRisk(
        network(), nn.MSELoss(), (X, Y), ACT, sa.Oracle(ACT.group, seed=9)
    )
    with pytest.raises(ArgumentError, match=r"risk=.*after a streaming run give one with S=None"):
        sann.audit(streaming, streaming.theta, **good)
    with pytest.raises(ArgumentError, match="nor a risk that can be audited"):
        sa.certify(risk.theta, streaming)


def test_what_is_printed_of_an_interval_holds_it():
    text = str(sann.Audit(1.0, (0.12346, 1.23451), "with probability 1 - 0.05", 0.05, 10, 2.0))
    assert "[0.1234, 1.235]" in text
    holds = certificate_of(sann.Audit(1.0, (0.1, 1.0), "sure", 0.05, 10, 19.9999999), 0).holds
    assert "longer than 19.9999999" in holds


def test_the_calls_of_a_streaming_run_are_in_its_certificate():
    oracle = sa.Oracle(ACT.group, seed=1)
    streaming = sann.StreamingModuleRisk(network(), nn.MSELoss(), (X, Y), ACT, oracle, batch=2)
    run = sa.descend(streaming, streaming.theta, step_size=0.1, num_steps=15)
    found = sa.certify(run, risk_of(None), oracle=oracle, audit_calls=100, largest=100.0)
    assert (run.calls, found["audited"].calls, oracle.calls) == (30, 130, 130)


def test_draws_behind_words_and_joined_samples_are_not_drawn_again():
    drawn = sa.Oracle(ACT.group, seed=7).draw(4)
    other = sa.Oracle(ACT.group, seed=9).draw(3)
    for S in (drawn.words(2, 8), drawn.concat(other), other.words(2, 5).concat(drawn.words(3, 4))):
        risk = risk_of(S)
        with pytest.raises(ArgumentError, match="oracle has the seed 7 of S"):
            sann.audit(risk, risk.theta, sa.Oracle(ACT.group, seed=7), 10)
        past = sa.Oracle(ACT.group, seed=7)
        past.advance_to(4)
        assert sann.audit(risk, risk.theta, past, 10).calls == 10
