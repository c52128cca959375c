"""The audited kind: its interval covers, its calls count, and its draws are fresh."""

from __future__ import annotations

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.certificate import Evidence, audit, audited
from sparseaug.certificate.audit import largest_gradient


def test_audits_hold_and_approach_the_truth_as_they_grow(problem, reference_norm):
    model, data, act = problem(5, 0)
    theta = np.random.default_rng(0).normal(0, 0.5, model.size)
    evidence = Evidence(model, data, act, "streaming")
    truth = reference_norm(model, data, theta)
    bounds = []
    for size in (2, 100, 20000):
        found = [
            audited(evidence, theta, oracle=sa.Oracle(act.group, seed), calls=size).bound
            for seed in range(1 if size > 1000 else 20)
        ]
        assert min(found) >= truth
        bounds.append(np.mean(found))
    assert bounds[0] > bounds[1] > bounds[2]
    assert bounds[2] < truth * 1.2


def test_targets_far_above_and_below_f_count_in_G(problem):
    """f is 1e-6 and y is 1 or -1: the residual at every element is y, and G is next to attained."""
    model, (x, _), act = problem(4, 1, centers=1)
    theta = np.full(model.size, 1e-3)
    for y in (np.ones(len(x)), -np.ones(len(x))):
        at = sa.KernelModel(model.kernel, x[:1])
        evidence = Evidence(at, (np.repeat(x[:1], len(x), axis=0), y), act, None)
        norm = np.linalg.norm(evidence.sparse_risk.gradient(theta))
        assert norm <= largest_gradient(evidence, theta) < 1.01 * norm


def test_every_translate_has_the_mean_gradient_over_it(problem):
    """Against the risk on S h for each h, with and without the table of all elements."""
    model, data, act = problem(4, 0)
    theta = np.random.default_rng(0).normal(0, 1, model.size)
    S = sa.Oracle(act.group, seed=0).draw(5)
    evidence = Evidence(model, data, act, S)
    fresh = sa.Oracle(act.group, seed=1).draw(9)
    expected = [
        sa.augmented_risk(
            model, data, act, sa.GroupSample(act.group, act.group.compose(S.elements, h[None]))
        ).gradient(theta)
        for h in fresh.elements
    ]
    for calls in (1, 1000):  # fewer and more translates than elements
        means = audit._translate_means(evidence, theta, S, calls)
        found = np.concatenate(list(means(fresh)))
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("of", ["S", "words", "design", "full"])
def test_audits_by_cosets_hold_and_are_tighter_than_plain_ones(of, problem, reference_norm):
    model, data, act = problem(5, 0)
    theta = np.random.default_rng(1).normal(0, 0.5, model.size)
    S = sa.Oracle(act.group, seed=0).draw(16)
    over = {
        "S": S,
        "words": S.words(2, 60),
        "design": sa.design(act.group, degree=2),
        "full": "full",
    }
    evidence, truth = Evidence(model, data, act, S), reference_norm(model, data, theta)
    one = sa.GroupSample(act.group, act.group.identity())
    for seed in range(5):
        plain, cosets = (
            audited(
                evidence,
                theta,
                oracle=sa.Oracle(act.group, 50 + seed),
                calls=400,
                translates_of=T,
            )
            for T in (one, over[of])
        )
        assert truth <= cosets.bound < plain.bound
        assert cosets.calls == plain.calls == 16 + 400
    if of == "full":
        assert cosets.bound <= truth * 1.001


def test_no_translate_is_farther_from_the_mean_than_its_reach(problem):
    model, data, act = problem(4, 1)
    everything = act.group.all_elements()
    for seed in range(4):
        theta = np.random.default_rng(seed).normal(0, 1, model.size)
        S = sa.Oracle(act.group, seed=seed).draw(6)
        evidence = Evidence(model, data, act, S)
        means = audit._translate_means(evidence, theta, S, 1)
        v = np.concatenate(list(means(sa.GroupSample(act.group, everything))))
        far = np.linalg.norm(v - v.mean(axis=0), axis=1).max()
        assert (
            far <= audit._reach(evidence, theta, S) < audit._reach(evidence, theta, S.words(1, 1))
        )


def test_an_action_that_is_no_isometry_of_the_kernel_has_no_reach(problem):
    model, data, _ = problem(4, 1)
    shear = sa.linear(sa.cyclic(2), np.array([np.eye(4), np.diag([2.0, 0.5, 1, 1])[[1, 0, 2, 3]]]))
    S = sa.Oracle(shear.group, seed=0).draw(3)
    evidence = Evidence(model, data, shear, S)
    assert audit._reach(evidence, np.ones(model.size), S) == np.inf
