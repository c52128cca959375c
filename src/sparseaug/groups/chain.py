"""Stabiliser chains of permutation groups: found at random, proved afterwards, the same for every start.

Schreier and Sims: with base points b_1 < b_2 < ... < b_L and G_i the elements that fix b_1, ..., b_(i-1), every
element is g = u_1 u_2 ... u_L in exactly one way, u_i running over a transversal of G_(i+1) in G_i, one u_i for
each point of the orbit of b_i. Base points are the smallest ones that are moved, and of each coset the
representative is the lexicographically least: so the chain depends on the group alone, and neither on the
generators nor on the random elements that found it.
"""

# What is proved. Every orbit that is found is one of a subgroup of G_i, so the product of the orbit sizes never
# exceeds |G|. Three ways to know |G|, the first that applies:
#
# 1. Giants. A transitive group of degree k that holds an element with a cycle of prime length p, k/2 < p < k - 2,
#    contains A_k (a power of the element is a p-cycle; a block of imprimitivity has at most k/2 < p points, so the
#    group is primitive; Jordan 1873). The parities of the generators tell S_k from A_k.
# 2. Transpositions. That (i j) lies in G is an equivalence relation which G keeps. N, the product of the symmetric
#    groups on its classes, is the kernel of the action on the classes, so |G| = |N| times the order of the image.
# 3. Otherwise: if all Schreier generators u_(s x)^-1 s u_x of every level sift to the identity through the levels
#    below it, the chain is one of G (Schreier's lemma). All of them are sifted.

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from sparseaug.groups.digits import Rows
from sparseaug.groups.shuffle import compose_permutations, invert_permutations

_BATCH = 16  # random elements sifted at a time
_QUIET = 2  # batches without a find before the proof is tried
_SIFTED = 1 << 22  # entries of Schreier generators formed at a time


@dataclass(frozen=True)
class Level:
    """One step of the chain: base point, digits of its orbit, transversal and its inverses."""

    point: int
    digit_of: Rows  # (degree,): index into the transversal of each image of `point`, or -1
    transversal: Rows  # (orbit size, degree); the identity first
    inverses: Rows  # (orbit size, degree)


def supports(generators: Rows) -> list[Rows]:
    """The points of each factor of the finest direct product that the generators show, in increasing order.

    Generators that move different points commute, and generate a direct product.
    """
    label = np.arange(generators.shape[1])
    moved = [np.flatnonzero(row != np.arange(len(row))) for row in generators]
    while True:
        before = label.copy()
        for points in moved:
            if len(points):
                label[points] = label[points].min()
        label = label[label]
        if np.array_equal(before, label):
            break
    touched = np.zeros(len(label), bool)
    for points in moved:
        touched[points] = True
    return [np.flatnonzero(touched & (label == first)) for first in np.unique(label[touched])]


def is_giant(generators: Rows) -> bool:
    """Whether the group is proved to contain the alternating group on all its points; False if not known."""
    k = generators.shape[1]
    if k < 8 or len(np.unique(orbit_labels(generators))) > 1:
        return False
    primes = [p for p in range(k // 2 + 1, k - 2) if all(p % d for d in range(2, math.isqrt(p) + 1))]
    if not primes:
        return False
    random = RandomElements(generators)
    # such an element has probability about log 2 / log k, so a giant goes unseen with one below 1e-6
    for _ in range(1 + 14 * k.bit_length() // _BATCH):
        if any(np.isin(cycle_lengths(row), primes).any() for row in random.batch(_BATCH)):
            return True
    return False


def orbit_labels(generators: Rows) -> Rows:
    """For each point the smallest point of its orbit."""
    label = np.arange(generators.shape[1])
    while True:
        before = label
        for image in generators:
            label = np.minimum(label, label[image])
            label[image] = np.minimum(label, label[image])
        label = label[label]
        if np.array_equal(before, label):
            return label


def cycle_lengths(permutation: Rows) -> Rows:
    """The length of each cycle."""
    left = np.ones(len(permutation), bool)
    lengths = []
    image = permutation.tolist()
    for start in range(len(image)):
        if left[start]:
            length, point = 0, start
            while left[point]:
                left[point] = False
                point, length = image[point], length + 1
            lengths.append(length)
    return np.array(lengths)


def is_even(permutation: Rows) -> bool:
    """Whether it is an even permutation."""
    return (len(permutation) - len(cycle_lengths(permutation))) % 2 == 0


def transposition_classes(generators: Rows) -> Rows:
    """For each point the smallest point of its class under "(i j) is known to be in G".

    Seeds are powers of generators and of random elements that move two points; the classes are closed under
    the generators.
    """
    n = generators.shape[1]
    elements = [*generators, *RandomElements(generators).batch(4 * _BATCH)]
    label = np.arange(n)
    for element in elements:
        pair = _transposition_in(element)
        if pair is not None:
            label[pair] = label[pair].min()
    return _closed(label, generators)


def _transposition_in(permutation: Rows) -> Rows | None:
    """The points of a power that is a transposition: one cycle of length 2, all others odd."""
    lengths = cycle_lengths(permutation)
    if (lengths % 2 == 0).sum() != 1 or (lengths == 2).sum() != 1:
        return None
    square = permutation[permutation]
    return np.flatnonzero((square == np.arange(len(permutation))) & (permutation != np.arange(len(permutation))))


def _closed(label: Rows, generators: Rows) -> Rows:
    """The finest equivalence relation that holds this one and that the generators keep."""
    parent = label.tolist()

    def find(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    todo = [(i, p) for i, p in enumerate(parent) if i != p]
    images = generators.tolist()
    while todo:
        i, j = todo.pop()
        for image in images:
            a, b = find(image[i]), find(image[j])
            if a != b:
                parent[max(a, b)] = min(a, b)
                todo.append((image[i], image[j]))
    return np.array([find(i) for i in range(len(parent))])


def group_order(generators: Rows) -> int:
    """The order of the group, proved."""
    order = 1
    for points in supports(generators):
        order *= _order_of_part(local(generators, points))
    return order


def _order_of_part(generators: Rows) -> int:
    k = generators.shape[1]
    if is_giant(generators):
        every = math.factorial(k)
        return every // 2 if all(map(is_even, generators)) else every
    label = transposition_classes(generators)
    classes, members = np.unique(label, return_inverse=True)
    if len(classes) < k:
        sizes = np.bincount(members)
        image = np.unique(members[generators[:, classes]], axis=0)
        return math.prod(map(math.factorial, sizes.tolist())) * group_order(image)
    return math.prod(len(level.transversal) for level in _Chain(generators).proved())


def local(generators: Rows, points: Rows) -> Rows:
    """The generators that move these points, as permutations of 0..k-1, without the identity."""
    number = np.full(generators.shape[1], -1)
    number[points] = np.arange(len(points))
    rows = np.unique(number[generators[:, points]], axis=0)
    moves = (rows != np.arange(len(points))).any(axis=1)
    return rows[moves] if moves.any() else rows[:1]


def stabiliser_chain(generators: Rows) -> tuple[Level, ...]:
    """The chain of the group that acts on these points, proved, in its normal form."""
    return _Chain(generators).of_order(group_order(generators))


class RandomElements:
    """Nearly uniform elements by product replacement (Celler and others 1995), many at a time.

    They only ever speed up what is proved by other means, so how uniform they are does not matter.
    """

    def __init__(self, generators: Rows) -> None:
        self._rng = np.random.default_rng(0)
        copies = -(-max(2 * _BATCH, 2 * len(generators)) // len(generators))
        self._state = np.tile(generators, (copies, 1))
        for _ in range(20 + 2 * len(self._state).bit_length()):
            self._stir()

    def batch(self, size: int) -> Rows:
        """That many elements."""
        rows = []
        while len(rows) < size:
            self._stir()
            rows.extend(self._state[: len(self._state) // 2])
        return np.array(rows[:size])

    def _stir(self) -> None:
        """Half of the state is multiplied by the other half, from either side, inverted or not."""
        half = len(self._state) // 2
        order = self._rng.permutation(len(self._state))
        changed, other = order[:half], self._state[order[half : 2 * half]]
        if self._rng.integers(2):
            other = invert_permutations(other)
        left, right = self._state[changed], other
        if self._rng.integers(2):
            left, right = right, left
        self._state[changed] = compose_permutations(left, right)
        self._state = self._state[self._rng.permutation(len(self._state))]


class _Chain:
    """A chain that grows: strong generators by the first point they move, orbits and transversals."""

    def __init__(self, generators: Rows) -> None:
        self._generators = generators
        self._degree = generators.shape[1]
        self._strong: dict[int, list[Rows]] = {}
        self._levels: dict[int, Level] = {}
        self._random = RandomElements(generators)
        for row in generators:
            self._add(row)

    def of_order(self, order: int) -> tuple[Level, ...]:
        """Sift random elements until the orbits multiply up to the order."""
        while self._size() < order:
            self._sift_and_add(self._random.batch(_BATCH))
        return self._normal_form()

    def proved(self) -> tuple[Level, ...]:
        """Sift random elements until nothing comes out, then all Schreier generators."""
        quiet = 0
        while quiet < _QUIET:
            quiet = 0 if self._sift_and_add(self._random.batch(_BATCH)) else quiet + 1
        while self._schreier_generator_left():
            pass
        return self._normal_form()

    def _size(self) -> int:
        return math.prod(len(level.transversal) for level in self._levels.values())

    def _sift(self, rows: Rows, start: int = 0) -> Rows:
        """What is left of the rows after stripping the levels from point `start` on; stuck rows stay as they are."""
        rows = rows.copy()
        going = np.ones(len(rows), bool)
        for point in sorted(self._levels):
            if point < start:
                continue
            level = self._levels[point]
            digits = level.digit_of[rows[:, point]]
            # a smaller point that is no base point but is moved stops a row as well
            going &= digits >= 0
            todo = np.flatnonzero(going & (digits > 0))
            if len(todo):
                rows[todo] = compose_permutations(level.inverses[digits[todo]], rows[todo])
        return rows

    def _sift_and_add(self, rows: Rows, start: int = 0) -> bool:
        """Put what does not sift into the chain; whether there was any."""
        found = False
        for _ in count():
            rest = self._sift(rows, start)
            stuck = np.flatnonzero((rest != np.arange(self._degree)).any(axis=1))
            if not len(stuck):
                return found
            found = True
            self._add(rest[stuck[0]])
            rows = rest[stuck]
        return found

    def _add(self, row: Rows) -> None:
        moved = np.flatnonzero(row != np.arange(self._degree))
        if not len(moved):
            return
        first = int(moved[0])
        self._strong.setdefault(first, []).append(row)
        for point in [p for p in self._strong if p <= first]:
            self._extend(point)

    def _extend(self, point: int) -> None:
        """The orbit and transversal of the base point under all strong generators from it on."""
        acting = np.array([row for p, rows in self._strong.items() if p >= point for row in rows])
        digit_of = np.full(self._degree, -1)
        old = self._levels.get(point)
        if old is None:
            transversal = [np.arange(self._degree)]
            digit_of[point] = 0
        else:
            transversal = list(old.transversal)
            digit_of[:] = old.digit_of
        frontier = list(range(len(transversal)))
        while frontier:
            rows = np.array([transversal[i] for i in frontier])
            frontier = []
            images = acting[:, rows[:, point]]
            for a, b in zip(*np.nonzero(digit_of[images] < 0), strict=True):
                image = int(images[a, b])
                if digit_of[image] < 0:
                    digit_of[image] = len(transversal)
                    frontier.append(len(transversal))
                    transversal.append(acting[a][rows[b]])
        if old is None or len(transversal) > len(old.transversal):
            table = np.array(transversal)
            self._levels[point] = Level(point, digit_of, table, invert_permutations(table))

    def _schreier_generator_left(self) -> bool:
        """Sift all u_(s x)^-1 s u_x, from the deepest level up; whether one of them did not, and was added."""
        for point in sorted(self._levels, reverse=True):
            level = self._levels[point]
            acting = [row for p, rows in self._strong.items() if p >= point for row in rows]
            step = max(1, _SIFTED // (self._degree * len(level.transversal)))
            for start in range(0, len(acting), step):
                some = np.array(acting[start : start + step])
                products = compose_permutations(some[:, None], level.transversal[None])
                products = products.reshape(-1, self._degree)
                back = level.inverses[level.digit_of[products[:, point]]]
                if self._sift_and_add(np.unique(compose_permutations(back, products), axis=0), point + 1):
                    return True
        return False

    def _normal_form(self) -> tuple[Level, ...]:
        """Base points in order, orbits in order (the point itself first), least representatives."""
        levels: list[Level] = []
        for point in sorted(self._levels, reverse=True):
            old = self._levels[point]
            if len(old.transversal) == 1:
                continue
            orbit = np.flatnonzero(old.digit_of >= 0)
            orbit = np.concatenate([[point], orbit[orbit != point]])
            rows = old.transversal[old.digit_of[orbit]].copy()
            for below in reversed(levels):
                # the least image of the next base point, over what the level below can make of it
                reach = below.transversal[:, below.point]
                best = rows[:, reach].argmin(axis=1)
                changed = np.flatnonzero(best)
                if len(changed):
                    rows[changed] = compose_permutations(rows[changed], below.transversal[best[changed]])
            digit_of = np.full(self._degree, -1)
            digit_of[orbit] = np.arange(len(orbit))
            inverses = invert_permutations(rows)
            for array in (digit_of, rows, inverses):
                array.flags.writeable = False
            levels.append(Level(point, digit_of, rows, inverses))
        return tuple(reversed(levels))
