"""Designs are exact to their degree: zeros by integer counts, not by a tolerance."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.designs.constructions.arrays import mixed_rows, mixed_size
from sparseaug.qmc.field import field, prime_power
from tests.designs.counting import has_strength, is_balanced, is_transitive, parity

PRIME_POWERS = [q for q in range(2, 33) if prime_power(q)]


def test_the_counts_see_what_is_not_exact():
    shifts = sa.design(sa.symmetric(7), degree=1).elements
    affine = sa.design(sa.symmetric(7), degree=2).elements
    assert not is_transitive(shifts, 2)
    assert not is_transitive(affine, 3)
    changed = affine.copy()
    changed[5] = changed[6]
    assert not is_transitive(changed, 1)
    array = sa.design(sa.sign_flips(11), degree=3).elements
    assert has_strength(array, 3)
    assert not has_strength(array, 4)
    array = array.copy()
    array[3, 4] ^= 1
    assert not has_strength(array, 1)
    assert not is_balanced(np.array([[0, 0], [1, 1]]), (2, 2), 2)


@pytest.mark.parametrize("n", range(3, 31))
def test_degree_1_of_every_symmetric_and_alternating_group_takes_n_elements(n):
    for group in (sa.symmetric(n), sa.alternating(n)):
        S = sa.design(group, degree=1)
        assert (S.m, S.calls) == (n, 0)
        assert is_transitive(S.elements, 1)
        if group != sa.symmetric(n):
            assert not any(parity(row) for row in S.elements)


@pytest.mark.parametrize("n", [q for q in PRIME_POWERS if q > 3])
def test_degree_2_of_prime_powers_takes_n_times_n_less_1(n):
    S = sa.design(sa.symmetric(n), degree=2)
    assert S.m == n * (n - 1)
    assert is_transitive(S.elements, 2)
    assert len(np.unique(S.elements, axis=0)) == S.m


@pytest.mark.parametrize("n", [q + 1 for q in PRIME_POWERS if q > 3])
def test_degree_3_of_a_prime_power_and_1_is_sharply_3_transitive(n):
    S = sa.design(sa.symmetric(n), degree=3)
    assert S.m == n * (n - 1) * (n - 2)
    assert is_transitive(S.elements, 3, most=None if n <= 10 else 100)


@pytest.mark.slow
@pytest.mark.parametrize("n", [q + 1 for q in PRIME_POWERS if q > 8])
def test_degree_3_by_all_triples(n):
    assert is_transitive(sa.design(sa.symmetric(n), degree=3).elements, 3)


def test_mathieu_groups_are_exact_to_degree_4_and_5():
    for n, t in ((11, 4), (12, 5)):
        S = sa.design(sa.symmetric(n), degree=t)
        assert S.origin.design == f"M{n}"
        assert S.m == math.perm(n, t)  # sharply transitive
        assert is_transitive(S.elements, t, most=20)
    assert sa.design(sa.symmetric(22), degree=3).origin.design == "M22"


@pytest.mark.slow
def test_mathieu_groups_by_all_tuples():
    assert is_transitive(sa.design(sa.symmetric(11), degree=4).elements, 4)
    assert is_transitive(sa.design(sa.symmetric(12), degree=5).elements, 5, most=5000)


def test_psl_is_even_and_exact_to_degree_2():
    for n in (6, 8, 10, 12, 14):
        S = sa.design(sa.alternating(n), degree=2)
        assert is_transitive(S.elements, 2)
        assert not any(parity(row) for row in S.elements)


@pytest.mark.parametrize("d", [2, 3, 4, 5, 7, 8, 11, 12, 15, 16, 20])
def test_arrays_of_signs_have_their_strength(d):
    sizes = []
    for t in range(1, min(d, 5) + 1):
        S = sa.design(sa.sign_flips(d), degree=t)
        assert has_strength(S.elements, t)
        sizes.append(S.m)
    assert sizes == sorted(sizes)


@pytest.mark.parametrize(
    ("d", "t", "m"), [(31, 2, 32), (31, 3, 64), (64, 3, 128), (12, 3, 24), (11, 2, 12), (64, 2, 68)]
)
def test_arrays_of_signs_are_as_small_as_known(d, t, m):
    S = sa.design(sa.sign_flips(d), degree=t)
    assert S.m <= m
    assert has_strength(S.elements, t)


def test_a_thousand_signs_to_degree_3():
    S = sa.design(sa.sign_flips(1000), degree=3)
    signs = 1 - 2 * S.elements
    assert S.m == 2000
    half, rest = signs[: S.m // 2], signs[S.m // 2 :]
    assert np.array_equal(rest, -half)  # so that all odd characters vanish
    gram = half.T.astype(float) @ half
    assert np.array_equal(gram, len(half) * np.eye(1000))  # and those of two columns


def test_strength_6_and_7_of_a_few_signs():
    for d, t in ((9, 6), (9, 7), (15, 6)):
        assert has_strength(sa.design(sa.sign_flips(d), degree=t).elements, t)


@pytest.mark.slow
@pytest.mark.parametrize("d", range(2, 65))
def test_strengths_1_to_5_for_every_d_to_64(d):
    for t in range(1, min(d, 5) + 1):
        rows = sa.design(sa.sign_flips(d), degree=t).elements
        if t <= 4 or d <= 24:
            assert has_strength(rows, t)
        else:  # with a row its complement: odd characters vanish, and four columns say the rest
            flipped = np.unique(1 - rows, axis=0)
            assert len(flipped) == len(rows)
            assert np.array_equal(np.unique(rows, axis=0), flipped)
            assert has_strength(rows, 4)


@pytest.mark.parametrize(
    ("levels", "t"),
    [
        ((28, 28), 1),
        ((4, 4, 4), 2),
        ((3, 4, 6), 2),
        ((12, 6, 10, 4), 2),
        ((5,) * 7, 2),
        ((9, 3, 3), 2),
        ((3,) * 4, 2),  # the last column is the one at infinity
        ((4,) * 5, 3),
    ],
)
def test_mixed_arrays_are_balanced(levels, t):
    rows = mixed_rows(levels, t)
    assert len(rows) == mixed_size(levels, t)
    assert is_balanced(rows, levels, t)
    S = sa.design(sa.abelian(*levels), degree=t)
    assert is_balanced(S.elements, levels, t)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 7])
def test_signed_permutations_move_signed_tuples_evenly(n):
    for t in range(1, min(n, 2) + 1):
        S = sa.design(sa.hyperoctahedral(n), degree=t)
        points = S.elements[:, :n] + n * S.elements[:, n:]  # where coordinate i goes, with its sign
        counts = {}
        for i in range(n):
            for j in range(n) if t == 2 else [i]:
                if t == 1 or i != j:
                    pairs, times = np.unique(points[:, [i, j]], axis=0, return_counts=True)
                    assert len(set(times.tolist())) == 1
                    counts[i, j] = len(pairs)
        assert set(counts.values()) == {2 * n if t == 1 else 4 * n * (n - 1)}


def test_products_are_crossed_and_never_zipped():
    group = sa.group("S5xS4xC6")
    S = sa.design(group, degree=1)
    five, four, six = S.elements[:, :5], S.elements[:, 5:9], S.elements[:, 9:]
    assert is_transitive(five, 1)
    assert is_transitive(four, 1)
    for one, two in ((five[:, :1], four[:, :1]), (five[:, :1], six), (four[:, :1], six)):
        pairs, times = np.unique(np.concatenate([one, two], axis=1), axis=0, return_counts=True)
        assert len(set(times.tolist())) == 1
        assert len(pairs) == len(np.unique(one)) * len(np.unique(two))


@pytest.mark.parametrize("name", ["D3xS4xZ2^3", "D3xD5xZ2^3", "C4xC4xD4xS4"])
def test_crossed_designs_are_exact_next_to_signs_of_degree_0(name):
    """The sign of the flips of D_n has degree 0, so a function of degree t involves more factors."""
    for one in sa.records(name):
        if one.degree and one.m:
            S = sa.design(name, name=one.name)
            assert sa.deviation(S, degree=min(one.degree, S.group.highest_degree)).value < 1e-9


@pytest.mark.parametrize(
    ("name", "degree", "m"), [("D12", 1, 4), ("D12", 2, 6), ("D15", 2, 6), ("D12xC2", 1, 8)]
)
def test_even_turns_of_a_polygon_are_exact_below_their_number(name, degree, m):
    S = sa.design(name, degree=degree)
    assert S.m == sa.design(name, m=m, degree=degree).m == m
    assert sa.deviation(S, degree=degree).value < 1e-9


def test_a_crossed_fraction_balances_each_factor_and_repeats_no_pair():
    S = sa.design(sa.group("S10xS12"), m=32, degree=1)
    assert S.origin.design == "crossed fraction by degree 1"
    ten, twelve = S.elements[:, 0], S.elements[:, 10]
    assert set(np.bincount(ten)) == {3, 4}
    assert set(np.bincount(twelve)) == {2, 3}
    assert len(np.unique(np.stack([ten, twelve]), axis=1).T) == 32


def test_fields_obey_their_laws():
    for q in [q for q in range(2, 130) if prime_power(q)] + [512, 729, 961, 1024]:
        F = field(q)
        rng = np.random.default_rng(q)
        a, b, c = rng.integers(0, q, (3, 200))
        assert np.array_equal(F.multiply(a, F.add(b, c)), F.add(F.multiply(a, b), F.multiply(a, c)))
        assert np.array_equal(F.multiply(F.multiply(a, b), c), F.multiply(a, F.multiply(b, c)))
        assert not F.add(a, F.negative(a)).any()
        x = np.arange(1, q)
        assert (F.multiply(x, F.inverse(x)) == 1).all()
        assert len(set(F.powers)) == q - 1
