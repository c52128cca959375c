"""Graphs of several sizes: one S per size, joined; or padded, with a mask that moves along."""

from __future__ import annotations

from collections import Counter

import pytest
import torch
from torch.utils.data import ConcatDataset, DataLoader

import sparseaug as sa
from sparseaug.errors import ArgumentError
from sparseaug.nn import OneShotDataset, OrbitAverage, OrbitBatch

SIZES = (3, 4, 6)


def edges(nodes, seed):
    upper = torch.rand((nodes, nodes), generator=torch.Generator().manual_seed(seed)).triu(1) > 0.4
    return upper.nonzero().T


def features(nodes, seed):
    return torch.rand((nodes, 2), generator=torch.Generator().manual_seed(seed + 100))


def readout(adjacency, x, mask=None):
    """Two rounds of messages and a sum over nodes: what a small graph network computes."""
    mask = torch.ones(x.shape[:-1]) if mask is None else mask.to(x.dtype)
    hidden = mask[..., None] * torch.tanh(adjacency @ x + 1)
    return (mask[..., None] * torch.tanh(adjacency @ hidden - 1)).sum(-2)


def dense(nodes, index):
    adjacency = torch.zeros(nodes, nodes)
    adjacency[tuple(index)] = 1.0
    return adjacency + adjacency.T


@pytest.mark.filterwarnings("ignore")  # of the other library's import
def test_one_sample_per_size_gives_every_copy_of_every_graph_once_in_mixed_batches():
    geometric = pytest.importorskip("torch_geometric.data")
    collate = geometric.Batch.from_data_list
    parts, wanted = [], Counter()
    for nodes in SIZES:
        S = sa.Oracle(sa.symmetric(nodes), seed=nodes).draw(5, identity=True)
        data = [
            geometric.Data(
                x=features(nodes, seed), edge_index=edges(nodes, seed), number=10 * nodes + seed
            )
            for seed in range(2)
        ]
        parts.append(OneShotDataset(data, sa.permute_nodes(S.group), S))
        for graph in data:
            wanted.update((graph.number, tuple(map(int, row))) for row in S.elements)
    joined = ConcatDataset(parts)
    order = torch.randperm(len(joined), generator=torch.Generator().manual_seed(0)).tolist()
    found, mixed = Counter(), 0
    for batch in DataLoader(joined, batch_size=7, sampler=order, collate_fn=collate):
        graphs = batch.to_data_list()
        mixed += len({graph.num_nodes for graph in graphs}) > 1
        for graph in graphs:
            nodes, seed = divmod(int(graph.number), 10)
            x = features(nodes, seed)
            # row[i] is where node i went; the features are all different
            row = [int((graph.x == x[i]).all(1).nonzero()) for i in range(nodes)]
            assert graph.edge_index.tolist() == torch.tensor(row)[edges(nodes, seed)].tolist()
            found[10 * nodes + seed, tuple(row)] += 1
            expected = readout(dense(nodes, edges(nodes, seed)), x)
            assert torch.allclose(readout(dense(nodes, graph.edge_index), graph.x), expected)
    assert found == wanted
    assert mixed


def test_a_mask_moves_along_so_that_padded_graphs_read_as_the_graphs_alone():
    most = max(SIZES)
    items, expected = [], []
    for nodes in SIZES:
        adjacency, x = dense(nodes, edges(nodes, 0)), features(nodes, 0)
        expected.append(readout(adjacency, x))
        wide, tall = torch.zeros(most, most), torch.zeros(most, 2)
        wide[:nodes, :nodes], tall[:nodes] = adjacency, x
        items.append(({"graph": (wide, tall), "mask": torch.arange(most) < nodes}, nodes))
    group = sa.symmetric(most)
    relabel = sa.together(graph=sa.permute_nodes(group), mask=sa.permute_axis(group))
    S = sa.Oracle(group, seed=0).draw(9)
    places = set()
    for batch, nodes in DataLoader(OneShotDataset(items, relabel, S), batch_size=5):
        adjacency, x = batch["graph"]
        assert batch["mask"].sum(1).tolist() == nodes.tolist()
        places |= {tuple(row) for row in batch["mask"].tolist()}
        wanted = torch.stack([expected[SIZES.index(int(n))] for n in nodes])
        assert torch.allclose(readout(adjacency, x, batch["mask"]), wanted, atol=1e-5)
        assert not torch.allclose(
            readout(adjacency, x, torch.arange(most) < nodes[:, None]), wanted
        )
    assert len(places) > len(SIZES)  # padding is not left at the end


def test_averaging_refuses_a_graph_and_what_it_says_to_do_gives_the_average_over_S():
    geometric = pytest.importorskip("torch_geometric.data")
    relabel = sa.permute_nodes(sa.symmetric(4))
    S = sa.Oracle(relabel.group, seed=0).draw(5)
    graphs = [
        geometric.Data(x=features(4, seed), edge_index=edges(4, seed), num_nodes=4)
        for seed in range(3)
    ]
    for moves in (OrbitAverage(lambda graph: graph.x, relabel, S), OrbitBatch(relabel, S)):
        for graph in (graphs[0], geometric.Batch.from_data_list(graphs)):
            with pytest.raises(ArgumentError, match=r"is a graph.*Batch\.from_data_list"):
                moves(graph)

    def model(batch):  # the first node's features and in-degree: not invariant
        degrees = torch.zeros(len(batch.x)).index_add_(
            0, batch.edge_index[1], torch.ones(batch.edge_index.shape[1])
        )
        return torch.cat([batch.x, degrees[:, None]], 1)[batch.ptr[:-1]]

    copies = OneShotDataset(graphs, relabel, S)
    outputs = model(geometric.Batch.from_data_list(list(copies)))
    average = outputs.unflatten(0, (S.m, 3)).mean(0)
    adjacency = torch.stack([torch.zeros(4, 4) for _ in graphs])
    for i, graph in enumerate(graphs):
        adjacency[i, graph.edge_index[0], graph.edge_index[1]] = 1.0
    dense = OrbitAverage(lambda a, x: torch.cat([x, a.sum(1)[..., None]], 2)[:, 0], relabel, S)
    expected = dense((adjacency, torch.stack([graph.x for graph in graphs])))
    assert torch.allclose(average, expected, atol=1e-6)
