"""The one-shot data set: an index map that agrees with `augment` for every worker and rank."""

from __future__ import annotations

import pickle
import types
from collections import Counter, namedtuple

import numpy as np
import pytest
import torch
from torch.utils.data import (
    DataLoader,
    Dataset,
    DistributedSampler,
    IterableDataset,
    Subset,
    TensorDataset,
)

import sparseaug as sa
from sparseaug.actions import gather_numba, prepared
from sparseaug.nn import OneShotDataset


class Items(Dataset):
    """A data set of any items, which notes what was asked of it."""

    def __init__(self, items):
        self.items, self.asked = items, []

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        if not 0 <= i < len(self.items):
            raise IndexError(i)
        self.asked.append(i)
        return self.items[i]


def numbered(n=7, m=5):
    """Items that tell sample and element: x is i * 100 + (0, 1, ..., 5), shifted by j places."""
    group = sa.cyclic(6)
    S = sa.GroupSample(group, np.arange(m)[:, None])
    x = torch.arange(n)[:, None] * 100 + torch.arange(6)
    return OneShotDataset(TensorDataset(x, torch.arange(n)), sa.permute_axis(group), S)


def pairs(loader):
    """The multiset of (sample, element), read off the data."""
    return Counter(
        (int(row[0]) // 100, int((row % 100).argmin()))
        for x, y in loader
        for row, label in zip(x, y, strict=True)
        if int(row[0]) // 100 == int(label)
    )


ALL = Counter((i, j) for i in range(7) for j in range(5))


@pytest.mark.parametrize("library", ["numpy", "torch", "TensorDataset"])
def test_the_items_are_the_copies_of_augment(moving, library):
    action, x = moving
    y = np.arange(len(x))
    S = sa.Oracle(action.group, seed=1).draw(5)
    expected, labels = sa.augment(action, S, x, y)
    if library == "numpy":
        data = [(a, int(b)) for a, b in zip(x, y, strict=True)]
    else:
        tensors = TensorDataset(torch.from_numpy(x), torch.from_numpy(y))
        data = tensors if library == "TensorDataset" else [tensors[i] for i in range(len(x))]
    copies = OneShotDataset(data, action, S)
    assert len(copies) == len(expected)
    order = np.random.default_rng(0).permutation(len(copies))
    for k, (moved, label) in zip(order, copies.__getitems__(order.tolist()), strict=True):
        assert type(moved) is (np.ndarray if library == "numpy" else torch.Tensor)
        assert np.array_equal(np.asarray(moved), expected[k])
        assert label == labels[k]
        assert np.array_equal(np.asarray(copies[int(k)][0]), expected[k])


def test_graphs_are_pairs_of_adjacency_and_features():
    adjacency, features = torch.rand(3, 5, 5), torch.rand(3, 5, 2)
    action = sa.permute_nodes(sa.symmetric(5))
    S = sa.Oracle(action.group, seed=0).draw(4)
    data = [((a, f), i) for i, (a, f) in enumerate(zip(adjacency, features, strict=True))]
    (a, f), y = sa.augment(action, S, (adjacency, features), torch.arange(3))
    copies = list(OneShotDataset(data, action, S))
    assert torch.equal(torch.stack([item[0][0] for item in copies]), a)
    assert torch.equal(torch.stack([item[0][1] for item in copies]), f)
    assert [item[1] for item in copies] == y.tolist()


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


def test_items_keep_their_form():
    point = namedtuple("point", "x label")
    S = sa.GroupSample(sa.cyclic(2), [[1]])
    x = np.array([1, 2])
    data = [x, (x,), [x, "a", "b"], point(x, "c")]
    alone, single, listed, named = OneShotDataset(data, sa.permute_axis(S.group), S)
    assert alone.tolist() == single[0].tolist() == listed[0].tolist() == named.x.tolist() == [2, 1]
    assert type(single) is tuple
    assert listed[1:] == ["a", "b"]
    assert type(named) is point
    assert named.label == "c"


def test_samples_of_different_shapes_are_moved_in_one_batch():
    action = sa.permute_axis(sa.symmetric(3))
    S = sa.Oracle(action.group, seed=0).draw(4)
    data = [torch.rand(2, 3), torch.rand(5, 3), np.random.default_rng(0).random((2, 3))]
    copies = OneShotDataset(data, action, S)
    for k, item in enumerate(copies.__getitems__(range(12))):
        alone = action(S.elements[k // 3][None], data[k % 3][None])[0, 0]
        assert type(item) is type(alone)
        assert np.array_equal(np.asarray(item), np.asarray(alone))


def test_images_of_different_sizes_are_prepared_apart():
    action = sa.roll(sa.abelian(2, 2))
    S = sa.Oracle(action.group, seed=0).draw(6)
    data = [torch.rand(4, 4), torch.rand(6, 6), torch.rand(4, 6)]
    for k, item in enumerate(OneShotDataset(data, action, S)):
        assert torch.equal(item, action(S.elements[k // 3][None], data[k % 3][None])[0, 0])


def test_a_flipped_view_can_be_made_a_tensor():
    def reverse(elements, x):
        return np.stack([x if one else x[:, ::-1] for (one,) in elements])[:, :, ::-1]

    S = sa.GroupSample(sa.cyclic(2), [[1]])
    item = OneShotDataset(np.eye(3), sa.custom_action(S.group, reverse), S)[0]
    assert torch.as_tensor(item).tolist() == [0, 0, 1]


def test_a_subset_of_tensors_is_indexed_through(monkeypatch):
    x = torch.arange(60).reshape(10, 6)
    inner = Subset(Subset(TensorDataset(x), [9, 3, 5, 1]), torch.tensor([2, 0]))
    S = sa.GroupSample(sa.cyclic(6), [[1], [4]])
    action = sa.permute_axis(S.group)
    expected, _ = sa.augment(action, S, x[[5, 9]], torch.zeros(2))
    monkeypatch.setattr(Subset, "__getitems__", None)  # the tensors are indexed, not the items
    got = [item[0] for item in OneShotDataset(inner, action, S).__getitems__([0, 1, 2, 3])]
    assert torch.equal(torch.stack(got), expected)


def test_a_subclass_of_a_tensor_data_set_fetches_in_its_own_way():
    class Doubled(TensorDataset):
        def __getitem__(self, i):
            return tuple(2 * part for part in super().__getitem__(i))

    S = sa.GroupSample(sa.cyclic(3), [[0]])
    copies = OneShotDataset(Doubled(torch.eye(3)), sa.permute_axis(S.group), S)
    assert copies[1][0].tolist() == [0, 2, 0]


def test_a_tensor_that_is_not_contiguous_is_read_right():
    x = torch.arange(24).reshape(6, 4).T
    S = sa.GroupSample(sa.cyclic(6), [[2]])
    action = sa.permute_axis(S.group)
    got = [item[0] for item in OneShotDataset(TensorDataset(x), action, S)]
    assert torch.equal(torch.stack(got), action(S, x)[0])


def test_a_sample_is_fetched_once_per_batch():
    S = sa.GroupSample(sa.cyclic(3), [[0], [1], [2]])
    data = Items([np.eye(3)[i] for i in range(3)])
    OneShotDataset(data, sa.permute_axis(S.group), S).__getitems__([1, 4, 7, 0])
    assert data.asked == [0, 1]


def test_preparing_happens_once_per_shape(monkeypatch):
    made = []
    prepare = type(sa.roll(sa.cyclic(4), (1,))).prepare
    monkeypatch.setattr(
        type(sa.roll(sa.cyclic(4), (1,))),
        "prepare",
        lambda self, rows, shape: made.append((len(rows), shape)) or prepare(self, rows, shape),
    )
    action = sa.roll(sa.cyclic(4), (1,))
    S = sa.Oracle(action.group, seed=0).draw(9)
    copies = OneShotDataset([torch.rand(4), torch.rand(4, 2)] * 5, action, S)
    for k in range(len(copies)):
        _ = copies[k]
    assert Counter(made) == {(9, shape): 1 for shape in ((1, 4), (1, 4, 2))}


@pytest.mark.parametrize("plain", [True, False])
def test_without_room_for_prepared_arrays_the_items_are_the_same(monkeypatch, plain):
    x = torch.rand(4, 3, 8, 8)
    action = sa.roll(sa.abelian(8, 8))
    S = sa.Oracle(action.group, seed=0).draw(5)
    data = TensorDataset(x) if plain else [(image,) for image in x]
    expected, _ = sa.augment(action, S, x, torch.zeros(4))
    monkeypatch.setattr(prepared, "ROOM", 100)
    copies = OneShotDataset(data, action, S)
    assert torch.equal(torch.stack([item[0] for item in copies.__getitems__(range(20))]), expected)
    assert not copies._moves.x._kept


def test_room_is_made_for_a_new_shape(monkeypatch):
    action = sa.permute_axis(sa.cyclic(4))
    S = sa.Oracle(action.group, seed=0).draw(2)
    monkeypatch.setattr(prepared, "ROOM", 80)  # of 32 and 64 bytes, so one at a time
    copies = OneShotDataset([torch.rand(4), torch.rand(2, 4)], action, S)
    for k, item in enumerate(copies):
        assert torch.equal(item, action(S, copies.dataset[k % 2][None])[k // 2, 0])
        assert len(copies._moves.x._kept) == 1


def test_source_and_element_take_integers_arrays_and_tensors():
    copies = numbered()
    assert (copies.source_index(23), copies.element_index(23)) == (2, 3)
    assert (copies.source_index(-1), copies.element_index(-1)) == (6, 4)
    assert copies.source_index(np.array([0, 8, 34], np.uint8)).tolist() == [0, 1, 6]
    assert torch.equal(copies.element_index(torch.tensor([0, 8, -1])), torch.tensor([0, 1, 4]))
    assert copies.source_index(torch.tensor(9)) == 2


def test_indices_behave_as_those_of_a_list():
    copies = numbered()
    assert torch.equal(copies[-1][0], copies[34][0])
    assert len(list(copies)) == len(copies) == 35
    for k in (35, -36):
        with pytest.raises(IndexError, match="out of range for 35"):
            copies[k]
        with pytest.raises(IndexError, match="out of range for 35"):
            copies.__getitems__([0, k])
    for k in (1.0, "1", None, slice(2), True):
        with pytest.raises(sa.errors.ArgumentError, match="k="):
            copies[k]
    with pytest.raises(sa.errors.ArgumentError, match="integers"):
        copies.__getitems__([0.5])
    with pytest.raises(IndexError, match="out of range"):
        copies.__getitems__(np.array([2**64 - 1], np.uint64))  # which is no -1
    assert copies.__getitems__([]) == []


@pytest.mark.filterwarnings("ignore:This DataLoader will create:UserWarning")
@pytest.mark.parametrize("workers", [0, 1, 2, 4])
def test_every_copy_comes_once_whatever_the_workers(workers):
    loader = DataLoader(
        numbered(),
        batch_size=4,
        shuffle=True,
        num_workers=workers,
        generator=torch.Generator().manual_seed(0),
    )
    for _ in range(2):
        assert pairs(loader) == ALL


def test_torch_ranks_share_the_copies_where_they_divide():
    copies = numbered()
    for epoch in range(2):
        total = Counter()
        for rank in range(5):
            sampler = DistributedSampler(copies, 5, rank, seed=3)
            sampler.set_epoch(epoch)
            total += pairs(DataLoader(copies, batch_size=2, sampler=sampler))
        assert total == ALL


def test_it_can_be_sent_to_another_process():
    copies = numbered()
    first = copies[11]
    again = pickle.loads(pickle.dumps(copies))
    assert not again._moves.x._kept
    assert torch.equal(again[11][0], first[0])


class Endless(IterableDataset):
    def __iter__(self):
        return iter(())


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (Endless(), "dataset.*iterable"),
        (7, "dataset=7 has no __getitem__"),
        (type("Unsized", (), {"__getitem__": lambda self, i: i})(), "dataset.*no length"),
    ],
)
def test_data_without_indices_is_refused(data, message):
    S = sa.GroupSample(sa.cyclic(2), [[0]])
    with pytest.raises(sa.errors.ArgumentError, match=message):
        OneShotDataset(data, sa.permute_axis(S.group), S)


def test_arguments_of_another_group_are_refused():
    action = sa.permute_axis(sa.symmetric(3))
    S = sa.Oracle(action.group, seed=0).draw(2)
    with pytest.raises(sa.errors.ArgumentError, match="S is a sample of S3"):
        OneShotDataset(np.eye(4), sa.permute_axis(sa.symmetric(4)), S)
    with pytest.raises(sa.errors.ArgumentError, match="y_action is of S4, but action is of S3"):
        OneShotDataset(np.eye(3), action, S, sa.permute_axis(sa.symmetric(4)))
    with pytest.raises(sa.errors.ArgumentError, match=r"S=3 is not a GroupSample"):
        OneShotDataset(np.eye(3), action, 3)
    with pytest.raises(sa.errors.ArgumentError, match="action=3 is not an action"):
        OneShotDataset(np.eye(3), 3, S)
    with pytest.raises(sa.errors.ArgumentError, match="y_action=3 is neither an action nor None"):
        OneShotDataset(np.eye(3), action, S, 3)


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (object(), "dataset gave <object.*not an array.*convert"),
        ({"x": np.zeros(3)}, "gave a dict.*moves one array.*together"),
        ((), "empty tuple"),
        (np.array(3.0), "single number"),
        ((np.zeros(4), 1), "4 entries.*moves 3"),
    ],
)
def test_items_that_cannot_be_moved_are_refused(item, message):
    S = sa.GroupSample(sa.symmetric(3), [[1, 2, 0]])
    with pytest.raises(sa.errors.ArgumentError, match=message):
        OneShotDataset([item], sa.permute_axis(S.group), S)[0]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([np.zeros(3)], "items without y"),
        (TensorDataset(torch.zeros(1, 3)), "items without y"),
        ([(np.zeros(3), 1)], "1 as y, which is not an array"),
        (TensorDataset(torch.zeros(1, 3), torch.zeros(1)), "single number as y"),
    ],
)
def test_targets_that_cannot_move_along_are_refused(data, message):
    S = sa.GroupSample(sa.symmetric(3), [[1, 2, 0]])
    act = sa.permute_axis(S.group)
    with pytest.raises(sa.errors.ArgumentError, match=message):
        OneShotDataset(data, act, S, act)[0]


def test_integer_images_are_refused_by_a_linear_action():
    act = sa.linear(sa.groups.cube_rotations())
    S = sa.Oracle(act.group, seed=0).draw(2)
    with pytest.raises(sa.errors.ArgumentError, match="x has dtype"):
        OneShotDataset(TensorDataset(torch.zeros(2, 3, dtype=torch.uint8)), act, S)[0]


def test_an_empty_data_set_has_no_copies():
    S = sa.GroupSample(sa.cyclic(3), [[0], [1]])
    copies = OneShotDataset([], sa.permute_axis(S.group), S)
    assert len(copies) == 0
    assert list(copies) == []


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_indices_of_either_width_are_compiled_right(dtype):
    """Tensors of 2^31 entries and more have indices of eight bytes."""
    generator = torch.Generator().manual_seed(0)
    x = torch.rand(5, 2, 3, generator=generator)
    index = torch.stack([torch.randperm(6, generator=generator) for _ in range(4)])
    source, which = torch.tensor([4, 0, 2]), np.array([3, 1, 3])
    moved = gather_numba.gather(x, source, which, index.to(dtype))
    expected = x[source].flatten(1).gather(1, index[torch.from_numpy(which)])
    assert torch.equal(moved.flatten(1), expected)


@pytest.mark.parametrize("compiled", [1, 1 << 62])
def test_conjugates_are_read_as_what_they_are(compiled, monkeypatch):
    monkeypatch.setattr(prepared, "_WORTH_COMPILING", compiled)
    x = torch.randn(5, 4, dtype=torch.complex64).conj()
    S = sa.Oracle(sa.symmetric(4), seed=0).draw(3)
    act = sa.permute_axis(S.group)
    items = OneShotDataset(TensorDataset(x), act, S).__getitems__(range(15))
    assert torch.equal(torch.stack([item[0] for item in items]), act(S, x).flatten(0, 1))


@pytest.mark.parametrize("compiled", [1, 1 << 62])
def test_gradients_reach_the_data(compiled, monkeypatch):
    monkeypatch.setattr(prepared, "_WORTH_COMPILING", compiled)
    x = torch.rand(3, 4, requires_grad=True)
    S = sa.Oracle(sa.symmetric(4), seed=0).draw(5)
    items = OneShotDataset(TensorDataset(x), sa.permute_axis(S.group), S).__getitems__(range(15))
    sum(k * item[0].sum() for k, item in enumerate(items)).backward()
    expected = torch.arange(15.0).reshape(5, 3).sum(0)
    assert torch.equal(x.grad, expected[:, None].expand(3, 4))


@pytest.mark.parametrize(
    "dtype", [torch.uint8, torch.bool, torch.bfloat16, torch.float32, torch.int64]
)
@pytest.mark.parametrize("compiled", [True, False])
def test_large_batches_are_the_same_copies_compiled_or_not(dtype, compiled, monkeypatch):
    used = []
    gather = gather_numba.gather
    monkeypatch.setattr(gather_numba, "gather", lambda *given: used.append(1) or gather(*given))
    monkeypatch.setattr(prepared, "_WORTH_COMPILING", 1 << 16 if compiled else 1 << 62)
    act = sa.roll(sa.abelian(32, 32))
    S = sa.Oracle(act.group, seed=4).draw(5)
    x = torch.randint(0, 255, (40, 3, 32, 32), generator=torch.Generator().manual_seed(0)).to(dtype)
    copies = OneShotDataset(TensorDataset(x), act, S)
    expected, _ = sa.augment(act, S, x, torch.arange(40))
    order = torch.randperm(200, generator=torch.Generator().manual_seed(1))
    items = copies.__getitems__(order.tolist())
    assert torch.equal(torch.stack([item[0] for item in items]), expected[order])
    assert bool(used) == compiled


class TestDictsAndGraphs:
    TURN = sa.permute_axis(sa.cyclic(3))
    A = torch.arange(3.0)
    MOVED = torch.tensor([2.0, 0.0, 1.0])  # by the second element

    def second(self, item, action):
        return OneShotDataset([item], action, "full")[1]

    def test_the_other_entries_of_a_dict_pass_through_at_any_depth(self):
        both = sa.together(image=self.TURN, more=sa.together(mask=self.TURN))
        x = {"image": self.A, "id": 4, "more": {"mask": self.A, "name": "n"}}
        for item in (x, (x, 1)):
            found = self.second(item, both)
            found = found if item is x else found[0]
            assert torch.equal(found["image"], self.MOVED)
            assert torch.equal(found["more"]["mask"], self.MOVED)
            assert (found["id"], found["more"]["name"]) == (4, "n")
        assert x["more"]["mask"] is self.A

    def test_a_dict_for_an_action_of_one_array_is_answered_with_the_remedy(self):
        with pytest.raises(sa.errors.ArgumentError, match=r"sparseaug.together\(image=action\)"):
            self.second({"image": self.A, "label": 1}, self.TURN)
        found = self.second({"image": self.A, "label": 1}, sa.together(image=self.TURN))
        assert torch.equal(found["image"], self.MOVED)
        assert found["label"] == 1

    @pytest.mark.filterwarnings("ignore")  # of the other library's import
    @pytest.mark.parametrize("kind", ["look-alike", "PyTorch Geometric"])
    def test_graphs_are_relabelled_and_keep_their_edges(self, kind):
        x = torch.tensor([[10.0], [11.0], [12.0]])
        edges = torch.tensor([[0, 1], [1, 2]])
        if kind == "look-alike":
            graph = types.SimpleNamespace(x=x, edge_index=edges, num_nodes=3, y=5)
        else:
            data = pytest.importorskip("torch_geometric.data")
            graph = data.Data(x=x, edge_index=edges, y=5)
        group = sa.symmetric(3)
        copies = OneShotDataset([(graph, "label")] * 2, sa.permute_nodes(group), "full")
        assert len(copies) == 12
        for k in range(12):
            moved, label = copies[k]
            row = copies.S.elements[copies.element_index(k)]
            assert label == "label"
            assert moved.y == 5
            for node in range(3):
                assert float(moved.x[row[node]]) == 10 + node
            assert moved.edge_index.tolist() == row[edges.numpy()].tolist()
        assert graph.edge_index is edges

    def test_graphs_of_another_size_are_refused_with_the_remedy(self):
        graph = types.SimpleNamespace(
            x=torch.ones(4, 1), edge_index=torch.tensor([[0], [3]]), num_nodes=4
        )
        with pytest.raises(
            sa.errors.ArgumentError, match=r"4 nodes, but S3 permutes 3.*one S per size"
        ):
            self.second(graph, sa.permute_nodes(sa.symmetric(3)))
        with pytest.raises(
            sa.errors.ArgumentError, match="does not relabel nodes; give permute_nodes"
        ):
            self.second(graph, sa.permute_axis(sa.symmetric(4)))


def test_a_split_puts_all_copies_of_a_sample_on_one_side():
    data = TensorDataset(torch.arange(15.0).reshape(5, 3), torch.arange(5))
    copies = OneShotDataset(data, sa.permute_axis(sa.cyclic(3)), "full")
    parts = copies.split([0.4, 0.4, 0.2], rng=3)
    assert [len(part) for part in parts] == [6, 6, 3]
    samples = [{int(y) for _, y in part} for part in parts]
    assert sorted(y for part in samples for y in part) == list(range(5))
