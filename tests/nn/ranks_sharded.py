"""Run by torchrun: a network whose parameters two ranks share (FSDP2), trained on copies."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch
from torch import distributed, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor
from torch.utils.data import DataLoader, TensorDataset

import sparseaug as sa
from sparseaug import nn as sann

ACT = sa.permute_axis(sa.symmetric(3))
S = sa.Oracle(ACT.group, seed=0).draw(4)


class Net(nn.Module):
    """Six copies of a batch on the device, as the first layer, or none."""

    def __init__(self, orbit: bool) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.orbit = sann.OrbitBatch(ACT, S) if orbit else None
        self.net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.net(x if self.orbit is None else self.orbit(x))


def train(model: Net, rank: int, num_ranks: int) -> list[float]:
    """Six steps of SGD on the mean over all copies of all ranks' batches; the parameters after."""
    x = torch.randn(12, 3, generator=torch.Generator().manual_seed(1))
    data = TensorDataset(x, x.square().sum(1, keepdim=True))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    if model.orbit is None:  # the copies come from the data set
        copies = sann.OneShotDataset(data, ACT, S)
        # one rank takes whole batches, two ranks half of each
        whole = sann.OrbitBatchSampler(copies, 16)
        batches = [sorted(batch, key=copies.source_index) for batch in whole] * 2
    else:
        copies = data
        batches = [list(range(4 * k, 4 * k + 4)) for k in range(3)] * 2
    share = [
        batch[rank * len(batch) // num_ranks :][: len(batch) // num_ranks] for batch in batches
    ]
    for x, y in DataLoader(copies, batch_sampler=share):
        targets = y if model.orbit is None else model.orbit.repeat(y)
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), targets).backward()
        optimizer.step()
    return [number for p in model.parameters() for number in whole_of(p).reshape(-1).tolist()]


def whole_of(parameter: torch.Tensor) -> torch.Tensor:
    return parameter.full_tensor() if isinstance(parameter, DTensor) else parameter.detach()


def main(folder: Path) -> None:
    distributed.init_process_group("gloo")
    rank = distributed.get_rank()
    mesh = init_device_mesh("cpu", (2,))
    said = {}
    for orbit in (False, True):
        model = Net(orbit)
        for layer in (model.net[0], model.net[2]):
            fully_shard(layer, mesh=mesh)
        fully_shard(model, mesh=mesh)
        sharded = all(isinstance(p, DTensor) for p in model.parameters())
        name = "OrbitBatch" if orbit else "OneShotDataset"
        said[name] = {"sharded": sharded, "found": train(model, rank, 2)}
        said[name]["expected"] = train(Net(orbit), 0, 1)
        said[name]["keys"] = sorted(model.state_dict())
    (folder / f"{rank}.json").write_text(json.dumps(said))
    distributed.destroy_process_group()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
