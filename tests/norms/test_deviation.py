"""`deviation` against dense brute force on l2(G), for every family; words; draw_until; bad input."""

from __future__ import annotations

import dataclasses
import functools
import json
import sys
from fractions import Fraction

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import (
    ArgumentError,
    GroupTooLargeError,
    LawError,
    OracleBudgetError,
    UnsupportedError,
)
from sparseaug.groups import Abelian
from sparseaug.norms import LongRunWarning, tuples
from sparseaug.norms.draw_until import share_of_round
from sparseaug.norms.generation import generated_order
from sparseaug.norms.norm import Norm, equal_share, larger_norm, restate
from sparseaug.norms.regular import regular_norm
from tests.references import dense_norm, dense_norm_by_degree

deviation_module = sys.modules["sparseaug.norms.deviation"]
until = sys.modules["sparseaug.norms.draw_until"]


FAMILIES = [
    *("S3", "S4", "S5", "S6", "A3", "A4", "A5", "A6", "B1", "B2", "B3", "B4"),
    *("D1", "D2", "D3", "D4", "D5", "D12", "C2", "C30", "C4xC6", "C97", "Z2^3", "Z2^10"),
    *("C4xD3", "S3xZ2^4", "S3xS3", "A4xD5", "Cube24", "Cube48", "Cube24xC2"),
]


@pytest.mark.parametrize("name", FAMILIES)
def test_deviation_equals_the_dense_norm_of_the_regular_representation(name):
    """eq:app-operator-fourier, within 1e-10; the lower bound too where it is attained."""
    g = sa.group(name)
    for m, seed in ((1, 0), (2, 1), (5, 2), (16, 3), (64, 4)):
        S = sa.Oracle(g, seed=seed).draw(m)
        truth = dense_norm(S)
        found = sa.deviation(S)
        assert found.rigorous
        assert abs(found.value - truth) < 1e-10
        assert found.value >= truth - 1e-12  # the dense norm has its own rounding
        assert found.value - 1e-10 <= found.lower <= found.value
        assert found.floor <= found.value


def test_the_norms_of_every_group_are_those_of_its_dense_regular_representation(group):
    """Whole, and by degree: what a family says of its transforms, points and degrees must agree."""
    if group.order > 360:
        return
    degrees = [None, *range(1, 1 + min(2, group.highest_degree or 0))]
    for m in (3, 8):
        S = sa.Oracle(group, seed=m).draw(m)
        for degree in degrees:
            found = sa.deviation(S, degree=degree)
            truth = dense_norm(S) if degree is None else dense_norm_by_degree(S, degree)
            assert found.lower - 1e-9 <= truth <= found.value + 1e-9
            assert found.value - found.lower < 1e-9


@pytest.mark.parametrize("n", [7, 8])
def test_s7_and_s8_equal_lanczos_on_the_regular_representation(n):
    S = sa.Oracle(sa.symmetric(n), seed=n).draw(16)
    found, lanczos = sa.deviation(S), regular_norm(S)
    assert abs(found.lower - lanczos.lower) < 1e-9
    assert lanczos.lower <= found.value


def test_a_sample_in_a_coset_is_told_apart_and_why():
    g = sa.symmetric(5)
    even = sa.Oracle(sa.alternating(5), seed=0).draw(30).elements
    odd = g.compose(np.array([[1, 0, 2, 3, 4]]), even)
    for rows in (even, odd):
        found = sa.deviation(sa.GroupSample(g, rows))
        assert (found.value, found.lower, found.method) == (1.0, 1.0, "subgroup")
        assert "subgroup of order 60, index 2 in S5" in found.reason
        assert "draw more elements" in str(found)


@pytest.mark.parametrize(
    "name", ["S4", "A5", "B3", "D2", "D6", "C12", "C4xC6", "Z2^6", "S3xZ2^2", "Cube24"]
)
def test_generated_order_is_the_size_of_the_closure(name):
    g = sa.group(name)
    for seed in range(12):
        S = sa.Oracle(g, seed=seed).draw(1 + seed % 4)
        quotients = g.compose(g.inverse(S.elements[:1]), S.elements)
        closure = g.identity()
        while True:
            grown = g.compose(closure[:, None], quotients[None]).reshape(-1, g.width)
            grown = np.unique(np.concatenate([closure, grown]), axis=0)
            if len(grown) == len(closure):
                break
            closure = grown
        assert generated_order(S) == len(closure)


def test_faithful_permutations_are_a_faithful_homomorphism(group):
    if not group.is_finite:
        assert group.faithful() is None
        return
    if isinstance(group, Abelian) and sum(group.moduli) > 3000:  # by a lattice, without points
        assert generated_order(sa.GroupSample(group, [[0], [6]])) == group.order // 2
        return
    a = np.unique(group.sample(30, np.random.default_rng(0)), axis=0)
    b = group.sample(len(a), np.random.default_rng(1))
    images = group.faithful().images(a)
    assert len(np.unique(images, axis=0)) == len(a)
    product = group.faithful().images(group.compose(a, b))
    assert np.array_equal(product, np.take_along_axis(images, group.faithful().images(b), axis=1))


def test_restricted_norms_are_no_larger_and_reach_far():
    S = sa.Oracle(sa.symmetric(6), seed=1).draw(20)
    whole = sa.deviation(S).value
    one, two = sa.deviation(S, degree=1), sa.deviation(S, degree=2)
    assert one.value <= two.value <= whole + 1e-12
    acted = sa.deviation(S, action=sa.permute_axis(S.group), shape=(6,))
    assert acted.value == pytest.approx(one.value, abs=1e-12)
    large = sa.deviation(sa.Oracle(sa.symmetric(300), seed=0).draw(50), degree=1)
    assert large.rigorous
    assert 0 < large.value < 1
    flips = sa.deviation(sa.Oracle(sa.sign_flips(500), seed=0).draw(64), degree=2)
    assert flips.rigorous


def test_draw_until_reaches_the_target_with_the_fewest_it_may():
    for name, target in (("S5", 0.4), ("C30", 0.6), ("D6", 0.7), ("Z2^6", 0.5), ("B3", 0.6)):
        oracle = sa.Oracle(sa.group(name), seed=4)
        found = sa.draw_until(oracle, target=target)
        assert found.deviation.value <= target
        assert found.deviation.rigorous
        assert found.calls == oracle.calls == found.sample.m == found.sample.calls
        again = sa.Oracle(sa.group(name), seed=4).draw(found.calls)
        assert again == found.sample
        assert again.origin.draws == found.sample.origin.draws
        assert json.loads(json.dumps(found.to_dict()))["calls"] == found.calls


def test_draw_until_stops_at_its_limits_and_says_how_far_it_came():
    with pytest.raises(OracleBudgetError, match=r"target=0.1 needs more than .* max_calls=100"):
        sa.draw_until(sa.Oracle(sa.symmetric(6), seed=0), target=0.1, max_calls=100)
    oracle = sa.Oracle(sa.symmetric(6), seed=0, budget=90)
    with pytest.raises(OracleBudgetError, match="budget"):
        sa.draw_until(oracle, target=0.1)
    assert oracle.calls <= 90
    for group, degree in ((sa.symmetric(4), 9), (sa.grid_symmetries(2), 1)):
        oracle = sa.Oracle(group)
        with pytest.raises((ArgumentError, UnsupportedError)):
            sa.draw_until(oracle, target=0.5, degree=degree)
        assert oracle.calls == 0


@pytest.fixture
def chances(monkeypatch):
    """Make small modules go the way of large ones; the failure probabilities of their bounds."""
    spent: list[float] = []
    bound = tuples.lanczos_norm

    def record(operator, **options):
        spent.append(options["failure_probability"])
        return bound(operator, **options)

    monkeypatch.setattr(tuples, "DENSE_DIMENSION", 0)
    monkeypatch.setattr(tuples, "lanczos_norm", record)
    return spent


def test_all_rounds_of_draw_until_together_fail_with_the_stated_probability(chances, monkeypatch):
    monkeypatch.setattr(until, "GROWTH", 0.03)
    oracle = sa.Oracle(sa.symmetric(6), seed=0)
    found = sa.draw_until(oracle, target=0.28, degree=2)
    assert len(chances) > 20
    assert found.deviation.failure_probability == 1e-9
    for r, chance in enumerate(chances, start=1):
        assert chance <= 1e-9 * 6 / (np.pi * r) ** 2
    assert "with probability 1 - 1e-09" in str(found.deviation)
    assert sum(share_of_round(r) for r in range(1, 10**5)) < 1e-9


def test_draw_until_believes_the_upper_bound_and_nothing_less(monkeypatch):
    uppers = iter([0.6, 0.5, 0.41, 0.39])

    def found(S, **_):
        exact = sa.deviation(S)
        return dataclasses.replace(exact, value=next(uppers), lower=0.1, block="")

    monkeypatch.setattr(until, "deviation", found)
    drawn = sa.draw_until(sa.Oracle(sa.symmetric(6), seed=0), target=0.4)
    assert drawn.deviation.value == 0.39


def test_a_function_that_is_no_action_has_no_rigorous_norm():
    def reversed_half(elements, x):
        return np.where(elements[:, :, None] >= 2, x[:, ::-1], x)

    action = sa.custom_action(sa.cyclic(4), reversed_half)
    S = sa.GroupSample(sa.cyclic(4), [[0], [1]])
    with pytest.raises(LawError):
        sa.deviation(S, action=action, shape=(3,))
    turn = sa.linear(sa.cyclic(5), rotations)
    assert sa.deviation(sa.Oracle(sa.cyclic(5)).draw(3), action=turn, shape=(2,)).kind == "estimate"


def rotations(elements):
    angle = 2 * np.pi * elements[:, 0] / 5
    return np.stack(
        [
            np.stack([np.cos(angle), -np.sin(angle)], -1),
            np.stack([np.sin(angle), np.cos(angle)], -1),
        ],
        -2,
    )


@pytest.mark.parametrize(
    ("S", "options"),
    [
        (sa.Oracle(sa.group("S8xS7"), seed=0).draw(64), {}),
        (sa.Oracle(sa.group("S12"), seed=0).draw(8), {}),
        (sa.Oracle(sa.sign_flips(36), seed=0).draw(64), {}),
        (sa.Oracle(sa.sign_flips(1000), seed=0).draw(64), {"degree": 4}),
        (sa.Oracle(sa.symmetric(100), seed=0).draw(300), {"degree": 3}),
    ],
    ids=lambda value: value.group.name if isinstance(value, sa.GroupSample) else str(value),
)
def test_what_takes_minutes_or_gigabytes_is_announced_before_it_starts(S, options):
    with pytest.raises(LongRunWarning, match=r"takes about \d.* (minute|second|hour)"):
        sa.deviation(S, **options)  # warnings are errors here, so nothing is computed


@pytest.mark.parametrize("count", [1, 3, 7, 51, 100, 97_001])
@pytest.mark.parametrize("total", [1e-9, 0.05, 1e-318])
def test_shares_of_a_probability_never_add_up_to_more_and_their_sum_is_stated_as_given(
    count, total
):
    share = equal_share(total, count)
    assert Fraction(share) * count <= Fraction(total)
    norms = [Norm(0.5, 0.4, "a", share)] * min(count, 100)
    added = functools.reduce(larger_norm, norms).failure_probability
    assert Fraction(added) >= Fraction(share) * len(norms)  # what is printed is not below the truth
    if count == len(norms) and total > 1e-300:
        assert restate(Norm(0.5, 0.4, "a", added), total).failure_probability == total


def drawn(name, m=9):
    return sa.Oracle(sa.group(name), seed=0).draw(m)


@pytest.mark.parametrize(
    ("call", "error", "remedy"),
    [
        (lambda: sa.deviation(drawn("S40")), UnsupportedError, "degree=1 or 2"),
        (lambda: sa.deviation(drawn("Grid2"), degree=1), UnsupportedError, "leave degree out"),
        (lambda: sa.deviation(drawn("S3xZ2^2"), degree=6), ArgumentError, "lower it"),
        (lambda: sa.deviation(drawn("SO3"), degree=65), GroupTooLargeError, "above 64"),
        (lambda: sa.deviation(drawn("C1000000000000", 64)), GroupTooLargeError, "degree="),
        (lambda: sa.deviation(drawn("Z2^60", 99)), GroupTooLargeError, "degree="),
        (lambda: sa.deviation(drawn("Z2^4096"), degree=4), GroupTooLargeError, "lower degree"),
        (lambda: sa.deviation(drawn("S300"), degree=4), GroupTooLargeError, "fewer elements"),
        (lambda: sa.deviation(drawn("S4xZ2^4096"), degree=4), GroupTooLargeError, "lower degree"),
        (lambda: sa.profile(drawn("M11")), UnsupportedError, "permutations, signed"),
        (lambda: sa.profile(drawn("S30"), degree=4), UnsupportedError, "at most 3"),
    ],
)
def test_what_is_refused_says_what_to_do(call, error, remedy):
    with pytest.raises(error, match=remedy):
        call()
