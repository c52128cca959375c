"""Orbit batches: which copies share a batch, over ranks, epochs and resumed runs."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

import sparseaug as sa
from sparseaug.nn import OneShotDataset, OrbitBatchSampler


def copies(n=7, m=3):
    S = sa.GroupSample(sa.cyclic(6), np.arange(m)[:, None])
    x = torch.arange(n)[:, None] * 100 + torch.arange(6)
    return OneShotDataset(TensorDataset(x, torch.arange(n)), sa.permute_axis(S.group), S)


def flat(batches):
    return Counter(k for batch in batches for k in batch)


ONCE = Counter(range(21))
KINDS = [("together", 6), ("spread", 5)]


@pytest.mark.parametrize("shuffle", [True, False])
def test_the_copies_of_a_sample_stay_together(shuffle):
    batches = list(OrbitBatchSampler(copies(), 6, copies="together", shuffle=shuffle))
    assert flat(batches) == ONCE
    assert [len(batch) for batch in batches] == [6, 6, 6, 3]
    for batch in batches:
        by_element = np.array(batch).reshape(3, -1)  # element by element, as augment has them
        assert (by_element // 7 == np.arange(3)[:, None]).all()
        assert (by_element % 7 == by_element[0] % 7).all()


@pytest.mark.parametrize("shuffle", [True, False])
def test_spread_copies_come_in_passes_over_the_samples(shuffle):
    batches = list(OrbitBatchSampler(copies(), 5, copies="spread", shuffle=shuffle))
    assert flat(batches) == ONCE
    assert [len(batch) for batch in batches] == [5, 5, 5, 5, 1]
    order = np.concatenate(batches).reshape(3, 7)
    assert len({tuple(one_pass % 7) for one_pass in order}) == (3 if shuffle else 1)
    for one_pass in order:
        assert sorted(one_pass % 7) == list(range(7))
        if shuffle:
            assert len(set(one_pass // 7)) > 1  # several elements in each pass


def test_a_spread_batch_may_be_larger_than_the_data():
    assert flat(OrbitBatchSampler(copies(), 17, copies="spread")) == ONCE


@pytest.mark.parametrize(("kind", "size"), KINDS)
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_ranks_share_the_copies_without_padding(kind, size, ranks):
    data = copies()
    for epoch in range(2):
        samplers = [
            OrbitBatchSampler(
                data, size, copies=kind, seed=1, rank=rank, num_ranks=ranks, even=False
            )
            for rank in range(ranks)
        ]
        for sampler in samplers:
            sampler.set_epoch(epoch)
        shares = [list(sampler) for sampler in samplers]
        assert [len(share) for share in shares] == [len(sampler) for sampler in samplers]
        assert max(map(len, shares)) - min(map(len, shares)) <= 1
        assert sum(map(flat, shares), Counter()) == ONCE
        alone = OrbitBatchSampler(data, size, copies=kind, seed=1)
        alone.set_epoch(epoch)
        assert shares[-1] == list(alone)[ranks - 1 :: ranks]


@pytest.mark.parametrize(("kind", "size"), KINDS)
def test_the_order_is_a_function_of_seed_and_epoch(kind, size):
    def order(seed, epoch):
        sampler = OrbitBatchSampler(copies(), size, copies=kind, seed=seed)
        sampler.set_epoch(epoch)
        return list(sampler)

    assert order(0, 0) == order(0, 0)
    orders = [order(seed, epoch) for seed in (0, 1) for epoch in (0, 1, 2)]
    assert len({str(one) for one in orders}) == 6


@pytest.mark.parametrize(("kind", "size"), KINDS)
def test_drop_last_leaves_out_what_is_not_full(kind, size):
    sampler = OrbitBatchSampler(copies(), size, copies=kind, drop_last=True)
    batches = list(sampler)
    assert len(batches) == len(sampler) == 21 // size
    assert {len(batch) for batch in batches} == {size}


@pytest.mark.filterwarnings("ignore:This DataLoader will create:UserWarning")
@pytest.mark.parametrize("workers", [0, 1, 2, 4])
@pytest.mark.parametrize(("kind", "size"), KINDS)
def test_a_loader_sees_every_copy_once_whatever_the_workers(kind, size, workers):
    data = copies()
    sampler = OrbitBatchSampler(data, size, copies=kind)
    loader = DataLoader(data, batch_sampler=sampler, num_workers=workers)
    sampler.set_epoch(1)
    seen = Counter(
        (int(i), int((row % 100).argmin())) for x, y in loader for row, i in zip(x, y, strict=True)
    )
    assert seen == Counter((i, j) for i in range(7) for j in range(3))


@pytest.mark.parametrize(("kind", "size"), KINDS)
@pytest.mark.parametrize("ranks", [1, 2])
def test_a_run_resumes_in_the_middle_of_an_epoch(kind, size, ranks):
    def make():
        return OrbitBatchSampler(copies(), size, copies=kind, seed=4, num_ranks=ranks)

    whole = make()
    whole.set_epoch(2)
    expected = list(whole)
    broken = make()
    broken.set_epoch(2)
    iterator = iter(DataLoader(broken.dataset, batch_sampler=broken))
    next(iterator)
    state = broken.state_dict()
    assert (state["epoch"], state["position"]) == (2, 1)

    resumed = make()
    resumed.load_state_dict(state)
    resumed.set_epoch(2)  # as a trainer does when the epoch begins
    assert resumed.state_dict() == state
    assert list(resumed) == expected[1:]
    assert list(resumed) == expected  # whole again
    resumed.load_state_dict(state)
    resumed.set_epoch(3)
    assert len(list(resumed)) == len(resumed)


@pytest.mark.parametrize(("kind", "size"), KINDS)
@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 7])
def test_every_rank_gets_equally_many_batches(kind, size, ranks):
    data = copies()
    alone = list(OrbitBatchSampler(data, size, copies=kind, seed=1))
    samplers = [
        OrbitBatchSampler(data, size, copies=kind, seed=1, rank=rank, num_ranks=ranks)
        for rank in range(ranks)
    ]
    shares = [list(sampler) for sampler in samplers]
    each = -(-len(alone) // ranks)
    assert [len(share) for share in shares] == [len(sampler) for sampler in samplers]
    assert {len(share) for share in shares} == {each}
    in_order = [share[position] for position in range(each) for share in shares]
    padded = (alone + alone + alone)[: each * ranks]
    assert in_order == padded
    for sampler, share in zip(samplers, shares, strict=True):
        sampler.load_state_dict(samplers[0].state_dict(position=1))
        assert list(sampler) == share[1:]


def test_all_ranks_load_the_state_of_the_first():
    first, last = (
        OrbitBatchSampler(copies(), 3, rank=rank, num_ranks=2, even=False) for rank in range(2)
    )
    assert (len(first), len(last)) == (4, 3)
    list(first)
    last.load_state_dict(first.state_dict())
    assert last.state_dict()["position"] == 3
    assert list(last) == []
    last.load_state_dict(first.state_dict(position=2))
    assert len(list(last)) == 1


def test_a_position_can_be_given_for_loaders_that_fetch_ahead():
    sampler = OrbitBatchSampler(copies(), 3)
    loader = DataLoader(sampler.dataset, batch_sampler=sampler, num_workers=1)
    iterator = iter(loader)
    next(iterator)
    assert sampler.state_dict()["position"] > 1
    assert sampler.state_dict(position=1)["position"] == 1
    with pytest.raises(sa.errors.ArgumentError, match="position=8"):
        sampler.state_dict(position=8)


def test_a_state_of_other_settings_is_refused():
    state = OrbitBatchSampler(copies(), 3, seed=1).state_dict()
    with pytest.raises(sa.errors.ArgumentError, match="seed=1, but this one has seed=2"):
        OrbitBatchSampler(copies(), 3, seed=2).load_state_dict(state)
    with pytest.raises(sa.errors.ArgumentError, match="n=7, but this one has n=8"):
        OrbitBatchSampler(copies(8), 3, seed=1).load_state_dict(state)
    with pytest.raises(sa.errors.ArgumentError, match="lacks"):
        OrbitBatchSampler(copies(), 3).load_state_dict({"epoch": 1})
    OrbitBatchSampler(copies(), 3, seed=1, rank=0).load_state_dict(state)


@pytest.mark.parametrize(
    ("size", "message"), [(4, "give 3 or 6"), (2, "give 3,"), (100, "give 99 or 102")]
)
def test_a_batch_that_splits_an_orbit_is_refused_with_the_nearest_sizes(size, message):
    with pytest.raises(sa.errors.ArgumentError, match=f"batch_size={size}.*m=3.*{message}"):
        OrbitBatchSampler(copies(), size)


def test_every_element_is_as_likely_in_the_first_pass():
    data = copies(n=3000)
    first = np.array(next(iter(OrbitBatchSampler(data, 3000, copies="spread"))))
    counts = np.bincount(first // 3000, minlength=3)
    # Binomial(3000, 1/3) leaves 1000 +- 150 with probability below 10^-8
    assert abs(counts - 1000).max() < 150
