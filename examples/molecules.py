"""QM9 molecules of one size, as Coulomb matrices and atomisation energies.

Arrays of matrices are (N, n, n), and (N, n n) where scikit-learn wants rows.

The molecules come in the package `qm9pack` (MIT licence, 104 MB): Ramakrishnan, Dral, Rupp and von
Lilienfeld, Scientific Data 1, 140022 (2014). The Coulomb matrix is that of Rupp, Tkatchenko, Mueller
and von Lilienfeld, Physical Review Letters 108, 058301 (2012).
"""

from __future__ import annotations

import csv
import importlib.util
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sparseaug.errors import ArgumentError, UnsupportedError

Floats = NDArray[np.float64]

BOHR = 0.529177210903  # in angstrom
HARTREE = 27.211386245988  # in electronvolt
CHARGES = {"H": 1, "C": 6, "N": 7, "O": 8, "F": 9}
# energies of free atoms, from the reference file of QM9, in hartree and by nuclear charge
FREE_ATOMS = {1: -0.500273, 6: -37.846772, 7: -54.583861, 8: -75.064579, 9: -99.718730}


@dataclass(frozen=True)
class Molecules:
    """Coulomb matrices (N, n, n) in the order of atoms of the file, and energies (N,) in eV."""

    matrices: Floats
    energies: Floats

    def __len__(self) -> int:
        return len(self.energies)


@dataclass(frozen=True)
class Split:
    """Training and test molecules, each in an order of its own; energies in eV."""

    x_train: Floats
    y_train: Floats
    x_test: Floats
    y_test: Floats


def read_molecules(size: int, limit: int | None = None) -> Molecules:
    """All molecules of QM9 with exactly `size` atoms, hydrogen included, or the first `limit` of them.

    The energy is that of atomisation at 0 K (below 0 for a bound molecule).
    """
    matrices, energies = [], []
    for line in _lines():
        if line["N_atoms"] != str(size):
            continue
        charges = np.array([CHARGES[name.strip(" '")] for name in _items(line["Elements"])])
        positions = np.array(_items(line["XYZ_Ang"]), float).reshape(-1, 3)
        matrices.append(coulomb_matrix(charges, positions))
        free = sum(FREE_ATOMS[charge] for charge in charges.tolist())
        energies.append((float(line["InternalEnergy_0K_au"]) - free) * HARTREE)
        if len(energies) == limit:
            break
    if not energies:
        raise ArgumentError(f"size={size} has no molecule in QM9; give 3 to 27, or 29.")
    return Molecules(np.array(matrices), np.array(energies))


def split(molecules: Molecules, train: int, test: int, *, seed: int | None, apart: int) -> Split:
    """Molecules of a seed in uniformly random orders; None: `apart` others, which no seed sees."""
    shuffled = np.random.default_rng(0).permutation(len(molecules))
    pool = shuffled[:apart] if seed is None else shuffled[apart:]
    rng = np.random.default_rng(apart if seed is None else seed)
    chosen = rng.permutation(pool)[: train + test]
    orders = rng.permuted(
        np.tile(np.arange(molecules.matrices.shape[-1]), (len(chosen), 1)), axis=1
    )
    x = molecules.matrices[chosen[:, None, None], orders[:, :, None], orders[:, None, :]]
    y = molecules.energies[chosen]
    return Split(x[:train], y[:train], x[train:], y[train:])


def coulomb_matrix(charges: NDArray[np.int64], positions: Floats) -> Floats:
    """Z_i Z_j / |r_i - r_j| off the diagonal, Z_i^2.4 / 2 on it; positions in angstrom.

    >>> coulomb_matrix(np.array([1, 1]), np.array([[0, 0, 0], [0, 0, 2 * BOHR]]))
    array([[0.5, 0.5], [0.5, 0.5]])
    """
    distances = np.linalg.norm(positions[:, None] - positions[None], axis=-1) / BOHR
    np.fill_diagonal(distances, 1.0)
    matrix: Floats = np.outer(charges, charges) / distances
    np.fill_diagonal(matrix, 0.5 * charges**2.4)
    return matrix


def sort_rows(matrices: Floats) -> Floats:
    """Atoms in the order of falling row norms: the usual canonical form, the same for all orders."""
    order = np.argsort(-np.linalg.norm(matrices, axis=-1), axis=-1, kind="stable")
    rows = np.take_along_axis(matrices, order[:, :, None], axis=1)
    return np.take_along_axis(rows, order[:, None, :], axis=2)


def upper(rows: Floats) -> Floats:
    """The upper triangles, as the matrices come; `rows` are flattened matrices."""
    matrices = _square(rows)
    row, column = np.triu_indices(matrices.shape[-1])
    return matrices[:, row, column]


def sorted_upper(rows: Floats) -> Floats:
    """The upper triangles with atoms sorted by row norm: a canonical form."""
    return upper(sort_rows(_square(rows)))


def spectrum(rows: Floats) -> Floats:
    """The eigenvalues: the same for all orders, though not for one molecule alone."""
    return np.asarray(np.linalg.eigvalsh(_square(rows)), np.float64)


# what kernel ridge regression may look at; the last two are the same for all orders of the atoms
FORMS = {"none": upper, "sorted": sorted_upper, "spectrum": spectrum}


def _square(rows: Floats) -> Floats:
    size = rows.shape[-1] if rows.ndim == 3 else math.isqrt(rows.shape[-1])
    return rows.reshape(-1, size, size)


def _lines() -> Iterator[dict[str, str]]:
    """The molecules as the package's files have them, in their order."""
    # the package is found, not imported: its import needs pkg_resources, which setuptools has dropped,
    # and its own reader takes in all 130,831 molecules
    found = importlib.util.find_spec("qm9pack")
    if found is None or not found.submodule_search_locations:
        raise UnsupportedError(
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
