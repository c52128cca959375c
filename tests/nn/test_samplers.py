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


@pytest.mark.parametrize("even", [True, False])
@pytest.mark.parametrize(("kind", "size"), KINDS)
@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 7])
def test_ranks_deal_out_the_batches_of_one(kind, size, ranks, even):
    """In turn; where every rank gets equally many, the first ones come again at the end."""
    data, options = copies(), {"copies": kind, "seed": 1}
    for epoch in range(2):
        alone = OrbitBatchSampler(data, size, **options)
        alone.set_epoch(epoch)
        batches = list(alone)
        if even:
            batches = (3 * batches)[: -(-len(batches) // ranks) * ranks]
        for rank in range(ranks):
            sampler = OrbitBatchSampler(
                data, size, rank=rank, num_ranks=ranks, even=even, **options
            )
            sampler.set_epoch(epoch)
            share = list(sampler)
            assert share == batches[rank::ranks]
            assert len(sampler) == len(share)


def test_last_batches_sizes_and_what_splits_an_orbit():
    sampler = OrbitBatchSampler(copies(), 5, copies="spread", drop_last=True)
    assert [len(batch) for batch in sampler] == [5] * len(sampler) == [5] * 4
    assert flat(OrbitBatchSampler(copies(), 17, copies="spread")) == ONCE
    with pytest.raises(sa.errors.ArgumentError, match=r"batch_size=4.*m=3"):
        OrbitBatchSampler(copies(), 4)
