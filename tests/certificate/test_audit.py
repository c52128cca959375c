"""The audited kind: its interval covers, its calls count, and its draws are fresh."""

from __future__ import annotations

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.certificate import Evidence, audited
from sparseaug.certificate.audit import largest_gradient, radius
from sparseaug.errors import ArgumentError, OracleBudgetError


def test_audits_hold_and_approach_the_truth_as_they_grow(problem, reference_norm):
    model, data, act = problem(5, 0)
    theta = np.random.default_rng(0).normal(0, 0.5, model.size)
    evidence = Evidence(model, data, act, "streaming")
    truth = reference_norm(model, data, theta)
    bounds = []
    for size in (2, 100, 20000):
        found = [
            audited(evidence, theta, oracle=sa.Oracle(act.group, seed), audit_calls=size).bound
            for seed in range(1 if size > 1000 else 20)
        ]
        assert min(found) >= truth
        bounds.append(np.mean(found))
    assert bounds[0] > bounds[1] > bounds[2]
    assert bounds[2] < truth * 1.2


@pytest.mark.parametrize("rare", [0.3, 0.02, 0.002])
def test_the_interval_covers_rare_large_vectors(rare):
    """v = e_1 with probability p, else 0; 4000 audits of N = 200 at delta = 0.1.

    The bound fails with probability at most 0.1; that 4000 audits show more than 0.12 although it does
    not has probability below 1e-4.
    """
    N, delta, rng = 200, 0.1, np.random.default_rng(0)
    failures = 0
    for _ in range(4000):
        v = (rng.random(N) < rare).astype(float)
        spread = np.sqrt(((v[::2] - v[1::2]) ** 2 / 2).mean())
        failures += abs(v.mean() - rare) > radius(float(spread), 1.0, N, delta=delta)
    assert failures <= 0.12 * 4000


def test_a_radius_without_its_range_term_fails_to_cover():
    """The mutant that trusts the empirical spread alone sees 0 where the rare vector stayed away."""
    N, rare, rng = 200, 0.002, np.random.default_rng(0)
    seen = [(rng.random(N) < rare).mean() for _ in range(500)]
    trusting = [radius(float(np.sqrt(mean * (1 - mean))), 0.0, N, delta=0.1) for mean in seen]
    failures = sum(abs(mean - rare) > r for mean, r in zip(seen, trusting, strict=True))
    assert failures > 0.12 * 500


def test_no_transformed_gradient_exceeds_G(problem):
    model, (x, y), act = problem(4, 1)
    for seed in range(5):
        theta = np.random.default_rng(seed).normal(0, 1, model.size)
        G = largest_gradient(Evidence(model, (x, y), act, "streaming"), theta)
        for block in act.group.elements():
            for row in block:
                S = sa.GroupSample(act.group, row[None])
                risk = sa.augmented_risk(model, (x, y), act, S)
                assert np.linalg.norm(risk.gradient(theta)) <= G


def test_the_audit_mean_is_the_gradient_over_its_draws(problem):
    """With G so small that the radius vanishes against it, bound and plain gradient agree."""
    model, data, act = problem(4, 2)
    theta = np.random.default_rng(0).normal(0, 1, model.size)
    evidence = Evidence(model, data, act, "streaming")
    found = audited(evidence, theta, oracle=sa.Oracle(act.group, 3), audit_calls=50000)
    fresh = sa.Oracle(act.group, 3).draw(50000)
    norm = np.linalg.norm(sa.augmented_risk(model, data, act, fresh).gradient(theta))
    assert norm < found.bound < norm + radius(1.0, 10.0, 50000, delta=0.05) * 10


def test_calls_are_counted_by_the_oracle_and_bounded_by_its_budget(problem):
    model, data, act = problem(4, 0)
    evidence = Evidence(model, data, act, sa.Oracle(act.group, seed=0).draw(8))
    theta = np.ones(model.size)
    oracle = sa.Oracle(act.group, seed=1, budget=50)
    assert audited(evidence, theta, oracle=oracle, audit_calls=40).calls == 8 + 40
    assert oracle.calls == 40
    with pytest.raises(OracleBudgetError):
        audited(evidence, theta, oracle=oracle, audit_calls=40)


def test_the_draws_behind_S_are_not_taken_again(problem):
    model, data, act = problem(4, 0)
    oracle = sa.Oracle(act.group, seed=0)
    evidence = Evidence(model, data, act, oracle.draw(8))
    theta = np.ones(model.size)
    with pytest.raises(ArgumentError, match="elements of S again"):
        audited(evidence, theta, oracle=sa.Oracle(act.group, seed=0), audit_calls=10)
    assert audited(evidence, theta, oracle=oracle, audit_calls=10).calls == 18
