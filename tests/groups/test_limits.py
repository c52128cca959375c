"""What is cheap works for groups of any size; what would take gigabytes or minutes is refused at once.

Every refusal gives the number that is too large.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import ArgumentError, GroupError, GroupTooLargeError, SparseAugError
from sparseaug.groups import format_order, from_dict
from sparseaug.groups.young import dimension, young_matrices


@pytest.mark.parametrize(
    ("make", "order"),
    [
        (sa.symmetric, "8.26e5565708"),
        (sa.alternating, "4.13e5565708"),
        (sa.hyperoctahedral, "8.18e5866738"),
    ],
)
def test_more_than_a_million_things_are_refused(make: Any, order: str) -> None:
    with pytest.raises(ArgumentError, match=r"n=1000001 is not allowed.*below 1,000,001"):
        make(10**6 + 1)
    assert format_order(make(10**6)) == order


def test_an_order_of_a_million_digits_and_more_is_refused_with_its_length() -> None:
    with pytest.raises(GroupTooLargeError, match=r"order of S1000000 takes 18488885 bits.*4194304"):
        _ = sa.symmetric(10**6).order
    with pytest.raises(GroupTooLargeError, match=r"Z2\^5000000 takes 5000001 bits"):
        _ = sa.sign_flips(5 * 10**6).order
    assert sa.symmetric(10**5).order == math.factorial(10**5)
    assert sa.sign_flips(10**6).order == 1 << 10**6


def test_sizes_that_no_integer_of_64_bits_holds_are_refused() -> None:
    for make in (sa.symmetric, sa.alternating, sa.hyperoctahedral, sa.dihedral, sa.cyclic):
        with pytest.raises(ArgumentError, match="bits"):
            make(10**5000)
        with pytest.raises(ArgumentError, match=r"=9223372036854775808"):
            make(2**63)


def test_wide_groups_still_have_an_identity_generators_and_samples() -> None:
    for g in (sa.symmetric(20_000), sa.alternating(20_000), sa.hyperoctahedral(20_000)):
        e, a = g.identity(), g.sample(2, np.random.default_rng(0))
        assert g.contains(a).all()
        assert np.array_equal(g.compose(a, g.inverse(a)), np.repeat(e, 2, axis=0))
        assert np.array_equal(g.compose(e, g.generators()), g.generators())


def test_a_wide_draw_is_the_same_as_among_many() -> None:
    """Rows are made in Python or in NumPy, as is faster; a seed means the same."""
    from sparseaug.groups.permutations import shuffle, unshuffle

    rng = np.random.default_rng(0)
    for n, k in ((1, 3), (2, 300), (7, 300), (50, 300)):
        digits = np.array([rng.integers(0, i + 1, k) for i in range(n - 1, 0, -1)], np.int64)
        digits = digits.reshape(n - 1, k)
        whole = shuffle(digits, n)
        one_by_one = np.concatenate([shuffle(digits[:, [j]], n) for j in range(k)])
        assert np.array_equal(whole, one_by_one)
        back = np.concatenate([unshuffle(row[None]) for row in whole], axis=1)
        assert np.array_equal(back, digits)
        assert np.array_equal(unshuffle(whole), digits)


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("Rubik^999999", "47999952"),
        ("M24^999999", "23999976"),
        ("D4^999999", "1999998"),
        ("S3^300000", "300000"),
        ("Cube48^999999", "999999"),
        ("Rubik^20000", "20000"),
        ("S999999xS999999", "1999998"),
    ],
)
def test_names_of_absurd_products_are_refused_with_the_number(name: str, number: str) -> None:
    with pytest.raises(SparseAugError, match=number):
        sa.group(name)


def test_products_of_many_factors_are_made_at_once_or_refused() -> None:
    many = sa.direct_product(*[sa.cyclic(2)] * 200_000)
    assert many == sa.sign_flips(200_000)
    with pytest.raises(GroupTooLargeError, match="10001 factors"):
        sa.direct_product(*[sa.symmetric(3)] * 10_001)
    wide = sa.direct_product(*[sa.groups.rubik()] * 10_000)
    assert wide.name == "Rubik^10000"
    assert len(repr(wide)) < 200
    with pytest.raises(GroupTooLargeError, match="28800000000 numbers"):
        wide.generators()


def test_generators_of_many_sign_flips_are_refused_with_the_number() -> None:
    d = 10**6
    g = sa.sign_flips(d)
    assert g.identity().shape == (1, d)
    assert len(repr(g)) < 200
    with pytest.raises(GroupTooLargeError, match=f"{d * d} numbers"):
        g.generators()
    with pytest.raises(GroupTooLargeError, match="16777217 numbers"):
        sa.abelian(*[3] * ((1 << 24) + 1))


def test_samples_of_gigabytes_are_refused_with_the_number() -> None:
    rng = np.random.default_rng(0)
    state = rng.bit_generator.state
    for g, k in ((sa.cyclic(5), 10**12), (sa.symmetric(1000), 10**6), (sa.cyclic(2), 10**400)):
        with pytest.raises(GroupTooLargeError, match="k="):
            g.sample(k, rng)
    assert rng.bit_generator.state == state


def test_points_of_absurd_circles_are_refused_with_the_number() -> None:
    for g in (sa.cyclic(10**12), sa.dihedral(2**31 - 1)):
        with pytest.raises(GroupTooLargeError, match=r"[0-9]{10,13} numbers"):
            g.permutations(g.identity())


def test_listing_is_refused_where_ranks_do_not_fit() -> None:
    with pytest.raises(GroupTooLargeError, match=r"S30 has 2\.65e32"):
        sa.symmetric(30).elements(limit=10**40)
    long = sa.permutation_group([np.roll(np.arange(3000), 1000)])
    assert sum(map(len, long.elements(block=10**9))) == 3
    with pytest.raises(GroupTooLargeError, match="216000000 numbers"):
        sa.abelian(9 * 10**6, *[1] * 23).all_elements()


# -- groups that are given as data


def cycle(n: int) -> list[int]:
    return [*range(1, n), 0]


def swap(n: int) -> list[int]:
    return [1, 0, *range(2, n)]


def test_generators_that_are_too_many_are_refused_with_the_number() -> None:
    with pytest.raises(GroupTooLargeError, match="1000000 generators"):
        sa.permutation_group([[0]] * 10**6)


@pytest.mark.parametrize("n", [100, 1000])
def test_a_symmetric_group_needs_no_table_whatever_generates_it(n: int) -> None:
    g = sa.permutation_group([cycle(n), swap(n)])
    assert g.is_abelian is False
    assert g.name == f"<generated by 2 permutations of {n} points>"
    assert g.order == math.factorial(n)
    rows = g.sample(3, np.random.default_rng(0))
    assert g.contains(rows).all()
    assert g.identity()[0].tolist() == list(range(n))


def test_large_permutation_groups_that_are_easy_are_not_refused() -> None:
    flip = list(range(1000))[::-1]
    assert sa.permutation_group([cycle(1000), flip]).order == 2000
    pairs = []
    for i in range(0, 200, 2):
        pairs.append(list(range(200)))
        pairs[-1][i], pairs[-1][i + 1] = i + 1, i
    g = sa.permutation_group(pairs)
    assert g.order == 2**100
    assert g.is_abelian
    assert sa.permutation_group([swap(10**5)]).order == 2
    assert sa.permutation_group([list(range(10**5))]).order == 1


def test_tables_that_take_too_long_to_check_are_refused_with_the_number() -> None:
    i = np.arange(5000)
    with pytest.raises(GroupTooLargeError, match=r"5000 elements.*4096"):
        sa.table_group((i[:, None] + i) % 5000)
    with pytest.raises(GroupTooLargeError, match="1000000 elements"):
        sa.table_group([[0]] * 10**6)
    with pytest.raises(GroupTooLargeError, match="5000 elements"):
        sa.matrix_group(np.ones((5000, 1, 1)))
    with pytest.raises(GroupTooLargeError, match="1600000000 entries"):
        sa.matrix_group(np.ones((200, 200, 200)))
    with pytest.raises(GroupTooLargeError, match="1000000 elements"):
        sa.matrix_group([[[1.0]]] * 10**6)


def test_shapes_that_are_too_large_are_refused_with_the_number() -> None:
    huge = (10, 10, 10)
    count = dimension(huge)
    with pytest.raises(GroupTooLargeError, match=rf"{count**2} numbers"):
        young_matrices(huge, [list(range(30))])
    with pytest.raises(GroupTooLargeError, match="20000 matrices of dimension 7700"):
        young_matrices((5, 3, 2, 1, 1), np.repeat(np.arange(12)[None], 20_000, axis=0))
    for shape in ((10**9,), (10**18, 10**18), (1,) * 20_000):
        with pytest.raises(GroupTooLargeError, match="boxes"):
            dimension(shape)
    assert dimension((5000, 5000)) == math.comb(10_000, 5000) // 5001
    with pytest.raises(GroupTooLargeError, match="boxes"):
        young_matrices((10**9,), [[0]])
    g = sa.hyperoctahedral(16)
    irrep = next(i for i in g.irreps() if i.dimension > 10**6)
    with pytest.raises(GroupTooLargeError, match=f"matrices of dimension {irrep.dimension}"):
        irrep.matrices(g.identity())


# -- what a file may say


def nested(depth: int) -> dict[str, Any]:
    data: dict[str, Any] = {"name": "S3"}
    for _ in range(depth):
        data = {"product": [data, {"name": "C2"}]}
    return data


@pytest.mark.parametrize(
    "data",
    [
        nested(100_000),
        {"product": [{"name": "S3"}] * 10_001},
        {"product": [{"name": "Rubik^10000"}] * 1000},
        {"name": "S3x" * 10**5 + "S3"},
        {"permutations": [[0, 1]] * 10**7, "label": ""},
        {"permutations": [[10**30, 0]], "label": ""},
        {"permutations": {"a": 1}, "label": ""},
        {"permutations": [{0: 1}], "label": ""},
        {"permutations": [[["deep"]]], "label": ""},
        {"matrices": [[[10**400]]], "label": ""},
        {"matrices": [[[True]]], "label": ""},
        {"table": [[0]] * 10**6, "label": ""},
        {"table": [[0]], "label": 5},
        {"name": None},
    ],
    ids=range(14),
)
def test_crafted_group_data_is_refused(data: Any) -> None:
    with pytest.raises((GroupError, ArgumentError, GroupTooLargeError)):
        from_dict(data)
