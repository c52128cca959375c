"""What people call a crystal, checked once, and the symmetry operations that spglib finds in it.

Slabs are cells that are periodic in two directions only. A symmetry of a slab keeps its plane, so R
maps the normal n to n or -n. Where the third lattice vector is along n, it is one of the stack of slabs
too, among the operations that spglib finds. Of these, the slab has those that keep n up to its sign and,
modulo the period, the mean height of the sites.
"""

from __future__ import annotations

# Why no site then leaves through one face of the cell to come back through the other. Heights are in
# units of the period and span less than 1. A flip z -> 2c - z of the stack takes a site to one of the
# slab, moved by a period or not; sites that are not moved lie about c, those that are about c + 1/2,
# or all of them about c - 1/2. If a share s is moved, the mean height is c + s/2 or c - s/2, and it is
# kept modulo 1 if s is 0 or 1: the flip is one of the slab about c, or about c + 1/2 or c - 1/2.
import warnings
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import check_array, require_work
from sparseaug.errors import ArgumentError, need, shorten
from sparseaug.groups import Rows
from sparseaug.sources.symmetry import Floats

SLACK = 4.0
"""A product of two operations, each found within symprec, errs by a few of them."""

_FARTHEST = 1e6  # cells from the origin: beyond, fewer than ten digits of a fraction are left


class Cell(NamedTuple):
    """Lattice vectors as rows (3, 3), fractional positions (sites, 3), kinds 0, 1, 2, ... (sites,).

    And the axis of a slab along which it does not repeat, or None; and moments or None.
    """

    lattice: Floats
    positions: Floats
    kinds: Rows
    open_axis: int | None = None
    moments: Floats | None = None


class Operations(NamedTuple):
    """x -> W x + w for each operation, with time reversal or not; and the group's name and number."""

    rotations: Rows
    translations: Floats
    reversals: NDArray[np.bool_]
    symbol: str
    number: int


def read_cell(cell: Any, moments: Any, symprec: float) -> Cell:
    """The parts of (lattice, positions, numbers), ASE's Atoms or pymatgen's Structure, checked."""
    periodic: tuple[bool, ...] = (True, True, True)
    own = None
    if not isinstance(cell, tuple | list):
        for owner, mark, read in (
            ("ASE's Atoms do", "get_scaled_positions", _of_ase),
            ("pymatgen's Structure does", "frac_coords", _of_pymatgen),
        ):
            if hasattr(type(cell), mark):
                try:
                    cell, periodic, own = read(cell)
                except Exception as error:  # an object of another library
                    raise ArgumentError(
                        f"cell={shorten(cell)} does not answer as {owner}: {shorten(error)}; "
                        "give (lattice, positions, numbers)."
                    ) from error
                break
    if not isinstance(cell, tuple | list) or len(cell) != 3:
        raise ArgumentError(f"cell={shorten(cell)} must be (lattice, positions, numbers).")
    lattice = check_array("lattice of cell", cell[0], np.float64)
    positions = check_array("positions of cell", cell[1], np.float64)
    numbers = check_array("numbers of cell", cell[2])
    sites = len(numbers) if numbers.ndim == 1 else 0
    if lattice.shape != (3, 3) or positions.shape != (sites, 3) or not sites:
        raise ArgumentError(
            f"cell has parts of shapes {lattice.shape}, {positions.shape}, {numbers.shape}; "
            "give (3, 3), (sites, 3), (sites,)."
        )
    if not (np.isfinite(lattice).all() and np.isfinite(positions).all()):
        raise ArgumentError("cell has entries that are not finite; give real numbers.")
    if abs(positions).max() > _FARTHEST:
        raise ArgumentError(
            f"cell has a fractional position of {abs(positions).max():.3g}; give positions within "
            f"{_FARTHEST:.0e} cells of the origin."
        )
    if sum(periodic) < 2:
        raise ArgumentError(
            f"cell is periodic in {sum(periodic)} directions (pbc={periodic}); crystal() takes three, "
            "or two for a slab: use point_group for a molecule, or set pbc for what repeats."
        )
    axis = None if all(periodic) else periodic.index(False)
    if np.linalg.matrix_rank(lattice) < 3:
        if axis is not None:
            raise ArgumentError(
                f"cell is not periodic along axis {axis} and has no length there; give one, with "
                f"atoms.center(vacuum=10, axis={axis})."
            )
        raise ArgumentError("cell has a flat lattice; give three independent vectors as rows.")
    remedy = "give a smaller cell, such as the primitive one"
    require_work("cell sites", sites, "the symmetry of cell", remedy=remedy)
    # spglib holds species in 32 bits, so it is given their numbers in order
    kinds = np.unique(numbers, return_inverse=True)[1].astype(np.int64)
    spins = _read_moments(own if moments is None else moments, sites)
    found = Cell(lattice, positions, kinds, axis, spins)
    if axis is not None:
        _require_slab(found, axis, symprec)
    return found


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


def _read_moments(moments: Any, sites: int) -> Floats | None:
    if moments is None:
        return None
    array = check_array("moments", moments, np.float64)
    if array.shape not in ((sites,), (sites, 3)):
        raise ArgumentError(
            f"moments has shape {array.shape}; give ({sites},) for collinear moments or ({sites}, 3) "
            "for Cartesian vectors."
        )
    if not np.isfinite(array).all():
        raise ArgumentError("moments has entries that are not finite; give real numbers.")
    return array


def find_operations(cell: Cell, symprec: float) -> Operations:
    """What spglib finds, the identity first."""
    spglib = need("spglib", "crystal", extra="sparseaug[sources]")
    with warnings.catch_warnings():
        # versions 2.7 and later announce another way to report errors; both are met here
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            found = _ask(spglib, cell, symprec)
            if found is not None and cell.open_axis is not None:
                found = _slab_operations(spglib, cell, cell.open_axis, found, symprec)
        except Exception as error:
            raise ArgumentError(f"spglib refuses cell: {error}") from error
    if found is None:
        raise ArgumentError(
            "spglib finds no symmetry of cell, not even the identity; look for sites on top of each "
            f"other, or change symprec={symprec}."
        )
    return found


def _ask(spglib: Any, cell: Cell, symprec: float) -> Operations | None:
    """With moments, the number is that of the 1651 magnetic space groups."""
    if cell.moments is None:
        found = spglib.get_symmetry_dataset(cell[:3], symprec=symprec)
    else:
        given = (*cell[:3], cell.moments)
        found = spglib.get_magnetic_symmetry_dataset(given, symprec=symprec)
    if found is None:
        return None
    rotations = np.array(found.rotations, np.int64)
    translations = np.array(found.translations, np.float64) % 1.0
    if cell.moments is None:
        never = np.zeros(len(rotations), bool)
        return Operations(
            rotations, translations, never, str(found.international), int(found.number)
        )
    symbol = f"BNS {spglib.get_magnetic_spacegroup_type(int(found.uni_number)).bns_number}"
    reversals = np.array(found.time_reversals, bool)
    return Operations(rotations, translations, reversals, symbol, int(found.uni_number))


def _require_slab(cell: Cell, axis: int, symprec: float) -> None:
    """The vector that does not repeat is perpendicular to those that do, and longer than the slab."""
    normal, plane = cell.lattice[axis], np.delete(cell.lattice, axis, axis=0)
    tilt = abs(plane @ normal) / np.linalg.norm(plane, axis=1)
    if tilt.max() > symprec:
        raise ArgumentError(
            f"cell is not periodic along axis {axis}, whose vector {normal.round(6).tolist()} is not "
            f"perpendicular to the others; make it so, keeping the atoms: atoms.cell[{axis}] = normal, "
            f"atoms.center(vacuum=10, axis={axis})."
        )
    height = np.ptp(cell.positions[:, axis])
    if (1 - height) * np.linalg.norm(normal) <= symprec:
        raise ArgumentError(
            f"cell is not periodic along axis {axis}, and its sites reach over {height:.3g} of the "
            f"vector there; make it longer: atoms.center(vacuum=10, axis={axis})."
        )


def _slab_operations(
    spglib: Any, cell: Cell, axis: int, found: Operations, symprec: float
) -> Operations:
    """Those operations of the stack that the slab has, with the name of its layer group."""
    length = float(np.linalg.norm(cell.lattice[axis]))
    sign = found.rotations[:, axis, axis]
    alone = abs(found.rotations[:, axis]).sum(axis=1) + abs(found.rotations[:, :, axis]).sum(axis=1)
    shift = cell.positions[:, axis].mean() * (1 - sign)  # keeps the mean height
    off = found.translations[:, axis] - shift
    near = length * abs(off - np.rint(off)) <= SLACK * symprec
    kept = (alone == 2) & (sign != 0) & near
    translations = found.translations[kept].copy()
    translations[:, axis] = shift[kept]
    symbol, number = "magnetic layer group", 0
    if cell.moments is None:
        symbol, number = _layer_group(spglib, cell, axis, symprec)
    return Operations(found.rotations[kept], translations, found.reversals[kept], symbol, number)


def _layer_group(spglib: Any, cell: Cell, axis: int, symprec: float) -> tuple[str, int]:
    positions = cell.positions.copy()
    positions[:, axis] -= positions[:, axis].mean()  # spglib wants the slab near the origin
    given = (cell.lattice, positions, cell.kinds)
    found = spglib.get_symmetry_layerdataset(given, aperiodic_dir=axis, symprec=symprec)
    return ("layer group", 0) if found is None else (str(found.international), int(found.number))
