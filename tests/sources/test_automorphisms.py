"""Automorphism groups of graphs, against brute force and published orders."""

from __future__ import annotations

import math
from itertools import permutations, product
from typing import Any

import networkx as nx
import numpy as np
import pytest
from networkx.algorithms.isomorphism import categorical_edge_match, categorical_node_match
from networkx.generators.atlas import graph_atlas_g
from scipy import sparse

import sparseaug as sa
from sparseaug.errors import ArgumentError
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


def test_a_chain_of_close_numbers_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"tolerance=0.1 links edge_attr 1 and 1.2"):
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


TUTTE = [17, 27, -13, -59, -35, 35, -11, 13, -53, 53, -27, 21, 57, 11, -21, -57, 59, -17]
PUBLISHED = {
    "Frucht": (nx.frucht_graph(), 1),
    "Hoffman-Singleton": (nx.hoffman_singleton_graph(), 252000),
    "Petersen": (nx.petersen_graph(), 120),
    "Folkman": (nx.LCF_graph(20, [5, -7, -7, 5], 5), 3840),
    "Tutte's 12-cage": (nx.LCF_graph(126, TUTTE, 7), 12096),
    "Paley 29": (nx.Graph(nx.paley_graph(29)), 406),
    "Q6": (nx.hypercube_graph(6), 2**6 * math.factorial(6)),
    "Zachary's karate club": (nx.karate_club_graph(), 480),
    "Sudoku, 9 x 9": (nx.sudoku_graph(3), 3359232),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_order_is_the_published_one(name: str) -> None:
    """By MathWorld, Wikipedia, Brouwer's tables and Foster's census."""
    graph, order = PUBLISHED[name]
    assert graph_automorphisms(graph).group.order == order
