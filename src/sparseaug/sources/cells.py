"""What people call a crystal: lattice, positions and species, checked once.

Magnetic moments of a crystal: which operations, with or without time reversal, keep them.

A moment is an axial vector that time reversal changes the sign of: (W|w, t) takes m to
(-1)^t det(R) R m. Collinear moments that are given as numbers have a sign only, m -> (-1)^t m, as
where spins are not coupled to the lattice.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparseaug.errors import ArgumentError, GroupError, GroupTooLargeError, shorten
from sparseaug.groups import Rows

Floats = NDArray[np.float64]

MOST_SITES = 2048
"""spglib compares all pairs of sites: two seconds here, and four times that for twice as many."""

_FARTHEST = 1e6  # cells from the origin: beyond, fewer than ten digits of a fraction are left


class Cell(NamedTuple):
    """Lattice vectors as rows (3, 3), fractional positions (sites, 3), kinds 0, 1, 2, ... (sites,).

    And what an object of another library says besides: the periodic directions, and moments or None.
    """

    lattice: Floats
    positions: Floats
    kinds: Rows
    periodic: tuple[bool, ...] = (True, True, True)
    moments: Any = None


def read_cell(cell: Any) -> Cell:
    """The parts of (lattice, positions, numbers), ASE's Atoms or pymatgen's Structure, checked."""
    periodic: tuple[bool, ...] = (True, True, True)
    moments = None
    if not isinstance(cell, tuple | list):
        for owner, mark, read in (
            ("ASE's Atoms do", "get_scaled_positions", _of_ase),
            ("pymatgen's Structure does", "frac_coords", _of_pymatgen),
        ):
            if hasattr(type(cell), mark):
                try:
                    cell, periodic, moments = read(cell)
                except Exception as error:  # an object of another library
                    raise ArgumentError(
                        f"cell={shorten(cell)} does not answer as {owner}: {shorten(error)}; "
                        "give (lattice, positions, numbers)."
                    ) from error
                break
    if not isinstance(cell, tuple | list) or len(cell) != 3:
        raise ArgumentError(f"cell={shorten(cell)} must be (lattice, positions, numbers).")
    lattice = _numbers("lattice", cell[0], "iuf")
    positions = _numbers("positions", cell[1], "iuf")
    numbers = _numbers("numbers", cell[2], "iu")
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
    _require_periodic(periodic)
    if np.linalg.matrix_rank(lattice) < 3:
        for axis in np.flatnonzero(~np.array(periodic)):
            raise ArgumentError(
                f"cell is not periodic along axis {axis} and has no length there; give one, with "
                f"atoms.center(vacuum=10, axis={axis})."
            )
        raise ArgumentError("cell has a flat lattice; give three independent vectors as rows.")
    if sites > MOST_SITES:
        raise GroupTooLargeError(
            f"cell has {sites} sites, above {MOST_SITES}; give a smaller cell, such as the "
            "primitive one."
        )
    # spglib holds species in 32 bits, so it is given their numbers in order
    kinds = np.unique(numbers, return_inverse=True)[1].astype(np.int64)
    parts = lattice.astype(np.float64), positions.astype(np.float64), kinds
    return Cell(*parts, periodic, moments)


_Parts: TypeAlias = tuple[tuple[Any, Any, Any], tuple[bool, ...], Any]


def _of_ase(atoms: Any) -> _Parts:
    """ASE's initial moments are 0 where none were set."""
    moments = np.asarray(atoms.get_initial_magnetic_moments())
    cell = np.asarray(atoms.get_cell()), atoms.get_scaled_positions(), atoms.numbers
    return cell, _flags(atoms.pbc), moments if moments.any() else None


def _of_pymatgen(structure: Any) -> _Parts:
    """Species are distinguished by what pymatgen prints: element, oxidation state, occupation."""
    names = [str(site.species_string) for site in structure]
    numbers = np.unique(names, return_inverse=True)[1]
    moments = structure.site_properties.get("magmom")
    if moments is not None:  # numbers, vectors, or objects that hold a vector
        moments = [getattr(moment, "global_moment", moment) for moment in moments]
    cell = np.asarray(structure.lattice.matrix), np.asarray(structure.frac_coords), numbers
    return cell, _flags(structure.lattice.pbc), moments


def _flags(periodic: Any) -> tuple[bool, ...]:
    return tuple(bool(one) for one in periodic)


def _require_periodic(periodic: tuple[bool, ...]) -> None:
    if sum(periodic) < 2:
        raise ArgumentError(
            f"cell is periodic in {sum(periodic)} directions (pbc={periodic}); crystal() takes three, "
            "or two for a slab: use point_group for a molecule, or set pbc for what repeats."
        )


def _numbers(name: str, part: Any, kinds: str) -> NDArray[Any]:
    wanted = "one integer per site" if kinds == "iu" else "real numbers"
    try:
        array = np.asarray(part)
    except Exception as error:  # ragged lists, foreign objects
        raise ArgumentError(
            f"cell has {name} {shorten(part)}, which are not an array; give {wanted}."
        ) from error
    if array.dtype.kind not in kinds and array.size:
        raise ArgumentError(f"cell has {name} of dtype {array.dtype}; give {wanted}.")
    return array


class Operations(NamedTuple):
    """x -> W x + w for each operation, with time reversal or not; and the group's name and number."""

    rotations: Rows
    translations: Floats
    reversals: NDArray[np.bool_]
    symbol: str
    number: int


def read_moments(moments: Any, sites: int) -> Floats | None:
    """Moments (sites,) or (sites, 3), or an `ArgumentError`."""
    if moments is None:
        return None
    try:
        array = np.asarray(moments)
        if array.dtype.kind not in "biuf":
            raise TypeError
    except Exception as error:  # ragged lists, text, foreign objects
        raise ArgumentError(
            f"moments={shorten(moments)} are not real numbers; give one number or vector per site."
        ) from error
    if array.shape not in ((sites,), (sites, 3)):
        raise ArgumentError(
            f"moments has shape {array.shape}; give ({sites},) for collinear moments or ({sites}, 3) "
            "for Cartesian vectors."
        )
    if not np.isfinite(array).all():
        raise ArgumentError("moments has entries that are not finite; give real numbers.")
    return array.astype(np.float64)


def magnetic_operations(spglib: Any, cell: Cell, symprec: float) -> Any:
    """What spglib finds, or None. The number is that of the 1651 magnetic space groups."""
    given = (*cell[:3], cell.moments)
    found = spglib.get_magnetic_symmetry_dataset(given, symprec=symprec)
    if found is None:
        return None
    kind = spglib.get_magnetic_spacegroup_type(int(found.uni_number))
    return Operations(
        np.array(found.rotations, np.int64),
        np.array(found.translations, np.float64) % 1.0,
        np.array(found.time_reversals, bool),
        f"BNS {kind.bns_number}",
        int(found.uni_number),
    )


def turned_moments(turns: Floats, reversals: NDArray[np.bool_], moments: Floats | None) -> Floats:
    """The matrix (k, 3, 3) by which each operation turns moments."""
    signs = (1.0 - 2.0 * reversals)[:, None, None]
    if moments is not None and moments.ndim == 1:
        return signs * np.eye(3)
    return np.asarray(signs * np.rint(np.linalg.det(turns))[:, None, None] * turns)


def require_kept(moments: Floats, matrices: Floats, images: Rows, tolerance: float) -> None:
    """Every operation takes the moment of a site to that of its image."""
    vectors = moments if moments.ndim == 2 else moments[:, None] * np.array([0.0, 0.0, 1.0])
    apart = vectors @ matrices.swapaxes(1, 2) - vectors[images]
    if np.linalg.norm(apart, axis=2).max() > tolerance:
        raise GroupError(
            "the operations that spglib found do not keep the moments; give a smaller symprec, or "
            "moments with more digits."
        )
