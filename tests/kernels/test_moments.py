"""Moments of the full group and of a sample, and the discrepancy between the two on data."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.kernels import (
    GaussianKernel,
    full_moments,
    kernel_discrepancy,
    moments,
    sample_moments,
)

KERNEL = GaussianKernel(1.25)
ACTIONS = [
    (sa.permute_axis(sa.symmetric(5)), (5,)),
    (sa.permute_axis(sa.symmetric(3), 1), (3, 2)),
    (sa.signed_permute(sa.hyperoctahedral(3)), (3,)),
    (sa.flip_signs(sa.sign_flips(6)), (6,)),
    (sa.roll(sa.cyclic(7), (-1,)), (7,)),
    (sa.permute_axis(sa.alternating(4)), (4,)),
    (sa.linear(sa.groups.cube_rotations()), (3,)),
]


def problem(shape, rng, n=4, R=5):
    return rng.uniform(-1, 1, (n, *shape)), rng.normal(size=n), rng.uniform(-1, 1, (R, *shape))


def whole(group: sa.groups.Group) -> sa.GroupSample:
    return sa.GroupSample(group, np.concatenate(list(group.elements())))


def plain_moments(action, rows, x, y, z):
    features = np.array([KERNEL(action(row[None], x)[0], z) for row in rows])  # (m, n, R)
    A = np.einsum("mnr,mns->rs", features, features) / (len(rows) * len(x))
    return A, np.einsum("n,mnr->r", y, features) / (len(rows) * len(x)), np.mean(y**2)


@pytest.mark.parametrize("few", [0, 1000])
@pytest.mark.parametrize(("action", "shape"), ACTIONS)
def test_full_moments_equal_plain_sums_by_both_ways(action, shape, few, rng, monkeypatch):
    monkeypatch.setattr(moments, "FEW", few)
    x, y, z = problem(shape, rng)
    full = full_moments(KERNEL, action, x, y, z)
    A, v, s = plain_moments(action, whole(action.group).elements, x, y, z)
    np.testing.assert_allclose(full.A, A, rtol=1e-12)
    np.testing.assert_allclose(full.v, v, rtol=1e-11)
    assert full.s == pytest.approx(s, rel=1e-15)
    assert abs(full.A - A).max() <= full.error + 1e-14
    same = sample_moments(KERNEL, action, whole(action.group), x, y, z)
    np.testing.assert_allclose(same.A, full.A, rtol=1e-12)
    np.testing.assert_array_equal(full.A, full.A.T)


@pytest.mark.parametrize("block", [1, 3, 100])
def test_sample_moments_count_multiplicity_in_every_block_size(block, rng):
    action = sa.permute_axis(sa.symmetric(4))
    x, y, z = problem((4,), rng)
    rows = np.array([[1, 0, 2, 3]] * 3 + [[3, 2, 1, 0]])
    A, v, _ = plain_moments(action, rows, x, y, z)
    S = sa.GroupSample(action.group, rows)
    found = sample_moments(KERNEL, action, S, x, y, z, block=block)
    np.testing.assert_allclose(found.A, A, rtol=1e-13)
    np.testing.assert_allclose(found.v, v, rtol=1e-12)
    c = rng.normal(size=5)
    phi = KERNEL(action(S, x).reshape(-1, 4), z)
    assert found.risk(c) == pytest.approx(0.5 * np.mean((phi @ c - np.tile(y, 4)) ** 2))
    steps = 1e-6 * np.eye(5)
    slopes = [(found.risk(c + e) - found.risk(c - e)) / 2e-6 for e in steps]
    np.testing.assert_allclose(found.gradient(c), slopes, atol=1e-8)
    assert json.dumps(found.to_dict())


def plain_embedding_square(action, S, x, w):
    """||(1/n) sum_i w_i xi_i||^2 from the definition: signed weights on all points of the orbit."""
    rows = whole(action.group).elements
    points = np.concatenate(
        [action(S, x).reshape(-1, *x.shape[1:]), action(rows, x).reshape(-1, *x.shape[1:])]
    )
    weights = np.concatenate([np.tile(w, S.m) / S.m, -np.tile(w, len(rows)) / len(rows)]) / len(x)
    return float(weights @ KERNEL(points, points) @ weights)


@pytest.mark.parametrize(("action", "shape"), ACTIONS)
def test_discrepancy_equals_its_definition_and_never_exceeds_the_deviation(action, shape, rng):
    x, y, _ = problem(shape, rng)
    for m in (1, 4, 16):
        S = sa.Oracle(action.group, seed=m).draw(m)
        found = kernel_discrepancy(KERNEL, action, S, x)
        for i in range(len(x)):
            exact = plain_embedding_square(action, S, x[i : i + 1], np.ones(1))
            assert found.per_sample[i] ** 2 == pytest.approx(exact, abs=1e-13)
            assert found.per_sample[i] ** 2 >= exact - 1e-15
        exact = plain_embedding_square(action, S, x, np.ones(len(x)))
        assert found.pooled**2 == pytest.approx(exact, abs=1e-13)
        weighted = kernel_discrepancy(KERNEL, action, S, x, weights=y)
        exact = plain_embedding_square(action, S, x, y)
        assert weighted.pooled**2 == pytest.approx(exact, abs=1e-12)
        limit = KERNEL.C * math.sqrt(sa.deviation(S).value ** 2 + 1e-12)
        assert found.largest <= limit * (1 + 1e-13)
        assert found.pooled <= found.largest * (1 + 1e-12)
        assert json.dumps(found.to_dict())
