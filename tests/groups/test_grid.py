"""Shifts, turns and flips of a grid, against NumPy's own roll, rot90 and fliplr."""

from __future__ import annotations

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import UnsupportedError
from sparseaug.groups.representations import class_labels
from sparseaug.norms.generation import generated_order
from sparseaug.norms.regular import regular_norm


def by_numpy(row: np.ndarray, grid: np.ndarray, n: int) -> np.ndarray:
    """Flip, then turn, then shift, in steps of size / n."""
    t1, t2, a, f = row
    grid = np.fliplr(grid) if f else grid
    step = len(grid) // n
    return np.roll(np.rot90(grid, a), (t1 * step, t2 * step), axis=(0, 1))


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_the_law_is_that_of_numpys_roll_rot90_and_fliplr_for_all_pairs(n):
    """Every pair of elements, on a grid of 3 n cells a side, where no two elements look alike."""
    group = sa.grid_symmetries(n)
    rows, size = group.all_elements(), 3 * n
    grid = np.arange(size * size).reshape(size, size)
    sources = np.array([by_numpy(row, grid, n).ravel() for row in rows])
    assert len(np.unique(sources, axis=0)) == group.order == 8 * n * n
    products = group.rank(group.compose(rows[:, None], rows[None]).reshape(-1, 4)).reshape(
        len(rows), len(rows)
    )
    for a, source in enumerate(sources):  # a after b reads b's result at a's sources
        assert np.array_equal(sources[products[a]], sources[:, source])


@pytest.mark.parametrize(("n", "seen"), [(1, 1), (2, 8), (3, 72), (4, 128), (5, 200)])
def test_the_cells_show_every_element_from_n_3_on(n, seen):
    group = sa.grid_symmetries(n)
    rows = group.all_elements()
    grid = np.arange(n * n).reshape(n, n)
    moved = np.array([by_numpy(row, grid, n).ravel() for row in rows])
    assert len(np.unique(moved, axis=0)) == seen
    assert (group.points is None) == (seen < group.order)
    if group.points is None:
        with pytest.raises(UnsupportedError, match="does not permute points"):
            group.permutations(rows)
    else:  # the cell at c goes to p(c): what is then at p(c) came from c
        p = group.permutations(rows)
        assert np.array_equal(
            np.take_along_axis(moved, p, axis=1), np.tile(grid.ravel(), (len(p), 1))
        )


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 8])
def test_there_are_as_many_irreps_as_conjugacy_classes(n):
    group = sa.grid_symmetries(n)
    dimensions = [irrep.dimension for irrep in group.irreps()]
    assert len(dimensions) == class_labels(group).max() + 1
    assert sum(d * d for d in dimensions) == group.order
    assert group.dimension_sum() == (sum(dimensions) - 1, True)


def test_deviation_by_irreps_equals_that_of_the_regular_representation():
    for n, m in ((1, 3), (2, 5), (3, 9), (5, 20)):
        S = sa.Oracle(sa.grid_symmetries(n), seed=m).draw(m)
        found, regular = sa.deviation(S), regular_norm(S)
        assert found.rigorous
        assert found.value == pytest.approx(regular.upper, abs=1e-9)
        assert regular.lower <= found.value + 1e-12


def test_a_sample_of_shifts_only_is_told_why_it_cannot_work():
    group = sa.grid_symmetries(8)
    rows = [[i, j, 0, 0] for i in range(8) for j in range(8)]
    S = sa.GroupSample(group, rows)
    assert generated_order(S) == 64
    assert "subgroup of order 64, index 8 in Grid8" in sa.deviation(S).reason
