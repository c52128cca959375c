"""Colours that no automorphism changes, and the search for one automorphism (McKay 1981).

A node's colour is refined by the multiset of its neighbours' colours until no more colours appear.
A search fixes one node after another, refines after each, and looks at equal colours only. A colour
is a 64-bit number that depends on the structure alone, never on the names of the nodes: should two
structures meet in one number, a search has more to try, and what it returns is verified exactly.

Trees that hang from a graph are cut off, and only the rest is searched.

Nodes with one neighbour are cut, layer by layer, until none is left or two that have only each other.
Whatever an automorphism does, it keeps the layers. Two subtrees are isomorphic when their codes agree:
the node's kind and the codes of its children, sorted (Aho, Hopcroft and Ullman 1974). So an
automorphism of the graph is one of the rest, coloured by the codes of what hangs there, times
exchanges of isomorphic children of one node. One node of each orbit is enough for these: those of
its images are conjugate.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple

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
        size = f"{self.n} nodes and {len(self.source) // 2} edges"
        what = f"the search for automorphisms of graph, with {size},"
        require_work(limit, amount, what, remedy=_REMEDY)

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


class PrunedGraph(NamedTuple):
    """What is left of a graph, its nodes there; and the children of each node: (link, code, child)."""

    rest: Structure
    nodes: Nodes
    children: dict[int, list[tuple[Any, int, int]]]
    n: int

    def lift(self, image: Nodes) -> Nodes:
        """An automorphism of the rest, which takes what hangs from its nodes along."""
        return self._carry(zip(self.nodes.tolist(), self.nodes[image].tolist(), strict=True))

    def exchanges(self, nodes: Iterable[int]) -> Iterator[Nodes]:
        """Generators of what moves the trees at these nodes of the rest, and keeps the nodes."""
        todo = [int(self.nodes[node]) for node in nodes]
        while todo:
            for _, alike in groupby(self.children.get(todo.pop(), ()), lambda child: child[:2]):
                members = [child for *_, child in alike]
                todo.append(members[0])
                for count in {2, len(members)} if len(members) > 1 else ():
                    some = members[:count]
                    yield self._carry(zip(some, some[1:] + some[:1], strict=True))

    def _carry(self, pairs: Iterable[tuple[int, int]]) -> Nodes:
        """The permutation with these images of nodes, and of what hangs there in the order of codes."""
        image = np.arange(self.n)
        todo = list(pairs)
        while todo:
            a, b = todo.pop()
            image[a] = b
            if a != b and a in self.children:
                both = zip(self.children[a], self.children[b], strict=True)
                todo += [(left[2], right[2]) for left, right in both]
        return image


def prune(structure: Structure) -> PrunedGraph:
    """The structure without the trees that hang from it.

    Examples:
        >>> import numpy as np
        >>> from sparseaug.sources.refinement import Structure, prune
        >>> path = Structure(np.zeros(3, int), *np.array([[0, 1, 1, 2], [1, 0, 2, 1], [0, 0, 0, 0]]))
        >>> pruned = prune(path)
        >>> pruned.nodes.tolist(), [image.tolist() for image in pruned.exchanges([0])]
        ([1], [[2, 1, 0]])
    """
    n = structure.n
    pairs = np.unique(np.stack([structure.source, structure.target], axis=1), axis=0)
    neighbours = np.bincount(pairs[:, 0], minlength=n)
    children: dict[int, list[tuple[Any, int, int]]] = {}
    codes: dict[Any, int] = {}
    kinds = structure.node_kinds.tolist()

    def code(node: int) -> int:
        below = children.get(node, [])
        below.sort()
        return codes.setdefault((kinds[node], tuple(child[:2] for child in below)), len(codes))

    links = _links(structure) if (neighbours == 1).any() else {}
    there = np.ones(n, bool)
    leaves = np.flatnonzero(neighbours == 1).tolist()
    while leaves:
        parents = {leaf: next(p for p in links[leaf] if there[p]) for leaf in leaves}
        cut = [leaf for leaf in leaves if neighbours[parents[leaf]] > 1]
        for leaf in cut:
            parent = parents[leaf]
            children.setdefault(parent, []).append((links[leaf][parent], code(leaf), leaf))
        there[cut] = False
        for leaf in cut:
            neighbours[parents[leaf]] -= 1
        leaves = sorted({parents[leaf] for leaf in cut if neighbours[parents[leaf]] == 1})
    nodes = np.flatnonzero(there)
    number = np.cumsum(there) - 1
    kept = there[structure.source] & there[structure.target]
    rest = Structure(
        np.array([code(node) for node in nodes.tolist()], np.int64),
        number[structure.source[kept]],
        number[structure.target[kept]],
        structure.kinds[kept],
    )
    return PrunedGraph(rest, nodes, children, n)


def _links(structure: Structure) -> dict[int, dict[int, tuple[int, ...]]]:
    """For each node its neighbours, and the kinds of the arrows to them."""
    links: dict[int, dict[int, tuple[int, ...]]] = {}
    arrows = (structure.source.tolist(), structure.target.tolist(), structure.kinds.tolist())
    for source, target, kind in sorted(zip(*arrows, strict=True)):
        near = links.setdefault(source, {})
        near[target] = (*near.get(target, ()), kind)
    return links
