"""The one-shot data set: an index map that agrees with `augment` for every worker and rank."""

from __future__ import annotations

import pickle
from collections import namedtuple

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, Dataset, Subset, TensorDataset, default_collate

import sparseaug as sa
from sparseaug.errors import ArgumentError
from sparseaug.nn import OneShotDataset


class Items(Dataset):
    """A data set of any items, which notes what was asked of it."""

    def __init__(self, items):
        self.items, self.asked = items, []

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        self.asked.append(i)
        return self.items[i]


def numbered(n=7, m=5):
    """Items that tell sample and element: x is i * 100 + (0, 1, ..., 5), shifted by j places."""
    group = sa.cyclic(6)
    S = sa.GroupSample(group, np.arange(m)[:, None])
    x = torch.arange(n)[:, None] * 100 + torch.arange(6)
    return OneShotDataset(TensorDataset(x, torch.arange(n)), sa.permute_axis(group), S)


@pytest.mark.parametrize("library", ["numpy", "torch", "TensorDataset", "Subset"])
def test_the_items_are_the_copies_of_augment(moving, library):
    action, x = moving
    y = np.arange(len(x))
    S = sa.Oracle(action.group, seed=1).draw(5)
    expected, labels = sa.augment(action, S, x, y)
    tensors = TensorDataset(torch.from_numpy(x), torch.from_numpy(y))
    data = {
        "numpy": [(a, int(b)) for a, b in zip(x, y, strict=True)],
        "torch": [tensors[i] for i in range(len(x))],
        "TensorDataset": tensors,
        "Subset": Subset(Subset(tensors, y[::-1].copy()), torch.tensor(y[::-1].copy())),
    }[library]
    copies = OneShotDataset(data, action, S)
    assert len(copies) == len(expected)
    order = np.random.default_rng(0).permutation(len(copies))
    items = copies.__getitems__(order.tolist())
    for k, (moved, label) in zip(order, items, strict=True):
        assert type(moved) is (np.ndarray if library == "numpy" else torch.Tensor)
        assert np.array_equal(np.asarray(moved), expected[k])
        assert label == labels[k]
        assert np.array_equal(np.asarray(copies[int(k)][0]), expected[k])
    assert np.array_equal(np.asarray(default_collate(items)[0]), expected[order])


@pytest.mark.parametrize("plain", [True, False])
def test_targets_move_along_and_the_rest_passes(plain):
    action = sa.linear(sa.groups.cube_rotations())
    S = sa.Oracle(action.group, seed=0).draw(6)
    x, y, rest = torch.randn(4, 2, 3), torch.randn(4, 3), torch.randn(4, 5)
    data = TensorDataset(x, y, rest) if plain else list(zip(x, y, rest, strict=True))
    moved_x, moved_y = sa.augment(action, S, x, y, y_action=action)
    for k, (a, b, c) in enumerate(OneShotDataset(data, action, S, action)):
        torch.testing.assert_close(a, moved_x[k])
        torch.testing.assert_close(b, moved_y[k])
        assert torch.equal(c, rest[k % 4])


def test_items_keep_their_form_and_shapes_may_differ():
    point = namedtuple("point", "x label")
    S = sa.GroupSample(sa.cyclic(2), [[1]])
    x, wide = np.array([1, 2]), torch.tensor([[1, 2], [3, 4]])
    data = [x, (x,), [x, "a", "b"], point(x, "c"), wide]
    alone, single, listed, named, moved = OneShotDataset(data, sa.permute_axis(S.group), S)
    assert alone.tolist() == single[0].tolist() == listed[0].tolist() == named.x.tolist() == [2, 1]
    assert type(single) is tuple
    assert listed[1:] == ["a", "b"]
    assert (type(named), named.label) == (point, "c")
    assert moved.tolist() == [[2, 1], [4, 3]]


def test_tuples_and_dicts_move_together_and_other_entries_pass_through_at_any_depth():
    turn = sa.permute_axis(sa.cyclic(3))
    both = sa.together(image=turn, more=sa.together(mask=turn))
    a, moved = torch.arange(3.0), [2.0, 0.0, 1.0]
    x = {"image": a, "id": 4, "more": {"mask": a.numpy(), "name": "n"}}
    for item in (x, (x, 1)):
        found = OneShotDataset([item], both, "full")[1]
        found = found if item is x else found[0]
        assert found["image"].tolist() == found["more"]["mask"].tolist() == moved
        assert (found["id"], found["more"]["name"]) == (4, "n")
    assert x["image"] is a
    adjacency, features = torch.rand(3, 5, 5), torch.rand(3, 5, 2)
    act = sa.permute_nodes(sa.symmetric(5))
    S = sa.Oracle(act.group, seed=0).draw(4)
    data = [((m, f), i) for i, (m, f) in enumerate(zip(adjacency, features, strict=True))]
    expected, y = sa.augment(act, S, (adjacency, features), torch.arange(3))
    (pair, labels) = next(iter(DataLoader(OneShotDataset(data, act, S), batch_size=12)))
    assert all(map(torch.equal, pair, expected))
    assert torch.equal(labels, y)


def test_a_sample_is_fetched_once_per_batch():
    S = sa.GroupSample(sa.cyclic(3), [[0], [1], [2]])
    data = Items([np.eye(3)[i] for i in range(3)])
    OneShotDataset(data, sa.permute_axis(S.group), S).__getitems__([1, 4, 7, 0])
    assert data.asked == [0, 1]


def test_indices_behave_as_those_of_a_list():
    copies = numbered()
    assert (copies.source_index(23), copies.element_index(-1)) == (2, 4)
    assert copies.source_index(np.array([0, 8, 34], np.uint8)).tolist() == [0, 1, 6]
    assert torch.equal(copies.element_index(torch.tensor([0, 8, -1])), torch.tensor([0, 1, 4]))
    assert torch.equal(copies[-1][0], copies[34][0])
    assert len(list(copies)) == len(copies) == 35
    for error in (IndexError, ArgumentError):
        with pytest.raises(error, match="out of range for 35"):
            copies[35]
    assert copies.__getitems__([]) == list(OneShotDataset([], copies.action, copies.S)) == []
    assert torch.equal(pickle.loads(pickle.dumps(copies))[11][0], copies[11][0])


def test_a_split_puts_all_copies_of_a_sample_on_one_side():
    data = TensorDataset(torch.arange(15.0).reshape(5, 3), torch.arange(5))
    copies = OneShotDataset(data, sa.permute_axis(sa.cyclic(3)), "full")
    parts = copies.split([0.4, 0.4, 0.2], rng=3)
    assert [len(part) for part in parts] == [6, 6, 3]
    samples = [{int(y) for _, y in part} for part in parts]
    assert sorted(y for part in samples for y in part) == list(range(5))


@pytest.mark.filterwarnings("ignore")  # of the other library's import
@pytest.mark.parametrize("edges", [9, 5])
def test_a_graph_is_relabelled_as_permute_nodes_relabels_its_matrix(edges):
    """A graph of PyTorch Geometric."""
    geometric = pytest.importorskip("torch_geometric.data")
    rng = torch.Generator().manual_seed(0)
    data = geometric.Data(
        x=torch.rand((5, 2), generator=rng),
        y=torch.tensor([1.0]),
        edge_index=torch.randint(5, (2, edges), generator=rng),
        edge_attr=torch.rand((edges, 1), generator=rng),
        train_mask=torch.rand(5, generator=rng) > 0.5,
        face=torch.randint(5, (3, 4), generator=rng),
    )

    def dense(graph):
        adjacency, values = torch.zeros(1, 5, 5), graph.edge_attr[:, 0]
        adjacency[0].index_put_(tuple(graph.edge_index), values, accumulate=True)
        return adjacency

    act, before = sa.permute_nodes(sa.symmetric(5)), data.clone()
    copies = OneShotDataset([data], act, sa.Oracle(act.group).draw(8))
    adjacency, features = act(copies.S, (dense(data), data.x[None]))
    for j, moved in enumerate(copies):
        g = torch.from_numpy(copies.S.elements[j].copy())
        assert torch.equal(features[j, 0], moved.x)
        assert torch.allclose(adjacency[j, 0], dense(moved)[0])
        assert torch.equal(moved.train_mask[g], data.train_mask)
        assert torch.equal(moved.face, g[data.face])
        assert torch.equal(moved.edge_attr, data.edge_attr)
        assert moved.y is data.y
    assert all(torch.equal(before[key], data[key]) for key in ("x", "edge_index", "face"))
    data.root_index = torch.tensor([0, -1])  # which would be taken for the last
    with pytest.raises(ArgumentError, match=r"data\.root_index"):
        copies[0]
