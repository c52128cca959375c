"""The operations of a cell in integers, and the sites they move, from few comparisons of distances.

Operations are inner translations times one representative (W|w) for each matrix W. Inner translations
are a finite group: they are multiples of 1/e for some e. The carries c(W, V) = w_W + W w_V - w_WV are
inner translations too, and about the origin at the mean of the w's

    w_W = (1/p) sum over V of c(W, V),    p the number of matrices,

a multiple of 1/(p e). So rounding the translations and the carries to multiples of 1/e gives the
group exactly; that the rounded operations are closed is then checked in integers.
"""

from __future__ import annotations

import math

import numpy as np

from sparseaug.errors import GroupError, GroupTooLargeError
from sparseaug.groups import Rows
from sparseaug.groups.affine import AffineGroup
from sparseaug.groups.permutations import are_permutations
from sparseaug.sources.cells import Cell, Floats, Operations

SLACK = 4.0
"""A product of two operations, each found within symprec, errs by a few of them."""

MOST_DISTANCES = 1 << 28
"""Operations times pairs of sites that are compared: about half a minute."""


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
        raise loose("the rotations are not closed")
    product = np.array(both, np.int64).reshape(len(turns), -1)
    carries = shifts[:, None] + np.einsum("pij,qj->pqi", turns, shifts) - shifts[product]
    whole = _rounded(carries, e, lattice, tolerance).sum(axis=1)
    maps = whole[kinds] + len(turns) * _rounded(steps, e, lattice, tolerance)
    size = len(turns) * e
    common = math.gcd(size, *np.unique(maps).tolist())
    maps, size = maps // common % (size // common), size // common
    matrices, sizes = turns, [size] * 3
    if found.reversals.any():  # time reversal commutes with all: a shift modulo 2
        maps = np.concatenate([maps, found.reversals[:, None]], axis=1)
        matrices = np.zeros((len(turns), 4, 4), np.int64)
        matrices[:, :3, :3], matrices[:, 3, 3], sizes = turns, 1, [*sizes, 2]
    rows = np.concatenate([kinds[:, None], maps], axis=1).tolist()
    try:
        nested = tuple(tuple(map(tuple, matrix)) for matrix in matrices.tolist())
        return AffineGroup(tuple(sizes), nested, tuple(map(tuple, rows)), label)
    except GroupError as error:
        raise loose(str(error)) from error


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
    if pairs > MOST_DISTANCES:
        raise GroupTooLargeError(
            f"cell has {len(known)} operations on {len(cell.kinds)} sites to look for, {pairs} pairs "
            f"to compare, above {MOST_DISTANCES}; give a smaller cell."
        )
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
            raise loose("an operation does not take sites to sites")
    if not are_permutations(images).all():
        raise loose("an operation takes two sites to one")
    for g in group.generators():
        if not np.array_equal(images[group.compose(g[None], every)[:, 0]], images[g[0]][images]):
            raise loose("sites do not follow the products of operations")
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
    raise loose("the translations are not closed")


def _off(shifts: Floats, e: int, lattice: Floats) -> float:
    """How far shifts are from multiples of 1/e."""
    return float(np.linalg.norm((shifts - np.rint(e * shifts) / e) @ lattice, axis=-1).max())


def _rounded(shifts: Floats, e: int, lattice: Floats, tolerance: float) -> Rows:
    if _off(shifts, e, lattice) > tolerance:
        raise loose("the translations are not closed")
    return np.rint(e * shifts).astype(np.int64)


def loose(reason: str) -> GroupError:
    """What spglib found is not a group, and what to do."""
    return GroupError(
        f"the operations that spglib found do not form a group: {reason}; give a smaller symprec, or "
        "positions with more digits."
    )
