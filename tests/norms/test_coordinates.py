"""`degree=` of products and of signed permutations, against dense norms."""

from __future__ import annotations

import pytest

import sparseaug as sa
from sparseaug.errors import GroupTooLargeError
from sparseaug.norms import tuples
from sparseaug.norms.coordinates import coordinates, coordinates_norm
from tests.references import dense_norm_by_degree

NAMES = ["B3", "S3xZ2^2", "S3xS3", "B2xC3", "Z2xS3xC4", "S4xB2"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("degree", [1, 2, 3])
@pytest.mark.parametrize("m", [2, 5, 11])
def test_the_norm_is_the_dense_one_on_the_functions_of_that_degree(name, degree, m):
    S = sa.Oracle(sa.group(name), seed=m).draw(m)
    if degree > S.group.highest_degree:
        return
    truth = dense_norm_by_degree(S, degree)
    norm = coordinates_norm(S, degree=degree)
    assert norm.failure_probability == 0.0
    assert norm.lower <= truth + 1e-12
    assert truth - 1e-12 <= norm.upper <= truth + 1e-10
    assert sa.deviation(S, degree=degree).value == norm.upper


def test_random_starts_agree_with_matrices_and_share_their_chance(monkeypatch):
    S = sa.Oracle(sa.group("S5xB3"), seed=2).draw(20)
    exact = coordinates_norm(S, degree=2)
    monkeypatch.setattr(tuples, "DENSE_DIMENSION", 0)
    likely = coordinates_norm(S, degree=2)
    assert likely.failure_probability == 1e-9
    assert exact.lower <= likely.upper <= exact.upper * (1 + 1e-7)


def test_trivial_factors_and_the_whole_group_have_norm_0():
    trivial = sa.direct_product(sa.symmetric(1), sa.hyperoctahedral(1))
    one = sa.GroupSample.full(trivial)
    assert sa.deviation(one, degree=1).value == 0.0
    S = sa.GroupSample.full(sa.group("S3xZ2^2"))
    assert coordinates_norm(S, degree=2).upper <= 1e-12


def test_a_product_of_groups_with_several_orbits_keeps_the_mean_of_each_pair_of_orbits():
    """Both factors turn the points 0, 1, 2 and exchange 3 and 4: the whole group has norm 0."""
    factor = sa.permutation_group([[1, 2, 0, 4, 3]])
    S = sa.GroupSample.full(sa.direct_product(factor, factor))
    for degree in (1, 2, 3):
        assert coordinates_norm(S, degree=degree).upper <= 1e-12


@pytest.mark.parametrize("name", ["D3xC2", "D4xD3", "D12xC2", "D2xC3", "D5xS3", "A4xD4", "B2xD3"])
def test_a_degree_of_a_dihedral_factor_is_a_frequency(name):
    """With a dense basis of the functions of each degree; every element of G is one of few in S too."""
    group = sa.group(name)
    for m in (2, 7):
        S = sa.Oracle(group, seed=m).draw(m)
        for degree in range(1, 4):
            if degree <= group.highest_degree:
                found, truth = sa.deviation(S, degree=degree), dense_norm_by_degree(S, degree)
                assert found.rigorous
                assert found.lower - 1e-9 <= truth <= found.value + 1e-12
                assert found.value <= truth + 1e-9


def test_low_degrees_of_large_dihedral_groups_are_within_reach():
    for name, m, degree in (("D1000000000", 5, 3), ("D12xD12", 40, 6), ("Z2^40xD4", 20, 1)):
        S = sa.Oracle(name, seed=0).draw(m)
        found = sa.deviation(S, degree=degree)
        assert 0 < found.lower <= found.value <= 1
    assert sa.group("D1000000000").dimensions_by_degree(3) == ([2, 2, 2, 2], True)
    with pytest.raises(GroupTooLargeError, match="lower degree"):
        sa.deviation(sa.Oracle("D1000000000").draw(5), degree=10**8)


def test_coordinates_are_known_of_cyclic_factors_with_more_points_than_a_row_may_have():
    assert coordinates(sa.group("C20000000xS3")).number == 4
