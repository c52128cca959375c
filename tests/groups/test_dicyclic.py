"""Quaternion groups: Hamilton's rules, the order of every element, irreps, files."""

from __future__ import annotations

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import ArgumentError, GroupError
from sparseaug.groups.representations import class_labels
from sparseaug.spectral.regular import regular_norm

HAMILTON = {  # row (a, f) of Q8 as the quaternion i^a j^f
    (1, 0): np.array([[1j, 0], [0, -1j]]),
    (0, 1): np.array([[0, 1], [-1, 0]]),
}


def quaternion(row: np.ndarray) -> np.ndarray:
    a, f = row.tolist()
    i, j = HAMILTON[1, 0], HAMILTON[0, 1]
    return np.linalg.matrix_power(i, a) @ np.linalg.matrix_power(j, f)


def test_q8_multiplies_as_hamilton_has_it():
    g = sa.dicyclic(2)
    rows = g.all_elements()
    for a in rows:
        for b in rows:
            product = g.compose(a[None], b[None])[0]
            assert np.array_equal(quaternion(product), quaternion(a) @ quaternion(b))


@pytest.mark.parametrize("n", [2, 3, 4, 5, 9])
def test_there_is_one_element_of_order_two_and_the_flips_have_order_four(n):
    g = sa.dicyclic(n)
    rows = g.all_elements()
    squares = g.rank(g.compose(rows, rows))
    assert (squares == 0).sum() == 2
    assert (squares[rows[:, 1] == 1] == g.rank([[n, 0]])).all()


@pytest.mark.parametrize("n", [2, 3, 4, 7, 8])
def test_there_are_as_many_irreps_as_conjugacy_classes(n):
    g = sa.dicyclic(n)
    dimensions = [irrep.dimension for irrep in g.irreps()]
    assert len(dimensions) == class_labels(g).max() + 1 == n + 3
    assert sum(d * d for d in dimensions) == g.order
    assert g.dimension_sum() == (sum(dimensions) - 1, True)


def test_a_sample_is_judged_with_a_reason_saved_and_loaded(tmp_path):
    g = sa.group("Q12")
    S = sa.Oracle(g, seed=1).draw(30)
    found, regular = sa.deviation(S), regular_norm(S)
    assert found.rigorous
    assert found.value == pytest.approx(regular.upper, abs=1e-9)
    S.save(tmp_path / "S.safetensors")
    assert sa.GroupSample.load(tmp_path / "S.safetensors") == S
    turns = sa.GroupSample(sa.group("Q400"), [[a, 1] for a in range(0, 200, 2)])
    assert "subgroup of order 100, index 4 in Q400" in sa.deviation(turns).reason


def test_sizes_that_are_none_are_named():
    for name in ("Q4", "Q10", "Q9", "Q1"):
        with pytest.raises(GroupError, match=f"{name} is not a group; quaternion groups are Q8"):
            sa.group(name)
    for n in (0, 1, 2.0, "3", None, True, 10**30):
        with pytest.raises(ArgumentError, match="n="):
            sa.dicyclic(n)
