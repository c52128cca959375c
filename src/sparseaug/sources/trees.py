"""Trees that hang from a graph are cut off, and only the rest is searched.

Nodes with one neighbour are cut, layer by layer, until none is left or two that have only each other.
Whatever an automorphism does, it keeps the layers. Two subtrees are isomorphic when their codes agree:
the node's kind and the codes of its children, sorted (Aho, Hopcroft and Ullman 1974). So an
automorphism of the graph is one of the rest, coloured by the codes of what hangs there, times
exchanges of isomorphic children of one node. One node of each orbit is enough for these: those of
its images are conjugate.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from sparseaug.sources.refinement import Nodes, Structure


@dataclass(frozen=True, eq=False)
class Pruned:
    """What is left of a graph, its nodes there; and the children of each node: (link, code, child)."""

    rest: Structure
    nodes: Nodes
    children: dict[int, list[tuple[Any, int, int]]]
    n: int

    def lifted(self, image: Nodes) -> Nodes:
        """An automorphism of the rest, which takes what hangs from its nodes along."""
        return self._carried(zip(self.nodes.tolist(), self.nodes[image].tolist(), strict=True))

    def exchanges(self, nodes: Iterable[int]) -> Iterator[Nodes]:
        """Generators of what moves the trees at these nodes of the rest, and keeps the nodes."""
        todo = [int(self.nodes[node]) for node in nodes]
        while todo:
            for _, alike in groupby(self.children.get(todo.pop(), ()), lambda child: child[:2]):
                members = [child for *_, child in alike]
                todo.append(members[0])
                for count in {2, len(members)} if len(members) > 1 else ():
                    some = members[:count]
                    yield self._carried(zip(some, some[1:] + some[:1], strict=True))

    def _carried(self, pairs: Iterable[tuple[int, int]]) -> Nodes:
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


def prune(structure: Structure) -> Pruned:
    """The structure without the trees that hang from it.

    Examples:
        >>> path = Structure(np.zeros(3, int), *np.array([[0, 1, 1, 2], [1, 0, 2, 1], [0, 0, 0, 0]]))
        >>> pruned = prune(path)
        >>> pruned.nodes.tolist(), [image.tolist() for image in pruned.exchanges([0])]
        ([1], [[2, 1, 0]])
    """
    n = structure.n
    pairs = np.unique(np.stack([structure.source, structure.target], axis=1), axis=0)
    degree = np.bincount(pairs[:, 0], minlength=n)
    children: dict[int, list[tuple[Any, int, int]]] = {}
    codes: dict[Any, int] = {}
    kinds = structure.node_kinds.tolist()

    def code(node: int) -> int:
        below = children.get(node, [])
        below.sort()
        return codes.setdefault((kinds[node], tuple(child[:2] for child in below)), len(codes))

    links = _links(structure) if (degree == 1).any() else {}
    there = np.ones(n, bool)
    leaves = np.flatnonzero(degree == 1).tolist()
    while leaves:
        parents = {leaf: next(p for p in links[leaf] if there[p]) for leaf in leaves}
        cut = [leaf for leaf in leaves if degree[parents[leaf]] > 1]
        for leaf in cut:
            parent = parents[leaf]
            children.setdefault(parent, []).append((links[leaf][parent], code(leaf), leaf))
        there[cut] = False
        for leaf in cut:
            degree[parents[leaf]] -= 1
        leaves = sorted({parents[leaf] for leaf in cut if degree[parents[leaf]] == 1})
    nodes = np.flatnonzero(there)
    number = np.cumsum(there) - 1
    kept = there[structure.source] & there[structure.target]
    rest = Structure(
        np.array([code(node) for node in nodes.tolist()], np.int64),
        number[structure.source[kept]],
        number[structure.target[kept]],
        structure.kinds[kept],
    )
    return Pruned(rest, nodes, children, n)


def _links(structure: Structure) -> dict[int, dict[int, tuple[int, ...]]]:
    """For each node its neighbours, and the kinds of the arrows to them."""
    links: dict[int, dict[int, tuple[int, ...]]] = {}
    arrows = (structure.source.tolist(), structure.target.tolist(), structure.kinds.tolist())
    for source, target, kind in sorted(zip(*arrows, strict=True)):
        near = links.setdefault(source, {})
        near[target] = (*near.get(target, ()), kind)
    return links
