"""Adapters with the real libraries where they are installed, and with look-alikes elsewhere."""

from __future__ import annotations

import ast
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

import sparseaug as sa
from sparseaug.nn import (
    OneShotDataset,
    OrbitBatchSampler,
    OrbitTransform,
    RelabelNodes,
    RepeatedEpochWarning,
    SymmetryCallback,
    graphs,
    lightning,
    transforms,
)

geometric = pytest.importorskip("torch_geometric.data")


class Image(torch.Tensor):
    """As torchvision's tv_tensors: a tensor of another type."""


class Mask(torch.Tensor):
    pass


class BoundingBoxes(torch.Tensor):
    pass


TURN = sa.rotate_grid(sa.dihedral(4))
S8 = sa.Oracle(TURN.group, seed=0).draw(8)
ROWS = np.array(sorted(S8.elements.tolist()))


def picture(seed=0, shape=(3, 4, 4)):
    return torch.rand(shape, generator=torch.Generator().manual_seed(seed))


def copies_of(x):
    return list(TURN(ROWS, x[None])[:, 0])


def test_an_image_is_moved_by_an_element_of_S():
    transform = OrbitTransform(TURN, S8)
    x = picture()
    assert any(torch.equal(transform(x), copy) for copy in copies_of(x))
    params = transform.make_params([x])
    assert torch.equal(transform(x), copies_of(x)[params["element"]])
    assert torch.equal(transform.transform(x, params), transform(x))


def test_the_element_depends_on_seed_epoch_and_content_alone():
    images = [picture(seed) for seed in range(40)]

    def choices(transform):
        return [transform.make_params([x])["element"] for x in images]

    transform = OrbitTransform(TURN, S8)
    first = choices(transform)
    assert choices(transform) == first == choices(OrbitTransform(TURN, S8))
    assert set(first) == set(range(8))
    assert choices(OrbitTransform(TURN, S8, seed=1)) != first
    transform.set_epoch(1)
    assert choices(transform) != first
    # the content, not the object or its place in memory
    wide = torch.stack(images[:2], -1)[..., 0]
    transform.set_epoch(0)
    assert transform.make_params([wide])["element"] == first[0]


def test_the_multiset_alone_decides_how_an_image_moves():
    backwards = OrbitTransform(TURN, sa.GroupSample(TURN.group, S8.elements[::-1]))
    transform = OrbitTransform(TURN, S8)
    for seed in range(20):
        assert torch.equal(backwards(picture(seed)), transform(picture(seed)))


def test_images_and_masks_move_together_and_keep_their_type():
    transform = OrbitTransform(TURN, S8)
    image, mask = picture().as_subclass(Image), picture(1, (4, 4)).as_subclass(Mask)
    plain, label = picture(2), torch.tensor(3)
    out = transform({"image": image, "rest": [mask, plain, label, "name"]})
    element = transform.make_params([image])["element"]
    assert type(out["image"]) is Image
    assert type(out["rest"][0]) is Mask
    assert torch.equal(out["image"].as_subclass(torch.Tensor), copies_of(picture())[element])
    moved = TURN(ROWS[element][None], picture(1, (4, 4))[None])[0, 0]
    assert torch.equal(out["rest"][0].as_subclass(torch.Tensor), moved)
    assert out["rest"][1] is plain
    assert out["rest"][2] is label
    assert out["rest"][3] == "name"


def test_only_the_first_plain_tensor_is_moved():
    x, other = picture(), picture(1)
    moved, same, mask = OrbitTransform(TURN, S8)(x, other, picture(1).as_subclass(Mask))
    assert any(torch.equal(moved, copy) for copy in copies_of(x))
    assert same is other
    assert type(mask) is Mask


def test_every_kind_of_number_has_a_content():
    transform = OrbitTransform(TURN, S8)
    for dtype in (torch.uint8, torch.bool, torch.bfloat16, torch.float64):
        assert transform((picture() * 200).to(dtype)).dtype == dtype


def test_the_content_of_a_tensor_that_is_conjugated_or_negated_later_is_that_of_its_values():
    z = torch.complex(picture(), picture(1))
    chosen = []
    for x in (z.conj(), z.conj().imag, *(torch._neg_view(picture(seed)) for seed in range(9))):
        plain = x.clone().resolve_conj().resolve_neg()
        transform = OrbitTransform(TURN, S8)
        assert torch.equal(transform(x), transform(plain))
        chosen.append(transform.make_params([x])["element"])
        assert chosen[-1] == transform.make_params([plain])["element"]
    assert len(set(chosen)) > 1


def test_what_cannot_be_moved_is_refused_by_the_vision_transform():
    transform = OrbitTransform(TURN, S8)
    pil = type("JpegImageFile", (type("Image", (), {}),), {})()
    with pytest.raises(sa.errors.ArgumentError, match="convert it first"):
        transform(pil, 3)
    with pytest.raises(sa.errors.UnsupportedError, match="BoundingBoxes"):
        transform(picture().as_subclass(Image), torch.ones(1, 4).as_subclass(BoundingBoxes))
    for nothing in (("a", 3), ()):
        with pytest.raises(sa.errors.ArgumentError, match="no image"):
            transform(*nothing)
    with pytest.raises(sa.errors.ArgumentError, match="S="):
        OrbitTransform(TURN, "none")


def test_persistent_workers_see_the_epoch_of_a_transform():
    class Pictures(torch.utils.data.Dataset):
        transform = OrbitTransform(TURN, S8)

        def __len__(self):
            return 6

        def __getitem__(self, i):
            return self.transform(picture(i))

    data = Pictures()
    loader = DataLoader(data, batch_size=6, num_workers=1, persistent_workers=True)
    for epoch in range(3):
        data.transform.set_epoch(epoch)
        (batch,) = loader
        assert torch.equal(batch, torch.stack([data[i] for i in range(6)]))


@pytest.mark.parametrize("count", [2, 300])
def test_a_second_pass_of_a_transform_without_set_epoch_is_warned_of_once(count):
    transform = OrbitTransform(TURN, S8)
    images = list(torch.arange(float(count))[:, None, None, None].expand(count, 1, 2, 2))
    first = [transform(x) for x in images]
    with pytest.warns(RepeatedEpochWarning, match="set_epoch was never called") as caught:
        again = [transform(x) for x in reversed(images)][::-1]
    assert len(caught) == 1
    assert all(map(torch.equal, first, again))
    for x in images:
        transform(x)


def test_passes_with_set_epoch_and_images_that_are_equal_by_chance_are_not_warned_of():
    told, first, lone = (OrbitTransform(TURN, S8) for _ in range(3))
    told.set_epoch(0)
    for seed in [0, 1, 2] * 3:
        told(picture(seed))
    for seed in [0, *range(9), 5]:  # two of nine come again in one pass
        first(picture(seed))
    for _ in range(3):  # one image on its own is no data set
        lone(picture())
    alone = OrbitTransform(TURN, sa.GroupSample(TURN.group, S8.elements[:1]))
    for seed in [0, 1] * 2:  # with one element there is nothing to choose
        alone(picture(seed))


def test_workers_warn_of_a_second_pass_of_a_transform():
    class Pictures(torch.utils.data.Dataset):
        transform = OrbitTransform(TURN, S8)

        def __len__(self):
            return 6

        def __getitem__(self, i):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                self.transform(picture(i))
            return sum(one.category is RepeatedEpochWarning for one in caught)

    loader = DataLoader(Pictures(), batch_size=2, num_workers=2)  # new processes in every pass
    first, second, third = (int(sum(map(torch.sum, loader))) for _ in range(3))
    assert first == third == 0
    assert second in (1, 2)  # both, if they notice at the same moment


def test_relabelled_graphs_of_a_second_pass_are_warned_of():
    transform = RelabelNodes(S5)
    for seed in [0, 1, 0]:
        transform(graph(seed))
    with pytest.warns(RepeatedEpochWarning):
        transform(graph(1))


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


def dense(data):
    adjacency = torch.zeros(1, 5, 5)
    adjacency[0].index_put_(tuple(data.edge_index), data.edge_attr[:, 0], accumulate=True)
    return adjacency


@pytest.mark.parametrize("edges", [9, 5])
def test_a_relabelled_graph_is_the_one_that_permute_nodes_gives(edges):
    transform = RelabelNodes(S5)
    act = sa.permute_nodes(S5.group)
    found = set()
    for seed in range(20):
        data = graph(seed, edges)
        before = data.clone()
        moved = transform(data)
        assert all(torch.equal(before[key], data[key]) for key in ("x", "edge_index", "face"))
        matches = [
            j
            for j in range(8)
            for a, f in [act(S5.elements[j][None], (dense(data), data.x[None]))]
            if torch.equal(f[0, 0], moved.x) and torch.allclose(a[0, 0], dense(moved)[0])
        ]
        assert matches
        found.update(matches)
        g = torch.from_numpy(S5.elements[matches[0]].copy())
        assert torch.equal(moved.pos[g], data.pos)
        assert torch.equal(moved.train_mask[g], data.train_mask)
        assert torch.equal(moved.face, g[data.face])
        assert torch.equal(moved.edge_attr, data.edge_attr)
        assert moved.y is data.y
        assert moved.name == "graph"
    assert len(found) > 4


def test_small_integers_are_node_numbers_too():
    data = graph()
    for dtype in (torch.int32, torch.uint8):
        small = graph()
        small.edge_index = data.edge_index.to(dtype)
        small.face = data.face.to(dtype)
        moved = RelabelNodes(sa.GroupSample(S5.group, [[1, 2, 3, 4, 0]]))(small)
        assert moved.edge_index.dtype == dtype
        assert torch.equal(moved.edge_index.long(), (data.edge_index + 1) % 5)
    many = geometric.Data(x=torch.ones(300, 1), edge_index=torch.ones(2, 1, dtype=torch.uint8))
    with pytest.raises(sa.errors.ArgumentError, match=r"torch.uint8, .* integers in 0..299"):
        RelabelNodes(sa.Oracle(sa.cyclic(300)).draw(1))(many)


def test_it_composes_with_the_transforms_of_the_library():
    from torch_geometric.transforms import Compose, ToUndirected

    chain = Compose([RelabelNodes(S5), ToUndirected()])
    out = chain(graph())
    assert out.is_undirected()
    assert S5.sha256 in repr(chain)


def test_the_multiset_the_seed_and_the_epoch_decide_the_labels():
    backwards = sa.GroupSample(S5.group, S5.elements[::-1])
    transform = RelabelNodes(S5)
    first = [transform(graph(seed)).x for seed in range(9)]
    again = [RelabelNodes(backwards)(graph(seed)).x for seed in range(9)]
    assert all(map(torch.equal, first, again))
    assert repr(RelabelNodes(backwards)) == repr(transform)
    assert repr(transform) == f"RelabelNodes(S5, m=8, seed=0, sha256={S5.sha256})"
    transform.set_epoch(1)
    assert not all(map(torch.equal, first, [transform(graph(seed)).x for seed in range(9)]))


def test_a_plain_object_is_relabelled_too():
    data = SimpleNamespace(num_nodes=5, x=torch.arange(5), y=torch.tensor([7]), size=torch.ones(5))
    data.edge_index = torch.tensor([[0, 1], [1, 2]])
    S = sa.GroupSample(S5.group, [[1, 2, 3, 4, 0]])
    moved = RelabelNodes(S)(data)
    assert moved.x.tolist() == [4, 0, 1, 2, 3]
    assert moved.edge_index.tolist() == [[1, 2], [2, 3]]
    assert moved.y is data.y
    assert moved.size is data.size
    assert data.x.tolist() == [0, 1, 2, 3, 4]


def test_graphs_that_cannot_be_relabelled_are_refused():
    with pytest.raises(sa.errors.ArgumentError, match="data has 4 nodes, but S5 permutes 5"):
        RelabelNodes(S5)(geometric.Data(x=torch.ones(4, 1)))
    with pytest.raises(sa.errors.UnsupportedError, match="several types"):
        RelabelNodes(S5)(geometric.HeteroData())
    with pytest.raises(sa.errors.UnsupportedError, match="adjacency"):
        RelabelNodes(S5)(geometric.Data(x=torch.ones(5, 1), adj=torch.ones(5, 5)))
    pair = geometric.Batch.from_data_list([geometric.Data(x=torch.ones(n, 1)) for n in (2, 3)])
    with pytest.raises(sa.errors.UnsupportedError, match="batch of graphs"):
        RelabelNodes(S5)(pair)
    for wrong in ([0, -1], [0, 5], [0.0, 1.0], [True, False]):
        data = geometric.Data(x=torch.ones(5, 1), root_index=torch.tensor(wrong))
        with pytest.raises(sa.errors.ArgumentError, match=r"data.root_index .* integers in 0..4"):
            RelabelNodes(S5)(data)
    with pytest.raises(sa.errors.ArgumentError, match="does not permute points"):
        RelabelNodes(sa.Oracle(sa.groups.cube_rotations()).draw(2))


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
    return OneShotDataset(data, sa.permute_axis(S.group), S), S, x


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
def test_the_lightning_trainer_runs_the_callback_and_the_sampler(tmp_path):
    pytorch = pytest.importorskip("lightning.pytorch")
    data, S, x = sets()
    sampler = OrbitBatchSampler(data, 8)
    callback = SymmetryCallback(data.action, S, x, every=2)
    module = lightning_module(pytorch)
    with torch.no_grad():
        module.net.weight[0, 0] = 3.0
    logged = []

    class Noting(pytorch.Callback):
        def on_train_epoch_end(self, trainer, pl_module):
            logged.append(dict(trainer.callback_metrics))

    def trainer(epochs):
        return pytorch.Trainer(
            max_epochs=epochs,
            accelerator="cpu",
            logger=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            default_root_dir=tmp_path,
            callbacks=[callback, Noting()],
        )

    loader = DataLoader(data, batch_sampler=sampler)
    first = trainer(2)
    first.fit(module, loader)
    assert "deviation" not in logged[0]
    assert logged[1]["deviation"] == pytest.approx(sa.deviation(S).value)
    assert logged[1]["oracle_calls"] == 4
    with torch.no_grad():
        change = (module(data.action(S, x)) - module(x)).square().mean((1, 2)).sqrt().mean()
    assert logged[1]["invariance_error"] == pytest.approx(float(change), rel=1e-5)
    assert change > 0.1

    for epoch in range(2):  # the trainer told the sampler the epoch
        reference = OrbitBatchSampler(data, 8)
        reference.set_epoch(epoch)
        expected = [torch.stack([data[k][0] for k in batch]) for batch in reference]
        got = [x for e, x in module.seen if e == epoch]
        assert all(map(torch.equal, got, expected))
        assert len(got) == len(expected)

    (checkpoint,) = tmp_path.rglob("*.ckpt")
    trainer(3).fit(module, loader, ckpt_path=checkpoint, weights_only=True)
    assert len(logged) == 3


def test_the_callback_refuses_bad_arguments():
    data, S, x = sets()
    with pytest.raises(sa.errors.ArgumentError, match="every=0"):
        SymmetryCallback(data.action, S, x, every=0)
    with pytest.raises(sa.errors.ArgumentError, match="S is a sample of S3"):
        SymmetryCallback(TURN, S, x)
    with pytest.raises(AttributeError, match="no attribute 'onward'"):
        _ = SymmetryCallback(data.action, S, x).onward


def test_the_adapters_import_none_of_the_libraries_they_fit():
    for module in (graphs, lightning, transforms):
        path = Path(module.__file__)
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in getattr(node, "names", []) if alias.name]
            module = getattr(node, "module", None) or ""
            for name in (module, *names) if isinstance(node, ast.Import | ast.ImportFrom) else ():
                top = name.split(".")[0]
                assert top not in ("torchvision", "torch_geometric", "lightning", "PIL")
