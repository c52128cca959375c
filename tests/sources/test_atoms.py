"""Relabellings of identical atoms: the product of symmetric groups that they are, at real size."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import ArgumentError
from sparseaug.norms.regular import regular_norm
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


def test_order_and_family_are_those_of_the_product(found: Any) -> None:
    assert found.group.order == math.prod(math.factorial(k) for k in COUNTS)
    known = found.group.known_as()
    assert known.group is not found.group
    assert known.group.name == "S9xS8xS4"
    assert found.group.dimension_sum() == known.group.dimension_sum()


def test_the_deviation_on_single_atoms_is_the_norm_of_a_matrix(found: Any) -> None:
    S = sa.Oracle(found.group, seed=0).draw(50)
    same = np.equal.outer(SPECIES, SPECIES)
    wanted = np.linalg.norm(permutation_matrices(S.elements).mean(axis=0) - same / same.sum(0), 2)
    one, two = (sa.deviation(S, degree=degree).value for degree in (1, 2))
    assert one == pytest.approx(wanted, abs=1e-5)
    assert one <= two < 1


def test_a_plan_is_that_of_the_product_of_symmetric_groups(found: Any) -> None:
    constants = {"eps": 0.5, "delta": 0.1, "C": 1.0, "B": 1.0, "L": 1.0, "gap": 1.0}
    ours = sa.plan(found.group, **constants)
    product = sa.direct_product(*(sa.symmetric(k) for k in COUNTS))
    theirs = sa.plan(product, **constants)
    for one, other in zip(ours.rows, theirs.rows, strict=True):
        assert (one.method, one.m, one.steps, one.calls) == (
            *(other.method, other.m),
            *(other.steps, other.calls),
        )


def test_a_plan_in_draws_with_a_degree_finds_a_sample_that_holds(found: Any) -> None:
    planned = sa.plan(found.group, deviation=0.5, degree=1)
    (row,) = (row for row in planned.rows if row.method == "draw_until")
    S = sa.Oracle(found.group, seed=0).draw(row.calls)
    assert sa.deviation(S, degree=1).value <= 0.5


def test_the_exact_deviation_of_few_atoms_is_that_of_the_product() -> None:
    found = sa.sources.identical_atoms(species=["H", "C", "H", "C", "H"])
    S = sa.Oracle(found.group, seed=0).draw(6)
    known = found.group.known_as()
    product = sa.direct_product(sa.symmetric(3), sa.symmetric(2))
    assert known.group == product
    moved = np.concatenate(
        [
            np.array([0, 0, 1, 0, 2])[S.elements[:, [0, 2, 4]]],
            np.array([0, 0, 0, 1, 0])[S.elements[:, [1, 3]]],
        ],
        axis=1,
    )
    wanted = sa.deviation(sa.GroupSample(product, moved)).value
    assert sa.deviation(S).value == wanted
    assert wanted == pytest.approx(regular_norm(S).upper, abs=1e-9)


def test_species_say_the_same_as_counts_for_sorted_atoms(found: Any) -> None:
    assert sa.sources.identical_atoms(species=SPECIES) == found
    assert sa.sources.identical_atoms(species=["O", "H", "H"]).group.order == 2
    assert sa.sources.identical_atoms([1, 1]).group.order == 1


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({}, "give one of them"),
        ({"counts": [1], "species": ["H"]}, "give one of them"),
        ({"counts": [0, 2]}, "counts"),
        ({"counts": []}, "counts has 0 atoms"),
        ({"species": "H2O"}, "species="),
        ({"species": ["H", float("nan")]}, "equals itself"),
    ],
)
def test_bad_atoms_are_named(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(ArgumentError) as error:
        sa.sources.identical_atoms(**options)
    assert reason in str(error.value)


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_a_plan_for_a_degree_is_as_sharp_as_that_of_the_family(found: Any, degree: int) -> None:
    ours = sa.plan(found.group, deviation=0.25, degree=degree, draw=False)
    family = sa.plan(sa.group("S9xS8xS4"), deviation=0.25, degree=degree, draw=False)
    assert ours.facts["dimension_sum"] == family.facts["dimension_sum"]
    assert ours.facts["dimension_sum_exact"]
    assert ours.row("one-shot sharp").m == family.row("one-shot sharp").m


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


def test_all_relabellings_are_exact_to_every_degree_though_some_atoms_stay() -> None:
    group = sa.sources.identical_atoms([1, 3]).group
    assert sa.design(group, degree=4).m == 6


def test_designs_of_recognised_pairs_are_those_of_signed_permutations() -> None:
    pairs = sa.permutation_group([[1, 0, 2, 3, 4, 5], [2, 3, 0, 1, 4, 5], [2, 3, 4, 5, 0, 1]])
    S = sa.design(pairs, degree=1)
    assert S.m == sa.design(sa.hyperoctahedral(3), degree=1).m < pairs.order
    assert sa.deviation(S, degree=1).value < 1e-12
