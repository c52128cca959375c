"""The regular representation against dense brute force."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import GroupTooLargeError
from sparseaug.norms.regular import left_translations, regular_norm
from tests.references import dense_norm

QUATERNIONS = np.array(
    [
        [0, 1, 2, 3, 4, 5, 6, 7],
        [1, 0, 3, 2, 5, 4, 7, 6],
        [2, 3, 1, 0, 6, 7, 5, 4],
        [3, 2, 0, 1, 7, 6, 4, 5],
        [4, 5, 7, 6, 1, 0, 2, 3],
        [5, 4, 6, 7, 0, 1, 3, 2],
        [6, 7, 4, 5, 3, 2, 1, 0],
        [7, 6, 5, 4, 2, 3, 0, 1],
    ]
)

GROUPS = [
    sa.symmetric(3),
    sa.symmetric(4),
    sa.symmetric(5),
    sa.alternating(5),
    sa.hyperoctahedral(3),
    sa.dihedral(5),
    sa.cyclic(12),
    sa.sign_flips(5),
    sa.groups.cube_rotations(),
    sa.groups.cube_symmetries(),
    sa.direct_product(sa.cyclic(4), sa.dihedral(3)),
    sa.table_group(QUATERNIONS, label="quaternions"),
    sa.permutation_group([[1, 2, 3, 4, 5, 6, 0], [0, 2, 4, 6, 1, 3, 5]], label="Frobenius21"),
]
CERTAIN = 1e-13  # NumPy's own norm may be off by this, relatively


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
@pytest.mark.parametrize("m", [1, 2, 5, 24])
def test_norm_equals_the_dense_norm_of_the_regular_representation(group, m):
    S = sa.Oracle(group, seed=m).draw(m)
    norm = regular_norm(S)
    truth = dense_norm(S)
    assert norm.failure_probability == 0.0
    assert norm.lower <= truth * (1 + CERTAIN)
    assert truth * (1 - CERTAIN) <= norm.upper <= truth + 1e-10
    assert truth - 1e-10 <= norm.lower


@pytest.mark.parametrize("group", [sa.symmetric(6), sa.alternating(6), sa.hyperoctahedral(4)])
def test_norm_equals_the_dense_norm_for_some_hundred_elements(group):
    S = sa.Oracle(group, seed=0).draw(16)
    norm = regular_norm(S)
    assert norm.lower <= norm.upper
    np.testing.assert_allclose([norm.lower, norm.upper], dense_norm(S), atol=1e-10, rtol=0)


def test_norm_of_M11_is_the_largest_over_induced_blocks():
    # l2(G) is the sum over characters chi of a cyclic subgroup C of Ind_C^G(chi): 720 dimensions
    group = sa.groups.mathieu(11)
    S = sa.Oracle(group, seed=0).draw(16)
    elements = group.unrank(np.arange(group.order))
    cycle = group.generators()[:1]
    powers = [group.identity()]
    for _ in range(10):
        powers.append(group.compose(powers[-1], cycle))
    ranks = np.stack([group.rank(group.compose(elements, c)) for c in powers])
    first, exponent = ranks.min(axis=0), -ranks.argmin(axis=0) % 11  # h = first c^exponent
    heads = np.unique(first)
    truth = 0.0
    for frequency in range(6):
        block = np.zeros((len(heads), len(heads)), complex)
        for g in S.elements:
            image = group.rank(group.compose(g[None], elements[heads]))
            phase = np.exp(2j * np.pi * frequency * exponent[image] / 11)
            block[np.searchsorted(heads, first[image]), np.arange(len(heads))] += phase / S.m
        if frequency == 0:
            block -= 1 / len(heads)
        truth = max(truth, float(np.linalg.norm(block, 2)))
    norm = regular_norm(S)
    np.testing.assert_allclose([norm.lower, norm.upper], truth, atol=1e-10, rtol=0)


def test_a_sample_inside_a_coset_of_a_subgroup_has_norm_1():
    group = sa.symmetric(5)
    even = sa.Oracle(sa.alternating(5), seed=0).draw(20).elements
    odd = group.compose(np.array([[1, 0, 2, 3, 4]]), even)
    norm = regular_norm(sa.GroupSample(group, odd))
    assert 1 - 1e-11 <= norm.lower <= norm.upper == 1.0


@pytest.mark.parametrize("group", [sa.symmetric(4), sa.cyclic(6), sa.cyclic(1)])
def test_the_whole_group_has_norm_0(group):
    whole = np.concatenate(list(group.elements()))
    for copies in (1, 3):
        norm = regular_norm(sa.GroupSample(group, np.tile(whole, (copies, 1))))
        assert norm.lower == 0.0
        assert norm.upper < 1e-6


@pytest.mark.parametrize(
    "group",
    [
        sa.groups.mathieu(11),
        sa.symmetric(6),
        sa.alternating(6),
        sa.dihedral(9),
        sa.groups.cube_symmetries(),
    ],
    ids=lambda group: group.name,
)
def test_left_translations_are_the_ranks_of_the_products(group):
    elements = group.sample(3, np.random.default_rng(0))
    h = group.unrank(np.arange(group.order))
    for row, g in zip(left_translations(group, elements), elements, strict=True):
        np.testing.assert_array_equal(row, group.rank(group.compose(g[None], h)))


def test_progress_counts_up_to_its_total():
    seen = []
    regular_norm(
        sa.Oracle(sa.symmetric(5), seed=0).draw(8),
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen[-1][0] == seen[-1][1]
    assert all(a[0] <= b[0] for a, b in pairwise(seen))


def test_what_is_too_large_or_wrong_is_refused():
    with pytest.raises(GroupTooLargeError, match="S13"):
        regular_norm(sa.Oracle(sa.symmetric(13), seed=0).draw(4))
