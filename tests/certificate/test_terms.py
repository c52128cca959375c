"""Every term of a certificate counts: what it bounds is made as large as it may be."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.certificate import Evidence, audited
from sparseaug.certificate.exact import largest_norm
from sparseaug.certificate.sparse import kernel, spectral
from sparseaug.errors import ArgumentError
from sparseaug.kernels import Discrepancy, gradient_norms


def test_the_norm_of_a_gradient_covers_moments_that_are_off_by_their_error():
    """One centre: A and v are numbers, and every error lengthens the gradient."""
    x = np.array([[0.5, -0.5]])
    model = sa.KernelModel(sa.GaussianKernel(1.0), x)
    act = sa.permute_axis(sa.symmetric(2))
    risk = sa.augmented_risk(model, (x, np.array([-1.0])), act, "full")
    theta = np.array([1.0, 2.0])
    truth = float(np.linalg.norm(risk.gradient(theta)))
    for error in (1e-9, 1e-3):
        moments = dataclasses.replace(
            risk.moments, A=risk.moments.A - error, v=risk.moments.v + error, error=error
        )
        assert largest_norm(dataclasses.replace(risk, moments=moments), theta) >= truth


def norms_at(model, data, theta):
    a, b = model.split(theta)
    return gradient_norms(model.kernel, model.centers, a, b, data[1])


@pytest.mark.parametrize("larger", ["narrow", "wide"])
def test_the_kernel_bound_takes_the_larger_distance_of_every_sample(larger, problem):
    """Far more than pooled: each sample by itself, in whichever space it is farther."""
    model, data, act = problem(4, 0)
    theta = np.random.default_rng(0).normal(0, 0.5, model.size)
    evidence = Evidence(model, data, act, sa.Oracle(act.group, seed=0).draw(6))
    far, near = (Discrepancy(np.full(5, value), 1e3) for value in (0.5, 0.1))
    evidence.__dict__["discrepancies"] = (far, near) if larger == "narrow" else (near, far)
    plain = float(np.linalg.norm(evidence.sparse_risk.gradient(theta)))
    B = float(norms_at(model, data, theta).per_sample.mean())
    assert kernel(evidence, theta).bound >= (plain + 0.5 * B) * (1 - 1e-12)


@pytest.mark.parametrize("smaller", ["single", "pooled"])
def test_the_kernel_bound_covers_the_rounding_of_the_narrow_width(smaller, problem):
    """sigma / sqrt(2) is rounded: a square of a distance that is seen as 0 may be 16 u in truth."""
    model, data, act = problem(4, 0)
    theta = np.random.default_rng(0).normal(0, 0.5, model.size)
    evidence = Evidence(model, data, act, sa.Oracle(act.group, seed=0).draw(6))
    each, pooled = (0.0, 1e3) if smaller == "single" else (1e3, 0.0)
    seen = Discrepancy(np.full(5, each), pooled)
    evidence.__dict__["discrepancies"] = (seen, seen)
    plain = float(np.linalg.norm(evidence.sparse_risk.gradient(theta)))
    targets = data[1] if smaller == "single" else np.zeros(1)  # P alone is in the narrow space
    norm = float(norms_at(model, (data[0], targets), theta).per_sample.mean())
    off = math.sqrt(16 * 2.0**-53) * norm
    assert off > 1e3 * 1e-13 * plain  # far above the other roundings
    assert kernel(evidence, theta).bound >= plain + off * (1 - 1e-6)


def test_the_spectral_bound_takes_the_upper_bound_of_the_deviation(problem):
    model, data, act = problem(4, 0)
    theta = np.random.default_rng(0).normal(0, 0.5, model.size)
    S = sa.Oracle(act.group, seed=0).draw(6)
    wide = dataclasses.replace(sa.deviation(S), value=0.9, lower=0.1)
    evidence = Evidence(model, data, act, S, deviation=wide)
    plain = float(np.linalg.norm(evidence.sparse_risk.gradient(theta)))
    assert spectral(evidence, theta).bound >= plain + 0.9 * norms_at(model, data, theta).B * (
        1 - 1e-12
    )


@pytest.mark.parametrize("taken", [1, 7, 8])
def test_not_a_single_draw_of_S_is_taken_again(taken, problem):
    model, data, act = problem(4, 0)
    evidence = Evidence(model, data, act, sa.Oracle(act.group, seed=0).draw(8))
    oracle = sa.Oracle(act.group, seed=0)
    oracle.draw(taken)
    theta = np.ones(model.size)
    if taken < 8:
        with pytest.raises(ArgumentError, match="elements of S again"):
            audited(evidence, theta, oracle=oracle, calls=10)
    else:
        assert audited(evidence, theta, oracle=oracle, calls=10).calls == 18
