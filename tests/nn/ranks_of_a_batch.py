"""On two ranks: S is broadcast, so gradients are those of rank 0's S; the sums of a metric are not."""

from __future__ import annotations

import pytest
import torch
from torch import distributed, nn

import sparseaug as sa
from sparseaug.errors import ArgumentError
from sparseaug.nn import InvarianceMetric, OrbitBatch


class Holder(nn.Module):
    """Sums are a rank's own, though buffers are broadcast."""

    def __init__(self, action: sa.actions.Action, S: sa.GroupSample) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 1)
        self.drift = InvarianceMetric(lambda x: x[:, 0], action, S)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.drift.update(x)
        return self.linear(x)


def run() -> None:
    """Assert what holds."""
    rank = distributed.get_rank()
    group = sa.symmetric(3)
    S = sa.Oracle(group, seed=rank).draw(4)  # ranks disagree on purpose: rank 0 decides
    torch.manual_seed(0)
    orbit = OrbitBatch(sa.permute_axis(group), S, sample_shape=(3,))
    model = nn.parallel.DistributedDataParallel(nn.Sequential(orbit, nn.Linear(3, 1)))
    x = torch.arange(12.0).reshape(4, 3).square()
    for _ in range(2):
        model(x[2 * rank : 2 * rank + 2]).square().mean().backward()
    seed_zero = sa.Oracle(group, seed=0).draw(4)
    assert orbit.sample == seed_zero
    assert torch.equal(orbit(x), sa.augment(orbit.action, seed_zero, x, x)[0])
    whole = nn.Sequential(OrbitBatch(orbit.action, seed_zero), nn.Linear(3, 1))
    whole[1].load_state_dict(model.module[1].state_dict())
    for _ in range(2):
        whole(x).square().mean().backward()
    torch.testing.assert_close(model.module[1].weight.grad, whole[1].weight.grad)

    metric = InvarianceMetric(lambda x: x[:, 0], orbit.action, seed_zero)
    if rank == 0:  # rank 1 has seen nothing, and takes part
        metric.update(x[:3])
    alone = metric.sums.clone()
    value = metric.compute()
    expected = (orbit(x[:3]).reshape(4, 3, 3)[..., 0] - x[:3, 0]).square().mean(1).sqrt().mean()
    torch.testing.assert_close(value.float(), expected)
    assert torch.equal(metric.sums, alone)

    holder = nn.parallel.DistributedDataParallel(Holder(orbit.action, seed_zero))
    for i in (2 * rank, 2 * rank + 1):
        holder(x[i : i + 1]).sum().backward()
    value = holder.module.drift.compute()
    expected = (orbit(x).reshape(4, 4, 3)[..., 0] - x[:, 0]).square().mean(1).sqrt().mean()
    torch.testing.assert_close(value.float(), expected)

    other = InvarianceMetric(lambda x: x[:, 0], orbit.action, S)
    other.update(x)
    with pytest.raises(ArgumentError, match="S is not the same on all ranks"):
        other.compute()
    distributed.barrier()
