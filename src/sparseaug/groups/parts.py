"""What a permutation group is made of: symmetric groups wherever there are some, chains elsewhere.

DisjointParts  parts that move different points, side by side
Symmetric      S_k or A_k on k points: Fisher-Yates digits, no table
WreathPart     all permutations within the classes of a partition, and a group that moves the classes
ChainPart      a stabiliser chain, found at random and proved

Each part knows its radices, makes rows from digits, and finds the digits of rows; of rows that are no
elements these are any numbers, which do not give the rows again.
"""

from __future__ import annotations

# Which part, and why that is proved.
#
# Disjoint. Generators that move different points commute, so G is the direct product of the groups
# on the connected sets of moved points.
# Symmetric. A transitive group on k points that holds an element with a cycle of prime length p, k/2 <
# p < k - 2, contains A_k: a power of the element is a p-cycle; a block of imprimitivity has at most
# k/2 < p points, so the group is primitive; Jordan 1873. The parities of the generators tell S_k
# from A_k. So does the order, k! or k!/2.
# Wreath. Let classes of points be such that G permutes the classes and contains every permutation N
# within them: transpositions (i j) of G join i and j, and the generators keep the relation. Then N
# is the kernel of the action on the classes, |G| = |N| times the order of the image, and every
# image lifts to the element of G that keeps the order of the points within classes: any lift is one
# up to an element of N. So g = (lift of its image) times (an element of N), in exactly one way.
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from sparseaug.groups.chain import Level, RandomElements, are_even, cycle_lengths, stabiliser_chain
from sparseaug.groups.permutations import Rows, compose_permutations, invert_permutations
from sparseaug.groups.symmetric import Symmetric

_TRIED = 64  # random elements in which transpositions are looked for


class PermutationPart(Protocol):
    """A group of permutations of 0..k-1."""

    @property
    def radices(self) -> tuple[int, ...]:
        """Sizes of the digits; their product is the order."""

    def _from_digits(self, digits: Rows) -> Rows:
        """Elements (b, k) from digits (r, b)."""

    def _to_digits(self, rows: Rows) -> Rows:
        """Digits (r, b) of permutations (b, k)."""


@dataclass(frozen=True)
class DisjointParts:
    """Parts on disjoint points of 0..k-1; other points stay."""

    k: int
    points: tuple[Rows, ...]
    parts: tuple[PermutationPart, ...]

    @cached_property
    def radices(self) -> tuple[int, ...]:
        return tuple(radix for part in self.parts for radix in part.radices)

    def _from_digits(self, digits: Rows) -> Rows:
        rows = np.tile(np.arange(self.k), (digits.shape[1], 1))
        start = 0
        for points, part in zip(self.points, self.parts, strict=True):
            stop = start + len(part.radices)
            rows[:, points] = points[part._from_digits(digits[start:stop])]
            start = stop
        return rows

    def _to_digits(self, rows: Rows) -> Rows:
        digits = [np.empty((0, len(rows)), np.int64)]
        number = np.zeros(self.k, np.int64)
        for points, part in zip(self.points, self.parts, strict=True):
            number[points] = np.arange(len(points))
            digits.append(part._to_digits(number[rows[:, points]] % len(points)))
        return np.concatenate(digits)


@dataclass(frozen=True)
class WreathPart:
    """All permutations within classes, and `image`, which permutes the classes (of equal sizes)."""

    classes: tuple[Rows, ...]
    image: PermutationPart

    @cached_property
    def within(self) -> DisjointParts:
        """All permutations that keep every class."""
        several = tuple(points for points in self.classes if len(points) > 1)
        k = sum(map(len, self.classes))
        return DisjointParts(k, several, tuple(Symmetric(len(points)) for points in several))

    @cached_property
    def radices(self) -> tuple[int, ...]:
        return self.image.radices + self.within.radices

    @cached_property
    def _places(self) -> tuple[Rows, Rows, Rows]:
        """Of each point its class and its place there; and points by (class, place)."""
        most = max(map(len, self.classes))
        table = np.zeros((len(self.classes), most), np.int64)
        k = sum(map(len, self.classes))
        which, place = np.empty(k, np.int64), np.empty(k, np.int64)
        for c, points in enumerate(self.classes):
            table[c, : len(points)] = points
            which[points], place[points] = c, np.arange(len(points))
        return which, place, table

    def _lift(self, images: Rows) -> Rows:
        which, place, table = self._places
        return table[images[:, which], place]

    def _from_digits(self, digits: Rows) -> Rows:
        split = len(self.image.radices)
        lifted = self._lift(self.image._from_digits(digits[:split]))
        return compose_permutations(lifted, self.within._from_digits(digits[split:]))

    def _to_digits(self, rows: Rows) -> Rows:
        images = self._places[0][rows[:, [points[0] for points in self.classes]]]
        rest = compose_permutations(invert_permutations(self._lift(images)), rows)
        return np.concatenate([self.image._to_digits(images), self.within._to_digits(rest)])


@dataclass(frozen=True)
class ChainPart:
    """A stabiliser chain: g = u_1 u_2 ... u_L, u_i from the transversal of level i."""

    k: int
    levels: tuple[Level, ...]

    @cached_property
    def radices(self) -> tuple[int, ...]:
        return tuple(len(level.transversal) for level in self.levels)

    def _from_digits(self, digits: Rows) -> Rows:
        rows = np.tile(np.arange(self.k), (digits.shape[1], 1))
        for level, digit in zip(self.levels, digits, strict=True):
            rows = compose_permutations(rows, level.transversal[digit])
        return rows

    def _to_digits(self, rows: Rows) -> Rows:
        digits = np.empty((len(self.levels), len(rows)), np.int64)
        for i, level in enumerate(self.levels):
            digits[i] = level.digit_of[rows[:, level.point]]
            rows = compose_permutations(level.inverses[digits[i]], rows)
        return digits


def find_parts(generators: Rows) -> PermutationPart:
    """The group that permutations (r, k) generate.

    Examples:
        >>> import numpy as np
        >>> from sparseaug.groups.parts import find_parts
        >>> swap, turn = [1, 0, 2, 3, 4, 5, 6, 7], [1, 2, 3, 4, 5, 6, 7, 0]
        >>> find_parts(np.array([swap, turn]))
        Symmetric(n=8, even=False)
    """
    k = generators.shape[1]
    everything = supports(generators)
    parts = tuple(_connected(_local(generators, points)) for points in everything)
    if len(parts) == 1 and len(everything[0]) == k:
        return parts[0]
    return DisjointParts(k, tuple(everything), parts)


def _connected(generators: Rows) -> PermutationPart:
    """A part whose generators are linked by the points that they move."""
    k = generators.shape[1]
    if is_giant(generators):
        return Symmetric(k, bool(are_even(generators).all()))
    label = transposition_classes(generators)
    first, members = np.unique(label, return_inverse=True)
    if len(first) == 1:
        return Symmetric(k)
    if len(first) < k:
        points = np.argsort(members, kind="stable")
        classes = np.split(points, np.cumsum(np.bincount(members))[:-1])
        return WreathPart(
            tuple(classes), find_parts(np.unique(members[generators[:, first]], axis=0))
        )
    levels = stabiliser_chain(generators)
    order = math.prod(len(level.transversal) for level in levels)
    if 2 * order >= math.factorial(k) > 2:  # A_k is the one subgroup of index 2
        return Symmetric(k, even=2 * order == math.factorial(k))
    return ChainPart(k, levels)


def supports(generators: Rows) -> list[Rows]:
    """The points of each factor of the finest direct product that the generators show, in order."""
    moved = [np.flatnonzero(row != np.arange(generators.shape[1])).tolist() for row in generators]
    label = _closed([(points[0], p) for points in moved for p in points[1:]], generators[:0])
    touched = np.flatnonzero((generators != np.arange(len(label))).any(axis=0))
    order = touched[np.argsort(label[touched], kind="stable")]
    starts = np.unique(label[order], return_index=True)[1]
    return np.split(order, starts[1:]) if len(order) else []


def _local(generators: Rows, points: Rows) -> Rows:
    """The generators that move these points, as permutations of 0..k-1."""
    number = np.full(generators.shape[1], -1)
    number[points] = np.arange(len(points))
    moves = (generators[:, points] != points).any(axis=1)
    return np.unique(number[generators[moves][:, points]], axis=0)


def is_giant(generators: Rows) -> bool:
    """Whether the group is proved to contain all even permutations; False where it is not known."""
    k = generators.shape[1]
    steps: list[tuple[int, ...]] = [
        step for image in generators.tolist() for step in enumerate(image)
    ]
    if k < 8 or _closed(steps, generators[:0]).any():  # not transitive
        return False
    sieve = np.ones(k, bool)
    for p in range(2, math.isqrt(k) + 1):
        sieve[p * p :: p] = False
    sieve[: k // 2 + 1] = False
    sieve[k - 2 :] = False
    if not sieve.any():
        return False
    random = RandomElements(generators)
    # such an element has probability about log 2 / log k, so a giant goes unseen with one below 1e-6
    return any(
        sieve[np.minimum(cycle_lengths(random.batch(16)), k - 1)].any()
        for _ in range(k.bit_length())
    )


def transposition_classes(generators: Rows) -> Rows:
    """For each point the smallest point of its class under "(i j) is known to be in G".

    Seeds are powers of generators and of random elements that move two points; the classes are
    closed under the generators.
    """
    elements = np.concatenate([generators, RandomElements(generators).batch(_TRIED)])
    lengths = cycle_lengths(elements)
    even = lengths % 2 == 0
    seeds = np.flatnonzero((even.sum(axis=1) == 2) & (lengths * even == 2 * even).all(axis=1))
    # two points in cycles of even length, which is 2: an odd power is their transposition
    return _closed([tuple(np.flatnonzero(even[i]).tolist()) for i in seeds], generators)


def _closed(pairs: list[tuple[int, ...]], generators: Rows) -> Rows:
    """The finest equivalence relation that joins the pairs and that the generators keep."""
    parent = list(range(generators.shape[1]))

    def find(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    todo = pairs
    images = generators.tolist()
    while todo:
        i, j = todo.pop()
        a, b = find(i), find(j)
        if a != b:
            parent[max(a, b)] = min(a, b)
            todo += [(image[i], image[j]) for image in images]
    return np.array([find(i) for i in range(len(parent))])
