"""Automorphisms of graphs that are torch tensors or PyG's Data, against those of networkx."""

from __future__ import annotations

from typing import Any

import networkx as nx
import pytest

from sparseaug.errors import ArgumentError
from sparseaug.sources import graph_automorphisms
from tests.extras import optional
from tests.sources.test_automorphisms import benzene, listed

torch = optional("torch")
pyg = pytest.importorskip("torch_geometric.data")


def data(graph: Any, **tensors: Any) -> Any:
    """A graph with nodes 0, 1, ... as PyG has it: edges without directions stand there twice."""
    both = graph if graph.is_directed() else graph.to_directed()
    index = torch.tensor(list(both.edges)).reshape(-1, 2).T.contiguous()
    return pyg.Data(edge_index=index, num_nodes=len(graph), **tensors)


def numbered_benzene() -> tuple[Any, Any]:
    graph = nx.convert_node_labels_to_integers(benzene())
    elements = [6 if graph.nodes[i]["element"] == "C" else 1 for i in graph]
    orders = [both[2] for both in graph.to_directed().edges(data="order")]
    features = torch.tensor([[z, 0.5] for z in elements])
    return graph, data(
        graph, z=torch.tensor(elements), x=features, edge_attr=torch.tensor(orders)[:, None]
    )


def test_the_data_of_pyg_give_the_group_of_the_networkx_graph() -> None:
    graph, given = numbered_benzene()
    wanted = graph_automorphisms(graph, node_attr="element", edge_attr="order")
    for node_attr in ("z", "x", ["z", "x"]):
        found = graph_automorphisms(given, node_attr=node_attr, edge_attr="edge_attr")
        assert listed(found.group) == listed(wanted.group)
    assert found.nodes == tuple(range(12))
    given.edge_attr[0] += 1e-6  # one direction of an edge: no automorphism is left but the identity
    assert graph_automorphisms(given, edge_attr="edge_attr").group.order < 12
    noisy = graph_automorphisms(given, edge_attr="edge_attr", tolerance=1e-5)
    assert noisy.group.order == 12


def test_directions_are_those_of_edge_index() -> None:
    ring = nx.cycle_graph(5, create_using=nx.DiGraph)
    assert graph_automorphisms(data(ring)).group.order == 5
    assert graph_automorphisms(data(ring.to_undirected())).group.order == 10
    lonely = pyg.Data(edge_index=torch.empty((2, 0), dtype=torch.long), num_nodes=3)
    assert graph_automorphisms(lonely).group.order == 6
    two = pyg.Batch.from_data_list([data(ring), data(ring)])
    assert graph_automorphisms(two).group.order == 50


@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support:UserWarning")
def test_tensors_are_adjacency_matrices() -> None:
    matrix = nx.to_numpy_array(nx.petersen_graph())
    wanted = graph_automorphisms(matrix)
    dense = torch.tensor(matrix, requires_grad=True)
    for tensor in (
        dense,
        dense.bfloat16(),
        dense.bool(),
        dense.to_sparse(),
        dense.detach().to_sparse_csr(),
    ):
        assert graph_automorphisms(tensor) == wanted
    marks = torch.tensor([[1.0, 0.0]] + [[0.0, 0.0]] * 9)
    for node_attr in (marks[:, 0], marks, marks.numpy()):
        assert graph_automorphisms(dense, node_attr=node_attr).group.order == 12


def test_what_cannot_be_read_is_named_with_the_remedy() -> None:
    _, given = numbered_benzene()
    index = given.edge_index
    cases = [
        (index, {}, "edge_index within PyG's Data"),
        (torch.ones(3, 3, device="meta"), {}, "cannot be read"),
        (pyg.HeteroData(), {}, "to_homogeneous"),
        (pyg.Data(edge_index=index, num_nodes=5), {}, "no edges as PyG's Data"),
        (pyg.Data(edge_index=torch.tensor([[0, 0], [1, 1]]), num_nodes=2), {}, "an edge twice"),
        (given, {"node_attr": "edge_attr"}, "a value for each of 12"),
    ]
    for graph, options, reason in cases:
        with pytest.raises(ArgumentError) as error:
            graph_automorphisms(graph, **options)
        assert reason in str(error.value)
