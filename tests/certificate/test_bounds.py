"""No certain bound is below the full-group gradient norm, found by loops over all permutations."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.certificate import KINDS, TABLE, Certificate, Certificates, Evidence, certify
from sparseaug.certificate.exact import exact
from sparseaug.certificate.sparse import kernel, spectral
from sparseaug.errors import ArgumentError


@pytest.mark.parametrize("kind", [name for name in KINDS if TABLE[name].from_sample])
def test_no_bound_from_S_is_below_the_full_gradient_norm(kind, cases):
    assert all(TABLE[kind].make(case.evidence, case.theta).bound >= case.truth for case in cases)


def test_the_exact_kind_equals_the_loop_over_all_permutations(cases):
    for case in cases:
        found = exact(case.evidence, case.theta)
        assert found.truth == pytest.approx(case.truth, rel=1e-9, abs=1e-12)
        assert case.truth <= found.bound * (1 + 1e-12) + 1e-12
        assert found.bound <= case.truth * (1 + 1e-6) + 1e-8


@pytest.mark.parametrize("seed", range(6))
def test_the_exact_bound_is_above_the_norm_to_forty_digits(seed, problem, precise_norm):
    model, data, act = problem(3, seed, samples=2, centers=3)
    theta = np.random.default_rng(seed).normal(0, 2.0, model.size)
    truth = precise_norm(model, data, theta)
    full = exact(Evidence(model, data, act, "full"), theta)
    assert truth <= full.bound <= truth * (1 + 1e-10)
    identity = act.group.identity()
    every = sa.GroupSample(act.group, np.concatenate([identity, *act.group.elements(), identity]))
    S = sa.GroupSample(act.group, every.elements[1:-1])  # S = G: the deviation is 0
    assert truth <= spectral(Evidence(model, data, act, S), theta).bound <= truth * (1 + 1e-9)


def test_a_case_where_the_bounds_are_nearly_attained(reference_norm):
    """One sample, moved away from the only centre by S: truth 1/2, kernel 1/sqrt 2, spectral 1.

    A factor that is too small by a half would show here.
    """
    x = np.array([[-1.0, 1.0]])
    model = sa.KernelModel(sa.GaussianKernel(0.3), x)
    act = sa.permute_axis(sa.symmetric(2))
    S = sa.GroupSample(act.group, [[1, 0]])
    for y, theta in (([0.0], [1.0, 1.0]), ([1.0], [0.0, 1.0]), ([-3.0], [2.0, 0.5])):
        theta = np.array(theta)
        evidence = Evidence(model, (x, np.array(y)), act, S)
        truth = reference_norm(model, evidence.data, theta)
        assert 1.0 <= kernel(evidence, theta).bound / truth < math.sqrt(2) * 1.35
        assert 1.0 <= spectral(evidence, theta).bound / truth < 2 * 1.35


SIX = {"a-priori", "spectral", "words", "kernel", "exact", "audited"}
"""Kinds that a small problem has; a new one may need more."""


def test_all_four_methods_are_certified_at_their_returned_iterate(problem, reference_norm):
    model, data, act = problem(5, 3)
    theta = np.random.default_rng(0).normal(0, 0.5, model.size)
    for S, kinds in (
        (None, SIX),
        (sa.Oracle(act.group, seed=0).draw(16), SIX),
        ("full", {"exact", "audited"}),
        ("streaming", {"exact", "audited"}),
    ):
        if S == "streaming":
            risk = sa.risk.streaming_risk(model, data, act, sa.Oracle(act.group, seed=1))
        else:
            risk = sa.augmented_risk(model, data, act, S)
        run = sa.descend(risk, theta, step_size=0.05, num_steps=200)
        audit = sa.Oracle(act.group, seed=77)
        found = certify(run, oracle=audit, audit_calls=500)
        truth = reference_norm(model, data, run.best)
        assert kinds <= set(found)
        assert ("spectral" in found.omitted) == isinstance(S, str)  # it needs a sample
        assert set(found) | set(found.omitted) == set(KINDS)
        assert all(one.bound >= truth for one in found.values())
        assert found["exact"].calls == run.calls
        assert found["audited"].calls == run.calls + 500 == run.calls + audit.calls
        assert found.best.kind == "exact"
        if S == "full":
            assert found["exact"].bound == pytest.approx(run.best_gradient_norm, rel=1e-8)


def test_the_best_of_uncertain_bounds_adds_up_their_chances_of_failing():
    one = Certificate("a-priori", 2.0, "with probability 1 - 0.05", 0.05, 1)
    two = Certificate("audited", 1.0, "with probability 1 - 0.01", 0.01, 1)
    sure = Certificate("kernel", 3.0, "certain", 0.0, 1)
    assert Certificates({"a-priori": one}).best is one
    best = Certificates({"a-priori": one, "audited": two}).best
    assert (best.bound, best.failure_probability) == (1.0, pytest.approx(0.06))
    assert "0.06" in best.holds
    assert Certificates({"a-priori": one, "audited": two, "kernel": sure}).best is sure
    with pytest.raises(ArgumentError, match="omitted"):
        _ = Certificates({}).best
