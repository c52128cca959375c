"""Molecules whose atoms come in any order: the 5,040 orders of seven; sorting, and noisy sorting.

Molecules of QM9 with seven atoms other than hydrogen. Hydrogens go with the nearest of the seven: the
input is the 7 x 7 matrix of block sums of the Coulomb matrix, and the target the energy of
atomisation. The quick form has the molecules of up to five atoms in ASE's collection g2 and their
measured enthalpies of formation.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from sparseaug.actions import permute_nodes
from sparseaug.errors import need
from sparseaug.groups import symmetric
from sparseaug.kernels.arrays import Floats
from sparseaug.sampling import keyed_rng
from studies.rates.part import Task
from studies.views.case import Case, Prepared, absolute
from studies.views.models import regressor
from studies.views.orbit import Listed, Predict, moved_at_random
from studies.views.qm9 import coulomb_matrix, molecules
from studies.views.schemes import SIZES, Scheme, Views, gathered

SORTED = "Montavon et al. 2012; dscribe 2.1.1, descriptormatrix.py, permutation='sorted_l2'"
NOISY = (
    "Montavon et al. 2013, noise of variance 1, as in deepchem, CoulombMatrix(randomize=True); "
    "dscribe 2.1.1, descriptormatrix.py, permutation='random', sigma=1"
)
KERNEL = {"kernel": "laplacian", "gamma": 0.003, "alpha": 0.001}
"""Set while looking at the scores of first runs, in which a Gaussian kernel had five times the error."""


def numbers(quick: bool) -> dict[str, Any]:
    """Molecules, and orders of each that are trained on, by the kernel machine and the network."""
    if quick:
        return {"data": "g2", "atoms": 5, "train": 30, "test": 10, "copies": [2, 2]}
    return {"data": "QM9", "atoms": 7, "train": 1000, "test": 80, "copies": [2, 8]}


def prepare(task: Task) -> Prepared:
    """A network or kernel machine trained on a few random orders of each molecule, or on sorted ones."""
    x, y = _of_qm9(task["atoms"]) if task["data"] == "QM9" else _of_g2(task["atoms"])
    rng = keyed_rng(task["seed"], "views: atoms")
    chosen = rng.permutation(len(x))[: task["train"] + task["test"]]
    train, test = chosen[: task["train"]], chosen[task["train"] :]
    act = permute_nodes(symmetric(task["atoms"]))
    if task["model"].endswith("sorted"):
        seen, energies = _take(x[train], falling(x[train])), y[train]
    else:
        copies = task["copies"][task["model"] == "network"]
        seen = np.concatenate([moved_at_random(act, x[train], rng) for _ in range(copies)])
        energies = np.tile(y[train], copies)
    model = _on_triangles(task, seen, energies)
    orbit = Listed.of(model, act, x[test])
    return Prepared(orbit, y[test], [in_order(x[test]), at_random(x[test])])


def _on_triangles(task: Task, x: Floats, y: Floats) -> Predict:
    row, column = np.triu_indices(task["atoms"])
    how = {} if task["model"] == "network" else KERNEL
    model = regressor(task["model"], x[:, row, column], y, task["seed"], **how)
    return lambda x: model(x[:, row, column])


def falling(matrices: Floats) -> Any:
    """The order of falling row norms, of each matrix (n, atoms)."""
    return np.argsort(-np.linalg.norm(matrices, axis=-1), axis=-1, kind="stable")


def in_order(x: Floats) -> Scheme:
    """One view: atoms sorted by the norms of their rows."""
    rows = gathered(falling(x))[None]
    return Scheme("sorted", "field", (1,), lambda m, rng: Views(rows), SORTED)


def at_random(x: Floats) -> Scheme:
    """Sorted by norms to which Gaussian noise of variance 1 is added, in each view and molecule."""
    norms = np.linalg.norm(x, axis=-1)

    def views(m: int, rng: np.random.Generator) -> Views:
        noisy = norms + rng.standard_normal((m, *norms.shape))
        return Views(gathered(np.argsort(-noisy, axis=-1)))

    sizes = tuple(m for m in SIZES if m <= 128)
    return Scheme("noisy sorting", "field", sizes, views, NOISY, random=True)


def _take(matrices: Floats, orders: Any) -> Floats:
    n = np.arange(len(matrices))[:, None, None]
    return matrices[n, orders[:, :, None], orders[:, None, :]]


@cache
def _of_qm9(heavy: int) -> tuple[Floats, Floats]:
    matrices, energies = [], []
    for each in molecules(heavy=heavy):
        full = coulomb_matrix(each.charges, each.positions)
        centres = each.positions[each.charges > 1]
        distances = np.linalg.norm(each.positions[:, None] - centres[None], axis=-1)
        belongs = np.eye(heavy)[distances.argmin(axis=1)]
        matrices.append(belongs.T @ full @ belongs)
        energies.append(each.energy)
    return np.array(matrices), np.array(energies)


@cache
def _of_g2(most: int) -> tuple[Floats, Floats]:
    """Matrices padded with zeros, enthalpies of formation in eV."""
    build = need("ase.build", "the molecules of the study")
    data = need("ase.data.g2", "the molecules of the study").data
    matrices, enthalpies = [], []
    for name, facts in sorted(data.items()):
        if "enthalpy" in facts and 2 <= len(facts["positions"]) <= most:
            atoms = build.molecule(name)
            padded = np.zeros((most, most))
            padded[: len(atoms), : len(atoms)] = coulomb_matrix(atoms.numbers, atoms.positions)
            matrices.append(padded)
            enthalpies.append(facts["enthalpy"] * 0.0433641)  # eV per kcal/mol
    return np.array(matrices), np.array(enthalpies)


CASE = Case(
    "atoms",
    "Molecules, 5040 orders",
    ("kernel", "network", "kernel, trained sorted"),
    absolute("eV"),
    numbers,
    prepare,
    degree=2,
)
