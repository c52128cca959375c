"""Kernels by their definition, invariance decisions, RKHS norms by dense Gram matrices."""

from __future__ import annotations

import json

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import ArgumentError
from sparseaug.kernels import GaussianKernel, SpectralMixtureKernel

ROTATION = np.array([[0.0, -1.0], [1.0, 0.0]])
SHEAR = np.array([[1.0, 1.0], [0.0, -1.0]])  # of order two, and no isometry


def mixture(rng: np.random.Generator, d: int = 3) -> SpectralMixtureKernel:
    roots = rng.normal(size=(3, d, d))
    lambdas = roots @ roots.swapaxes(1, 2) + np.eye(d)
    omegas = rng.normal(size=(3, d))
    return SpectralMixtureKernel(
        [[0.25, 0.75], [1.0]], [lambdas[:2], lambdas[2:]], [omegas[:2], omegas[2:]]
    )


def simple(bandwidth: np.ndarray, omega) -> SpectralMixtureKernel:
    return SpectralMixtureKernel([[1.0]], [[bandwidth]], [[omega]])


def test_spectral_mixture_equals_its_formula(rng):
    kernel = mixture(rng)
    x, z = rng.normal(size=(4, 3)), rng.normal(size=(5, 3))
    gram = kernel(x, z)
    for i, j, r in np.ndindex(4, 5, 2):
        t = x[i] - z[j]
        expected = sum(
            w * np.exp(-0.5 * t @ np.linalg.inv(bandwidth) @ t) * np.cos(omega @ t)
            for w, bandwidth, omega in zip(
                kernel.weights[r], kernel.bandwidths[r], kernel.frequencies[r], strict=True
            )
        )
        assert gram[i, j, r] == pytest.approx(expected, abs=1e-14)
    np.testing.assert_allclose(kernel(x, x)[range(4), range(4)], 1.0, rtol=1e-15)
    assert kernel.C == GaussianKernel(2.0).C == 1.0


@pytest.mark.parametrize(
    ("action", "shape"),
    [
        (sa.permute_axis(sa.symmetric(30)), (30,)),
        (sa.roll(sa.abelian(28, 28)), (28, 28)),
        (sa.rotate_grid(sa.dihedral(4)), (3, 3)),
        (sa.permute_nodes(sa.symmetric(5)), (5, 5)),
        (sa.linear(sa.groups.cube_rotations()), (7, 3)),
        (
            sa.product_action(
                sa.permute_axis(sa.symmetric(3), 1), sa.linear(sa.groups.cube_rotations())
            ),
            (3, 3),
        ),
        (sa.custom_action(sa.cyclic(2), lambda g, x: np.where(g[:, :, None] == 1, 2 - x, x)), (2,)),
        (sa.permute_axis(sa.symmetric(1)), (1,)),
    ],
)
def test_gaussian_is_invariant_under_isometries(action, shape):
    answer = GaussianKernel(1.0).is_invariant(action, shape)
    assert answer
    assert answer.reason


def test_gaussian_is_not_invariant_under_other_actions():
    shear = sa.linear(sa.cyclic(2), [np.eye(2), SHEAR])
    answer = GaussianKernel(1.0).is_invariant(shear, (2,))
    assert not answer
    assert "not isometric" in answer.reason
    assert answer.generator == (1,)

    def bend(elements, x):  # x > 0 to -x / 2 and back
        return np.where(elements[:, :, None] == 1, np.where(x > 0, -x / 2, -2 * x), x)

    bent = GaussianKernel(1.0).is_invariant(sa.custom_action(sa.cyclic(2), bend), (2,))
    assert not bent
    assert "Q x + a" in bent.reason
    assert json.dumps(bent.to_dict())


@pytest.mark.parametrize(
    ("bandwidth", "omega", "action", "holds"),
    [
        (np.eye(2), [0.0, 0.0], sa.permute_axis(sa.symmetric(2)), True),
        (np.eye(2), [2.0, 2.0], sa.permute_axis(sa.symmetric(2)), True),
        (np.eye(2), [2.0, -2.0], sa.permute_axis(sa.symmetric(2)), True),  # goes to its negative
        (np.eye(2), [2.0, 1.0], sa.permute_axis(sa.symmetric(2)), False),
        (np.diag([1.0, 2.0]), [0.0, 0.0], sa.permute_axis(sa.symmetric(2)), False),
        (np.diag([1.0, 2.0]), [0.0, 3.0], sa.flip_signs(sa.sign_flips(2)), True),
        (np.array([[2.0, 1.0], [1.0, 2.0]]), [0.0, 0.0], sa.flip_signs(sa.sign_flips(2)), False),
        (np.array([[2.0, 1.0], [1.0, 2.0]]), [1.0, 1.0], sa.permute_axis(sa.symmetric(2)), True),
        (
            np.eye(2),
            [1.0, 0.0],
            sa.linear(sa.matrix_group([ROTATION, -np.eye(2), -ROTATION, np.eye(2)])),
            False,
        ),
        (
            np.eye(2),
            [0.0, 0.0],
            sa.linear(sa.matrix_group([ROTATION, -np.eye(2), -ROTATION, np.eye(2)])),
            True,
        ),
    ],
)
def test_invariance_of_a_mixture_is_decided_as_in_the_remark(bandwidth, omega, action, holds, rng):
    kernel = simple(bandwidth, omega)
    assert bool(kernel.is_invariant(action)) == holds
    # the condition is sufficient, and in these examples (one component) necessary too
    x, z = rng.normal(size=(5, 2)), rng.normal(size=(5, 2))
    rows = np.concatenate(list(action.group.elements()))
    change = max(
        abs(kernel(action(g[None], x)[0], action(g[None], z)[0]) - kernel(x, z)).max() for g in rows
    )
    assert (change < 1e-12) == holds


@pytest.mark.parametrize("large", [1.0, 1e9, 1e15])
def test_a_large_bandwidth_or_frequency_does_not_hide_what_happens_to_small_ones(large):
    """diag(large, 1, 2) under a swap of the last two; and the same for frequencies."""
    swap = sa.permute_axis(sa.permutation_group([[0, 2, 1]]))
    assert not simple(np.diag([large, 1.0, 2.0]), np.zeros(3)).is_invariant(swap)
    assert simple(np.diag([large, 2.0, 2.0]), np.zeros(3)).is_invariant(swap)
    assert not simple(np.diag([1 / large, 1.0, 2.0]), np.zeros(3)).is_invariant(swap)
    assert not simple(np.eye(3), [large, 1.0, 2.0]).is_invariant(swap)
    assert simple(np.eye(3), [large, 2.0, 2.0]).is_invariant(swap)
    wide = np.diag([1.0, 1e30, 1e30])  # so wide that tiny frequencies show
    assert not simple(wide, [large, 1e-12, 2e-12]).is_invariant(swap)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("weights", ([[0.5]], [[np.eye(2)]], [[[0, 0]]])),
        ("weights", ([[1.5, -0.5]], [[np.eye(2)] * 2], [[[0, 0]] * 2])),
        ("bandwidths", ([[1.0]], [[np.eye(3)]], [[[0, 0]]])),
        ("bandwidths", ([[1.0]], [[-np.eye(2)]], [[[0, 0]]])),
        ("bandwidths", ([[1.0]], [[np.array([[1, 1], [0, 1]])]], [[[0, 0]]])),
        ("frequencies", ([[0.5, 0.5]], [[np.eye(2)] * 2], [[[0, 0]]])),
    ],
)
def test_bad_mixtures_are_answered_by_name(name, arguments):
    with pytest.raises(ArgumentError, match=name):
        SpectralMixtureKernel(*arguments)
