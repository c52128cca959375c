"""The point group of a molecule: the rotations and mirrors that take its atoms to atoms.

`frames` finds them within a tolerance. Such matrices multiply as the group does only nearly; they are
replaced by the exact representation near them, and the atoms are measured again.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from sparseaug._checks import check_real
from sparseaug.actions import Action
from sparseaug.errors import ArgumentError, GroupError, GroupTooLargeError, SymmetryWarning
from sparseaug.groups import Rows, table_group
from sparseaug.sources.frames import (
    Floats,
    Molecule,
    Operation,
    find_operations,
    read_molecule,
    schoenflies,
)
from sparseaug.sources.sites import MoveSites, as_tuples, tensor_action
from sparseaug.sources.symmetry import Symmetry


@final
@dataclass(frozen=True, eq=False, repr=False)
class MoleculeSymmetry(Symmetry):
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
        symbol: Schoenflies' symbol
        error: the largest distance between a moved atom and the atom whose place it takes
    """

    vectors: MoveSites
    rotations: Floats
    centre: Floats
    symbol: str
    error: float

    def tensors(self, rank: int, *, sites: bool = True) -> Action:
        """The action on Cartesian tensors: R in each of `rank` indices.

        Args:
            rank: number of indices: 1 for dipoles, 2 for polarisabilities
            sites: True: one tensor for each atom, and atoms change places; False: one for the whole
                molecule, (n, 3, ..., 3)
        """
        return tensor_action(self.vectors, rank, sites)

    def to_dict(self) -> dict[str, Any]:
        """The operations and their symbol; the group's table follows from them."""
        facts = {"rotations": self.rotations.tolist(), "centre": self.centre.tolist()}
        return {**super().to_dict(), **facts, "symbol": self.symbol, "error": self.error}

    def __repr__(self) -> str:
        atoms = len(self.vectors.images[0])
        return f"MoleculeSymmetry({self.symbol}, order={self.group.order}, atoms={atoms})"


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
        >>> water = [[0, 0, 0.12], [0, 0.76, -0.48], [0, -0.76, -0.48]]
        >>> found = point_group((water, ["O", "H", "H"]))
        >>> found
        MoleculeSymmetry(C2v, order=4, atoms=3)
        >>> sorted(set(found.action.images))
        [(0, 1, 2), (0, 2, 1)]
    """
    tolerance = check_real("tolerance", tolerance, above=0)
    molecule = read_molecule(atoms)
    operations = find_operations(molecule, tolerance)
    _warn_of_more(molecule, tolerance, len(operations))
    table = products(operations)
    rotations = exact_representation(np.array([one.matrix for one in operations]), table)
    symbol = schoenflies(rotations, table)
    group = table_group(table, label=f"point group {symbol} with {len(table)} operations")
    images = tuple(one.image for one in operations)
    error = _error(molecule.positions, rotations, np.array(images))
    if error > tolerance:
        raise _loose(f"the exact rotations leave an atom {error:.3g} away")
    for array in (rotations, molecule.centre):
        array.flags.writeable = False
    return MoleculeSymmetry(
        group,
        MoveSites(group, images),
        MoveSites(group, images, as_tuples(rotations)),
        rotations,
        molecule.centre,
        symbol,
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
                raise _loose("the product of two of them is none")
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
        raise _loose("their matrices are too far from a representation")
    return np.asarray(matrices)


def _error(positions: Floats, rotations: Floats, images: Rows) -> float:
    moved = positions @ rotations.swapaxes(1, 2)
    return float(np.linalg.norm(moved - positions[images], axis=2).max())


def _warn_of_more(molecule: Molecule, tolerance: float, count: int) -> None:
    wider = 10 * tolerance
    try:
        more = len(find_operations(molecule, wider))
    except (ArgumentError, GroupTooLargeError):  # atoms merge at that distance
        return
    if more > count:
        warnings.warn(
            f"tolerance={tolerance:g} finds {count} operations of atoms, tolerance={wider:g} finds "
            f"{more}; if the positions are no more accurate than that, give tolerance={wider:g}.",
            SymmetryWarning,
            stacklevel=3,
        )


def _loose(reason: str) -> GroupError:
    return GroupError(
        f"the operations found within the tolerance do not form a group: {reason}; give a smaller "
        "tolerance, or positions with more digits."
    )
