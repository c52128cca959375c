"""A run knows its risk: `certify(run)` needs nothing else, and the risk goes no further."""

from __future__ import annotations

import importlib
import pickle

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.certificate import Evidence, certify
from sparseaug.errors import ArgumentError
from sparseaug.risk import DirectRisk
from tests.runs import Stopping

RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, (5, 4))
PROBLEM = (
    sa.KernelModel(sa.GaussianKernel(1.0), RNG.uniform(-1, 1, (6, 4))),
    (X, X.sum(axis=1)),
    sa.permute_axis(sa.symmetric(4)),
)
GROUP = PROBLEM[2].group
S = sa.Oracle(GROUP, seed=0).draw(8)
THETA = np.random.default_rng(0).normal(0, 0.5, 12)


def streaming(seed: int = 3):
    return sa.risk.streaming_risk(*PROBLEM, sa.Oracle(GROUP, seed=seed))


def plain_sum(S):
    """What a streaming step follows, over a sample that is known."""
    model, _, action = PROBLEM
    return DirectRisk(model, sa.augmented_risk(*PROBLEM, S).data, action, S)


RISKS = {
    "none": (lambda: sa.augmented_risk(*PROBLEM, None), None),
    "full": (lambda: sa.augmented_risk(*PROBLEM, "full"), "full"),
    "one-shot": (lambda: sa.augmented_risk(*PROBLEM, S), S),
    "plain sum": (lambda: plain_sum(S), S),
    "streaming": (streaming, "streaming"),
}


def descend(risk, **options):
    return sa.descend(risk, THETA, **{"step_size": 0.05, "num_steps": 20, **options})


@pytest.mark.parametrize("name", list(RISKS))
def test_a_run_is_certified_with_no_further_argument(name):
    make, averaged = RISKS[name]
    run = descend(make())
    assert certify(run).to_dict() == certify(run, Evidence(*PROBLEM, averaged)).to_dict()


@pytest.mark.parametrize("name", list(RISKS))
def test_a_theta_is_certified_with_a_risk(name):
    make, averaged = RISKS[name]
    expected = certify(THETA, Evidence(*PROBLEM, averaged), kinds=["exact"]).to_dict()
    assert certify(THETA, make(), kinds=["exact"]).to_dict() == expected


def test_a_risk_knows_what_it_is_of():
    for make, averaged in RISKS.values():
        risk = make()
        assert risk.model is PROBLEM[0]
        assert risk.action is PROBLEM[2]
        assert risk.S is averaged or risk.S == averaged
        assert all(
            np.array_equal(own, given) for own, given in zip(risk.data, PROBLEM[1], strict=True)
        )
        assert not any(own.flags.writeable for own in risk.data)


def test_a_resumed_run_keeps_the_risk_that_it_was_resumed_with(tmp_path):
    kept = {"checkpoint": sa.descent.Checkpoint(tmp_path / "run", every=5)}
    with pytest.raises(KeyboardInterrupt):
        descend(Stopping(sa.augmented_risk(*PROBLEM, S), 13), **kept)
    for _ in range(2):  # resumed in the middle, and after the end
        risk = sa.augmented_risk(*PROBLEM, S)
        run = descend(risk, **kept)
        assert run.risk is risk
        assert certify(run).to_dict() == certify(descend(risk)).to_dict()


def test_the_risk_does_not_travel_or_print_with_the_run():
    run = descend(streaming())
    assert "isk" not in repr(run)
    copy = pickle.loads(pickle.dumps(run))
    assert copy.risk is None
    assert run.risk is not None
    assert np.array_equal(copy.best, run.best)
    assert copy.trace.to_dict() == run.trace.to_dict()
    with pytest.raises(ArgumentError, match=r"run.risk is missing; give evidence="):
        certify(copy)
    assert certify(copy, Evidence(*PROBLEM, "streaming"))["exact"].calls == 20


@pytest.mark.parametrize("run", ["abc", None, {"theta": 1.0}, PROBLEM[0]], ids=type)
def test_what_is_neither_a_run_nor_a_theta_is_named_with_its_type(run):
    with pytest.raises(ArgumentError, match=rf"^run=.* is of type .*{type(run).__name__}; give"):
        certify(run)


@pytest.mark.parametrize("name", ["translates_of", "until"])
def test_what_only_an_audit_takes_is_refused_without_one(name):
    run = descend(sa.augmented_risk(*PROBLEM, None))
    given = {"translates_of": "nonsense", "until": 0.5}
    with pytest.raises(ArgumentError, match=f"^{name} is for an audit; give oracle="):
        certify(run, **{name: given[name]})
    oracle = sa.Oracle(PROBLEM[2].group, seed=99)
    with pytest.raises(ArgumentError, match=f"^{name} is for an audit"):
        certify(run, oracle=oracle, kinds=["exact"], **{name: given[name]})
    assert oracle.calls == 0


def test_what_is_not_a_run_needs_evidence():
    with pytest.raises(ArgumentError, match="evidence is missing"):
        certify(THETA)

    class Plain:
        calls = 0

        def at_step(self, step):
            return self

        def gradient(self, theta):
            return theta

    with pytest.raises(ArgumentError, match=r"run.risk=.* nor a risk that can be audited"):
        certify(descend(Plain()))


def test_an_audit_does_not_draw_again_what_a_streaming_run_has_seen():
    run = descend(streaming(seed=3))
    with pytest.raises(ArgumentError, match="the seed 3"):
        certify(run, oracle=sa.Oracle(GROUP, seed=3), audit_calls=10)
    for fresh in (run.risk.oracle, sa.Oracle(GROUP, seed=4)):
        found = certify(run, oracle=fresh, audit_calls=10)
        assert found["audited"].calls == 30


def test_the_exact_norm_is_computed_once(monkeypatch):
    module = importlib.import_module("sparseaug.certificate.evidence")
    norms, seen = module.largest_norm, []
    monkeypatch.setattr(module, "largest_norm", lambda *args: seen.append(args) or norms(*args))
    evidence = Evidence(*PROBLEM, S)
    assert certify(THETA, evidence, kinds=["exact"])["exact"].truth > 0
    assert len(seen) == 1
