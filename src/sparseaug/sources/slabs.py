"""Slabs: cells that are periodic in two directions only.

A symmetry of a slab keeps its plane, so R maps the normal n to n or -n. Where the third lattice vector
is along n, it is one of the stack of slabs too, among the operations that spglib finds. Of these, the
slab has those that keep n up to its sign and, modulo the period, the mean height of the sites.
"""

# Why no site then leaves through one face of the cell to come back through the other. Heights are in
# units of the period and span less than 1. A flip z -> 2c - z of the stack takes a site to one of the
# slab, moved by a period or not; sites that are not moved lie about c, those that are about c + 1/2,
# or all of them about c - 1/2. If a share s is moved, the mean height is c + s/2 or c - s/2, and it is
# kept modulo 1 if s is 0 or 1: the flip is one of the slab about c, or about c + 1/2 or c - 1/2.

from __future__ import annotations

from typing import Any

import numpy as np

from sparseaug.errors import ArgumentError
from sparseaug.sources.cells import Cell, Operations
from sparseaug.sources.exact import SLACK


def require_slab(cell: Cell, symprec: float) -> None:
    """The vector that does not repeat is perpendicular to those that do, and longer than the slab."""
    (axis,) = np.flatnonzero(~np.array(cell.periodic))
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


def slab_operations(spglib: Any, cell: Cell, found: Operations, symprec: float) -> Operations:
    """Those operations of the stack that the slab has, with the name of its layer group."""
    (axis,) = np.flatnonzero(~np.array(cell.periodic))
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
        symbol, number = _layer_group(spglib, cell, int(axis), symprec)
    return Operations(found.rotations[kept], translations, found.reversals[kept], symbol, number)


def _layer_group(spglib: Any, cell: Cell, axis: int, symprec: float) -> tuple[str, int]:
    positions = cell.positions.copy()
    positions[:, axis] -= positions[:, axis].mean()  # spglib wants the slab near the origin
    given = (cell.lattice, positions, cell.kinds)
    found = spglib.get_symmetry_layerdataset(given, aperiodic_dir=axis, symprec=symprec)
    return ("layer group", 0) if found is None else (str(found.international), int(found.number))
