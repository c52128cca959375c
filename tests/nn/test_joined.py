"""Batches of moved tensors are joined once: what loaders and functions of users find in them."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, Subset, TensorDataset, default_collate
from torch.utils.data._utils import collate

import sparseaug as sa
from sparseaug.nn import OneShotDataset, StreamingDataset, moved_items

ACT = sa.roll(sa.abelian(4, 4))
S = sa.Oracle(ACT.group, seed=0).draw(6)
X = torch.arange(5 * 2 * 16.0).reshape(5, 2, 4, 4)
Y = torch.arange(5)
EXPECTED = sa.augment(ACT, S, X, Y)
ORDER = [7, 3, 29, 3, 0]


def copies():
    return OneShotDataset(TensorDataset(X, Y), ACT, S)


def one_by_one(data, order):
    return [data[k] for k in order]


def test_the_default_collate_hands_over_the_moved_batch_without_a_copy():
    for data in (copies(), StreamingDataset(TensorDataset(X, Y), ACT, sa.Oracle(ACT.group))):
        batch = data.__getitems__([3, 0, 4])
        places = [part.data_ptr() for part in batch[0]]
        assert [part.data_ptr() for part in default_collate(batch)] == places


@pytest.mark.parametrize("workers", [0, 2])
def test_a_loader_gives_the_batches_that_single_items_make(workers):
    loader = DataLoader(copies(), batch_size=7, num_workers=workers)
    indices = list(range(30))
    for t, got in enumerate(loader):
        expected = default_collate(one_by_one(copies(), indices[7 * t : 7 * t + 7]))
        assert type(got) is type(expected) is list
        assert all(map(torch.equal, got, expected))
        assert got[0].is_contiguous()


ITEMS = [(x, int(y), f"name {y}") for x, y in zip(X, Y, strict=True)]


def test_the_tensors_of_a_list_of_items_are_moved_into_the_batch_and_not_copied_again():
    for data in (OneShotDataset(ITEMS, ACT, S), StreamingDataset(ITEMS, ACT, sa.Oracle(ACT.group))):
        batch = data.__getitems__([3, 0, 4])
        x, y, names = default_collate(batch)
        assert x.data_ptr() == batch[0][0].data_ptr()
        assert torch.equal(y, torch.tensor([3, 0, 4]))
        assert list(names) == ["name 3", "name 0", "name 4"]


@pytest.mark.parametrize("workers", [0, 2])
def test_a_loader_over_a_list_of_items_gives_what_single_items_make(workers):
    data = OneShotDataset(ITEMS, ACT, S)
    assert [type(part) for part in data[4]] == [torch.Tensor, int, str]
    (got,) = DataLoader(data, batch_sampler=[ORDER], num_workers=workers)
    expected = default_collate(one_by_one(data, ORDER))
    assert torch.equal(got[0], EXPECTED[0][ORDER])
    assert torch.equal(got[1], expected[1])
    assert list(got[2]) == list(expected[2])


def test_large_items_are_moved_block_by_block_to_the_same_batch(monkeypatch):
    monkeypatch.setattr(moved_items, "_BLOCK", 2 * X[0].nbytes)  # 5 items in 3 blocks
    x, _, _ = default_collate(OneShotDataset(ITEMS, ACT, S).__getitems__(ORDER))
    assert torch.equal(x, EXPECTED[0][ORDER])


def test_targets_of_a_list_of_items_that_move_along_are_joined_too():
    data = OneShotDataset([(x, x + 1) for x in X], ACT, S, y_action=ACT)
    x, y = default_collate(data.__getitems__(ORDER))
    assert torch.equal(x, EXPECTED[0][ORDER])
    assert torch.equal(y, x + 1)


def test_items_that_are_not_alike_or_not_tuples_of_tensors_keep_their_form():
    sizes = [(torch.arange(16.0 * n).reshape(n, 4, 4), n) for n in (1, 2)]
    lists = [[x, int(y)] for x, y in zip(X, Y, strict=True)]
    longer = [(X[0], 0), (X[1], 1, "more")]
    for data in (sizes, lists, longer, list(X)):
        batch = OneShotDataset(data, ACT, S).__getitems__([0, 1])
        for got, item in zip(batch, data, strict=False):
            assert type(got) is type(item)
            xs = [got, item] if isinstance(item, torch.Tensor) else [got[0], item[0]]
            assert torch.equal(xs[0], ACT(S.elements[:1], xs[1][None])[0, 0])
            assert isinstance(item, torch.Tensor) or list(got[1:]) == list(item[1:])


def test_a_batch_is_a_sequence_of_plain_tuples():
    batch = copies().__getitems__(ORDER)
    assert len(batch) == 5
    for taken in (list(batch), batch[:], [batch[t] for t in range(5)]):
        assert len(taken) == 5
        for k, (x, y) in zip(ORDER, taken, strict=True):
            assert torch.equal(x, EXPECTED[0][k])
            assert y == EXPECTED[1][k]
    assert {type(item) for item in batch} == {type(copies()[0])} == {tuple}
    assert len(batch[1:3]) == 2
    with pytest.raises(IndexError):
        batch[5]


def test_other_collate_functions_find_the_items():
    def turned(items):  # as users write it
        xs, ys = zip(*items, strict=True)
        return torch.stack(xs).numpy(), np.array([int(y) for y in ys]), items[0][0].shape

    loader = DataLoader(copies(), batch_sampler=[ORDER], collate_fn=turned)
    ((x, y, shape),) = loader
    assert np.array_equal(x, EXPECTED[0][ORDER])
    assert np.array_equal(y, EXPECTED[1][ORDER])
    assert shape == (2, 4, 4)


def test_some_items_of_a_batch_are_joined_as_tuples():
    batch = copies().__getitems__(ORDER)
    x, y = default_collate([batch[1], batch[4]])
    assert torch.equal(x, EXPECTED[0][[3, 0]])
    assert y.tolist() == [3, 0]


def test_a_users_way_to_join_tensors_is_respected(monkeypatch):
    def doubled(batch, *, collate_fn_map=None):
        return 2 * torch.stack(batch)

    monkeypatch.setitem(collate.default_collate_fn_map, torch.Tensor, doubled)
    ((x, _),) = DataLoader(copies(), batch_sampler=[ORDER])
    assert torch.equal(x, 2 * EXPECTED[0][ORDER])


def test_copies_of_copies_and_subsets_are_joined_right():
    twice = OneShotDataset(copies(), ACT, S)
    expected, labels = sa.augment(ACT, S, *EXPECTED)
    order = [170, 2, 31]
    assert type(twice[0]) is tuple
    for data, source in ((twice, order), (Subset(twice, order), [0, 1, 2])):
        ((x, y),) = DataLoader(data, batch_sampler=[source])
        assert torch.equal(x, expected[order])
        assert torch.equal(y, labels[order])
