"""The varying part of a function is never larger than S says, and the constants are attained."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mpmath import mp, mpf

import sparseaug as sa
from sparseaug.kernels.variation import varying_data, varying_gradient

ACTIONS = {
    "S4": (sa.permute_axis(sa.symmetric(4)), 4),
    "Z2^4": (sa.flip_signs(sa.sign_flips(4)), 4),
    "D5": (sa.permute_axis(sa.dihedral(5)), 5),
    "B3": (sa.signed_permute(sa.hyperoctahedral(3)), 3),
}


def norm_of_varying(kernel, action, points, weights) -> float:
    """||u - Pi_G u|| for u = sum_i w_i k(., p_i), by a loop over the group."""
    square = 0.0
    elements = np.concatenate(list(action.group.elements()))
    for moved in action(elements, points):
        square += weights @ (kernel(points, points) - kernel(moved, points)) @ weights
    return math.sqrt(max(square, 0.0) / len(elements))


def norms_of_gradient(kernel, action, z, a, b) -> tuple[float, float]:
    """The same for P and Q: f phi_r as a sum of narrow kernels at the middles of two centres."""
    narrow = sa.GaussianKernel(kernel.sigma / math.sqrt(2))
    E = sa.GaussianKernel(kernel.sigma * math.sqrt(2))(z, z)
    P = Q = 0.0
    for r in range(len(z)):
        square = a[r] ** 2 + b[r] ** 2
        P += square * norm_of_varying(narrow, action, (z + z[r]) / 2, a * b * E[r]) ** 2
        Q += square * norm_of_varying(kernel, action, z[r : r + 1], np.ones(1)) ** 2
    return math.sqrt(P), math.sqrt(Q)


@pytest.mark.parametrize("name", ACTIONS)
@pytest.mark.parametrize("m", [1, 6, 30])
def test_varying_parts_are_at_most_what_S_says(name, m):
    action, d = ACTIONS[name]
    for seed in range(6):
        rng = np.random.default_rng(seed)
        S = sa.GroupSample(action.group, action.group.sample(m, rng))
        dev = sa.deviation(S).value
        x, z = rng.uniform(-1, 1, (5, d)), rng.uniform(-1, 1, (4, d))
        w, (a, b) = rng.normal(size=5), rng.normal(size=(2, 4))
        kernel = sa.GaussianKernel(float(rng.uniform(0.3, 3)))
        for known in (dev, 1.0):
            data = varying_data(kernel, action, S, x, w, known)
            assert data >= norm_of_varying(kernel, action, x, w / 5) * (1 - 1e-9)
            found = varying_gradient(kernel, action, S, z, a, b, known)
            truth = norms_of_gradient(kernel, action, z, a, b)
            assert all(p >= q * (1 - 1e-9) for p, q in zip(found, truth, strict=True))


@pytest.mark.parametrize("copies", [1, 3, 9])
def test_the_factor_of_the_deviation_is_attained_on_a_group_of_two(copies):
    """S = {e, ..., e, g}: D is a multiple of the projection to what varies, and nothing is lost."""
    action = sa.flip_signs(sa.sign_flips(1))
    S = sa.GroupSample(action.group, [[0]] * (copies + 1) + [[1]])
    dev = sa.deviation(S).value
    kernel, x = sa.GaussianKernel(0.8), np.array([[0.7], [-0.2]])
    truth = norm_of_varying(kernel, action, x, np.ones(2) / 2)
    assert (
        truth * (1 - 1e-9) <= varying_data(kernel, action, S, x, np.ones(2), dev) <= truth * 1.0001
    )
    found = varying_gradient(kernel, action, S, x, np.ones(2), np.ones(2), dev)
    truths = norms_of_gradient(kernel, action, x, np.ones(2), np.ones(2))
    for p, q in zip(found, truths, strict=True):
        assert q * (1 - 1e-9) <= p <= q * 1.0001


def test_what_varies_by_less_than_the_roundings_is_not_lost():
    """Two entries that differ by 1e-9: the square of the norm is below u, and seen as 0."""
    action = sa.permute_axis(sa.symmetric(2))
    S = sa.GroupSample.full(action.group)
    kernel = sa.GaussianKernel(1.0)
    for x in (np.array([[0.3, 0.3 + 1e-9]]), np.array([[0.7, 0.7 - 3e-9]])):
        with mp.workdps(40):
            gap = sum(
                (mpf(float(p)) - mpf(float(q))) ** 2 for p, q in zip(x[0], x[0][::-1], strict=True)
            )
            truth = mp.sqrt(
                (1 - mp.exp(-gap / 2)) / 2
            )  # of k(., x), as the mean is over two elements
            narrow = mp.sqrt((1 - mp.exp(-gap)) / 2)
            assert varying_data(kernel, action, S, x, np.ones(1), 0.0) >= truth
            P, Q = varying_gradient(kernel, action, S, x, np.ones(1), np.ones(1), 0.0)
            assert P >= mp.sqrt(2) * narrow
            assert Q >= mp.sqrt(2) * truth


def test_a_product_that_underflows_is_counted_where_theta_is_large():
    """c = 1e-340 is 0 as a float; times an entry of 1e300 of theta it is 1e-40."""
    action, d = ACTIONS["S4"]
    S = sa.GroupSample(action.group, action.group.identity())
    z = np.zeros((2, d))
    P, _ = varying_gradient(
        sa.GaussianKernel(1.0), action, S, z, np.array([1e300, 1e-170]), np.array([0, 1e-170]), 1.0
    )
    assert P >= mpf(1e300) * mpf(1e-170) ** 2


def test_far_centres_do_not_overflow():
    """Exponents of 1e6: the product of the factors is not formed, and the norm is taken whole."""
    action = sa.permute_axis(sa.symmetric(3))
    S = sa.GroupSample.full(action.group)
    z = 1e3 * np.array([[1.0, 2.0, 3.0], [-1.0, 0.0, 5.0]])
    P, Q = varying_gradient(sa.GaussianKernel(1.0), action, S, z, np.ones(2), np.ones(2), 0.0)
    assert (P, Q) == pytest.approx((2.0, 2.0))
