"""What people call a crystal, checked once, and the symmetry operations that spglib finds in it."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from sparseaug._checks import check_array, require_work
from sparseaug.errors import ArgumentError, need, shorten
from sparseaug.groups import Rows
from sparseaug.sources.symmetry import Floats

SLACK = 4.0
"""A product of two operations, each found within symprec, errs by a few of them."""

_FARTHEST = 1e6  # cells from the origin: beyond, fewer than ten digits of a fraction are left


class Cell(NamedTuple):
    """Lattice vectors as rows (3, 3), fractional positions (sites, 3), kinds 0, 1, 2, ... (sites,)."""

    lattice: Floats
    positions: Floats
    kinds: Rows


class Operations(NamedTuple):
    """x -> W x + w for each operation; and the group's name and number."""

    rotations: Rows
    translations: Floats
    symbol: str
    number: int


def read_cell(cell: Any) -> Cell:
    """The parts of (lattice, positions, numbers), ASE's Atoms or pymatgen's Structure, checked."""
    periodic: tuple[bool, ...] = (True, True, True)
    moments: Any = None
    try:
        if hasattr(type(cell), "get_scaled_positions"):
            cell, periodic, moments = _of_ase(cell)
        elif hasattr(type(cell), "frac_coords"):
            cell, periodic, moments = _of_pymatgen(cell)
        lattice, positions, numbers = cell
    except Exception as error:  # no triple, or an object of another library
        forms = "(lattice, positions, numbers), ASE's Atoms or pymatgen's Structure"
        raise ArgumentError(f"cell={shorten(cell)} must be {forms}: {shorten(error)}.") from error
    lattice = check_array("lattice of cell", lattice, np.float64)
    positions = check_array("positions of cell", positions, np.float64)
    numbers = check_array("numbers of cell", numbers)
    sites = len(numbers) if numbers.ndim == 1 else 0
    if lattice.shape != (3, 3) or positions.shape != (sites, 3) or not sites:
        shapes = f"{lattice.shape}, {positions.shape}, {numbers.shape}"
        raise ArgumentError(f"cell has shapes {shapes}; give (3, 3), (sites, 3), (sites,).")
    if not (np.isfinite(lattice).all() and abs(positions).max() <= _FARTHEST):  # false for NaN too
        raise ArgumentError(f"cell has entries that are not finite, or above {_FARTHEST:.0e}.")
    if not all(periodic):
        raise ArgumentError(f"cell has pbc={periodic}; use vacuum with pbc=True, or point_group.")
    if moments is not None and np.any(np.asarray(moments, dtype=object) != 0):
        raise ArgumentError("cell has magnetic moments; remove them for the symmetry of the sites.")
    if np.linalg.matrix_rank(lattice) < 3:
        raise ArgumentError("cell has a flat lattice; give three independent vectors as rows.")
    require_work("cell sites", sites, "cell", remedy="give a smaller one")
    # spglib holds species in 32 bits, so it is given their numbers in order
    kinds = np.unique(numbers, return_inverse=True)[1].astype(np.int64)
    return Cell(lattice, positions, kinds)


_Parts: TypeAlias = tuple[tuple[Any, Any, Any], tuple[bool, ...], Any]


def _of_ase(atoms: Any) -> _Parts:
    """ASE's initial moments are 0 where none were set."""
    moments = np.asarray(atoms.get_initial_magnetic_moments())
    cell = np.asarray(atoms.get_cell()), atoms.get_scaled_positions(), atoms.numbers
    return cell, tuple(map(bool, atoms.pbc)), moments if moments.any() else None


def _of_pymatgen(structure: Any) -> _Parts:
    """Species are distinguished by what pymatgen prints: element, oxidation state, occupation."""
    names = [str(site.species_string) for site in structure]
    numbers = np.unique(names, return_inverse=True)[1]
    moments = structure.site_properties.get("magmom")
    if moments is not None:  # numbers, vectors, or objects that hold a vector
        moments = [getattr(moment, "global_moment", moment) for moment in moments]
    cell = np.asarray(structure.lattice.matrix), np.asarray(structure.frac_coords), numbers
    return cell, tuple(map(bool, structure.lattice.pbc)), moments


def find_operations(cell: Cell, symprec: float) -> Operations:
    """What spglib finds, the identity first."""
    spglib = need("spglib", "crystal")
    with warnings.catch_warnings():
        # versions 2.7 and later announce another way to report errors; both are met here
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            found = spglib.get_symmetry_dataset(tuple(cell), symprec=symprec)
        except Exception as error:
            raise ArgumentError(f"spglib refuses cell: {error}") from error
    if found is None:
        raise ArgumentError(f"spglib finds no symmetry of cell; separate sites or {symprec=}.")
    return Operations(
        np.array(found.rotations, np.int64),
        np.array(found.translations, np.float64) % 1.0,
        str(found.international),
        int(found.number),
    )
