"""Exact group means against going through the group, and permanents against higher precision."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

import sparseaug as sa
from sparseaug._floats import gamma
from sparseaug.kernels import GaussianKernel
from sparseaug.kernels.group_means import closed_form, permanents

CLOSED = [
    *(sa.permute_axis(sa.symmetric(n)) for n in range(2, 8)),
    *(sa.signed_permute(sa.hyperoctahedral(n)) for n in range(2, 5)),
    *(sa.flip_signs(sa.sign_flips(d)) for d in range(1, 13)),
]


def size(action: sa.actions.Action) -> int:
    return action.group.n if hasattr(action.group, "n") else action.group.width


def plain(action: sa.actions.Action, x: np.ndarray, *values) -> np.ndarray:
    """The sum over the group of a product of functions, element by element, with math.fsum."""
    moved = np.concatenate([action(rows, x) for rows in action.group.elements()])
    flat = moved.reshape(-1, *x.shape[1:])
    products = np.prod([f(flat) for f in values], axis=0).reshape(len(moved), -1)
    return np.array([math.fsum(column) for column in products.T])


def gauss(sigma: float, center: np.ndarray):
    def value(moved: np.ndarray) -> np.ndarray:
        squares = (moved - center).reshape(len(moved), -1) ** 2
        return np.exp(-squares.sum(axis=1) / (2 * sigma**2))

    return value


@pytest.mark.parametrize("action", CLOSED, ids=lambda action: action.group.name)
@pytest.mark.parametrize("sigma", [0.5, 1.25])
def test_closed_form_means_equal_enumeration_relatively_to_1e12(action, sigma, rng):
    d = size(action)
    x, z, z2 = (rng.uniform(-1, 1, (k, d)) for k in (2, 2, 1))
    kernel = GaussianKernel(sigma)
    assert closed_form(action)
    mean = kernel.group_mean(action, x, z)
    narrow, factors, middles = kernel._product(z, np.repeat(z2, len(z), axis=0))
    second = narrow.group_mean(action, x, middles) * factors
    for j, center in enumerate(z):
        first = gauss(sigma, center)
        expected = plain(action, x, first) / action.group.order
        np.testing.assert_allclose(mean[:, j], expected, rtol=1e-12)
        expected = plain(action, x, first, gauss(sigma, z2[0])) / action.group.order
        np.testing.assert_allclose(second[:, j], expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("action", "shape"),
    [
        (sa.roll(sa.abelian(3, 4)), (3, 4)),
        (sa.permute_axis(sa.alternating(5)), (5,)),
        (sa.rotate_grid(sa.dihedral(4)), (3, 3)),
        (sa.linear(sa.groups.cube_rotations()), (3,)),
        (
            sa.product_action(sa.permute_axis(sa.symmetric(3), 1), sa.flip_signs(sa.sign_flips(2))),
            (3, 2),
        ),
    ],
)
def test_other_groups_are_gone_through_in_blocks(action, shape, rng):
    x, z = rng.uniform(-1, 1, (3, *shape)), rng.uniform(-1, 1, (2, *shape))
    kernel = GaussianKernel(0.8)
    assert not closed_form(action)
    for j in range(2):
        expected = plain(action, x, gauss(0.8, z[j])) / action.group.order
        np.testing.assert_allclose(kernel.group_mean(action, x, z)[:, j], expected, rtol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 5, 8, 12, 16])
@pytest.mark.parametrize("spread", [1.0, 12.0])
def test_permanents_keep_their_stated_error_against_mpmath(n, spread, rng):
    entries = np.exp(-spread * rng.uniform(0, 1, (n, n, 1)))
    exact = glynn_at_80_digits(entries[:, :, 0])
    limit = gamma(n * (n + 1) / 2)
    assert abs(permanents(entries)[0] - exact) <= limit * exact


def glynn_at_80_digits(matrix: np.ndarray):
    """perm = 2^(1-n) sum over signs (first +1) of prod(signs) prod_j (sum_i sign_i a_ij)."""
    n = len(matrix)
    with mpmath.workdps(80):
        scaled = [[int(mpmath.mpf(v) * 2**200) for v in row] for row in matrix.tolist()]
        sums, total = [sum(column) for column in zip(*scaled, strict=True)], 0
        signs, sign = [1] * n, 1
        total = math.prod(sums)
        for k in range(1, 1 << (n - 1)):
            i = (k & -k).bit_length()  # Gray code: flip row i
            signs[i], sign = -signs[i], -sign
            step = 2 * signs[i]
            sums = [s + step * v for s, v in zip(sums, scaled[i], strict=True)]
            total += sign * math.prod(sums)
        return mpmath.mpf(total) / 2 ** (n - 1) / mpmath.mpf(2) ** (200 * n)
