"""Relabellings of identical atoms: the product of symmetric groups that they are, at real size."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.testing import check_action, check_group

COUNTS = [9, 8, 4]
SPECIES = ["C"] * 9 + ["H"] * 8 + ["O"] * 4


@pytest.fixture(scope="module")
def found() -> Any:
    return sa.sources.identical_atoms(COUNTS)


def permutation_matrices(rows: np.ndarray) -> np.ndarray:
    return np.eye(rows.shape[1])[rows].swapaxes(1, 2)


def test_draws_keep_every_species_and_reach_every_place(found: Any) -> None:
    """Missing one of 81 + 64 + 16 cells in 300 draws has probability below 161 (8/9)^300 < 1e-12."""
    S = sa.Oracle(found.group, seed=0).draw(300)
    species = np.array(SPECIES)
    assert (species[S.elements] == species).all()
    reached = permutation_matrices(S.elements).any(axis=0)
    assert np.array_equal(reached, species[:, None] == species)
    x = np.random.default_rng(0).normal(size=(2, 21, 3))
    check_action(found.action, x)
    check_group(found.group)
    moved = found.action(S.elements[:1], x)[0]
    assert np.array_equal(moved[:, S.elements[0]], x)


def test_the_deviation_on_single_atoms_is_the_norm_of_a_matrix(found: Any) -> None:
    S = sa.Oracle(found.group, seed=0).draw(50)
    same = np.equal.outer(SPECIES, SPECIES)
    wanted = np.linalg.norm(permutation_matrices(S.elements).mean(axis=0) - same / same.sum(0), 2)
    one, two = (sa.deviation(S, degree=degree).value for degree in (1, 2))
    assert one == pytest.approx(wanted, abs=1e-5)
    assert one <= two < 1


@pytest.mark.parametrize(("counts", "m"), [([2, 6], 6), ([9, 8, 4], 288), ([1, 5, 1], 5)])
def test_designs_of_atoms_are_those_of_the_product(counts: list[int], m: int) -> None:
    group = sa.sources.identical_atoms(counts).group
    S = sa.design(group, degree=1)
    assert S.m == m
    assert sa.deviation(S, degree=1).value < 1e-12
    moved = np.array([(S.elements == place).mean(axis=0) for place in range(group.width)])
    starts = np.cumsum([0, *counts])
    for start, stop in itertools.pairwise(starts.tolist()):  # each atom in each place of its own
        np.testing.assert_allclose(moved[start:stop, start:stop], 1 / (stop - start))
