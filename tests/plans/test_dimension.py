"""Sums of irrep dimensions: against the irreps themselves, published tables, and the bounds."""

from __future__ import annotations

import pytest

import sparseaug as sa

FAMILIES = ["S1", "S2", "S6", "A1", "A4", "A7", "B1", "B2", "B5", "C12", "Z2^7", "D1", "D2", "D12"]
PRODUCTS = ["C4xC6", "S3xZ2^4", "C4xD3", "S3xS4xB2"]


@pytest.mark.parametrize("name", [*FAMILIES, *PRODUCTS])
def test_closed_forms_equal_the_sum_over_the_irreps(name):
    group = sa.group(name)
    assert group.dimension_sum().value == sum(irrep.dimension for irrep in group.irreps()) - 1
    assert group.dimension_sum().exact


def test_order_without_limit():
    assert sa.sign_flips(4096).dimension_sum().value == 2**4096 - 1
    assert (
        sa.symmetric(5000).dimension_sum().value ** 2 > sa.symmetric(5000).order
    )  # (sum d)^2 > sum d^2


def test_a_large_alternating_group_is_bounded_by_its_symmetric_group():
    assert sa.alternating(100).dimension_sum().value == sa.symmetric(100).dimension_sum().value
    assert not sa.alternating(100).dimension_sum().exact


# degrees from the ATLAS of finite groups; the cube's are those of S_4 and S_4 x C_2
KNOWN = {
    "M11": 10 + 10 + 10 + 11 + 16 + 16 + 44 + 45 + 55,
    "M12": 2 * 11 + 2 * 16 + 45 + 54 + 3 * 55 + 66 + 99 + 120 + 144 + 176,
    "Cube24": 1 + 2 + 3 + 3,
    "Cube48": 2 * (1 + 1 + 2 + 3 + 3) - 1,
}


@pytest.mark.parametrize("name", KNOWN)
def test_the_bound_by_conjugacy_classes_is_above_the_truth_and_below_the_order(name):
    group = sa.group(name)
    assert KNOWN[name] <= group.dimension_sum().value < group.order - 1
    assert not group.dimension_sum().exact


def test_classes_too_many_to_count_leave_the_order():
    assert sa.groups.rubik().dimension_sum().value == sa.groups.rubik().order - 1
    product = sa.direct_product(sa.groups.rubik(), sa.symmetric(3))
    assert product.dimension_sum().value == sa.groups.rubik().order * 4 - 1
    assert not product.dimension_sum().exact
