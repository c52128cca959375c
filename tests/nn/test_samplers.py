"""Orbit batches: which copies share a batch, over ranks, epochs and resumed runs."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import torch
from torch.utils.data import TensorDataset

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


def test_last_batches_sizes_and_what_splits_an_orbit():
    sampler = OrbitBatchSampler(copies(), 5, copies="spread", drop_last=True)
    assert [len(batch) for batch in sampler] == [5] * len(sampler) == [5] * 4
    assert flat(OrbitBatchSampler(copies(), 17, copies="spread")) == ONCE
    with pytest.raises(sa.errors.ArgumentError, match=r"batch_size=4.*m=3"):
        OrbitBatchSampler(copies(), 4)
