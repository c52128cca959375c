"""Relabellings that change nothing: the automorphisms of a graph, permutations of identical atoms.

Automorphisms come from few searches: never one for each automorphism, as networkx lists them: the
46,080 of the cube of six dimensions take it minutes, and 30 milliseconds here.

A stabiliser chain from the bottom up: at base point b_i, with b_1, ..., b_(i-1) fixed, one search
for each candidate image that the generators found so far do not reach. Success adds a generator and
so joins two orbits; failure rules out a whole orbit of the deeper stabiliser.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, final

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from sparseaug._checks import LIMITS, check_integer, check_list, check_not_negative, require_work
from sparseaug.actions import Action, permute_axis, permute_nodes
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import permutation_group
from sparseaug.sources.graphs import can_be_compared, read_graph, structure_of
from sparseaug.sources.refinement import Nodes, Structure, find_automorphism, path_to_discrete
from sparseaug.sources.symmetry import Symmetry


@final
@dataclass(frozen=True, repr=False)
class GraphSymmetry(Symmetry):
    """The automorphisms of a graph; row p of an element sends nodes[i] to nodes[p[i]].

    `action` moves adjacency arrays (n, v, v, ...), or pairs (adjacency, node features); `features`
    moves node features (n, v, ...) alone.

    Args:
        group: the automorphisms, as permutations of the nodes
        action: moves adjacency arrays (n, v, v, ...), or pairs (adjacency, node features)
        nodes: the nodes in their order
    """

    nodes: tuple[Hashable, ...]

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
        """The group and the nodes as text."""
        return {**super().to_dict(), "nodes": [str(node) for node in self.nodes]}


def graph_automorphisms(
    graph: Any,
    *,
    node_attr: Hashable | list[Hashable] | None = None,
    edge_attr: Hashable | list[Hashable] | None = None,
    tolerance: float = 0.0,
) -> GraphSymmetry:
    """The automorphism group of a graph, acting on its nodes in their order.

    Args:
        graph: a networkx Graph or DiGraph, such as PyG's `to_networkx` makes; or an adjacency matrix,
            a NumPy or SciPy sparse array, whose entries that are not 0 are edges of that weight, with
            directions unless it is symmetric
        node_attr: name of a node attribute that automorphisms must keep, for instance "element", or
            a list of names; for a matrix, a list with the value of each node
        edge_attr: name of an edge attribute that they must keep, for instance "order", or a list of
            names; a matrix has its entries, which are kept in any case
        tolerance: attributes and entries are the same when they differ by at most this much; a chain
            of close numbers that spans more is refused

    Self-loops are kept too. A multigraph is refused.

    Examples:
        >>> import networkx as nx
        >>> import numpy as np
        >>> from sparseaug.sources import graph_automorphisms
        >>> petersen = graph_automorphisms(nx.petersen_graph())
        >>> petersen.group.order, petersen.orbits()
        (120, ((0, 1, 2, 3, 4, 5, 6, 7, 8, 9),))
        >>> weights = np.array([[0, 1.0, 1.0], [1.0, 0, 0.3], [1.0, 0.3 + 1e-9, 0]])
        >>> graph_automorphisms(weights, tolerance=1e-6).group.order
        2
    """
    tolerance = check_not_negative("tolerance", tolerance)
    read = read_graph(graph, node_attr, edge_attr, tolerance)
    structure = structure_of(read)
    rows = [image.tolist() for image in generators_of(structure)] or [list(range(structure.n))]
    group = permutation_group(rows, label=f"automorphisms of a graph on {structure.n} nodes")
    return GraphSymmetry(group, permute_nodes(group), read.nodes)


def generators_of(structure: Structure) -> list[Nodes]:
    """Generators of all automorphisms, found by few searches."""
    path = path_to_discrete(structure)
    generators: list[Nodes] = []
    reached = np.arange(structure.n)  # orbits of the group that the generators generate so far
    for depth in reversed(range(len(path.points))):
        point, colours = path.points[depth], path.colours[depth]
        below, refuted = reached, set()  # orbits of the stabiliser of this base point as well
        for image in np.flatnonzero(colours == colours[point]).tolist():
            if reached[image] == reached[point] or below[image] in refuted:
                continue
            found = find_automorphism(structure, path, depth, image)
            if found is None:
                refuted.add(below[image])
            else:
                generators.append(found)
                reached = _orbits(np.stack([reached, found]))
    return generators


def _orbits(maps: Nodes) -> Nodes:
    """For each node the smallest one that these maps (k, n) join it with, along or against them."""
    nodes = np.broadcast_to(np.arange(maps.shape[1]), maps.shape)
    ones = np.ones(maps.size, np.int8)
    arrows = csr_array((ones, (nodes.ravel(), maps.ravel())), shape=(maps.shape[1],) * 2)
    label = connected_components(arrows, directed=False)[1]
    return np.unique(label, return_index=True)[1][label]


def identical_atoms(
    counts: Sequence[int] | None = None, *, species: Sequence[Hashable] | None = None, axis: int = 1
) -> Symmetry:
    """The relabellings of identical atoms, and how they move an axis: S_9 x S_8 x S_4, for instance.

    Args:
        counts: how many atoms of each species there are, for atoms that are sorted by species.
        species: instead, the species of each atom in its order: symbols, atomic numbers or any other
            labels; atoms of one species need not be neighbours.
        axis: the axis of the atoms, 1 for positions (n, atoms, 3).

    Returns:
        `group` and `action`; the group is known as a product of symmetric groups, so that the
        deviation of its samples is exact and designs of the factors are crossed.

    Examples:
        >>> from sparseaug.sources import identical_atoms
        >>> water = identical_atoms(species=["O", "H", "H"])
        >>> water.group.order, water.group.generators().tolist()
        (2, [[0, 2, 1]])
        >>> identical_atoms([9, 8, 4]).group.order  # 9! 8! 4!
        351151718400
        >>> import sparseaug as sa
        >>> sa.design(identical_atoms([9, 8, 4]).group, degree=1).m
        288
    """
    if (counts is None) == (species is None):
        raise ArgumentError("counts and species say the same; give one of them.")
    if species is None:
        sizes = [check_integer("counts", size, at_least=1) for size in check_list("counts", counts)]
        every = (kind for kind, size in enumerate(sizes) for _ in range(size))
        species = list(islice(every, LIMITS["relabelled atoms"].most + 1))
    labels = check_list("species", species)
    blocks: dict[Hashable, list[int]] = {}
    for i, label in enumerate(labels):
        if not can_be_compared(label):
            raise ArgumentError(f"species[{i}]={shorten(label)} is no label; give text or numbers.")
        blocks.setdefault(label, []).append(i)
    total = len(labels)
    if not total:
        raise ArgumentError("counts or species has 0 atoms; give at least one.")
    require_work("relabelled atoms", total, "counts or species", remedy="give fewer atoms")
    generators = [row for block in blocks.values() for row in _generators(block, total)]
    rows = generators or [list(range(total))]
    label = f"relabellings of {total} atoms of {len(blocks)} species"
    group = permutation_group(rows, label=label)
    return Symmetry(group, permute_axis(group, axis))


def _generators(block: list[int], total: int) -> Iterator[list[int]]:
    """The swap of the first two atoms of a block and its long cycle."""
    for moved in {2, len(block)} if len(block) > 1 else ():
        image = list(range(total))
        for i in range(moved):
            image[block[i]] = block[(i + 1) % moved]
        yield image
