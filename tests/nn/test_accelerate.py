"""Accelerate: it deals the batches of a plain loader, and leaves a loader alone that counts them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

import sparseaug as sa
from sparseaug.nn import OneShotDataset, OrbitBatchSampler, ResumableLoader, StreamingDataset

accelerate = pytest.importorskip("accelerate")


def sets():
    S = sa.Oracle(sa.symmetric(3), seed=0).draw(4)
    x = torch.rand((7, 3), generator=torch.Generator().manual_seed(0))
    return OneShotDataset(TensorDataset(x, x.sum(1, keepdim=True)), sa.permute_axis(S.group), S)


def test_accelerate_is_told_not_to_replace_a_loader_that_counts_and_keeps_its_state(tmp_path):
    """Its own loader would fetch ahead uncounted: it said 8 batches where the loop had had 3."""
    accelerator = accelerate.Accelerator(cpu=True)
    data = sets()

    def make():
        return ResumableLoader(data, batch_sampler=OrbitBatchSampler(data, 8), num_workers=2)

    loader = make()
    with pytest.raises(sa.errors.UnsupportedError, match="leave ResumableLoader out of prepare"):
        accelerator.prepare(loader)
    accelerator.register_for_checkpointing(loader)
    batches = [x for x, _ in itertools.islice(loader, 3)]
    assert loader.state_dict()["position"] == 3
    accelerator.save_state(tmp_path)
    accelerator._custom_objects = [resumed] = [make()]
    accelerator.load_state(tmp_path)
    whole = [x for x, _ in make()]
    assert all(map(torch.equal, batches + [x for x, _ in resumed], whole))


def test_accelerate_tells_a_streaming_data_set_the_epoch():
    accelerator = accelerate.Accelerator(cpu=True)
    act = sa.permute_axis(sa.symmetric(9))

    def make():
        return StreamingDataset(np.tile(np.arange(9), (6, 1)), act, sa.Oracle(act.group, seed=0))

    data = make()
    loader = accelerator.prepare(DataLoader(data, batch_size=4))
    epochs = [torch.cat(list(loader)) for _ in range(2)]
    alone = make()
    for epoch, got in enumerate(epochs):
        alone.set_epoch(epoch)
        assert np.array_equal(got, np.stack(list(alone)))
    assert data.calls == 12
