"""The worst irrep of a block: beside all irreps one by one, and where S is known to be blind."""

from __future__ import annotations

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.groups.degrees.shapes import cycle_numbers, is_halved, shape_degree, smallest_above
from sparseaug.groups.young import dimension, partitions


def worst(group, S, by=None):
    blocks = group.degrees(by)
    return blocks.worst_squares(S, blocks.mean_squares(S))


@pytest.mark.parametrize("name", ["Z2^6", "C4xC3xC5", "C12xC12", "S4xC6", "S3xZ2^4", "C7:C6"])
def test_the_worst_of_a_block_is_the_worst_of_its_irreps(name):
    """Irreps one by one are those of a spectrum that is exact."""
    if name == "C7:C6":
        group = sa.permutation_group([[1, 2, 3, 4, 5, 6, 0], [0, 3, 6, 2, 5, 1, 4]])
    else:
        group = sa.group(name)
    S = sa.Oracle(group, seed=3).draw(7)
    one_by_one = group.degrees(whole=True)
    squares, blocks = one_by_one.mean_squares(S), group.degrees()
    found = dict(zip(blocks.degrees, worst(group, S), strict=True))
    if group.factors:
        assert max(worst(group, S)) == pytest.approx(squares.max(), rel=1e-9)
        return
    for degree, value in found.items():
        own = squares[[d == degree for d in one_by_one.degrees]]
        assert value == pytest.approx(own.max(), rel=1e-9)


def test_even_permutations_are_blind_to_the_sign():
    group = sa.symmetric(14)
    assert worst(group, sa.design(group, name="PSL(2,13)"))[-1] == pytest.approx(1.0)
    S = sa.Oracle(group, seed=1).draw(32)
    assert 1 / 32 < worst(group, S)[-1] < 0.15  # and draws are not


@pytest.mark.parametrize("even", [False, True])
def test_the_bound_above_degree_three_holds_for_every_irrep_of_n_thirteen(even):
    group = sa.alternating(13) if even else sa.symmetric(13)
    S = sa.Oracle(group, seed=0).draw(3)
    bound = worst(group, S)[-1]
    rows = group.compose(group.inverse(S.elements)[:, None], S.elements[None]).reshape(-1, 13)
    from sparseaug.groups.young import characters_at

    types = [
        tuple(k + 1 for k in range(12, -1, -1) for _ in range(c[k])) for c in cycle_numbers(rows)
    ]
    tables = [characters_at(kind) for kind in types]
    for shape in partitions(13):
        if shape_degree(shape, even) > 3:
            square = np.mean([table.get(shape, 0) for table in tables]) / dimension(shape)
            assert square <= bound + 1e-12
    assert bound < 0.8


def test_the_smallest_irreps_above_degree_three():
    for n in range(13, 25):
        for even in (False, True):
            sizes = [
                dimension(shape) / (1 + is_halved(shape, even))
                for shape in partitions(n)
                if shape_degree(shape, True) > 3
            ]
            assert smallest_above(n, even=even) == min(sizes)
