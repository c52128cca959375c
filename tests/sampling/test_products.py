"""Subproducts of a few draws: what they are, what they cost, and the mean square of what they leave."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import ArgumentError, OracleBudgetError, UnsupportedError


@pytest.mark.parametrize(
    ("name", "c"), [("S3", 1), ("S3", 2), ("S3", 3), ("D4", 2), ("Z2^3", 2), ("C5", 3)]
)
def test_the_mean_square_is_that_of_2_to_the_c_draws_exactly(name, c):
    """All c-tuples of the group, in rational numbers: E |P z|^2 = 2^-c |z|^2 off the invariants."""
    group = sa.group(name)
    rows, order = group.all_elements(), int(group.order)
    z = np.random.default_rng(0).integers(-9, 10, order)
    z = z * order - z.sum()  # without invariant part
    # (U_g z)(x) = z(x g), as a table of places
    move = group.rank(group.compose(rows[None], rows[:, None]).reshape(-1, group.width)).reshape(
        order, order
    )
    total = 0
    for tuple_ in product(range(order), repeat=c):
        left = z
        for g in reversed(tuple_):
            left = left + left[move[g]]  # 2 (I + U_g) / 2
        total += int((left.astype(object) ** 2).sum())
    mean = Fraction(total, order**c * 4**c)
    assert mean == Fraction(int((z.astype(object) ** 2).sum()), 2**c)


def test_they_are_all_ordered_subproducts():
    group = sa.symmetric(5)
    S = sa.Oracle(group, seed=3).products(calls=3)
    a, b, c = sa.Oracle(group, seed=3).draw(3).elements
    e = group.identity()[0]
    words = [
        group.compose(group.compose(p[None], q[None]), r[None])[0]
        for p in (e, a)
        for q in (e, b)
        for r in (e, c)
    ]
    assert S == sa.GroupSample(group, words)
    assert (S.m, S.calls, S.origin.kind, S.origin.length) == (8, 3, "products", 3)
    assert not S.origin.is_uniform


def test_they_are_counted_kept_and_recognised(tmp_path):
    oracle = sa.Oracle(sa.rotations(3), seed=1, budget=12)
    S = oracle.products(calls=10, repeats=2)
    assert (S.m, oracle.calls) == (64, 10)
    S.save(tmp_path / "S")
    again = sa.GroupSample.load(tmp_path / "S")
    assert again == S
    assert again.origin == S.origin
    assert again.calls == 10
    assert sa.GroupSample.from_dict(S.to_dict()).origin == S.origin
    with pytest.raises(OracleBudgetError):
        oracle.products(calls=3)
    with pytest.raises(ArgumentError, match="repeats"):
        sa.Oracle("S4").products(calls=5, repeats=2)
    with pytest.raises(ArgumentError, match="calls"):
        sa.Oracle("S4").products(calls=40)
    with pytest.raises(ArgumentError, match="do not make m=48"):
        sa.GroupSample(S.group, S.elements[:48], S.calls, S.origin)


def test_a_value_at_one_point_differs_by_four_to_the_minus_c():
    """All pairs of S_3: 2^-c |z|^2 + 4^-c (z(e)^2 - |z|^2), the mean of |z|^2 over the group."""
    group = sa.symmetric(3)
    rows = group.all_elements()
    z = np.array([5.0, -1.0, -1.0, -1.0, -1.0, -1.0])  # large at one element
    assert int(group.rank(group.identity())[0]) == 0
    squares = []
    for a, b in product(rows, repeat=2):
        ab = group.compose(a[None], b[None])
        at = group.rank(np.concatenate([group.identity(), a[None], b[None], ab]))
        squares.append(z[np.asarray(at, int)].mean() ** 2)
    norm = (z**2).mean()
    assert np.mean(squares) == pytest.approx(norm / 4 + (z[0] ** 2 - norm) / 16)


def test_fewer_than_n_of_them_leave_a_sign_that_no_flip_sees():
    for calls in (3, 5):
        S = sa.Oracle(sa.sign_flips(6), seed=0).products(calls)
        assert sa.deviation(S).value == pytest.approx(1.0)


def test_the_bound_for_draws_is_refused_for_them_and_their_own_is_given():
    x = np.random.default_rng(0).uniform(-1, 1, (6, 4))
    act = sa.permute_axis(sa.symmetric(4))
    model = sa.KernelModel(sa.GaussianKernel(1.0), x[:3])
    S = sa.Oracle(act.group, seed=0).products(calls=10)
    risk = sa.augmented_risk(model, (x, x.sum(1)), act, S)
    run = sa.descend(risk, np.ones(6), step_size=0.05, num_steps=20)
    found = sa.certify(run)["a-priori"]
    assert (run.calls, found.calls, found.failure_probability) == (10, 10, 0.05)
    evidence, theta = sa.certificate.Evidence.of(risk), run.best
    norms = sa.kernels.gradient_norms(model.kernel, model.centers, *model.split(theta), x.sum(1))
    error = (2 / (1024 * 0.05)) ** 0.5 * norms.B_2  # Markov: no logarithm of delta for products
    assert found.bound == pytest.approx(np.linalg.norm(risk.gradient(theta)) + error)
    with pytest.raises(UnsupportedError, match="uniform draws"):
        sa.certificate.a_priori(evidence, theta, by="paper")
