"""Profiles against brute force: irreps as matrices, one by one, and integer counts."""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.groups import Product
from sparseaug.groups.degrees.counts import Count
from sparseaug.groups.quotients import coset_of
from sparseaug.norms.norm import Norm
from sparseaug.norms.profiles.cyclotomic import vanish
from sparseaug.norms.profiles.levels import levels

SMALL = ["S4", "S5", "A4", "A5", "Z2^4", "C6xC4", "D5", "D6", "B3", "S3xC4", "S3xS3"]


def parts_of(text):
    return tuple(int(x) for x in text.strip("()+-").split(",") if x)


def degree_of(group, name):
    """The degree of an irrep by its name, written from the definitions."""
    if group.moduli is not None:
        return sum(a != 0 for a in parts_of(name.removeprefix("chi")))
    if group.transform == "dihedral":
        if name.startswith("turn"):
            return int(name[5:-1])
        return 0 if name.startswith("sign(+1") else group.order // 4
    if group.transform == "young":
        n, shape = group.width, parts_of(name.rstrip("+-"))
        longest = shape[0] if group.order == math.factorial(n) else max(shape[0], len(shape))
        return n - longest
    alpha = parts_of(name.split("|")[0])
    return group.width // 2 - (alpha[0] if alpha else 0)


def brute(S, degree=degree_of):
    """{degree: (largest norm, weighted mean square)} from every matrix of every irrep."""
    found = defaultdict(list)
    for irrep in list(S.group.irreps())[1:]:
        mean = irrep.matrices(S.elements).mean(axis=0)
        d = irrep.dimension
        square = float((abs(mean) ** 2).sum()) / d
        found[degree(S.group, irrep.name)].append((np.linalg.norm(mean, 2), d * d, square))
    return {
        degree: (
            max(norm for norm, _, _ in each),
            sum(w * x for _, w, x in each) / sum(w for _, w, _ in each),
        )
        for degree, each in found.items()
    }


def set_of_factors(group, name):
    """Which factors are not trivial, as the profile names them."""
    names = [f.name for f in group.factors]
    names = [n if names.count(n) == 1 else f"{n}[{i}]" for i, n in enumerate(names)]
    trivial = [next(f.irreps()).name for f in group.factors]
    own = name.split(" * ")
    return " x ".join(n for n, a, b in zip(names, own, trivial, strict=True) if a != b)


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("m", [1, 7, 12])
def test_profile_equals_the_norms_and_mean_squares_of_all_irreps(name, m):
    group = sa.group(name)
    rows = group.sample(m, np.random.default_rng(m))
    S = sa.GroupSample(group, rows)
    found = sa.profile(S)
    expected = brute(S, set_of_factors if isinstance(group, Product) else degree_of)
    assert set(found.norms) == set(expected)
    for degree, (norm, square) in expected.items():
        assert found.lower[degree] <= norm + 1e-12
        assert found.norms[degree] >= norm - 1e-12
        assert found.norms[degree] - found.lower[degree] < 1e-9
        assert math.isclose(found.mean_square[degree], square, rel_tol=1e-9, abs_tol=1e-12)
    assert found.whole
    assert math.isclose(max(found.norms.values()), sa.deviation(S).value, rel_tol=1e-9)


@pytest.mark.parametrize("moduli", [(9,), (6, 4), (8, 8), (2, 3, 5), (2, 2, 2)])
def test_frequency_order_equals_brute_force(moduli):
    group = sa.abelian(*moduli)
    S = sa.GroupSample(group, group.sample(6, np.random.default_rng(3)))

    def length(group, name):
        a = parts_of(name.removeprefix("chi"))
        return math.ceil(math.sqrt(sum(min(x, n - x) ** 2 for x, n in zip(a, moduli, strict=True))))

    found = sa.profile(S, by="frequency")
    expected = brute(S, length)
    assert set(found.norms) == set(expected)
    for degree, (norm, square) in expected.items():
        assert found.lower[degree] - 1e-12 <= norm <= found.norms[degree] + 1e-12
        assert found.norms[degree] - found.lower[degree] < 1e-9
        assert math.isclose(found.mean_square[degree], square, rel_tol=1e-9, abs_tol=1e-12)


@pytest.mark.parametrize(
    ("group", "degree"),
    [("S5", 1), ("S7", 2), ("S6", 3), ("A5", 1), ("Z2^7", 2), ("Z2^8", 3), ("S20", 1), ("S13", 2)],
)
def test_designs_and_their_translates_are_exact_to_their_degree(group, degree):
    S = sa.design(sa.group(group), degree=degree)
    for T in (S, S.translate(sa.Oracle(S.group, seed=1), side="both")):
        found = sa.profile(T)
        assert found.exact_to >= degree
        assert all(found.norms[t] == 0.0 == found.mean_square[t] for t in range(1, degree + 1))


def test_one_element_more_is_not_exact_and_is_not_taken_for_it():
    design = sa.design(sa.symmetric(7), degree=2)
    rows = np.concatenate([np.tile(design.elements, (50, 1)), design.elements[:1]])
    found = sa.profile(sa.GroupSample(design.group, rows))
    assert found.exact == ()
    assert 0 < found.norms[1] < 0.01
    assert found.mean_square[1] == Fraction(1, len(rows) ** 2)


def test_zeros_that_no_period_explains_are_decided_by_integers():
    # {0, 3} + {0, 2, 4}'s union with another coset of C_2: f vanishes at 1 by cancellation only
    S = sa.GroupSample(sa.cyclic(12), [[0], [4], [8], [1], [7]])
    found = sa.profile(S, by="frequency")
    assert found.exact == (1, 5)
    assert found.exact_to == 1


@pytest.mark.parametrize("n", [6, 7, 12])
def test_vanishing_sums_are_those_whose_value_is_zero(n):
    every = np.array(list(product(range(2), repeat=n)))[1:]
    angles = np.exp(2j * np.pi * np.arange(n) / n)
    values = every @ angles
    for counts, value in zip(every, values, strict=True):
        at = np.flatnonzero(counts)
        assert vanish(np.array([[1]]), at[:, None], counts[at], (n,))[0] == (abs(value) < 1e-9)


@pytest.mark.parametrize("name", ["S6", "S20", "D8", "C8xC8", "B3"])
def test_a_subgroup_has_norm_one_wherever_it_is_not_exact(name):
    group = sa.group(name)
    generator, powers = group.generators()[1:2], [group.identity()]
    while not np.array_equal(last := group.compose(powers[-1], generator), powers[0]):
        powers.append(last)
    S = sa.GroupSample(group, np.concatenate(powers))
    assert coset_of(S) is not None
    wrong = [level for level in sa.profile(S).levels if not level.exact]
    assert wrong
    assert all(1 - 1e-12 < level.lower <= level.norm == 1.0 for level in wrong)


@pytest.mark.parametrize("name", ["S7", "S8", "A7"])
@pytest.mark.parametrize("seed", range(4))
def test_low_degrees_of_large_n_agree_with_the_whole_profile(monkeypatch, name, seed):
    S = sa.Oracle(sa.group(name), seed=seed).draw(20 - 5 * seed)
    whole = sa.profile(S)
    monkeypatch.setattr("sparseaug.norms.young.symmetric.LARGEST_N", 6)
    monkeypatch.setattr("sparseaug.groups.degrees.shapes.LARGEST_N", 6)
    low = sa.profile(S)
    assert set(low.norms) == {1, 2, 3}
    for t in (1, 2, 3):
        assert low.mean_square[t] == whole.mean_square[t]
        assert low.lower[t] <= whole.norms[t]
        assert low.norms[t] >= whole.lower[t]
        if t < 3:
            assert low.norms[t] - low.lower[t] < 1e-9


def test_sign_flips_of_any_width_by_counting():
    S = sa.design(sa.sign_flips(100), degree=3)
    found = sa.profile(S)
    assert found.exact_to == 3
    # neither a coset nor small enough for a table: sums of squares over all characters of weight 2
    T = sa.Oracle(sa.sign_flips(30), seed=0).draw(20)
    signs = 1 - 2 * T.elements
    sums = (signs.T @ signs)[np.triu_indices(30, 1)]
    low = sa.profile(T, degree=2)
    assert low.mean_square[2] == Fraction(int((sums**2).sum()), len(sums) * 400)
    assert low.lower[2] <= abs(sums).max() / 20 <= low.norms[2] < low.lower[2] + 1e-15
    assert sa.profile(sa.Oracle(S.group, seed=0).draw(16), degree=2).exact_to == 0


def test_a_level_keeps_to_what_is_certain_where_a_norm_is_out_of_its_range():
    """A bound of rounded blocks may pass 1, one of random starts may fail; the mean square does not."""
    count = Count(1, 4, 16)  # mean square 1/4 of m = 4
    rounded, failed = Norm(1.0 + 1e-9, 0.9, "a"), Norm(0.1, 0.0, "a", 1e-9)
    assert [(one.norm, one.lower) for one in levels([count], {1: rounded}, 4)] == [(1.0, 0.9)]
    (level,) = levels([count], {1: failed}, 4)
    assert level.norm == level.lower == pytest.approx(0.5)
    assert level.lower <= 0.5


def test_exactness_is_claimed_only_where_the_deviation_of_that_degree_is_zero():
    """Groups that are recognised as another family have the degrees of their own points."""
    generators = {
        "cube on its faces": [[1, 0, 2, 3, 4, 5], [2, 3, 0, 1, 4, 5], [2, 3, 4, 5, 0, 1]],
        "S4 on four of six points": [[1, 0, 2, 3, 4, 5], [1, 2, 3, 0, 4, 5]],
        "A5": [[1, 2, 0, 3, 4], [0, 1, 3, 4, 2]],
    }
    for name, rows in generators.items():
        group = sa.permutation_group(rows)
        assert group.known_as().group is not group
        for seed in range(6):
            pair = sa.Oracle(group, seed=seed).draw(2).elements
            S = sa.GroupSample.generated(group, pair)
            found = sa.profile(S)
            for degree in (1, 2, 3):
                zero = sa.deviation(S, degree=degree).value < 1e-9
                assert (found.exact_to >= min(degree, len(found.levels))) == zero, (name, degree)


def test_mean_square_error_of_all_two_sided_translates_is_the_spectrum_times_the_profile():
    """E over k, h of |mean over k S h of v - mean of v|^2 = sum_pi var_pi(v) ||pi(S)||_F^2 / d."""
    group = sa.symmetric(5)
    everything = group.all_elements()
    rng = np.random.default_rng(5)
    v = rng.standard_normal(group.order)
    S = sa.Oracle(group, seed=2).draw(6)
    # brute force over all (k, h): v at k g h
    table = group.rank(group.compose(everything[:, None], everything[None]).reshape(-1, 5)).reshape(
        group.order, group.order
    )  # (a, b) -> ab
    ranks = group.rank(S.elements)
    total = np.zeros((group.order, group.order))
    for g in ranks:
        total += v[table[table[:, g]]]  # (k, h) -> (k g) h
    error = float(((total / S.m - v.mean()) ** 2).mean())
    predicted = 0.0
    parts = {part.name: part for part in sa.profile(S).parts}
    for irrep in list(group.irreps())[1:]:
        coefficients = np.tensordot(v, irrep.matrices(everything), 1) / group.order
        variance = irrep.dimension * float((coefficients**2).sum())
        predicted += variance * float(parts[irrep.name].mean_square)
    assert abs(error - predicted) < 1e-12


def dense_levels(S, weights, highest):
    """The norm and the mean square of each degree from the matrices of the irreps."""
    norms, squares, total = {}, {}, {}
    w = np.array(weights) / np.sum(weights)
    for irrep in S.group.irreps_to(highest):
        mean = np.tensordot(w, irrep.matrices(S.elements), 1)
        d, degree = irrep.dimension, irrep.degree
        if irrep.degree or (abs(irrep.matrices(S.elements) - 1) > 1e-9).any():
            norms[degree] = max(norms.get(degree, 0.0), float(np.linalg.norm(mean, 2)))
            squares[degree] = squares.get(degree, 0.0) + d * float(np.linalg.norm(mean) ** 2)
            total[degree] = total.get(degree, 0) + d * d
    return norms, {degree: squares[degree] / total[degree] for degree in squares}


@pytest.mark.parametrize(
    "name", ["S4", "A5", "D5", "C2xC3", "B2", "SO2", "O2", "SO3", "O3", "SO3xC2"]
)
@pytest.mark.parametrize("sign", [1, -1])
def test_weighted_profiles_are_those_of_the_dense_means(name, sign):
    S = sa.Oracle(name, seed=1).draw(9)
    weights = [3.0, 1.0, 2.0, 0.5, 4.0, 1.0, 1.0, 2.0, sign * 1.5]
    found = sa.profile(S, degree=2, weights=weights)
    norms, squares = dense_levels(S, weights, 2)
    assert set(found.norms) == set(norms)
    for degree, norm in norms.items():
        assert found.lower[degree] - 1e-12 <= norm <= found.norms[degree] + 1e-12
        assert found.norms[degree] - found.lower[degree] < 1e-6
        assert found.mean_square[degree] == pytest.approx(squares[degree], abs=1e-12)
    assert found.exact == ()
    assert found.to_dict()["weighted"]


def test_negative_weights_have_norms_above_one_and_equal_ones_are_none():
    S = sa.GroupSample("C2", [[0], [1]])
    found = sa.profile(S, weights=[2, -1])
    assert found.lower[1] <= 3 <= found.norms[1] < 3 + 1e-9
    assert sa.profile(S, weights=[0.1, 0.1]) == sa.profile(S)
