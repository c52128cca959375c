"""What is said of rounding holds against 40 digits, on data where leaving it out would show."""

from __future__ import annotations

import itertools

import mpmath
import numpy as np
import pytest

import sparseaug as sa
from sparseaug._floats import UNIT, gamma
from sparseaug.kernels import (
    GaussianKernel,
    constants,
    full_moments,
    gradient_norms,
    group_means,
    kernel_discrepancy,
    moments,
    sample_moments,
)

mp = mpmath.mp.clone()
mp.dps = 40

KERNEL = GaussianKernel(1.0)


def exactly(x):
    return [[mp.mpf(float(v)) for v in row] for row in np.asarray(x)]


def kernel(x, z, sigma):
    return mp.exp(-sum((a - b) ** 2 for a, b in zip(x, z, strict=True)) / (2 * mp.mpf(sigma) ** 2))


def permuted(x, elements):
    """(g x)[g(i)] = x[i], for each element."""
    for g in elements:
        moved = [None] * len(x)
        for i, image in enumerate(g):
            moved[image] = x[i]
        yield moved


def exact_moments(x, y, z, elements, sigma):
    x, z, y = exactly(x), exactly(z), [mp.mpf(float(v)) for v in y]
    R = len(z)
    A, v = mp.zeros(R), [mp.mpf(0)] * R
    for row, target in zip(x, y, strict=True):
        for moved in permuted(row, elements):
            phi = [kernel(moved, center, sigma) for center in z]
            for r, s in itertools.product(range(R), repeat=2):
                A[r, s] += phi[r] * phi[s]
            v = [old + target * value for old, value in zip(v, phi, strict=True)]
    count = len(x) * len(elements)
    return A / count, [value / count for value in v]


@pytest.mark.parametrize("way", ["sample", "enumeration", "closed form"])
def test_moments_are_as_exact_as_they_say(way, rng, monkeypatch):
    sigma, largest = 0.9, 0.0
    act = sa.permute_axis(sa.symmetric(3))
    every = [list(p) for p in itertools.permutations(range(3))]
    for _ in range(5):
        x, z, y = rng.uniform(-1, 1, (2, 3)), rng.uniform(-1, 1, (3, 3)), rng.normal(size=2)
        if way == "sample":
            S = sa.GroupSample(act.group, every[:4])
            found = sample_moments(GaussianKernel(sigma), act, S, x, y, z)
            A, v = exact_moments(x, y, z, every[:4], sigma)
        else:
            monkeypatch.setattr(moments, "FEW", 0 if way == "closed form" else 1000)
            found = full_moments(GaussianKernel(sigma), act, x, y, z)
            A, v = exact_moments(x, y, z, every, sigma)
        for r, s in itertools.product(range(3), repeat=2):
            off = float(abs(A[r, s] - mp.mpf(float(found.A[r, s]))))
            assert off <= found.error
            largest = max(largest, off)
        for r in range(3):
            assert abs(v[r] - mp.mpf(float(found.v[r]))) <= found.error * found.s**0.5
    assert largest > 0


def test_distances_of_embeddings_are_not_below_the_truth_where_they_are_tiny(rng):
    """Samples that the group hardly moves: their squared distances are near the rounding of 1."""
    sigma = 1.1
    act = sa.permute_axis(sa.symmetric(3))
    every = [list(p) for p in itertools.permutations(range(3))]
    for trial in range(12):
        x = 0.3 + rng.uniform(-1, 1, (2, 3)) * 10.0 ** -(2 + trial % 4)
        S = sa.GroupSample(act.group, every[: 1 + trial % 3])
        weights = rng.normal(size=2)
        found = kernel_discrepancy(GaussianKernel(sigma), act, S, x, weights=weights)
        points = exactly(x)
        rows = S.elements.tolist()
        product = mp.zeros(2)
        for i, j in itertools.product(range(2), repeat=2):
            pairs = itertools.product(permuted(points[i], rows), list(permuted(points[j], rows)))
            over_pairs = sum(kernel(a, b, sigma) for a, b in pairs) / len(rows) ** 2
            over_group = sum(kernel(a, points[j], sigma) for a in permuted(points[i], every)) / 6
            product[i, j] = over_pairs - over_group
        for i in range(2):
            truth = mp.sqrt(max(mp.mpf(0), product[i, i]))
            assert mp.mpf(float(found.per_sample[i])) >= truth
        w = [mp.mpf(float(value)) for value in weights]
        square = sum(w[i] * w[j] * product[i, j] for i in range(2) for j in range(2)) / 4
        assert mp.mpf(found.pooled) >= mp.sqrt(max(mp.mpf(0), square))


def test_norms_of_gradients_are_not_below_the_truth_where_two_centers_nearly_cancel(rng):
    """f = k(., z) - k(., z') with z' near z: the square of its norm is a difference of near equals."""
    sigma = 1.0
    for trial in range(40):
        z = rng.uniform(-1, 1, (1, 3))
        z = np.concatenate([z, z + rng.uniform(-1, 1, (1, 3)) * 10.0 ** -(2 + trial % 6)])
        a, b = np.array([1.0, 1.0]), np.array([1.0, -1.0])
        bound = gradient_norms(GaussianKernel(sigma), z, a, b, [0.0]).per_sample[0]
        centers = exactly(z)
        wide = [[kernel(p, q, sigma * mp.sqrt(2)) for q in centers] for p in centers]
        c = [mp.mpf(1), mp.mpf(-1)]
        square = sum(
            2 * c[s] * c[t] * wide[s][r] * wide[t][r] * wide[s][t]
            for r, s, t in itertools.product(range(2), repeat=3)
        )
        assert mp.mpf(float(bound)) >= mp.sqrt(square)


def test_the_largest_eigenvalue_covers_a_matrix_that_is_off_by_the_error():
    for size, error in ((3, 1e-3), (8, 1e-9)):
        true = np.full((size, size), 0.5)
        assert constants._largest_eigenvalue(true - error, error) >= 0.5 * size


@pytest.mark.parametrize("n", [4, 9, 16])
def test_the_claim_for_closed_forms_covers_every_error_that_it_counts(n, monkeypatch):
    """Each exponential 8 u too large, and the permanent by n (n + 1) / 2 roundings: all values are 1."""
    act, zeros = sa.permute_axis(sa.symmetric(n)), np.zeros((1, n))
    factors, permanents = group_means._factors, group_means.permanents

    def larger(*args, **options):
        return factors(*args, **options) * (1 + 8 * UNIT)

    def rounded(*args, **options):
        return permanents(*args, **options) * (1 + n * (n + 1) * UNIT / 2)

    monkeypatch.setattr(group_means, "_factors", larger)
    monkeypatch.setattr(group_means, "permanents", rounded)
    off = group_means.gaussian_mean(1.0, act, zeros, zeros)[0, 0] - 1
    assert (8 * n + n * (n + 1) / 2 - 4) * UNIT < off
    assert off <= group_means.mean_roundings(act, zeros.shape) * UNIT


@pytest.mark.parametrize("block", [1, 7, 4096])
def test_the_claim_for_enumerated_groups_covers_the_drift_of_their_sums(block, monkeypatch):
    """2,520 times one number: sums drift by many units, the more the smaller the blocks."""
    monkeypatch.setattr(group_means, "MEMORY", 7 * block)
    act, x = sa.permute_axis(sa.alternating(7)), np.zeros((1, 7))
    claim = group_means.enumeration_roundings(act.group, x, 1)
    for size in (0.1, 0.3, 0.5):
        z = np.full((1, 7), size)
        value = KERNEL(x, z)
        mean = group_means.enumerated_mean(KERNEL, act, x, z)
        assert abs(mean / value - 1).max() <= gamma(claim)
