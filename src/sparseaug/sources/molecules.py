"""The point group of a molecule: the rotations and mirrors that take its atoms to atoms.

Two atoms i, j that are not in line with the centre make a frame. A symmetry takes them to atoms a, b of
the same species at the same distances from the centre and from each other, and these frames together
with the handedness determine it: all candidates are tried, fitted to all atoms, and kept when every atom
lands within the tolerance of one of its species. Such matrices multiply as the group does only nearly;
they are replaced by the exact representation near them, and the atoms are measured again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np
from scipy.spatial import KDTree

from sparseaug._checks import check_array, check_list, check_real, require_work
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Rows, table_group
from sparseaug.sources.symmetry import (
    Floats,
    MoveSites,
    SiteSymmetry,
    as_tuples,
    not_a_group,
    warn_of_more,
)


@final
@dataclass(frozen=True, eq=False, repr=False)
class MoleculeSymmetry(SiteSymmetry):
    """The operations of a molecule; element a turns positions about `centre` by rotations[a].

    `action` moves arrays (n, atoms, ...) from atom to atom; `vectors` moves Cartesian vectors
    (n, atoms, ..., 3), such as forces or positions relative to the centre, and turns them; `tensors`
    does that to tensors, on the atoms or of the whole molecule.

    Args:
        group: the operations
        action: moves arrays (n, atoms, ...) from atom to atom
        vectors: moves Cartesian vectors (n, atoms, ..., 3) and turns them
        rotations: R of each element, an orthogonal matrix
        centre: the mean of the positions, which stays
        error: the largest distance between a moved atom and the atom whose place it takes
    """

    rotations: Floats
    centre: Floats
    error: float

    def __repr__(self) -> str:
        return f"MoleculeSymmetry(order={self.group.order}, atoms={len(self.vectors.images[0])})"


def point_group(atoms: Any, *, tolerance: float = 0.01) -> MoleculeSymmetry:
    """The point group of a molecule, as permutations of its atoms and rotations of space.

    Args:
        atoms: an ASE Atoms object, a pymatgen Molecule, or (positions, species) with Cartesian
            positions (atoms, 3) and a symbol or number for each atom
        tolerance: how far, in the unit of the positions, a moved atom may be from the atom whose
            place it takes; 0.01 suits angstroms and computed geometries

    A `SymmetryWarning` says how many more operations ten times this tolerance would find. A linear
    molecule has infinitely many operations and is refused.

    Raises:
        GroupError: if the operations within the tolerance do not form a group.

    Examples:
        >>> from sparseaug.sources import point_group
        >>> water = [[0, 0, 0.12], [0, 0.76, -0.48], [0, -0.76, -0.48]]
        >>> found = point_group((water, ["O", "H", "H"]))
        >>> found
        MoleculeSymmetry(order=4, atoms=3)
        >>> sorted(set(found.action.images))
        [(0, 1, 2), (0, 2, 1)]
    """
    tolerance = check_real("tolerance", tolerance, above=0)
    molecule = read_molecule(atoms)
    operations = find_operations(molecule, tolerance)

    def more(wider: float) -> int:
        return len(find_operations(molecule, wider))

    warn_of_more("tolerance", tolerance, len(operations), "atoms", more)
    table = products(operations)
    rotations = exact_representation(np.array([one.matrix for one in operations]), table)
    group = table_group(table, label=f"point group with {len(table)} operations")
    images = tuple(one.image for one in operations)
    error = _error(molecule.positions, rotations, np.array(images))
    if error > tolerance:
        raise not_a_group(f"the exact rotations leave an atom {error:.3g} away", "tolerance")
    for array in (rotations, molecule.centre):
        array.flags.writeable = False
    return MoleculeSymmetry(
        group,
        MoveSites(group, images),
        MoveSites(group, images, as_tuples(rotations)),
        rotations,
        molecule.centre,
        error,
    )


def products(operations: list[Operation]) -> Rows:
    """table[a, b]: where the atoms go and the handedness say which operation it is."""
    images = np.array([one.image for one in operations])
    number = {(one.image, one.mirror): k for k, one in enumerate(operations)}
    table = np.empty((len(operations),) * 2, np.int64)
    for a, one in enumerate(operations):
        moved = images[a][images].tolist()
        for b, (image, other) in enumerate(zip(moved, operations, strict=True)):
            k = number.get((tuple(image), one.mirror != other.mirror))
            if k is None:
                raise not_a_group("the product of two of them is none", "tolerance")
            table[a, b] = k
    return table


def exact_representation(matrices: Floats, table: Rows) -> Floats:
    """The orthogonal representation near matrices (k, 3, 3) that nearly multiply as the table says.

    R'(a) = mean over b of R(ab) R(b)^-1, again and again: the error is squared each time (Grove,
    Karcher and Ruh 1974).
    """
    for _ in range(20):
        products = np.einsum("abij,bkj->aik", matrices[table], matrices) / len(table)
        left, _, right = np.linalg.svd(products)
        matrices, before = left @ right, matrices
        if abs(matrices - before).max() < 1e-15 * len(table):
            break
    wrong = abs(np.einsum("aij,bjk->abik", matrices, matrices) - matrices[table]).max()
    if wrong > 1e-12:
        raise not_a_group("their matrices are too far from a representation", "tolerance")
    return np.asarray(matrices)


def _error(positions: Floats, rotations: Floats, images: Rows) -> float:
    moved = positions @ rotations.swapaxes(1, 2)
    return float(np.linalg.norm(moved - positions[images], axis=2).max())


class Molecule(NamedTuple):
    """Positions (atoms, 3) about their mean, kinds 0, 1, 2, ... of the atoms, and that mean."""

    positions: Floats
    kinds: Rows
    centre: Floats


class Operation(NamedTuple):
    """Where each atom goes, whether space is mirrored, the matrix, the largest distance it leaves."""

    image: tuple[int, ...]
    mirror: bool
    matrix: Floats
    error: float


def read_molecule(atoms: Any) -> Molecule:
    """(positions, species), ASE's Atoms or pymatgen's Molecule, or an `ArgumentError`."""
    try:
        if hasattr(type(atoms), "get_positions"):
            atoms = (atoms.get_positions(), list(atoms.numbers))
        elif hasattr(type(atoms), "cart_coords"):
            atoms = (atoms.cart_coords, [str(site.species_string) for site in atoms])
        positions, species = atoms
        positions = check_array("positions of atoms", positions, np.float64)
        names = check_list("species of atoms", species)
        numbers = {name: i for i, name in enumerate(dict.fromkeys(names))}
        known = all(name == name for name in names)  # no NaN
    except Exception as error:  # no pair, no numbers, or an object of another library
        forms = "(positions, species), ASE's Atoms or pymatgen's Molecule"
        raise ArgumentError(f"atoms={shorten(atoms)} must be {forms}: {shorten(error)}.") from error
    fits = names and known and positions.shape == (len(names), 3)
    if not (fits and abs(positions).max() <= 1e8):  # false for NaN too
        given = f"positions of shape {positions.shape} for {len(names)} species"
        raise ArgumentError(f"atoms has {given}; give (atoms, 3), finite and below 1e8.")
    require_work("molecule atoms", len(names), "atoms", remedy="give fewer atoms")
    centre = positions.mean(axis=0)
    kinds = np.array([numbers[name] for name in names])
    return Molecule(positions - centre, kinds, centre)


def find_operations(molecule: Molecule, tolerance: float) -> list[Operation]:
    """All operations that leave every atom within the tolerance of another, the identity first."""
    positions, kinds, _ = molecule
    tree = KDTree(positions)
    reach = np.linalg.norm(positions, axis=1).max()
    least = 1e3 * float(np.finfo(np.float64).eps * reach)  # a fit is a few operations on positions
    if tolerance < least:
        raise ArgumentError(f"{tolerance=:g} is below rounding; give at least {least:.1g}.")
    if len(positions) > 1 and tree.query(positions, k=2)[0][:, 1].min() <= 2 * tolerance:
        raise ArgumentError(f"atoms has two atoms within twice tolerance={tolerance:g}; lower it.")
    found: dict[tuple[tuple[int, ...], bool], Operation] = {}
    i, j = _frame_atoms(molecule, tolerance)
    height = np.linalg.norm(np.cross(positions[i], positions[j])) / np.linalg.norm(positions[i])
    # a frame of atoms that are off by the tolerance turns by about that over their distance
    rough = tolerance * (1 + 4 * reach / min(height, float(np.linalg.norm(positions[i]))))
    start = _frame(positions[i], positions[j])
    for a, b in _candidates(molecule, i, j, tolerance):
        for mirror in (False, True):
            turn = (
                _frame(positions[a], positions[b]) @ np.diag([1, 1, -1 if mirror else 1]) @ start.T
            )
            one = _fit(molecule, tree, turn, mirror, rough)
            if one is not None and one.error <= tolerance:
                found.setdefault((one.image, mirror), one)
    ordered = sorted(found.values(), key=lambda one: (one.mirror, one.image))
    unit = (tuple(range(len(kinds))), False)
    ordered.sort(key=lambda one: (one.image, one.mirror) != unit)  # the identity first
    require_work("molecule operations", len(ordered), "atoms", remedy="give fewer atoms")
    return ordered


def _frame_atoms(molecule: Molecule, tolerance: float) -> tuple[int, int]:
    """Two atoms that are not in line with the centre, with few others of their sort."""
    positions, kinds, _ = molecule
    radius = np.linalg.norm(positions, axis=1)
    alike = abs(radius[:, None] - radius) <= 2 * tolerance
    count = (alike & (kinds[:, None] == kinds)).sum(axis=1)
    for i in sorted(np.flatnonzero(radius > 10 * tolerance).tolist(), key=lambda k: count[k]):
        height = np.linalg.norm(np.cross(positions[i], positions), axis=1) / radius[i]
        others = np.flatnonzero(height > max(10 * tolerance, 0.1 * height.max()))
        if len(others):
            return i, int(others[count[others].argmin()])
    raise ArgumentError("atoms are on one line up to 10 tolerance; use identical_atoms.")


def _candidates(molecule: Molecule, i: int, j: int, tolerance: float) -> Iterator[tuple[int, int]]:
    positions, kinds, _ = molecule
    radius = np.linalg.norm(positions, axis=1)
    images = [
        np.flatnonzero((kinds == kinds[k]) & (abs(radius - radius[k]) <= 2 * tolerance))
        for k in (i, j)
    ]
    apart = np.linalg.norm(positions[images[0]][:, None] - positions[images[1]], axis=2)
    wanted = float(np.linalg.norm(positions[i] - positions[j]))
    pairs = np.argwhere(abs(apart - wanted) <= 2 * tolerance)
    require_work("molecule frames", len(pairs), "atoms", remedy="give a smaller tolerance")
    for a, b in pairs.tolist():
        first, second = int(images[0][a]), int(images[1][b])
        if first != second:
            yield first, second


def _frame(p: Floats, q: Floats) -> Floats:
    """An orthonormal frame, as columns: along p, towards q, and their cross product."""
    first = p / np.linalg.norm(p)
    second = q - (q @ first) * first
    length = np.linalg.norm(second)
    if length == 0:
        return np.zeros((3, 3))  # in line: lands nowhere
    second /= length
    return np.stack([first, second, np.cross(first, second)], axis=1)


def _fit(
    molecule: Molecule, tree: KDTree, turn: Floats, mirror: bool, rough: float
) -> Operation | None:
    """The rotation (or mirror) that fits best where a rough one takes atoms to atoms."""
    positions, kinds, _ = molecule
    apart, image = tree.query(positions @ turn.T)
    if apart.max() > rough or not np.array_equal(kinds[image], kinds):
        return None
    if len(np.unique(image)) < len(image):
        return None
    # Kabsch 1976: the nearest orthogonal matrix of this handedness to sum_i y_i x_i^T
    left, _, right = np.linalg.svd(positions[image].T @ positions)
    sign = (-1.0 if mirror else 1.0) * np.linalg.det(left @ right)
    matrix = left @ np.diag([1.0, 1.0, np.sign(sign)]) @ right
    error = float(np.linalg.norm(positions @ matrix.T - positions[image], axis=1).max())
    return Operation(tuple(image.tolist()), mirror, matrix, error)
