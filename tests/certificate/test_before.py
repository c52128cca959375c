"""What is known before the draw: the smaller of two factors, chosen by numbers; rotations; boxes."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

import sparseaug as sa
from sparseaug import theory
from sparseaug.certificate import Evidence, a_priori
from sparseaug.certificate.algorithm import _lengths, _size
from sparseaug.certificate.before import BOTH_SPACES, factors
from sparseaug.errors import UnsupportedError
from sparseaug.kernels import GradientNorms, box_bound, gradient_norms, orbit_variances

RNG = np.random.default_rng(0)


def make(group, n=4, seed=0, width=None):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, (n, width or group.width))
    model = sa.KernelModel(sa.GaussianKernel(1.0), rng.uniform(-1, 1, (5, width or group.width)))
    return model, (x, x.sum(1) + seed)


def test_the_smaller_factor_is_taken_and_names_what_it_rests_on():
    for group, m, by in ((sa.symmetric(20), 64, "one kernel"), (sa.cyclic(2), 4096, "paper")):
        act = sa.permute_axis(group)
        model, data = make(group, width=20 if group.width > 1 else 2)
        evidence = Evidence(model, data, act, sa.Oracle(group, seed=1).draw(m))
        theta = RNG.normal(size=model.size)
        found = a_priori(evidence, theta)
        assert found == a_priori(evidence, theta, by=by)
        assert ("kernel and data" in found.condition) == (by == "one kernel")
        assert found.failure_probability == 0.05
        both = factors(evidence.sample, 0.05)
        assert found.bound <= min(a_priori(evidence, theta, by=one).bound for one in both) * 2


def test_what_depends_on_the_draw_does_not_choose():
    """One large target: B_2 is 7 times B, and the paper's bound would be smaller at this theta."""
    act = sa.permute_axis(sa.symmetric(20))
    model, (x, y) = make(act.group, n=50)
    y = np.where(np.arange(50), 0.0, 1e6)
    evidence = Evidence(model, (x, y), act, sa.Oracle(act.group, seed=1).draw(64))
    theta = RNG.normal(size=model.size)
    found, other = (a_priori(evidence, theta, by=by) for by in ("one kernel", "paper"))
    assert a_priori(evidence, theta) == found
    assert other.bound < found.bound


def test_its_bound_is_that_of_the_theory():
    act = sa.permute_axis(sa.symmetric(12))
    model, data = make(act.group)
    S = sa.Oracle(act.group, seed=1).draw(64)
    evidence = Evidence(model, data, act, S)
    theta = RNG.normal(size=model.size)
    norms = gradient_norms(model.kernel, model.centers, *model.split(theta), data[1])
    B_2 = math.sqrt((norms.per_sample**2).mean())
    error = theory.dimension_free_gradient_bound(64, 0.05, C=math.sqrt(2), B=B_2)
    size = np.linalg.norm(evidence.sparse_risk.gradient(theta))
    assert a_priori(evidence, theta).bound == pytest.approx(size + error, rel=1e-12)
    edge = box_bound(model.kernel, model.centers, data[1], box=4.0)
    assert norms.B_2 <= edge.B_2
    over = size + min(
        theory.dimension_free_gradient_bound(64, 0.05, C=math.sqrt(2), B=edge.B_2),
        theory.gradient_bound(64, order=act.group.order, delta=0.05, C=1.0, B=edge.B),
    )
    assert a_priori(evidence, theta, box=4.0).bound == pytest.approx(over, rel=1e-12)


@pytest.mark.parametrize("products", [False, True])
def test_both_spaces_fail_no_more_often_than_stated_by_enumeration(products):
    """All pairs, or all pairs of generators of 4 subproducts, of S_3: theta after the draw."""
    group = sa.symmetric(3)
    act, delta = sa.permute_axis(group), 0.3
    model, (x, y) = make(group, n=3, seed=2)
    rows, failed = group.all_elements(), 0
    full = sa.augmented_risk(model, (x, y), act, "full")
    thetas = RNG.normal(size=(6, model.size))
    truths = [full.gradient(theta) for theta in thetas]
    norms = [gradient_norms(model.kernel, model.centers, *model.split(t), y) for t in thetas]
    for a, b in product(rows, repeat=2):
        S = [group.identity()[0], a, b, group.compose(a[None], b[None])[0]] if products else [a, b]
        risk = sa.augmented_risk(model, (x, y), act, sa.GroupSample(group, S))
        if products:
            r = theory.products_gradient_bound(2, delta, C=BOTH_SPACES, B=1.0)
        else:
            r = theory.dimension_free_gradient_bound(2, delta, C=BOTH_SPACES, B=1.0)
        error = [np.linalg.norm(risk.gradient(t) - u) for t, u in zip(thetas, truths, strict=True)]
        failed += any(e > r * one.B_2 for e, one in zip(error, norms, strict=True))
    assert failed / 36 <= delta


@pytest.mark.parametrize(
    ("act", "width"),
    [(sa.permute_axis(sa.symmetric(4)), 4), (sa.flip_signs(sa.sign_flips(3)), 3)],
)
def test_orbit_variances_are_the_lengths_of_enumerated_orbits(act, width):
    x = RNG.uniform(-1, 1, (11, width))
    kernel = sa.GaussianKernel(0.8)
    found = orbit_variances(kernel, act, x)
    moved = act(act.group.all_elements(), x)
    means = np.array([kernel(moved[:, i], moved[:, i]).mean() for i in range(len(x))])
    assert np.allclose(found, 1 - means, rtol=0, atol=1e-12)
    assert (found >= 1 - means - 1e-16).all()
    with pytest.raises(UnsupportedError):
        orbit_variances(kernel, sa.rotate(sa.rotations(3)), RNG.uniform(-1, 1, (2, 3)))


def test_the_size_of_one_shot_is_the_least_and_uses_the_union_with_the_mean_norm():
    norms = GradientNorms(np.array([0.0] * 99 + [100.0]), 1.0)  # B = 1, B_2 = 10
    v = np.array([0.5] * 99 + [1.0])
    found = _size(sa.rotations(3), norms, v, 0.5, 0.05)
    sizes = [
        theory.dimension_free_sample_size(0.5, 0.05, C=BOTH_SPACES, B=norms.B_2, v=0.505),
        theory.dimension_free_sample_size(0.5, 0.05, C=BOTH_SPACES, B=1.0, n=100, v=1.0),
    ]
    assert found.m == sizes[1] < sizes[0]
    even = GradientNorms(np.ones(100), 1.0)
    mean = theory.dimension_free_sample_size(0.5, 0.05, C=BOTH_SPACES, B=1.0, v=0.505)
    assert abs(_size(sa.rotations(3), even, v, 0.5, 0.05).m - mean) <= 1
    large = _size(sa.cyclic(3), norms, np.full(100, 2.0), 0.05, 0.05)  # few irreps: the sharp one
    assert large.m == theory.sharp_sample_size(0.05, 0.05, dimension_sum=2, C=1.0, B=1.0)


def test_lengths_in_both_spaces_are_those_of_enumerated_orbits():
    act = sa.permute_axis(sa.symmetric(4))
    x = RNG.uniform(-1, 1, (3, 4))
    found = _lengths(sa.GaussianKernel(1.0), act, x)
    moved = act(act.group.all_elements(), x)
    for i in range(3):
        both = [sa.GaussianKernel(s)(moved[:, i], moved[:, i]) for s in (1.0, math.sqrt(0.5))]
        assert found[i] == pytest.approx(2 - sum(K.mean() for K in both))
    assert (_lengths(sa.GaussianKernel(1.0), sa.rotate(sa.rotations(2)), x[:, :2]) == 2).all()
