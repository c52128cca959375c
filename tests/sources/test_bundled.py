"""Site permutations beside spglib's orbits, on the crystals that ASE brings along."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sparseaug.sources import crystal

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of spglib
    pytest.mark.filterwarnings("ignore::sparseaug.errors.SymmetryWarning"),
]


def elements() -> list[Any]:
    """71 elements of the Delta test, by ASE."""
    collections = pytest.importorskip("ase.collections")
    found = [collections.dcdft[name] for name in collections.dcdft.names]
    return [(np.array(one.get_cell()), one.get_scaled_positions(), one.numbers) for one in found]


def orbits(labels: list[int]) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(np.array(labels) == one).tolist()) for one in set(labels)}


def check_sites(cell: Any) -> None:
    import spglib

    theirs = spglib.get_symmetry_dataset(cell, symprec=1e-3)
    ours = crystal(cell)
    assert ours.group.order == len(theirs.rotations)
    reached = np.array(ours.action.images).min(axis=0)  # of each site the first site of its orbit
    assert orbits(reached.tolist()) == orbits(theirs.equivalent_atoms.tolist())


@pytest.mark.parametrize("step", [15, pytest.param(1, marks=pytest.mark.slow)])
def test_sites_change_places_within_the_orbits_of_spglib(step: int) -> None:
    for cell in elements()[::step]:
        check_sites(cell)
