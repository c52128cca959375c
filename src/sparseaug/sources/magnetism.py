"""Magnetic moments of a crystal: which operations, with or without time reversal, keep them.

A moment is an axial vector that time reversal changes the sign of: (W|w, t) takes m to
(-1)^t det(R) R m. Collinear moments that are given as numbers have a sign only, m -> (-1)^t m, as
where spins are not coupled to the lattice.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparseaug.errors import ArgumentError, GroupError, shorten
from sparseaug.groups import Rows
from sparseaug.sources.cells import Cell, Floats


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
