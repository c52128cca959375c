"""The symmetry operations of a crystal's cell, found by spglib, as a finite group with its actions.

An operation x -> W x + w (fractional coordinates) is taken modulo the translations of the given
cell. That leaves finitely many: at most 192 for a conventional cell, and for a supercell more, since
its inner translations count as well. The product is (W|w)(V|v) = (WV | Wv + w modulo 1), which `exact`
takes in integers.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import check_real
from sparseaug.actions import Action
from sparseaug.errors import ArgumentError, GroupTooLargeError, SymmetryWarning, need
from sparseaug.groups import Rows
from sparseaug.sources.cells import (
    Cell,
    Floats,
    Operations,
    magnetic_operations,
    read_cell,
    read_moments,
    require_kept,
    turned_moments,
)
from sparseaug.sources.exact import SLACK, exact_group, site_images
from sparseaug.sources.sites import MoveSites, as_tuples, tensor_action
from sparseaug.sources.slabs import require_slab, slab_operations
from sparseaug.sources.symmetry import Symmetry

MOST_IMAGES = 1 << 22
"""Operations times sites: where each operation takes each site is listed."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class CrystalSymmetry(Symmetry):
    """The operations of a cell; element a is x -> rotations[a] x + translations[a], fractional.

    `action` moves arrays (n, sites, ...) from site to site; `vectors` moves Cartesian vectors
    (n, sites, ..., 3), such as forces or displacements, and turns them; `tensors` does that to
    tensors, at the sites or of the whole crystal; `moments` moves magnetic moments (n, sites, 3),
    which are axial and change sign under time reversal. Sites are in the cell's order.

    Args:
        group: the operations, modulo the translations of the cell
        action: moves arrays (n, sites, ...) from site to site
        vectors: moves Cartesian vectors (n, sites, ..., 3) and turns them
        rotations: W of each element, in fractional coordinates
        translations: w of each element, in fractional coordinates
        space_group: its international symbol, that of the layer group for a slab; with moments, its
            number in the notation of Belov, Neronova and Smirnova
        number: its number in the International Tables, volume A, or E for a slab; with moments, among
            the 1651 magnetic groups; 0 for a slab with moments, which has none here
        time_reversals: whether an element reverses time, which no element does without moments
        moments: moves magnetic moments (n, sites, ..., 3) and turns them
    """

    vectors: MoveSites
    rotations: Rows
    translations: Floats
    space_group: str
    number: int
    time_reversals: NDArray[np.bool_]
    moments: MoveSites

    def tensors(self, rank: int, *, sites: bool = True) -> Action:
        """The action on Cartesian tensors: T -> R T R^T for rank 2, R in each of `rank` indices.

        Args:
            rank: number of indices: 1 for vectors, 2 for stresses, 3 for piezoelectric and 4 for
                elastic tensors
            sites: True: one tensor for each site, (n, sites, ..., 3, ..., 3), and sites change
                places; False: one for the whole crystal, (n, 3, ..., 3)

        These are true tensors. A magnetic moment is an axial vector: see `moments`.

        Examples:
            >>> import numpy as np
            >>> cube = crystal((3.0 * np.eye(3), [[0, 0, 0]], [84]))
            >>> dielectric = np.diag([1.0, 2.0, 3.0])[None]
            >>> moved = cube.tensors(2, sites=False)(cube.group.all_elements(), dielectric)
            >>> moved.mean(axis=0)[0].round(12) + 0.0
            array([[2., 0., 0.],
                   [0., 2., 0.],
                   [0., 0., 2.]])
        """
        return tensor_action(self.vectors, rank, sites)

    def to_dict(self) -> dict[str, Any]:
        """The operations and the space group; the group's table follows from them."""
        return {
            **super().to_dict(),
            "rotations": self.rotations.tolist(),
            "translations": self.translations.tolist(),
            "space_group": self.space_group,
            "number": self.number,
            "time_reversals": self.time_reversals.tolist(),
        }

    def __repr__(self) -> str:
        sites = len(self.vectors.images[0])
        return f"CrystalSymmetry({self.space_group}, order={self.group.order}, sites={sites})"


def crystal(cell: Any, *, symprec: float = 1e-3, moments: Any = None) -> CrystalSymmetry:
    """The symmetry operations of a crystal, with spglib.

    Args:
        cell: (lattice, positions, numbers) as spglib takes it: the lattice vectors as rows,
            fractional positions, one integer per site that tells the species; or an ASE Atoms
            object; or a pymatgen Structure, whose oxidation states and occupations tell species
            apart. Of Atoms or a Structure that is periodic in two directions only, the operations
            are those of the slab: its layer group
        symprec: how far, in the lattice's unit of length, a site may be from where symmetry wants
            it; 0.001 suits angstroms and positions of four digits. Moments may be as far apart, in
            their own unit
        moments: magnetic moments of the sites, which the operations must keep, with time reversal
            where that helps: Cartesian vectors (sites, 3), or numbers (sites,) for collinear moments
            whose direction is not tied to the lattice. By default the initial moments of Atoms that
            are not all 0, and the site property "magmom" of a Structure

    A `SymmetryWarning` says how many more operations ten times this tolerance would find.

    Cartesian rotations are those of the nearest lattice that has the symmetry exactly, so they are
    orthogonal and multiply as the group does, however rough the cell.

    Examples:
        >>> import numpy as np
        >>> fcc = 2.0 * np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
        >>> salt = crystal((fcc, [[0, 0, 0], [0.5, 0.5, 0.5]], [11, 17]))
        >>> salt
        CrystalSymmetry(Fm-3m, order=48, sites=2)
        >>> iron = (2.9 * np.eye(3), [[0, 0, 0], [0.5, 0.5, 0.5]], [26, 26])
        >>> crystal(iron), crystal(iron, moments=[[0, 0, 2.2], [0, 0, -2.2]])
        (CrystalSymmetry(Im-3m, order=96, sites=2), CrystalSymmetry(BNS 128.410, order=32, sites=2))
    """
    symprec = check_real("symprec", symprec, above=0)
    given = read_cell(cell)
    spins = read_moments(given.moments if moments is None else moments, len(given.kinds))
    given = given._replace(moments=spins)
    if not all(given.periodic):
        require_slab(given, symprec)
    found = _ask_spglib(given, symprec)
    rotations, translations, reversals, symbol, number = found
    if len(rotations) * len(given.kinds) > MOST_IMAGES:
        raise GroupTooLargeError(
            f"cell has {len(rotations)} operations on {len(given.kinds)} sites, "
            f"{len(rotations) * len(given.kinds)} images, above {MOST_IMAGES}; give a smaller cell: "
            "in a supercell every inner translation multiplies their number."
        )
    _warn_of_more(given, symprec, len(rotations))
    what = ("" if spins is None else "magnetic ") + ("space" if all(given.periodic) else "layer")
    label = f"{what} group {number} with {len(rotations)} operations"
    group = exact_group(found, given.lattice, SLACK * symprec, label)
    images = site_images(group, found, given, SLACK * symprec)
    turns = _cartesian(rotations, given.lattice)
    spin_turns = turned_moments(turns, reversals, spins)
    if spins is not None:
        require_kept(spins, spin_turns, images, SLACK * symprec)
    listed = tuple(map(tuple, images.tolist()))
    for array in (rotations, translations, reversals):
        array.flags.writeable = False
    return CrystalSymmetry(
        group,
        MoveSites(group, listed),
        MoveSites(group, listed, as_tuples(turns)),
        rotations,
        translations,
        symbol,
        number,
        reversals,
        MoveSites(group, listed, as_tuples(spin_turns)),
    )


def _ask_spglib(cell: Cell, symprec: float) -> Operations:
    spglib = need("spglib", "crystal", extra="sparseaug[sources]")
    with warnings.catch_warnings():
        # versions 2.7 and later announce another way to report errors; both are met here
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            found = (
                _plain_operations(spglib.get_symmetry_dataset(cell[:3], symprec=symprec))
                if cell.moments is None
                else magnetic_operations(spglib, cell, symprec)
            )
            if found is not None and not all(cell.periodic):
                found = slab_operations(spglib, cell, found, symprec)
        except Exception as error:
            raise ArgumentError(f"spglib refuses cell: {error}") from error
    if found is None:
        raise ArgumentError(
            "spglib finds no symmetry of cell, not even the identity; look for sites on top of each "
            f"other, or change symprec={symprec}."
        )
    return found


def _plain_operations(found: Any) -> Operations | None:
    if found is None:
        return None
    return Operations(
        np.array(found.rotations, np.int64),
        np.array(found.translations, np.float64) % 1.0,
        np.zeros(len(found.rotations), bool),
        str(found.international),
        int(found.number),
    )


def _warn_of_more(cell: Cell, symprec: float, count: int) -> None:
    """Positions of too few digits lose operations one by one, without any other sign of it."""
    wider = 10 * symprec
    try:
        more = len(_ask_spglib(cell, wider).rotations)
    except ArgumentError:  # sites merge at that distance
        return
    if more > count:
        warnings.warn(
            f"symprec={symprec:g} finds {count} operations of cell, symprec={wider:g} finds {more}; "
            f"if the positions are no more accurate than that, give symprec={wider:g}.",
            SymmetryWarning,
            stacklevel=3,
        )


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
