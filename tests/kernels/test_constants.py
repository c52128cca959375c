"""B, L and the gap against brute force: dense Gram matrices, finite differences, random search."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.kernels import (
    GaussianKernel,
    box_bound,
    gradient_norms,
    initial_gap,
    sample_moments,
    smoothness_bound,
    smoothness_of_moments,
)
from tests.references import expansion_norm

SIGMA = 1.25
KERNEL = GaussianKernel(SIGMA)
NARROW = GaussianKernel(SIGMA / math.sqrt(2))


def model(rng: np.random.Generator, R: int, d: int, w: float = 3.0):
    return rng.uniform(-1, 1, (R, d)), rng.uniform(-w, w, R), rng.uniform(-w, w, R)


def gradient_functions(z, a, b, y, x):
    """The 2 R components of h at points x, for one target y, by the chain rule: (2 R, points)."""
    phi = KERNEL(x, z)
    error = phi @ (a * b) - y
    return np.concatenate([(error[:, None] * phi * b).T, (error[:, None] * phi * a).T])


@pytest.mark.parametrize("d", [1, 2, 6])
def test_gradient_norm_equals_a_minimum_over_explicit_decompositions(d, rng):
    z, a, b = model(rng, 7, d, 1.0)
    y = np.array([-2.0, -0.3, 0.0, 0.4, 3.0])
    squares, c = a**2 + b**2, a * b
    norms, inner = [], []
    for r in range(7):
        factors = np.exp(-((z - z[r]) ** 2).sum(axis=1) / (4 * SIGMA**2))
        middles = (z + z[r]) / 2
        x = rng.normal(size=(20, d))
        product = NARROW(x, middles) @ (c * factors)  # f phi_r
        np.testing.assert_allclose(product, (KERNEL(x, z) @ c) * KERNEL(x, z)[:, r], atol=1e-13)
        norms.append(expansion_norm(NARROW, middles, c * factors) ** 2)
        inner.append((c * factors) @ KERNEL(middles, z[r : r + 1])[:, 0])
    t = np.linspace(0, 1, 20001)[:, None]
    q, PP, PQ = squares.sum(), squares @ norms, squares @ inner
    inside = PP - 2 * t * y * PQ + t**2 * y**2 * q * (4 / 3) ** (d / 2)
    expected = (np.sqrt(inside) + (1 - t) * abs(y) * math.sqrt(q)).min(axis=0)
    found = gradient_norms(KERNEL, z, a, b, y)
    np.testing.assert_allclose(found.per_sample, expected, rtol=1e-6)
    assert (found.per_sample <= expected * (1 + 1e-9)).all()
    assert found.B == pytest.approx(found.per_sample.mean(), rel=1e-12)
    assert found.B >= found.per_sample.mean()


def test_gradient_norms_bound_every_functional_in_the_dual_norm(rng):
    """What the certificate uses: |sum_j w_j h(x_j)| <= B times the larger of the two norms of w."""
    tightest = 0.0
    for _ in range(300):
        d, R = int(rng.integers(1, 5)), int(rng.integers(1, 6))
        z, a, b = model(rng, R, d, 2.0)
        y = float(rng.normal())
        x = rng.normal(size=(int(rng.integers(1, 8)), d))
        w = rng.normal(size=len(x))
        dual = max(expansion_norm(k, x, w) for k in (KERNEL, NARROW))
        value = float(np.linalg.norm(gradient_functions(z, a, b, y, x) @ w))
        bound = gradient_norms(KERNEL, z, a, b, [y]).per_sample[0] * dual
        assert value <= bound
        tightest = max(tightest, value / bound)
    assert tightest > 0.7  # the bound is not idle


def test_no_point_of_the_box_has_a_larger_norm_than_the_box_bound(rng):
    for _ in range(20):
        d, R = int(rng.integers(1, 7)), int(rng.integers(1, 9))
        z, _, _ = model(rng, R, d)
        y = rng.normal(size=4)
        bound = box_bound(KERNEL, z, y, box=1.5)
        for kind in range(40):
            a, b = rng.uniform(-1.5, 1.5, (2, R))
            if kind % 2:
                a, b = 1.5 * np.sign(a), 1.5 * np.sign(b)
            inside = gradient_norms(KERNEL, z, a, b, y)
            assert (inside.per_sample <= bound.per_sample).all()
            assert inside.B <= bound.B
        edge = np.full(R, 1.5)
        for i in range(4):
            corner = gradient_norms(KERNEL, z, edge, -np.sign(y[i]) * edge, y[i : i + 1])
            assert corner.B == pytest.approx(bound.per_sample[i], rel=1e-13)


def hessian(f, theta: np.ndarray, step: float = 1e-3) -> np.ndarray:
    """By central differences."""
    n = len(theta)
    unit = np.eye(n) * step
    return np.array(
        [
            [
                f(theta + p + q) - f(theta + p - q) - f(theta - p + q) + f(theta - p - q)
                for q in unit
            ]
            for p in unit
        ]
    ) / (4 * step**2)


def test_no_hessian_in_the_box_is_larger_than_the_smoothness_bound(rng):
    tightest, tightest_moments = 0.0, 0.0
    for trial in range(25):
        R, d, w = 4, 3, 1.5
        z, a, b = model(rng, R, d, w)
        if trial % 2:
            a, b = w * np.sign(a), w * np.sign(a)
        x, y = rng.uniform(-1, 1, (3, d)), rng.normal(size=3)
        if trial % 5 == 0:
            x = z[:3]
        action = sa.permute_axis(sa.symmetric(3))
        S = sa.Oracle(action.group, seed=trial).draw(4)
        moved = action(S, x).reshape(-1, d)
        phi, targets = KERNEL(moved, z), np.tile(y, 4)

        def risk(theta, phi=phi, targets=targets, R=R):
            return 0.5 * np.mean((phi @ (theta[:R] * theta[R:]) - targets) ** 2)

        norm = np.linalg.norm(hessian(risk, np.concatenate([a, b])), 2)
        L = smoothness_bound(KERNEL, z, y, box=w)
        own = smoothness_of_moments(sample_moments(KERNEL, action, S, x, y, z), box=w)
        assert norm <= own * (1 + 1e-5)  # the differences' own error
        assert own <= L
        tightest, tightest_moments = max(tightest, norm / L), max(tightest_moments, norm / own)
    assert tightest > 0.4
    assert tightest_moments > 0.5


def test_the_initial_gap_is_above_the_risk_on_every_sample(rng):
    """ass:initial-gap is for every S: of all 24 permutations one alone, which R^G says nothing about."""
    above_full = 0
    for _ in range(20):
        z, a, b = model(rng, 6, 4, 1.0)
        x, y = rng.uniform(-1, 1, (3, 4)), rng.normal(size=3)
        action = sa.permute_axis(sa.symmetric(4))
        phi = KERNEL(action(action.group.all_elements(), x).reshape(-1, 4), z)
        risks = ((phi @ (a * b)).reshape(24, 3) - y) ** 2 / 2
        gap = initial_gap(KERNEL, z, y, a, b)
        assert risks.mean(axis=1).max() <= gap  # of single elements, so of all multisets
        above_full += risks.mean(axis=1).max() > risks.mean()
    assert above_full == 20


def test_a_theta_that_diverged_has_infinite_bounds_and_no_small_ones():
    """max(0, NaN) is 0 in Python: an overflow must not come out as a bound of 0."""
    z, y = np.random.default_rng(0).normal(size=(4, 3)), np.arange(4.0)
    for large in (1e120, 1e200, 1e308):
        a, b = np.array([large, -large, large, 1.0]), np.array([large, large, 1.0, -large])
        assert gradient_norms(KERNEL, z, a, b, y).B == math.inf
        assert initial_gap(KERNEL, z, y, a, b) == math.inf
