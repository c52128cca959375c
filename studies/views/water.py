"""Water in any orientation: all rotations of space; product grids of Lebedev's rules.

Displaced structures of one molecule, with the energies of ASE's effective medium theory, which is
invariant, and a model of the nine coordinates that knows nothing of rotations.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import lebedev_rule
from scipy.spatial.transform import Rotation

from sparseaug.actions import rotate
from sparseaug.errors import need
from sparseaug.groups import rotations
from sparseaug.kernels.arrays import Floats
from sparseaug.sampling import keyed_rng
from studies.rates.part import Task
from studies.views.case import Case, Prepared, root_square
from studies.views.models import regressor
from studies.views.orbit import Turned, moved_at_random, product_grid
from studies.views.schemes import SIZES, Scheme, fixed

METATOMIC = (
    "metatomic-ase 0.1.2, _symmetry.py, SymmetrizedCalculator(l_max={}, include_inversion=False)"
)
IPI = "i-PI 3.3.0, utils/mathtools.py, get_rotation_quadrature_lebedev({})"


def numbers(quick: bool) -> dict[str, Any]:
    """Structures; for kernel and network, rotations of each to train on, and the grid's degree."""
    if quick:
        return {"train": 40, "test": 4, "copies": [1, 4], "degree": [21, 31]}
    return {"train": 1000, "test": 12, "copies": [1, 16], "degree": [41, 65]}


def prepare(task: Task) -> Prepared:
    """A network or kernel machine that has seen every structure in a few random orientations."""
    rng = keyed_rng(task["seed"], "views: water")
    x, y = _structures(task["train"] + task["test"], rng)
    train, test = slice(0, task["train"]), slice(task["train"], None)
    act = rotate(rotations(3))
    network = task["model"] == "network"
    copies = task["copies"][network]
    seen = np.concatenate([moved_at_random(act, x[train], rng) for _ in range(copies)])
    how = {"activation": "tanh"} if network else {"gamma": 0.15, "alpha": 1e-4}
    model = regressor(task["model"], seen, np.tile(y[train], copies), task["seed"], **how)
    orbit = Turned(model, x[test], task["degree"][network])
    return Prepared(orbit, y[test], [*metatomic(), *ipi()])


def metatomic() -> list[Scheme]:
    """Lebedev's rule of degree l or more x (2 l + 1) even angles, the first to act."""
    found = []
    for degree in (1, 2, 3, 4):
        rows, weights = product_grid(degree, 2 * degree + 1)
        name, rule = f"metatomic, l = {degree}", METATOMIC.format(degree)
        found.append(fixed(name, "field", rows, rule, weights))
    return found


def ipi() -> list[Scheme]:
    """Lebedev's rule of degree L x L even angles, the last to act: R_z(c) R_x(b) R_z(a)."""
    found = []
    for L in (3, 5, 7):
        (x, y, z), shares = lebedev_rule(L)
        euler = np.empty((L, len(z), 3))
        euler[..., 0] = (2 * np.pi * np.arange(L) / L)[:, None]
        euler[..., 1], euler[..., 2] = np.arccos(z), np.arctan2(y, x)
        quaternions = Rotation.from_euler("ZXZ", euler.reshape(-1, 3)).as_quat()
        rows = rotations(3).canonical(quaternions[:, [3, 0, 1, 2]])
        weights = np.tile(shares / shares.sum() / L, L)
        found.append(fixed(f"i-PI, order {L}", "field", rows, IPI.format(L), weights))
    return found


def _structures(count: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Positions about their centre in angstrom, energies in meV less their mean."""
    build = need("ase.build", "the molecules of the study")
    theory = need("ase.calculators.emt", "the molecules of the study")
    atoms = build.molecule("H2O")
    atoms.calc = theory.EMT()
    start, found, energies = atoms.positions.copy(), [], []
    for _ in range(count):
        atoms.positions = start + 0.06 * rng.standard_normal(start.shape)
        atoms.positions -= atoms.positions.mean(axis=0)
        found.append(atoms.positions.copy())
        energies.append(1000 * atoms.get_potential_energy())
    return np.array(found), np.array(energies) - np.mean(energies)


CASE = Case(
    "water",
    "Water, all rotations",
    ("network", "kernel"),
    root_square("meV"),
    numbers,
    prepare,
    sizes=(*SIZES, 360),
    few=(1, 4, 24),
)
