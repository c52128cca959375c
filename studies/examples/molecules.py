"""QM9 molecules of one size, as Coulomb matrices and atomisation energies.

Arrays of matrices are (N, n, n), and (N, n n) where scikit-learn wants rows.

The molecules come in the package `qm9pack` (MIT licence, 104 MB): Ramakrishnan, Dral, Rupp and von
Lilienfeld, Scientific Data 1, 140022 (2014). The Coulomb matrix is that of Rupp, Tkatchenko, Mueller
and von Lilienfeld, Physical Review Letters 108, 058301 (2012).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from sparseaug.errors import ArgumentError
from studies.views.qm9 import coulomb_matrix, molecules

Floats = NDArray[np.float64]


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
    found = list(islice(molecules(atoms=size), limit))
    if not found:
        raise ArgumentError(f"size={size} has no molecule in QM9; give 3 to 27, or 29.")
    matrices = [coulomb_matrix(each.charges, each.positions) for each in found]
    return Molecules(np.array(matrices), np.array([each.energy for each in found]))


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
