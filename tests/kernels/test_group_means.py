"""Exact group means against going through the group, and permanents against higher precision."""

from __future__ import annotations

import itertools
import math

import mpmath
import numpy as np
import pytest

import sparseaug as sa
from sparseaug._floats import gamma
from sparseaug.errors import ArgumentError, GroupTooLargeError, UnsupportedError
from sparseaug.kernels import GaussianKernel, SpectralMixtureKernel
from sparseaug.kernels.group_means import closed_form, mean_roundings, permanents

CLOSED = [
    *(sa.permute_axis(sa.symmetric(n)) for n in range(2, 8)),
    *(sa.signed_permute(sa.hyperoctahedral(n)) for n in range(2, 5)),
    *(sa.flip_signs(sa.sign_flips(d)) for d in range(1, 13)),
]
ON_OTHER_AXES = [
    (sa.permute_axis(sa.symmetric(4), 1), (4, 3)),
    (sa.permute_axis(sa.symmetric(3), -1), (2, 3)),
    (sa.signed_permute(sa.hyperoctahedral(3), axis=1), (3, 2)),
    (sa.flip_signs(sa.sign_flips(4), 1), (4, 2)),
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
    narrow, factors, middles = kernel.product(z, np.repeat(z2, len(z), axis=0))
    second = narrow.group_mean(action, x, middles) * factors
    for j, center in enumerate(z):
        first = gauss(sigma, center)
        expected = plain(action, x, first) / action.group.order
        np.testing.assert_allclose(mean[:, j], expected, rtol=1e-12)
        expected = plain(action, x, first, gauss(sigma, z2[0])) / action.group.order
        np.testing.assert_allclose(second[:, j], expected, rtol=1e-12)


@pytest.mark.parametrize(("action", "shape"), ON_OTHER_AXES)
def test_closed_forms_hold_on_any_axis_of_larger_samples(action, shape, rng):
    x, z = rng.uniform(-1, 1, (2, *shape)), rng.uniform(-1, 1, (1, *shape))
    expected = plain(action, x, gauss(0.8, z[0])) / action.group.order
    np.testing.assert_allclose(
        GaussianKernel(0.8).group_mean(action, x, z)[:, 0], expected, rtol=1e-12
    )


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


def test_mixture_means_go_through_the_group(rng):
    kernel = SpectralMixtureKernel([[0.5, 0.5]], [[np.eye(3), 2 * np.eye(3)]], [np.ones((2, 3))])
    x, z = rng.normal(size=(2, 3)), rng.normal(size=(4, 3))
    action = sa.permute_axis(sa.symmetric(3))
    expected = np.mean([kernel(x[:, list(p)], z) for p in itertools.permutations(range(3))], axis=0)
    np.testing.assert_allclose(kernel.group_mean(action, x, z), expected, atol=1e-14)


def test_a_mean_over_two_to_the_thousand_is_the_product_of_its_factors(rng):
    action = sa.flip_signs(sa.sign_flips(1000))
    x, z = rng.uniform(-0.3, 0.3, (2, 1000)), rng.uniform(-0.3, 0.3, (1, 1000))
    value = GaussianKernel(1.0).group_mean(action, x, z)
    with mpmath.workdps(40):
        for i in range(2):
            pairs = [(mpmath.mpf(p), mpmath.mpf(q)) for p, q in zip(x[i], z[0], strict=True)]
            exact = mpmath.fprod(
                mpmath.exp(-(p * p + q * q) / 2) * mpmath.cosh(p * q) for p, q in pairs
            )
            assert abs(value[i, 0] - exact) < 1e-12 * exact


def test_far_points_neither_overflow_nor_give_nan():
    x, z = np.array([[100.0, -50.0, 3.0]]), np.array([[-60.0, 99.0, 2.0]])
    for action in (sa.permute_axis(sa.symmetric(3)), sa.signed_permute(sa.hyperoctahedral(3))):
        mean = GaussianKernel(1.0).group_mean(action, x, z)[0, 0]
        assert 0 <= mean <= 1
    far = np.full((1, 3), 1e200)
    for action in (sa.permute_axis(sa.symmetric(3)), sa.flip_signs(sa.sign_flips(3))):
        narrow, factors, middles = GaussianKernel(1.0).product(z, -far)
        assert (narrow.group_mean(action, far, middles) * factors)[0, 0] == 0
    near = GaussianKernel(1.0).group_mean(sa.permute_axis(sa.symmetric(3)), x, x[:, ::-1].copy())
    assert near[0, 0] == pytest.approx(1 / 6, rel=1e-14)


@pytest.mark.parametrize("n", [1, 2, 5, 8, 12, 16])
@pytest.mark.parametrize("spread", [1.0, 12.0])
def test_permanents_keep_their_stated_error_against_mpmath(n, spread, rng):
    entries = np.exp(-spread * rng.uniform(0, 1, (n, n, 1)))
    exact = glynn_at_80_digits(entries[:, :, 0])
    limit = gamma(n * (n + 1) / 2)
    assert abs(permanents(entries)[0] - exact) <= limit * exact


@pytest.mark.parametrize("action", [CLOSED[4], CLOSED[8], CLOSED[-1]], ids=lambda a: a.group.name)
def test_means_keep_their_stated_error_against_mpmath(action, rng):
    n = size(action)
    x, z = rng.uniform(-2, 2, (3, n)), rng.uniform(-2, 2, (3, n))
    means = GaussianKernel(0.7).group_mean(action, x, z)
    for i in range(3):
        for j in range(3):
            error = abs(means[i, j] - exact_mean(action, mpmath.mpf(0.7), x[i], z[j]))
            assert error <= gamma(mean_roundings(action, x.shape))


def exact_mean(action: sa.actions.Action, sigma, x: np.ndarray, z: np.ndarray):
    """By cosh and exp of inner products, as the design has it, at 50 digits."""
    n = len(x)
    with mpmath.workdps(50):
        x, z = [mpmath.mpf(v) for v in x], [mpmath.mpf(v) for v in z]
        outside = mpmath.exp(-(sum(v * v for v in x) + sum(v * v for v in z)) / (2 * sigma**2))
        function = mpmath.exp if closed_form(action) == "permutations" else mpmath.cosh
        if closed_form(action) == "flips":
            pairs = zip(x, z, strict=True)
            return outside * mpmath.fprod(mpmath.cosh(p * q / sigma**2) for p, q in pairs)
        table = [[function(p * q / sigma**2) for q in z] for p in x]
        total = mpmath.fsum(
            mpmath.fprod(table[i][p[i]] for i in range(n)) for p in itertools.permutations(range(n))
        )
        return outside * total / mpmath.factorial(n)


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


def test_what_has_no_closed_form_and_is_large_is_refused_with_a_remedy():
    x = np.zeros((1, 12))
    kernel = GaussianKernel(1.0)
    with pytest.raises(UnsupportedError, match="limit="):
        kernel.group_mean(sa.permute_axis(sa.alternating(12)), x, x)
    with pytest.raises(
        GroupTooLargeError, match=r"S24 takes 24 rows .* above 20; .*sample_moments"
    ):
        kernel.group_mean(sa.permute_axis(sa.symmetric(24)), np.zeros((1, 24)), np.zeros((1, 24)))
    with pytest.raises(UnsupportedError, match="limit=5"):
        kernel.group_mean(sa.roll(sa.cyclic(6), (-1,)), np.zeros((1, 6)), np.zeros((1, 6)), limit=5)


def test_bad_arguments_are_named():
    kernel, action = GaussianKernel(1.0), sa.permute_axis(sa.symmetric(3))
    good = np.zeros((2, 3))
    for name, x, z in (
        ("x", [1.0], good),
        ("x", np.full((1, 3), np.nan), good),
        ("x", np.zeros((0, 3)), good),
        ("x", good + 1j, good),
        ("x", [["a"]], good),
        ("x", [[1, 2], [3]], good),
        ("z", good, np.zeros((2, 4))),
        ("x", np.zeros((2, 4)), np.zeros((2, 4))),
    ):
        with pytest.raises(ArgumentError, match=f"^{name}"):
            kernel.group_mean(action, x, z)
    with pytest.raises(ArgumentError, match=r"^action"):
        kernel.group_mean("S3", good, good)
    with pytest.raises(ArgumentError, match=r"^limit"):
        kernel.group_mean(sa.permute_axis(sa.cyclic(3)), good, good, limit=0)
