"""The symmetry operations of a crystal's cell, found by spglib, as a finite group with its actions.

An operation x -> W x + w (fractional coordinates) is taken modulo the translations of the given
cell. That leaves finitely many: at most 192 for a conventional cell, and for a supercell more, since
its inner translations count as well. The product is (W|w)(V|v) = (WV | Wv + w modulo 1).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from sparseaug.errors import (
    ArgumentError,
    GroupError,
    GroupTooLargeError,
    check_real,
    need,
    shorten,
)
from sparseaug.groups import Rows, TableGroup, table_group
from sparseaug.sources.sites import MoveSites
from sparseaug.sources.symmetry import Symmetry

Floats = NDArray[np.float64]

MOST_OPERATIONS = 2048
"""The multiplication table has the square of this many entries."""

_SLACK = 4.0  # a product of two operations, each found within symprec, errs by a few of them


@final
@dataclass(frozen=True, eq=False, repr=False)
class CrystalSymmetry(Symmetry):
    """The operations of a cell; element a is x -> rotations[a] x + translations[a], fractional.

    `action` moves arrays (n, sites, ...) from site to site; `vectors` moves Cartesian vectors
    (n, sites, ..., 3), such as forces or displacements, and turns them. Sites are in the cell's order.
    """

    vectors: MoveSites
    rotations: Rows
    translations: Floats
    space_group: str
    number: int

    def to_dict(self) -> dict[str, Any]:
        """The operations and the space group; the group's table follows from them."""
        return {
            **super().to_dict(),
            "rotations": self.rotations.tolist(),
            "translations": self.translations.tolist(),
            "space_group": self.space_group,
            "number": self.number,
        }

    def __repr__(self) -> str:
        sites = len(self.vectors.images[0])
        return f"CrystalSymmetry({self.space_group}, order={self.group.order}, sites={sites})"


def crystal(cell: Any, *, symprec: float = 1e-5) -> CrystalSymmetry:
    """The symmetry operations of a crystal, with spglib.

    cell     (lattice, positions, numbers) as spglib takes it: the lattice vectors as rows, fractional
             positions, one integer per site that tells the species; or an ASE Atoms object
    symprec  how far, in the lattice's unit of length, a site may be from where symmetry wants it

    Cartesian rotations are those of the nearest lattice that has the symmetry exactly, so they are
    orthogonal and multiply as the group does, however rough the cell.

    >>> import numpy as np
    >>> fcc = 2.0 * np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    >>> salt = crystal((fcc, [[0, 0, 0], [0.5, 0.5, 0.5]], [11, 17]))
    >>> salt
    CrystalSymmetry(Fm-3m, order=48, sites=2)
    """
    symprec = check_real("symprec", symprec, above=0)
    lattice, positions, numbers = _checked(cell)
    found = _ask_spglib((lattice, positions, numbers), symprec)
    rotations = np.array(found.rotations, np.int64)
    translations = np.array(found.translations, np.float64) % 1.0
    if len(rotations) > MOST_OPERATIONS:
        raise GroupTooLargeError(
            f"cell has {len(rotations)} operations, above {MOST_OPERATIONS}; give a smaller cell: "
            "in a supercell every inner translation multiplies their number."
        )
    images = _images(rotations, translations, (lattice, positions, numbers), _SLACK * symprec)
    table = _products(rotations, translations, lattice, _SLACK * symprec)
    group = _named_group(table, int(found.number))
    _require_homomorphism(table, images)
    turns = _cartesian(rotations, lattice)
    listed = tuple(map(tuple, images.tolist()))
    for array in (rotations, translations):
        array.flags.writeable = False
    return CrystalSymmetry(
        group,
        MoveSites(group, listed),
        MoveSites(group, listed, tuple(tuple(map(tuple, turn)) for turn in turns.tolist())),
        rotations,
        translations,
        str(found.international),
        int(found.number),
    )


def _checked(cell: Any) -> tuple[Floats, Floats, Rows]:
    """The three parts of a cell as arrays of the right shapes, or an `ArgumentError`."""
    if hasattr(cell, "get_scaled_positions"):
        cell = (np.asarray(cell.get_cell()), cell.get_scaled_positions(), cell.numbers)
    if not isinstance(cell, tuple | list) or len(cell) != 3:
        raise ArgumentError(f"cell={shorten(cell)} must be (lattice, positions, numbers).")
    try:
        lattice, positions = (np.array(part, np.float64) for part in cell[:2])
        numbers = np.array(cell[2])
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"cell={shorten(cell)} does not hold numbers: {error}.") from error
    sites = len(numbers) if numbers.ndim == 1 else 0
    if lattice.shape != (3, 3) or positions.shape != (sites, 3) or not sites:
        raise ArgumentError(
            f"cell has parts of shapes {lattice.shape}, {positions.shape}, {numbers.shape}; "
            "give (3, 3), (sites, 3), (sites,)."
        )
    if numbers.dtype.kind not in "iu":
        raise ArgumentError(f"cell has numbers of dtype {numbers.dtype}; give an integer a site.")
    if not (np.isfinite(lattice).all() and np.isfinite(positions).all()):
        raise ArgumentError("cell has entries that are not finite; give real numbers.")
    if np.linalg.matrix_rank(lattice) < 3:
        raise ArgumentError("cell has a flat lattice; give three independent vectors as rows.")
    return lattice, positions, numbers.astype(np.int64)


def _ask_spglib(cell: tuple[Floats, Floats, Rows], symprec: float) -> Any:
    spglib = need("spglib", "crystal", extra="sparseaug[sources]")
    with warnings.catch_warnings():
        # versions 2.7 and later announce another way to report errors; both are met here
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            found = spglib.get_symmetry_dataset(cell, symprec=symprec)
        except Exception as error:
            raise ArgumentError(f"spglib refuses cell: {error}") from error
    if found is None:
        raise ArgumentError(
            "spglib finds no symmetry of cell, not even the identity; look for sites on top of each "
            f"other, or change symprec={symprec}."
        )
    return found


def _images(
    rotations: Rows, translations: Floats, cell: tuple[Floats, Floats, Rows], tolerance: float
) -> Rows:
    """images[a, i]: the site that operation a takes site i to."""
    lattice, positions, numbers = cell
    images = np.empty((len(rotations), len(positions)), np.int64)
    for a, (W, w) in enumerate(zip(rotations, translations, strict=True)):
        distance = _distances(positions @ W.T + w, positions, lattice)
        distance[numbers[:, None] != numbers] = np.inf
        images[a] = distance.argmin(axis=1)
        if distance.min(axis=1).max() > tolerance or len(set(images[a])) < len(positions):
            raise _loose("an operation does not take sites to sites")
    return images


def _products(rotations: Rows, translations: Floats, lattice: Floats, tolerance: float) -> Rows:
    """table[a, b]: the operation with the rotation of ab whose translation is nearest."""
    kinds, kind = np.unique(rotations.reshape(-1, 9), axis=0, return_inverse=True)
    number = {row.tobytes(): i for i, row in enumerate(kinds)}
    members = [np.flatnonzero(kind == i) for i in range(len(kinds))]
    table = np.empty((len(rotations), len(rotations)), np.int64)
    for i, W in enumerate(kinds.reshape(-1, 3, 3)):
        for j, V in enumerate(kinds.reshape(-1, 3, 3)):
            k = number.get((W @ V).tobytes())
            if k is None:
                raise _loose("the rotations are not closed")
            left, right = members[i], members[j]
            sums = (translations[right] @ W.T)[None] + translations[left][:, None]
            distance = _distances(sums.reshape(-1, 3), translations[members[k]], lattice)
            if distance.min(axis=1).max() > tolerance:
                raise _loose("the translations are not closed")
            nearest = members[k][distance.argmin(axis=1)]
            table[np.ix_(left, right)] = nearest.reshape(len(left), len(right))
    return table


def _distances(points: Floats, others: Floats, lattice: Floats) -> Floats:
    """Cartesian lengths of points - others, each coordinate brought to [-1/2, 1/2] first."""
    apart = points[:, None] - others[None]
    return np.asarray(np.linalg.norm((apart - np.rint(apart)) @ lattice, axis=2))


def _named_group(table: Rows, number: int) -> TableGroup:
    try:
        return table_group(table, label=f"space group {number} with {len(table)} operations")
    except GroupError as error:
        raise _loose(str(error)) from error


def _require_homomorphism(table: Rows, images: Rows) -> None:
    """p(ab) = p(a) p(b): sites follow the multiplication table."""
    for a, image in enumerate(images):
        if not np.array_equal(images[table[a]], image[images]):
            raise _loose("sites do not follow the products of operations")


def _cartesian(rotations: Rows, lattice: Floats) -> Floats:
    """R = L^T W L^-T for the lattice L (vectors as rows) nearest to the given one that all W keep.

    W keeps lengths when W^T G W = G for the metric G = L L^T. The mean of W^T G W over the group has
    that property, and L' = L (L^-1 G' L^-T)^(1/2) has this metric G'.
    """
    metric = lattice @ lattice.T
    mean = (rotations.swapaxes(1, 2) @ metric @ rotations).mean(axis=0)
    inverse = np.linalg.inv(lattice)
    values, basis = np.linalg.eigh(inverse @ mean @ inverse.T)
    exact = lattice @ (basis * np.sqrt(values)) @ basis.T
    turns = exact.T @ rotations @ np.linalg.inv(exact.T)
    if abs(turns @ turns.swapaxes(1, 2) - np.eye(3)).max() > 1e-9:
        raise ArgumentError("cell has a lattice too thin to turn in; give a less skewed cell.")
    return np.asarray(turns)


def _loose(reason: str) -> GroupError:
    return GroupError(
        f"the operations that spglib found form no group: {reason}; give a smaller symprec, or "
        "positions with more digits."
    )
