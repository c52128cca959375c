"""Colours that no automorphism changes, and the search for one automorphism (McKay 1981).

A node's colour is refined by the multiset of its neighbours' colours until no more colours appear.
A search fixes one node after another, refines after each, and looks at equal colours only. A colour
is a 64-bit number that depends on the structure alone, never on the names of the nodes: should two
structures meet in one number, a search has more to try, and what it returns is verified exactly.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import require_work

Colours = NDArray[np.uint64]
Nodes = NDArray[np.int64]

_MARK = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio, as in splitmix64
_REMEDY = (
    "name attributes that tell nodes apart, give a smaller graph, or find generators with pynauty and "
    "give those to permutation_group"
)


@dataclass(eq=False)
class Structure:
    """Nodes 0..n-1 of some kinds, and arrows of some kinds from node to node, sorted by source.

    And how many colours were looked at so far.
    """

    node_kinds: Nodes
    source: Nodes
    target: Nodes
    kinds: Nodes
    looked: int = field(default=0, init=False)

    @property
    def n(self) -> int:
        """Number of nodes."""
        return len(self.node_kinds)

    def refine(self, colours: Colours) -> Colours:
        """The coarsest finer colouring in which nodes of one colour see the same colours."""
        count = 0
        while count < (count := len(np.unique(colours))) < self.n:
            self._count()
            seen = _mix(colours[self.target] + _mix(self._marks))
            total = np.concatenate([np.zeros(1, np.uint64), np.cumsum(seen, dtype=np.uint64)])
            # differences of sums modulo 2^64 are the sums over each node's arrows
            colours = _mix(colours + _mix(np.diff(total[self._bounds])))
        return colours

    def start(self) -> Colours:
        """The refined colours of the nodes' kinds."""
        return self.refine(_mix(self.node_kinds.astype(np.uint64)))

    def single_out(self, colours: Colours, node: int) -> Colours:
        """The refined colours once this node has a colour of its own."""
        marked = colours.copy()
        marked[node] = _mix(marked[node : node + 1] ^ _MARK)[0]
        return self.refine(marked)

    def is_kept_by(self, image: Nodes) -> bool:
        """Whether a permutation keeps nodes, arrows and their kinds, exactly."""
        self._count()
        if not np.array_equal(self.node_kinds[image], self.node_kinds):
            return False
        moved = np.lexsort((self.kinds, image[self.target], image[self.source]))
        return all(
            np.array_equal(new[moved], old[self._sorted])
            for new, old in (
                (image[self.source], self.source),
                (image[self.target], self.target),
                (self.kinds, self.kinds),
            )
        )

    def _count(self) -> None:
        self.looked += self.n + len(self.source)
        self.require("graph search", self.looked)

    def require(self, limit: str, amount: int) -> None:
        """Raise a `GroupTooLargeError` where the search is more than a limit allows."""
        require_work(limit, amount, "the search for automorphisms of graph", remedy=_REMEDY)

    @cached_property
    def _marks(self) -> Colours:
        return self.kinds.astype(np.uint64)

    @cached_property
    def _bounds(self) -> Nodes:
        return np.searchsorted(self.source, np.arange(self.n + 1))

    @cached_property
    def _sorted(self) -> Nodes:
        return np.lexsort((self.kinds, self.target, self.source))


class BasePath(NamedTuple):
    """Base points b_1, ..., b_L; colours[i] is the colouring in which b_1, ..., b_i stand out."""

    points: list[int]
    colours: list[Colours]


def path_to_discrete(structure: Structure) -> BasePath:
    """Single out nodes of the largest cell, one after another, until all colours differ."""
    points: list[int] = []
    colours = [structure.start()]
    while True:
        _, first, counts = np.unique(colours[-1], return_index=True, return_counts=True)
        if counts.max() == 1:
            return BasePath(points, colours)
        structure.require("graph colours", len(colours) * structure.n)
        points.append(int(first[counts == counts.max()].min()))
        colours.append(structure.single_out(colours[-1], points[-1]))


def find_automorphism(structure: Structure, path: BasePath, depth: int, image: int) -> Nodes | None:
    """An automorphism that fixes the first `depth` base points and sends the next to `image`.

    At every node of the search tree the obvious permutation is tried: equal colours onto each
    other, common nodes onto themselves. At a leaf, where all colours differ, it is the only one.
    """
    todo = [(depth, path.colours[depth], image)]
    while todo:
        depth, before, chosen = todo.pop()
        right = structure.single_out(before, chosen)
        left = path.colours[depth + 1]
        if not np.array_equal(np.sort(left), np.sort(right)):
            continue
        guess = _pair(left, right)
        if structure.is_kept_by(guess):
            return guess
        if depth + 1 < len(path.points):
            wanted = left[path.points[depth + 1]]
            todo += [(depth + 1, right, int(c)) for c in np.flatnonzero(right == wanted)[::-1]]
    return None


def _pair(left: Colours, right: Colours) -> Nodes:
    """The permutation that takes each colour of `left` to the same of `right`, moving few nodes."""
    moves = left != right
    image = np.empty(len(left), np.int64)
    image[np.lexsort((moves, left))] = np.lexsort((moves, right))
    return image


def _mix(numbers: Colours) -> Colours:
    """The finaliser of splitmix64: every bit of the input reaches every bit of the output."""
    z = numbers + _MARK
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
