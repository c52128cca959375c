"""On two ranks: 13 batches, each waiting for the other at every step, and a resumed run."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import TensorDataset

import sparseaug as sa
from sparseaug import nn as sann

SAMPLES = 26


def make_loader(rank: int) -> sann.ResumableLoader:
    """13 batches of all four copies of two samples; the target of sample i is i."""
    act = sa.permute_axis(sa.cyclic(4))
    i = torch.arange(SAMPLES)
    data = sann.OneShotDataset(TensorDataset(i[:, None].repeat(1, 4).float(), i), act, "full")
    sampler = sann.OrbitBatchSampler(data, 8, rank=rank, num_ranks=2)
    return sann.ResumableLoader(data, batch_sampler=sampler, num_workers=0)


def plain(rank: int) -> dict[str, Any]:
    """Two epochs of DDP; then the second again, from its third step on."""
    model = DistributedDataParallel(nn.Linear(4, 1))
    loader = make_loader(rank)
    seen: list[list[int]] = []
    state = None
    for epoch in range(2):
        loader.batch_sampler.set_epoch(epoch)  # type: ignore[union-attr]
        for step, (x, y) in enumerate(loader, 1):
            model(x).square().mean().backward()  # all ranks meet here
            seen.append(y.tolist())
            if (epoch, step) == (1, 3):
                state = loader.state_dict()
    resumed = make_loader(rank)
    resumed.load_state_dict(state)
    return {"seen": seen, "resumed": [y.tolist() for _, y in resumed]}
