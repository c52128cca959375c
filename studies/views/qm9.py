"""The molecules of QM9 as the package qm9pack has them, and Coulomb matrices.

The package (MIT licence, 104 MB) holds Ramakrishnan, Dral, Rupp and von Lilienfeld, Scientific Data 1,
140022 (2014). The Coulomb matrix is that of Rupp, Tkatchenko, Mueller and von Lilienfeld, Physical
Review Letters 108, 058301 (2012).
"""

from __future__ import annotations

import csv
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparseaug.errors import MissingPackageError
from sparseaug.kernels.arrays import Floats

BOHR = 0.529177210903  # in angstrom
HARTREE = 27.211386245988  # in electronvolt
CHARGES = {"H": 1, "C": 6, "N": 7, "O": 8, "F": 9}
# energies of free atoms, from the reference file of QM9, in hartree and by nuclear charge
FREE_ATOMS = {1: -0.500273, 6: -37.846772, 7: -54.583861, 8: -75.064579, 9: -99.718730}


class Molecule(NamedTuple):
    """Nuclear charges (n,), positions (n, 3) in angstrom, atomisation energy at 0 K in eV (below 0)."""

    charges: NDArray[np.int64]
    positions: Floats
    energy: float


def molecules(*, atoms: int | None = None, heavy: int | None = None) -> Iterator[Molecule]:
    """Those with so many atoms, or with so many atoms that are not hydrogen, in the file's order."""
    for line in _lines():
        if atoms is not None and line["N_atoms"] != str(atoms):
            continue
        names = [name.strip(" '") for name in _items(line["Elements"])]
        if heavy is not None and len(names) - names.count("H") != heavy:
            continue
        charges = np.array([CHARGES[name] for name in names])
        positions = np.array(_items(line["XYZ_Ang"]), float).reshape(-1, 3)
        free = sum(FREE_ATOMS[charge] for charge in charges.tolist())
        yield Molecule(charges, positions, (float(line["InternalEnergy_0K_au"]) - free) * HARTREE)


def coulomb_matrix(charges: NDArray[np.int64], positions: Floats) -> Floats:
    """Z_i Z_j / |r_i - r_j| off the diagonal, Z_i^2.4 / 2 on it; positions in angstrom.

    Examples:
        >>> coulomb_matrix(np.array([1, 1]), np.array([[0, 0, 0], [0, 0, 2 * BOHR]]))
        array([[0.5, 0.5], [0.5, 0.5]])
    """
    distances = np.linalg.norm(positions[:, None] - positions[None], axis=-1) / BOHR
    np.fill_diagonal(distances, 1.0)
    matrix: Floats = np.outer(charges, charges) / distances
    np.fill_diagonal(matrix, 0.5 * charges**2.4)
    return matrix


def _lines() -> Iterator[dict[str, str]]:
    """The molecules as the package's files have them, in their order."""
    # the package is found, not imported: its import needs pkg_resources, which setuptools has dropped,
    # and its own reader takes in all 130,831 molecules
    found = importlib.util.find_spec("qm9pack")
    if found is None or not found.submodule_search_locations:
        raise MissingPackageError(
            "the molecules are in the package qm9pack, which is not installed; "
            "pip install 'sparseaug[examples]', or pip install qm9pack==1.0.3 (104 MB)."
        )
    for part in (1, 2, 3):
        path = Path(found.submodule_search_locations[0]) / "data" / f"qm9_part{part}.csv"
        with path.open(newline="", encoding="utf-8") as file:
            yield from csv.DictReader(file)


def _items(text: str) -> list[str]:
    """The entries of a list, of whatever depth, that a file has as text."""
    return text.replace("[", "").replace("]", "").split(",")
