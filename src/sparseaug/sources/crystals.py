"""The symmetry operations of a crystal's cell, as a finite group with its actions.

An operation x -> W x + w (fractional coordinates) is taken modulo the translations of the given
cell. That leaves finitely many: at most 192 for a conventional cell, and for a supercell more, since
its inner translations count as well. The product is (W|w)(V|v) = (WV | Wv + w modulo 1).

The group in integers: operations are inner translations times one representative (W|w) for each matrix
W. Inner translations are a finite group: they are multiples of 1/e for some e. The carries
c(W, V) = w_W + W w_V - w_WV are inner translations too, and about the origin at the mean of the w's

    w_W = (1/p) sum over V of c(W, V),    p the number of matrices,

a multiple of 1/(p e). So rounding the translations and the carries to multiples of 1/e gives the
group exactly; that the rounded operations are closed is then checked in integers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from sparseaug._checks import check_real, require_work
from sparseaug.errors import ArgumentError, GroupError
from sparseaug.groups import Rows
from sparseaug.groups.affine import AffineGroup
from sparseaug.groups.permutations import are_permutations
from sparseaug.sources.cells import SLACK, Cell, Operations, find_operations, read_cell
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
class CrystalSymmetry(SiteSymmetry):
    """The operations of a cell; element a is x -> rotations[a] x + translations[a], fractional.

    `action` moves arrays (n, sites, ...) from site to site; `vectors` moves Cartesian vectors
    (n, sites, ..., 3), such as forces or displacements, and turns them; `tensors` does that to
    tensors, at the sites or of the whole crystal. Sites are in the cell's order.

    Args:
        group: the operations, modulo the translations of the cell
        action: moves arrays (n, sites, ...) from site to site
        vectors: moves Cartesian vectors (n, sites, ..., 3) and turns them
        rotations: W of each element, in fractional coordinates
        translations: w of each element, in fractional coordinates
        space_group: its international symbol
        number: its number in the International Tables
    """

    rotations: Rows
    translations: Floats
    space_group: str
    number: int

    def __repr__(self) -> str:
        sites = len(self.vectors.images[0])
        return f"CrystalSymmetry({self.space_group}, order={self.group.order}, sites={sites})"


def crystal(cell: Any, *, symprec: float = 1e-3) -> CrystalSymmetry:
    """The symmetry operations of a crystal, with spglib.

    Args:
        cell: (lattice, positions, numbers) as spglib takes it: the lattice vectors as rows,
            fractional positions, one integer per site that tells the species; or an ASE Atoms
            object; or a pymatgen Structure, whose oxidation states and occupations tell species
            apart. Slabs and magnetic moments are refused
        symprec: how far, in the lattice's unit of length, a site may be from where the symmetry
            puts it; 0.001 suits angstroms and positions of four digits

    A `SymmetryWarning` says how many more operations ten times this tolerance would find.

    Cartesian rotations are those of the nearest lattice that has the symmetry exactly, so they are
    orthogonal and multiply as the group does, however rough the cell.

    Examples:
        >>> import numpy as np
        >>> from sparseaug.sources import crystal
        >>> fcc = 2.0 * np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
        >>> salt = crystal((fcc, [[0, 0, 0], [0.5, 0.5, 0.5]], [11, 17]))
        >>> salt
        CrystalSymmetry(Fm-3m, order=48, sites=2)
    """
    symprec = check_real("symprec", symprec, above=0)
    given = read_cell(cell)
    found = find_operations(given, symprec)
    rotations, translations, symbol, number = found
    count = len(rotations)
    require_work("cell images", count * len(given.kinds), "cell", remedy="give a smaller one")

    def more(wider: float) -> int:
        return len(find_operations(given, wider).rotations)

    warn_of_more("symprec", symprec, count, "cell", more)
    label = f"space group {number} with {count} operations"
    group = exact_group(found, given.lattice, SLACK * symprec, label)
    images = site_images(group, found, given, SLACK * symprec)
    turns = _cartesian(rotations, given.lattice)
    listed = tuple(map(tuple, images.tolist()))
    for array in (rotations, translations):
        array.flags.writeable = False
    return CrystalSymmetry(
        group,
        MoveSites(group, listed),
        MoveSites(group, listed, as_tuples(turns)),
        rotations,
        translations,
        symbol,
        number,
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


def exact_group(found: Operations, lattice: Floats, tolerance: float, label: str) -> AffineGroup:
    """The group of operations that multiply nearly, within the tolerance, the identity first."""
    matrices, first, kinds = np.unique(
        found.rotations.reshape(-1, 9), axis=0, return_index=True, return_inverse=True
    )
    order = np.argsort(first)  # matrices in the order of the operations: the identity first
    first, kinds = first[order], np.argsort(order)[kinds]
    turns, shifts = matrices[order].reshape(-1, 3, 3), found.translations[first]
    steps = found.translations - shifts[kinds]
    inner = steps[kinds == 0]
    e = _denominator(inner, lattice, tolerance)
    products = turns[:, None] @ turns
    number = {turn.tobytes(): k for k, turn in enumerate(turns)}
    both = [number.get(turn.tobytes()) for turn in products.reshape(-1, 3, 3)]
    if None in both:
        raise not_a_group("the rotations are not closed", "symprec")
    product = np.array(both, np.int64).reshape(len(turns), -1)
    carries = shifts[:, None] + np.einsum("pij,qj->pqi", turns, shifts) - shifts[product]
    whole = _round(carries, e, lattice, tolerance).sum(axis=1)
    maps = whole[kinds] + len(turns) * _round(steps, e, lattice, tolerance)
    size = len(turns) * e
    common = math.gcd(size, *np.unique(maps).tolist())
    maps, size = maps // common % (size // common), size // common
    rows = np.concatenate([kinds[:, None], maps], axis=1).tolist()
    try:
        nested = tuple(tuple(map(tuple, matrix)) for matrix in turns.tolist())
        return AffineGroup((size,) * 3, nested, tuple(map(tuple, rows)), label)
    except GroupError as error:
        raise not_a_group(str(error), "symprec") from error


def site_images(group: AffineGroup, found: Operations, cell: Cell, tolerance: float) -> Rows:
    """images[a, i]: the site that operation a takes site i to; distances are at most the tolerance.

    Those of inner translations and of one operation for each matrix are looked for, others composed.
    """
    kinds = np.array(group.maps)[:, 0]
    first = np.unique(kinds, return_index=True)[1]
    every, own = group.all_elements(), first[kinds]
    translation = group.compose(every, group.inverse(own[:, None]))[:, 0]
    images = np.empty((len(kinds), len(cell.kinds)), np.int64)
    known = np.union1d(first, np.flatnonzero(kinds == 0))
    pairs = len(known) * len(cell.kinds) ** 2
    require_work("cell distances", pairs, "cell", remedy="give a smaller one")
    for a in known:
        distance = _lengths(_moved(found, cell, a)[:, None] - cell.positions, cell.lattice)
        distance[cell.kinds[:, None] != cell.kinds] = np.inf
        images[a] = distance.argmin(axis=1)
    rest = np.setdiff1d(np.arange(len(kinds)), known)
    images[rest] = np.take_along_axis(images[translation[rest]], images[own[rest]], 1)
    for a, image in enumerate(images):
        far = _lengths(_moved(found, cell, a) - cell.positions[image], cell.lattice).max()
        other = cell.kinds[image] != cell.kinds
        if far > tolerance or other.any():
            raise not_a_group("an operation does not take sites to sites", "symprec")
    closed = are_permutations(images).all() and all(
        np.array_equal(images[group.compose(g[None], every)[:, 0]], images[g[0]][images])
        for g in group.generators()
    )
    if not closed:
        raise not_a_group("sites do not follow the products of operations", "symprec")
    return images


def _moved(found: Operations, cell: Cell, a: int) -> Floats:
    return np.asarray(cell.positions @ found.rotations[a].T + found.translations[a])


def _lengths(apart: Floats, lattice: Floats) -> Floats:
    """Cartesian lengths, each fractional coordinate brought to [-1/2, 1/2] first."""
    return np.asarray(np.linalg.norm((apart - np.rint(apart)) @ lattice, axis=-1))


def _denominator(inner: Floats, lattice: Floats, tolerance: float) -> int:
    """The least e such that inner translations are multiples of 1/e; it divides their number."""
    for e in range(1, len(inner) + 1):
        if len(inner) % e == 0 and _off(inner, e, lattice) <= tolerance:
            return e
    raise not_a_group("the translations are not closed", "symprec")


def _off(shifts: Floats, e: int, lattice: Floats) -> float:
    """How far shifts are from multiples of 1/e."""
    return float(np.linalg.norm((shifts - np.rint(e * shifts) / e) @ lattice, axis=-1).max())


def _round(shifts: Floats, e: int, lattice: Floats, tolerance: float) -> Rows:
    if _off(shifts, e, lattice) > tolerance:
        raise not_a_group("the translations are not closed", "symprec")
    return np.rint(e * shifts).astype(np.int64)
