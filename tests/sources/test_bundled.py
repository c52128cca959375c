"""Site permutations beside spglib's orbits, on the crystals that ASE and pymatgen bring along."""

from __future__ import annotations

import gzip
import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparseaug.sources import crystal

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of spglib
    pytest.mark.filterwarnings("ignore::sparseaug.errors.SymmetryWarning"),
]
PROTOTYPES = "analysis/prototypes/aflow_prototypes.json.gz"


def elements() -> list[Any]:
    """71 elements of the Delta test, by ASE."""
    collections = pytest.importorskip("ase.collections")
    found = [collections.dcdft[name] for name in collections.dcdft.names]
    return [(np.array(one.get_cell()), one.get_scaled_positions(), one.numbers) for one in found]


def prototypes() -> list[Any]:
    """288 prototypes of AFLOW, by pymatgen."""
    spec = find_spec("pymatgen")
    places = [Path(one) / PROTOTYPES for one in (spec and spec.submodule_search_locations) or ()]
    files = [place for place in places if place.exists()]
    if not files:
        pytest.skip("needs pymatgen, which is not installed")
    cells = []
    for entry in json.loads(gzip.decompress(files[0].read_bytes())):
        sites = entry["snl"]["sites"]
        kinds = np.unique([site["species"][0]["element"] for site in sites], return_inverse=True)[1]
        cells.append((entry["snl"]["lattice"]["matrix"], [site["abc"] for site in sites], kinds))
    return cells


def orbits(labels: list[int]) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(np.array(labels) == one).tolist()) for one in set(labels)}


def check_sites(cell: Any) -> None:
    import spglib

    theirs = spglib.get_symmetry_dataset(cell, symprec=1e-3)
    ours = crystal(cell)
    assert ours.group.order == len(theirs.rotations)
    reached = np.array(ours.action.images).min(axis=0)  # of each site the first site of its orbit
    assert orbits(reached.tolist()) == orbits(theirs.equivalent_atoms.tolist())


@pytest.mark.parametrize("cells", [elements, prototypes])
def test_sites_change_places_within_the_orbits_of_spglib_for_some_crystals(cells: Any) -> None:
    for cell in cells()[::25]:
        check_sites(cell)
