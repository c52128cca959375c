"""The automorphism group of a graph, from few searches: never one for each automorphism.

A stabiliser chain from the bottom up: at base point b_i, with b_1, ..., b_(i-1) fixed, one search
for each candidate image that the generators found so far do not reach. Success adds a generator and
so joins two orbits; failure rules out a whole orbit of the deeper stabiliser.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from sparseaug.actions import Action, permute_axis, permute_nodes
from sparseaug.errors import (
    ArgumentError,
    GroupError,
    GroupTooLargeError,
    UnsupportedError,
    need,
    shorten,
)
from sparseaug.groups import permutation_group
from sparseaug.sources.refinement import (
    Nodes,
    Structure,
    find_automorphism,
    path_to_discrete,
)
from sparseaug.sources.symmetry import Symmetry

LARGEST_GRAPH = 1 << 20
"""Nodes and edges together, which take seconds to read."""


@final
@dataclass(frozen=True, repr=False)
class GraphSymmetry(Symmetry):
    """The automorphisms of a graph; row p of an element sends nodes[i] to nodes[p[i]].

    `action` moves adjacency arrays (n, v, v, ...), or pairs (adjacency, node features); `features`
    moves node features (n, v, ...) alone. `searches` is what finding the generators took.

    Args:
        group: the automorphisms, as permutations of the nodes
        action: moves adjacency arrays (n, v, v, ...), or pairs (adjacency, node features)
        nodes: the nodes in their order
        searches: how many searches finding the generators took
    """

    nodes: tuple[Hashable, ...]
    searches: int

    @property
    def features(self) -> Action:
        """The action on node features (n, v, ...)."""
        return permute_axis(self.group, 1)

    def orbits(self) -> tuple[tuple[Hashable, ...], ...]:
        """The nodes in classes: two are together when some automorphism takes one to the other."""
        label = _orbits(self.group.generators())
        cells: dict[int, list[Hashable]] = {}
        for node, cell in zip(self.nodes, label.tolist(), strict=True):
            cells.setdefault(cell, []).append(node)
        return tuple(map(tuple, cells.values()))

    def to_dict(self) -> dict[str, Any]:
        """The group, the nodes as text and the number of searches."""
        facts = {"nodes": [str(node) for node in self.nodes], "searches": self.searches}
        return {**super().to_dict(), **facts}


def graph_automorphisms(
    graph: Any,
    *,
    node_attr: Hashable | None = None,
    edge_attr: Hashable | None = None,
    backend: str = "search",
) -> GraphSymmetry:
    """The automorphism group of a networkx Graph or DiGraph, acting on its nodes in their order.

    Args:
        graph: a networkx Graph or DiGraph
        node_attr: name of a node attribute that automorphisms must keep, for instance "element"
        edge_attr: name of an edge attribute that they must keep, for instance "order"
        backend: "search" (ours), or "pynauty" for graphs of thousands of nodes, where it is
            installed and no edge_attr is given; its generators, and so the draws of a seed, are
            others

    Self-loops are kept too. A multigraph is refused.

    Examples:
        >>> import networkx as nx
        >>> petersen = graph_automorphisms(nx.petersen_graph())
        >>> petersen.group.order, petersen.orbits()
        (120, ((0, 1, 2, 3, 4, 5, 6, 7, 8, 9),))
    """
    if not isinstance(backend, str) or backend not in ("search", "pynauty"):
        raise ArgumentError(f"backend={shorten(backend)} is not known; give 'search' or 'pynauty'.")
    structure = _structure_of(graph, node_attr, edge_attr)
    generators, searches = _search(structure) if backend == "search" else _ask_pynauty(structure)
    for image in generators:
        if not structure.is_kept_by(image):
            raise GroupError(
                f"{backend} gave {shorten(image.tolist())}, which is not an automorphism."
            )
    rows = [image.tolist() for image in generators] or [list(range(structure.n))]
    group = permutation_group(rows, label=f"automorphisms of a graph on {structure.n} nodes")
    return GraphSymmetry(group, permute_nodes(group), tuple(graph.nodes), searches)


def _search(structure: Structure) -> tuple[list[Nodes], int]:
    path = path_to_discrete(structure)
    generators: list[Nodes] = []
    searches = 0
    reached = np.arange(structure.n)  # orbits of the group that the generators generate so far
    for depth in reversed(range(len(path.points))):
        point, colours = path.points[depth], path.colours[depth]
        below, refuted = reached, set()  # orbits of the stabiliser of this base point as well
        for image in np.flatnonzero(colours == colours[point]).tolist():
            if reached[image] == reached[point] or below[image] in refuted:
                continue
            searches += 1
            found = find_automorphism(structure, path, depth, image)
            if found is None:
                refuted.add(below[image])
            else:
                generators.append(found)
                reached = _orbits(np.stack([reached, found]))
    return generators, searches


def _ask_pynauty(structure: Structure) -> tuple[list[Nodes], int]:
    pynauty = need("pynauty", "backend='pynauty'", extra="pynauty")
    forward = structure.kinds % 2 == 0
    if len(np.unique(structure.kinds[forward])) > 1:
        raise UnsupportedError("pynauty has no kinds of edges; leave out edge_attr or backend.")
    arrows: dict[int, list[int]] = {node: [] for node in range(structure.n)}
    for a, b in zip(structure.source[forward], structure.target[forward], strict=True):
        arrows[int(a)].append(int(b))
    kinds = structure.node_kinds
    given = pynauty.Graph(
        structure.n,
        directed=not forward.all(),
        adjacency_dict=arrows,
        vertex_coloring=[set(np.flatnonzero(kinds == kind).tolist()) for kind in np.unique(kinds)],
    )
    return [np.array(row, np.int64) for row in pynauty.autgrp(given)[0]], 0


def _structure_of(graph: Any, node_attr: Hashable | None, edge_attr: Hashable | None) -> Structure:
    """Nodes and arrows as numbers; an edge is two arrows, of even kind along it, odd against it.

    An undirected edge is even both ways. A self-loop is part of its node's kind.
    """
    networkx = need("networkx", "graph_automorphisms", extra="sparseaug[sources]")
    if not isinstance(graph, networkx.Graph):
        raise ArgumentError(f"graph={shorten(graph)} is not a networkx Graph or DiGraph.")
    if graph.is_multigraph():
        raise ArgumentError(
            "graph is a multigraph; give a Graph or DiGraph with the multiplicity as an edge "
            "attribute, and name it in edge_attr."
        )
    if not len(graph):
        raise ArgumentError("graph has no nodes; give at least one.")
    if len(graph) + graph.number_of_edges() > LARGEST_GRAPH:
        raise GroupTooLargeError(
            f"graph has {len(graph)} nodes and {graph.number_of_edges()} edges, above {LARGEST_GRAPH} "
            "together; give a smaller graph."
        )
    place = {node: i for i, node in enumerate(graph)}
    edges = [(place[u], place[v], data) for u, v, data in graph.edges(data=True)]
    values = _attribute("edge_attr", edge_attr, (data for _, _, data in edges))
    kind_of = _number(values)
    loops = {u: value for (u, v, _), value in zip(edges, values, strict=True) if u == v}
    own = _attribute("node_attr", node_attr, (data for _, data in graph.nodes(data=True)))
    looped = [(value, i in loops, loops.get(i)) for i, value in enumerate(own)]
    node_numbers = _number(looped)
    arrows = []
    for (u, v, _), value in zip(edges, values, strict=True):
        if u != v:
            kind = 2 * kind_of[value]
            arrows += [(u, v, kind), (v, u, kind + graph.is_directed())]
    table = np.array(sorted(arrows), np.int64).reshape(-1, 3)
    node_kinds = np.array([node_numbers[value] for value in looped], np.int64)
    return Structure(node_kinds, table[:, 0].copy(), table[:, 1].copy(), table[:, 2].copy())


def _attribute(name: str, attr: Hashable | None, data: Iterable[dict[Any, Any]]) -> list[Hashable]:
    """The attribute's value for each node or edge; None for all where no attribute is named."""
    if attr is None:
        return [None for _ in data]
    if not _can_be_compared(attr):
        raise ArgumentError(f"{name}={shorten(attr)} is not the name of an attribute.")
    values: list[Hashable] = []
    for i, known in enumerate(data):
        what = "node" if name == "node_attr" else "edge"
        if attr not in known:
            raise ArgumentError(f"{name}={shorten(attr)} is missing on {what} number {i}; set it.")
        if not _can_be_compared(known[attr]):
            raise ArgumentError(
                f"{name}={shorten(attr)} is {shorten(known[attr])} on {what} number {i}; "
                "give numbers, text or tuples, which can be compared."
            )
        values.append(known[attr])
    return values


def _can_be_compared(value: Any) -> bool:
    """Whether it has a hash, unlike a tuple with a list in it, and equals itself, unlike NaN."""
    try:
        hash(value)
        if isinstance(value, tuple):
            return all(map(_can_be_compared, value))
        return bool(value == value)
    except Exception:  # TypeError, or whatever a foreign object raises
        return False


def _number(values: Iterable[Hashable]) -> dict[Hashable, int]:
    """Each value's number, in order of appearance."""
    return {value: number for number, value in enumerate(dict.fromkeys(values))}


def _orbits(maps: Nodes) -> Nodes:
    """For each node the smallest one that these maps (k, n) join it with, along or against them."""
    nodes = np.broadcast_to(np.arange(maps.shape[1]), maps.shape)
    ones = np.ones(maps.size, np.int8)
    arrows = csr_array((ones, (nodes.ravel(), maps.ravel())), shape=(maps.shape[1],) * 2)
    label = connected_components(arrows, directed=False)[1]
    return np.unique(label, return_index=True)[1][label]
