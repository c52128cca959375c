"""Which families a permutation group is made of: S_k, A_k, B_n and their products, with the
isomorphism.

A norm of D_S depends on the group and S up to isomorphism only, so what is known of a family holds
for a group that turns out to be one: the automorphisms of K_10 are S_10, those of the hypercube Q_8
are B_8, the relabellings of identical atoms are a product of symmetric groups.
"""

from __future__ import annotations

import math

import numpy as np

from sparseaug.groups.chain import orbit_labels
from sparseaug.groups.digits import Rows
from sparseaug.groups.hyperoctahedral import hyperoctahedral
from sparseaug.groups.parts import Part, Product, Table, Whole, Wreath
from sparseaug.groups.product import direct_product
from sparseaug.groups.representations import Isomorphism


def recognise(part: Part) -> Isomorphism | None:
    """The family that a part is, or None.

    Examples:
        >>> from sparseaug.groups.parts import find_parts
        >>> generators = [[1, 0, 2, 3, 4], [0, 1, 3, 4, 2], [0, 1, 3, 2, 4]]
        >>> recognise(find_parts(np.array(generators))).group.name
        'S2xS3'
    """
    match part:
        case Whole():
            return Isomorphism(part.group, lambda rows: rows)
        case Product():
            return _product(part)
        case Wreath(classes, Whole(n, False)) if all(len(points) == 2 for points in classes):
            return Isomorphism(hyperoctahedral(n), _Pairs(np.array(classes)).rows)
        case Table():
            return _cube(part)
    return None


def _product(part: Product) -> Isomorphism | None:
    found = [recognise(factor) for factor in part.parts]
    known = [one for one in found if one is not None]
    if len(known) < len(found) or not known:
        return None
    number = np.zeros(part.k, np.int64)
    for points in part.points:
        number[points] = np.arange(len(points))

    def rows(elements: Rows) -> Rows:
        pieces = zip(part.points, known, strict=True)
        return np.concatenate(
            [one.rows(number[elements[:, points]]) for points, one in pieces], axis=1
        )

    product = direct_product(*(one.group for one in known))
    return Isomorphism(product, rows, all(one.same_degrees for one in known))


class _Pairs:
    """Permutations of n pairs of points as signed permutations: 2n points, the first of a pair is +."""

    def __init__(self, pairs: Rows) -> None:
        self._first = pairs[:, 0]
        self._axis, self._sign = np.empty(pairs.size, np.int64), np.empty(pairs.size, np.int64)
        for place in (0, 1):
            self._axis[pairs[:, place]] = np.arange(len(pairs))
            self._sign[pairs[:, place]] = place

    def rows(self, elements: Rows) -> Rows:
        images = elements[:, self._first]
        return np.concatenate([self._axis[images], self._sign[images]], axis=1)


# The symmetries of the n-cube act on its 2^n corners. If the stabiliser of corner 0 has an orbit O
# of n points, the images of O under the transversal are the neighbours of every corner. Corners get
# labels in {0,1}^n: 0, then one bit for each neighbour, then the bits of all neighbours that are
# nearer to 0. If the labels are all different and every generator g is x -> P x + s in them, P a
# permutation of the bits, then G is a subgroup of B_n; it is B_n if it has as many elements.
def _cube(part: Table) -> Isomorphism | None:
    k = part.k
    n = k.bit_length() - 1
    order = math.prod(part.radices)
    if n < 2 or k != 1 << n or order != k * math.factorial(n) or part.radices[0] != k:
        return None
    deeper = [level.transversal for level in part.levels[1:]]
    label = orbit_labels(np.concatenate(deeper))
    to_point = np.empty((k, k), np.int64)
    to_point[part.levels[0].transversal[:, 0]] = part.levels[0].transversal
    for orbit in (np.flatnonzero(label == first) for first in np.unique(label)):
        if len(orbit) != n:
            continue
        bits = _labels(to_point[:, orbit], n)
        if bits is None:
            continue
        cube = _Cube(bits, orbit)
        if all(cube.is_affine(level.transversal) for level in part.levels):
            return Isomorphism(hyperoctahedral(n), cube.rows, same_degrees=False)
    return None


def _labels(neighbours: Rows, n: int) -> Rows | None:
    """The corner of {0,1}^n, as an integer, of each point; None if the graph is not a cube."""
    k = len(neighbours)
    bits, distance = np.zeros(k, np.int64), np.full(k, -1)
    distance[0] = 0
    layer = np.zeros(1, np.int64)
    for step in range(n):
        reached = np.unique(neighbours[layer])
        reached = reached[distance[reached] < 0]
        distance[reached] = step + 1
        if step == 0:
            bits[neighbours[0]] = 1 << np.arange(n)
        else:
            near = distance[neighbours[reached]] == step
            bits[reached] = np.bitwise_or.reduce(
                np.where(near, bits[neighbours[reached]], 0), axis=1
            )
        layer = reached
    return bits if np.array_equal(np.sort(bits), np.arange(k)) else None


class _Cube:
    """Permutations of the corners as signed permutations of the axes.

    g moves x = (-1)^b for a corner b: (g x)[p(i)] = (-1)^(s_i) x[i].
    """

    def __init__(self, bits: Rows, units: Rows) -> None:
        self._bits, self._units = bits, units
        self._axis = np.full(len(bits), -1)
        self._axis[1 << np.arange(len(units))] = np.arange(len(units))

    def rows(self, elements: Rows) -> Rows:
        shift = self._bits[elements[:, :1]]
        axes = self._axis[self._bits[elements[:, self._units]] ^ shift]
        return np.concatenate([axes, (shift >> axes) & 1], axis=1)

    def is_affine(self, elements: Rows) -> bool:
        rows = self.rows(elements)
        axes, shift = rows[:, : len(self._units)], self._bits[elements[:, 0]]
        if (axes < 0).any():
            return False
        image = np.zeros(elements.shape, np.int64)
        for i in range(len(self._units)):
            image |= ((self._bits >> i) & 1) << axes[:, i : i + 1]
        return bool((self._bits[elements] == image ^ shift[:, None]).all())
