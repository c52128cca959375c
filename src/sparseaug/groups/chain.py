"""Stabiliser chains of permutation groups: found at random, proved afterwards.

Schreier and Sims: with base points b_1 < b_2 < ... < b_L and G_i the elements that fix b_1, ...,
b_(i-1), every element is g = u_1 u_2 ... u_L in exactly one way, u_i running over a transversal of
G_(i+1) in G_i, one u_i for each point of the orbit of b_i. Base points are the smallest ones that
are moved, and of each coset the representative is the lexicographically least: so the chain depends
on the group alone, neither on its generators nor on the random elements that found it.

The proof is Schreier's lemma: if all u_(s x)^-1 s u_x of every level (s a strong generator, x a
point of the orbit) sift to the identity through the levels below, the chain is one of the whole
group. All of them are sifted, many at a time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import require_work
from sparseaug.groups.permutations import Rows, compose_permutations, invert_permutations

_REMEDY = "use a family, such as symmetric(n), or a product of smaller groups"
_BATCH = 16  # random elements sifted at a time
_QUIET = 2  # batches without a find before the proof is tried
_SIFTED = 1 << 22  # entries of Schreier generators formed at a time


@dataclass(frozen=True)
class Level:
    """One step of the chain: base point, digits of its orbit, transversal and its inverses."""

    point: int
    digit_of: Rows  # (points,): index into the transversal of each image of `point`, or -1
    transversal: Rows  # (orbit size, points); the identity first
    inverses: Rows  # (orbit size, points)


def stabiliser_chain(generators: Rows) -> tuple[Level, ...]:
    """The chain of the group that permutations (r, points) generate, proved, in its normal form.

    Examples:
        >>> import numpy as np
        >>> from sparseaug.groups.chain import stabiliser_chain
        >>> turn, flip = [1, 2, 3, 4, 0], [0, 4, 3, 2, 1]
        >>> [len(level.transversal) for level in stabiliser_chain(np.array([turn, flip]))]
        [5, 2]
    """
    chain = _Chain(generators)
    random = RandomElements(generators)
    quiet = 0
    while quiet < _QUIET:
        quiet = 0 if chain.absorb(random.batch(_BATCH)) else quiet + 1
    chain.require_provable()
    while chain.schreier_generator_left():
        pass
    return chain.normal_form()


class RandomElements:
    """Nearly uniform elements by product replacement (Celler and others 1995), many at a time.

    They only speed up what is proved by other means, so how uniform they are does not matter.
    """

    def __init__(self, generators: Rows) -> None:
        self._rng = np.random.default_rng(0)
        copies = -(-max(2 * _BATCH, 2 * len(generators)) // len(generators))
        self._state = np.tile(generators, (copies, 1))
        for _ in range(20 + 2 * len(self._state).bit_length()):
            self._stir()

    def batch(self, size: int) -> Rows:
        """That many elements."""
        rows: list[Rows] = []
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
    """A chain that grows: strong generators by the first point they move, orbits, transversals."""

    def __init__(self, generators: Rows) -> None:
        self._points = generators.shape[1]
        self._strong: dict[int, list[Rows]] = {}
        self._levels: dict[int, Level] = {}
        for row in generators:
            self._add(row)

    def absorb(self, rows: Rows, start: int = 0) -> bool:
        """Sift from point `start` on and put what is left into the chain; whether anything was."""
        found = False
        while True:
            rows = self._sift(rows, start)
            rows = rows[(rows != np.arange(self._points)).any(axis=1)]
            if not len(rows):
                return found
            self._add(rows[0])
            found = True

    def require_provable(self) -> None:
        """Raise a `GroupTooLargeError` where the proof would take minutes."""
        sizes = [len(self._levels[point].transversal) for point in sorted(self._levels)]
        acting = sum(map(len, self._strong.values()))
        work = acting * sum(size * (len(sizes) - i) for i, size in enumerate(sizes)) * self._points
        what = f"the proof of a chain of {len(sizes)} stabilisers on {self._points} points"
        require_work("chain proof", work, what, remedy=_REMEDY)

    def schreier_generator_left(self) -> bool:
        """Sift all u_(s x)^-1 s u_x, deepest level first; whether one did not, and was added."""
        for point in sorted(self._levels, reverse=True):
            level = self._levels[point]
            acting = [row for p, rows in self._strong.items() if p >= point for row in rows]
            step = max(1, _SIFTED // (self._points * len(level.transversal)))
            for start in range(0, len(acting), step):
                some = np.array(acting[start : start + step])
                products = np.concatenate([row[level.transversal] for row in some])
                back = level.inverses[level.digit_of[products[:, point]]]
                if self.absorb(compose_permutations(back, products), point + 1):
                    return True
        return False

    def normal_form(self) -> tuple[Level, ...]:
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
                best = rows[:, below.transversal[:, below.point]].argmin(axis=1)
                changed = np.flatnonzero(best)
                if len(changed):
                    factors = below.transversal[best[changed]]
                    rows[changed] = compose_permutations(rows[changed], factors)
            digit_of = np.full(self._points, -1)
            digit_of[orbit] = np.arange(len(orbit))
            inverses = invert_permutations(rows)
            for array in (digit_of, rows, inverses):
                array.flags.writeable = False
            levels.append(Level(point, digit_of, rows, inverses))
        return tuple(reversed(levels))

    def _sift(self, rows: Rows, start: int) -> Rows:
        """What is left of the rows after stripping the levels from `start` on; stuck rows stay."""
        rows = rows.copy()
        going = np.ones(len(rows), bool)
        for point in sorted(self._levels):
            if point < start:
                continue
            level = self._levels[point]
            digits = level.digit_of[rows[:, point]]
            going &= digits >= 0
            todo = np.flatnonzero(going & (digits > 0))
            if len(todo):
                rows[todo] = compose_permutations(level.inverses[digits[todo]], rows[todo])
        return rows

    def _add(self, row: Rows) -> None:
        moved = np.flatnonzero(row != np.arange(self._points))
        if not len(moved):
            return
        first = int(moved[0])
        self._strong.setdefault(first, []).append(row)
        for point in [p for p in self._strong if p <= first]:
            self._extend(point)

    def _extend(self, point: int) -> None:
        """The orbit and transversal of the base point under all strong generators from it on."""
        acting = np.array([row for p, rows in self._strong.items() if p >= point for row in rows])
        old = self._levels.get(point)
        if old is None:
            transversal = [np.arange(self._points)]
            digit_of = np.full(self._points, -1)
            digit_of[point] = 0
        else:
            transversal, digit_of = list(old.transversal), old.digit_of.copy()
        frontier = list(range(len(transversal)))
        others = sum(len(level.transversal) for p, level in self._levels.items() if p != point)
        while frontier:
            entries = (others + len(transversal)) * self._points
            require_work("chain", entries, f"a group on {self._points} points", remedy=_REMEDY)
            rows = [transversal[i] for i in frontier]
            images = acting[:, [row[point] for row in rows]]
            frontier = []
            for a, b in zip(*np.nonzero(digit_of[images] < 0), strict=True):
                image = int(images[a, b])
                if digit_of[image] < 0:
                    digit_of[image] = len(transversal)
                    frontier.append(len(transversal))
                    transversal.append(acting[a][rows[b]])
        if old is None or len(transversal) > len(old.transversal):
            table = np.array(transversal)
            self._levels[point] = Level(point, digit_of, table, invert_permutations(table))


def cycle_lengths(permutations: Rows) -> Rows:
    """For permutations (b, k) the length of each point's cycle, (b, k): pointers that double."""
    b, k = permutations.shape
    label, ahead = np.broadcast_to(np.arange(k), (b, k)), permutations
    for _ in range(max(1, (k - 1).bit_length())):
        label = np.minimum(label, np.take_along_axis(label, ahead, 1))
        ahead = compose_permutations(ahead, ahead)
    cells = label + np.arange(0, b * k, k)[:, None]
    return np.bincount(cells.ravel(), minlength=b * k)[cells]


def are_even(permutations: Rows) -> NDArray[np.bool_]:
    """Which permutations (b, k) are even: k less the number of cycles is."""
    cycles = np.rint((1.0 / cycle_lengths(permutations)).sum(axis=1)).astype(np.int64)
    return (permutations.shape[1] - cycles) % 2 == 0
