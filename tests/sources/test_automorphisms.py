"""Automorphism groups of graphs, against brute force and published orders."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import permutations, product
from typing import Any

import networkx as nx
import numpy as np
import pytest
from networkx.algorithms.isomorphism import categorical_edge_match, categorical_node_match
from networkx.generators.atlas import graph_atlas_g
from scipy import sparse

import sparseaug as sa
from sparseaug.errors import ArgumentError, GroupTooLargeError
from sparseaug.sources import graph_automorphisms
from sparseaug.testing import check_action, check_group

ATLAS = graph_atlas_g()


def brute_force(matrix: np.ndarray) -> set[tuple[int, ...]]:
    """All permutations p with A[p(i), p(j)] = A[i, j]."""
    v = len(matrix)
    every = np.array(list(permutations(range(v))))
    moved = matrix[every[:, :, None], every[:, None, :]]
    return set(map(tuple, every[(moved == matrix).all(axis=(1, 2))].tolist()))


def listed(group: sa.groups.Group) -> set[tuple[int, ...]]:
    return set(map(tuple, np.concatenate(list(group.elements())).tolist()))


def matched(graph: Any, node_attr: str | None = None, edge_attr: str | None = None) -> int:
    """The number of automorphisms, each found by networkx's matcher."""
    kind = nx.isomorphism.DiGraphMatcher if graph.is_directed() else nx.isomorphism.GraphMatcher
    return sum(
        1
        for _ in kind(
            graph,
            graph,
            node_match=categorical_node_match(node_attr, None) if node_attr else None,
            edge_match=categorical_edge_match(edge_attr, None) if edge_attr else None,
        ).isomorphisms_iter()
    )


@pytest.mark.parametrize(
    "some",
    [range(1, 209, 4), range(209, 1253, 58), pytest.param(range(1253), marks=pytest.mark.slow)],
)
def test_the_group_is_the_set_of_all_automorphisms(some: range) -> None:
    """Graphs of up to six nodes come first in the atlas, then those of seven."""
    for graph in (ATLAS[number] for number in some if number):
        found = graph_automorphisms(graph)
        assert listed(found.group) == brute_force(nx.to_numpy_array(graph))


@pytest.mark.parametrize(
    ("graph", "order"),
    [
        (nx.balanced_tree(3, 4), 6**40),
        (nx.balanced_tree(2, 6), 2**63),
        (nx.star_graph(300), math.factorial(300)),
        (nx.disjoint_union(nx.path_graph(4), nx.path_graph(4)), 8),
        (nx.disjoint_union_all([nx.star_graph(3)] * 4), 6**4 * 24),
        (nx.barbell_graph(5, 3), 2 * 24**2),
        (nx.corona_product(nx.cycle_graph(7), nx.empty_graph(3)), 14 * 6**7),
    ],
)
def test_trees_are_counted_as_products_of_factorials(graph: Any, order: int) -> None:
    found = graph_automorphisms(graph)
    assert found.group.order == order
    S = sa.Oracle(found.group, seed=0).draw(4)
    edges = {frozenset(edge) for edge in nx.convert_node_labels_to_integers(graph).edges}
    for row in S.elements:
        assert {frozenset(map(int, row[list(edge)])) for edge in edges} == edges


def shrikhande() -> Any:
    steps = ((1, 0), (0, 1), (1, 1))
    graph = nx.Graph()
    for (i, j), (a, b) in product(product(range(4), repeat=2), steps):
        graph.add_edge((i, j), ((i + a) % 4, (j + b) % 4))
    return graph


def test_strongly_regular_graphs_that_colours_cannot_tell_apart_are_told_apart() -> None:
    """The Shrikhande graph (order 192) and the rook's graph (1152) have the same parameters."""
    rook = nx.line_graph(nx.complete_bipartite_graph(4, 4))
    both = graph_automorphisms(nx.disjoint_union(rook, shrikhande()))
    assert graph_automorphisms(shrikhande()).group.order == 192
    assert both.group.order == 192 * 1152
    assert len(both.orbits()) == 2


def benzene() -> Any:
    graph = nx.Graph()
    for i in range(6):
        graph.add_node(f"C{i}", element="C")
        graph.add_node(f"H{i}", element="H")
    for i in range(6):
        graph.add_edge(f"C{i}", f"C{(i + 1) % 6}", order=1.5)
        graph.add_edge(f"C{i}", f"H{i}", order=1)
    return graph


@pytest.mark.parametrize("seed", range(12))
def test_attributes_directions_and_loops_are_kept_as_networkx_keeps_them(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = nx.DiGraph() if seed % 2 else nx.Graph()
    graph.add_nodes_from((i, {"kind": int(rng.integers(2))}) for i in range(6))
    chosen = rng.random((6, 6)) < (0.15, 0.5, 0.85)[seed % 3]
    for i, j in np.argwhere(chosen).tolist():
        graph.add_edge(i, j, weight=int(rng.integers(2)) if seed > 5 else 0)
    ring = nx.cycle_graph(4, create_using=type(graph))
    nx.set_node_attributes(ring, 1, "kind")
    nx.set_edge_attributes(ring, 1, "weight")
    ring.add_edge(0, 0, weight=0)
    ring.add_edge(2, 2, weight=0)
    whole = nx.disjoint_union(graph, ring)
    for node_attr, edge_attr in product((None, "kind"), (None, "weight")):
        found = graph_automorphisms(whole, node_attr=node_attr, edge_attr=edge_attr)
        assert found.group.order == matched(whole, node_attr, edge_attr)


def test_searches_are_few_however_many_automorphisms() -> None:
    for graph in (nx.complete_graph(20), nx.empty_graph(20), nx.star_graph(19)):
        found = graph_automorphisms(graph)
        assert found.group.order >= math.factorial(19)
        assert found.searches <= 20
    assert graph_automorphisms(nx.frucht_graph()).searches <= 12**2


def test_the_actions_leave_the_graph_as_it_is() -> None:
    graph = nx.relabel_nodes(nx.petersen_graph(), lambda i: f"n{9 - i}")
    found = graph_automorphisms(graph)
    adjacency = nx.to_numpy_array(graph, nodelist=found.nodes)[None]
    S = sa.Oracle(found.group, seed=0).draw(8)
    assert found.nodes == tuple(graph)
    assert (found.action(S, adjacency) == adjacency).all()
    marks = np.arange(10.0)[None, :, None]
    degrees = adjacency @ marks
    moved = found.features(S, marks)
    assert np.array_equal(adjacency @ moved, found.features(S, degrees))
    check_action(found.action, np.random.default_rng(0).normal(size=(2, 10, 10)))
    check_group(found.group)
    assert 0 < sa.deviation(S).value <= 1


def test_graphs_that_are_too_large_are_refused(lower_limit: Callable[[str, int], None]) -> None:
    for limit, most, graph in (
        ("graph size", 1000, nx.complete_graph(50)),
        ("graph search", 10**6, nx.random_regular_graph(3, 300, seed=0)),
    ):
        lower_limit(limit, most)
        with pytest.raises(GroupTooLargeError, match=f"above {most}"):
            graph_automorphisms(graph)


def ring(weights: list[Any], name: str = "w") -> Any:
    graph = nx.cycle_graph(len(weights))
    nx.set_edge_attributes(graph, dict(zip(graph.edges, weights, strict=True)), name)
    return graph


def test_floats_within_the_tolerance_are_one_kind() -> None:
    rng = np.random.default_rng(0)
    exact = ring([1.0, 2.0, 1.0, 2.0, 1.0, 2.0])
    noisy = ring([w + 1e-4 * rng.uniform(-0.5, 0.5) for *_, w in exact.edges(data="w")])
    assert graph_automorphisms(noisy, edge_attr="w").group.order == 1
    wanted = graph_automorphisms(exact, edge_attr="w").group
    assert listed(graph_automorphisms(noisy, edge_attr="w", tolerance=1e-4).group) == listed(wanted)
    nodes = nx.complete_graph(4)
    nx.set_node_attributes(nodes, {0: 0.3, 1: 0.1 + 0.2, 2: 0.4, 3: np.float32(0.4)}, "charge")
    assert graph_automorphisms(nodes, node_attr="charge").group.order == 1
    assert graph_automorphisms(nodes, node_attr="charge", tolerance=1e-6).group.order == 4


def test_the_tolerance_reaches_into_tuples_and_leaves_text_alone() -> None:
    graph = nx.empty_graph(5)
    values = {0: (1.0, "a"), 1: (1.0 + 1e-9, "a"), 2: (1.0, "b"), 3: "a", 4: (1.0,)}
    nx.set_node_attributes(graph, values, "kind")
    assert graph_automorphisms(graph, node_attr="kind", tolerance=1e-6).group.order == 2


def test_a_chain_of_close_numbers_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"edge_attr .*from 1 to 1.2 .*tolerance=0.1"):
        graph_automorphisms(ring([1.0, 1.1, 1.2, 5.0]), edge_attr="w", tolerance=0.1000001)


def test_several_attributes_are_kept_together() -> None:
    graph = ring([1, 1, 1, 1])
    nx.set_edge_attributes(graph, {(0, 1): "a", (1, 2): "b", (2, 3): "a", (3, 0): "b"}, "v")
    nx.set_node_attributes(graph, {0: 0, 1: 1, 2: 0, 3: 1}, "a")
    nx.set_node_attributes(graph, {0: 0, 1: 0, 2: 1, 3: 1}, "b")
    assert graph_automorphisms(graph).group.order == 8
    assert graph_automorphisms(graph, node_attr="a").group.order == 4
    assert graph_automorphisms(graph, node_attr=["a"]).group.order == 4
    assert graph_automorphisms(graph, node_attr=["a", "b"]).group.order == 1
    assert graph_automorphisms(graph, edge_attr=["w", "v"]).group.order == 4


@pytest.mark.parametrize("seed", range(8))
def test_an_adjacency_matrix_gives_the_group_of_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.integers(0, 3, (5, 5)).astype((int, float, np.uint8)[seed % 3])
    matrix[:, 1] = matrix[:, 0]
    matrix[1] = matrix[0]  # so that there is some symmetry
    if seed % 2:
        matrix = np.triu(matrix) + np.triu(matrix, 1).T
    found = graph_automorphisms(matrix)
    assert listed(found.group) == brute_force(matrix)
    assert found.nodes == tuple(range(5))
    for form in (sparse.csr_array, sparse.coo_array, sparse.csc_matrix):
        assert graph_automorphisms(form(matrix)) == found
    noise = 1e-9 * rng.uniform(-1, 1, (5, 5))
    assert listed(graph_automorphisms(matrix + noise, tolerance=1e-8).group) == listed(found.group)


def test_a_matrix_takes_the_values_of_its_nodes() -> None:
    square = nx.to_numpy_array(nx.cycle_graph(4), dtype=bool)
    assert graph_automorphisms(square).group.order == 8
    assert graph_automorphisms(square, node_attr=["C", "H", "C", "H"]).group.order == 4
    charges = np.array([0.1, 0.2, 0.1 + 1e-12, 0.2])
    assert graph_automorphisms(square, node_attr=charges).group.order == 2
    assert graph_automorphisms(square, node_attr=charges, tolerance=1e-9).group.order == 4
