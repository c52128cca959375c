"""Graphs of PyTorch Geometric in a data set, and its batches in the trainer of Lightning."""

from __future__ import annotations

import ast
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

import sparseaug as sa
from sparseaug.nn import OneShotDataset, OrbitBatchSampler, graphs

geometric = pytest.importorskip("torch_geometric.data")


S5 = sa.Oracle(sa.symmetric(5), seed=0).draw(8)


def graph(seed=0, edges=9):
    rng = torch.Generator().manual_seed(seed)
    return geometric.Data(
        x=torch.rand((5, 2), generator=rng),
        pos=torch.rand((5, 3), generator=rng),
        y=torch.tensor([1.0]),
        edge_index=torch.randint(5, (2, edges), generator=rng),
        edge_attr=torch.rand((edges, 1), generator=rng),
        train_mask=torch.rand(5, generator=rng) > 0.5,
        face=torch.randint(5, (3, 4), generator=rng),
        name="graph",
    )


def relabelled(data, S=S5):
    """The copies of one graph."""
    return list(OneShotDataset([data], sa.permute_nodes(S.group), S))


def dense(data):
    adjacency = torch.zeros(1, 5, 5)
    adjacency[0].index_put_(tuple(data.edge_index), data.edge_attr[:, 0], accumulate=True)
    return adjacency


@pytest.mark.parametrize("edges", [9, 5])
def test_a_relabelled_graph_is_the_one_that_permute_nodes_gives(edges):
    act = sa.permute_nodes(S5.group)
    data = graph(0, edges)
    before = data.clone()
    adjacency, features = act(S5.elements, (dense(data), data.x[None]))
    for j, moved in enumerate(relabelled(data)):
        assert all(torch.equal(before[key], data[key]) for key in ("x", "edge_index", "face"))
        assert torch.equal(features[j, 0], moved.x)
        assert torch.allclose(adjacency[j, 0], dense(moved)[0])
        g = torch.from_numpy(S5.elements[j].copy())
        assert torch.equal(moved.pos[g], data.pos)
        assert torch.equal(moved.train_mask[g], data.train_mask)
        assert torch.equal(moved.face, g[data.face])
        assert torch.equal(moved.edge_attr, data.edge_attr)
        assert moved.y is data.y
        assert moved.name == "graph"


def test_small_integers_are_node_numbers_too():
    data = graph()
    for dtype in (torch.int32, torch.uint8):
        small = graph()
        small.edge_index = data.edge_index.to(dtype)
        small.face = data.face.to(dtype)
        (moved,) = relabelled(small, sa.GroupSample(S5.group, [[1, 2, 3, 4, 0]]))
        assert moved.edge_index.dtype == dtype
        assert torch.equal(moved.edge_index.long(), (data.edge_index + 1) % 5)
    many = geometric.Data(x=torch.ones(300, 1), edge_index=torch.ones(2, 1, dtype=torch.uint8))
    with pytest.raises(sa.errors.ArgumentError, match=r"torch.uint8, .* integers in 0..299"):
        relabelled(many, sa.Oracle(sa.cyclic(300)).draw(1))


def test_a_plain_object_is_relabelled_too():
    data = SimpleNamespace(num_nodes=5, x=torch.arange(5), y=torch.tensor([7]), size=torch.ones(5))
    data.edge_index = torch.tensor([[0, 1], [1, 2]])
    S = sa.GroupSample(S5.group, [[1, 2, 3, 4, 0]])
    (moved,) = relabelled(data, S)
    assert moved.x.tolist() == [4, 0, 1, 2, 3]
    assert moved.edge_index.tolist() == [[1, 2], [2, 3]]
    assert moved.y is data.y
    assert moved.size is data.size
    assert data.x.tolist() == [0, 1, 2, 3, 4]


def test_graphs_that_cannot_be_relabelled_are_refused():
    with pytest.raises(sa.errors.ArgumentError, match="data has 4 nodes, but S5 permutes 5"):
        relabelled(geometric.Data(x=torch.ones(4, 1)))
    with pytest.raises(sa.errors.UnsupportedError, match="several types"):
        relabelled(geometric.HeteroData())
    with pytest.raises(sa.errors.UnsupportedError, match="adjacency"):
        relabelled(geometric.Data(x=torch.ones(5, 1), adj=torch.ones(5, 5)))
    pair = geometric.Batch.from_data_list([geometric.Data(x=torch.ones(n, 1)) for n in (2, 3)])
    with pytest.raises(sa.errors.UnsupportedError, match="batch of graphs"):
        relabelled(pair)
    for wrong in ([0, -1], [0, 5], [0.0, 1.0], [True, False]):
        data = geometric.Data(x=torch.ones(5, 1), root_index=torch.tensor(wrong))
        with pytest.raises(sa.errors.ArgumentError, match=r"data.root_index .* integers in 0..4"):
            relabelled(data)


quiet = [
    "ignore:.*does not have many workers:UserWarning",
    "ignore:.*number of training batches:UserWarning",
    "ignore:.*isinstance\\(treespec, LeafSpec\\):FutureWarning",
    "ignore:Checkpoint directory .* exists and is not empty:UserWarning",
]


def quietly(test):
    for filter_ in quiet:
        test = pytest.mark.filterwarnings(filter_)(test)
    return test


def sets(n=7, m=4):
    S = sa.Oracle(sa.symmetric(3), seed=0).draw(m)
    x = torch.rand((n, 3), generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x.sum(1, keepdim=True))
    return OneShotDataset(data, sa.permute_axis(S.group), S)


def lightning_module(pytorch):
    class Module(pytorch.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = torch.nn.Linear(3, 1, bias=False)
            torch.nn.init.ones_(self.net.weight)
            self.seen = []

        def forward(self, x):
            return self.net(x)

        def training_step(self, batch, _):
            self.seen.append((self.current_epoch, batch[0]))
            return ((self(batch[0]) - batch[1]) ** 2).mean()

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.0)

    return Module()


@quietly
def test_the_lightning_trainer_tells_the_sampler_the_epoch(tmp_path):
    pytorch = pytest.importorskip("lightning.pytorch")
    data = sets()
    sampler = OrbitBatchSampler(data, 8)
    module = lightning_module(pytorch)
    trainer = pytorch.Trainer(
        max_epochs=2,
        accelerator="cpu",
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        default_root_dir=tmp_path,
    )
    trainer.fit(module, DataLoader(data, batch_sampler=sampler))
    for epoch in range(2):
        reference = OrbitBatchSampler(data, 8)
        reference.set_epoch(epoch)
        expected = [torch.stack([data[k][0] for k in batch]) for batch in reference]
        got = [x for e, x in module.seen if e == epoch]
        assert all(map(torch.equal, got, expected))
        assert len(got) == len(expected)


def test_graphs_are_known_without_their_library():
    for node in ast.walk(ast.parse(Path(graphs.__file__).read_text(encoding="utf-8"))):
        names = [alias.name for alias in getattr(node, "names", []) if alias.name]
        module = getattr(node, "module", None) or ""
        for name in (module, *names) if isinstance(node, ast.Import | ast.ImportFrom) else ():
            assert name.split(".")[0] != "torch_geometric"
