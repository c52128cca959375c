"""On two ranks: a network whose parameters two ranks share (FSDP2), trained on copies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import distributed, nn
from torch.distributed import checkpoint as dcp
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Shard, distribute_tensor
from torch.utils.data import DataLoader, TensorDataset

import sparseaug as sa
from sparseaug import nn as sann
from sparseaug.errors import ArgumentError

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


def misuse(mesh: DeviceMesh) -> dict[str, str]:
    """What is said of data, modules that are spread over ranks where they must not be."""
    x = torch.ones(4, 3)
    spread = distribute_tensor(x, mesh, [Shard(0)])
    whole, sharded = (sann.OrbitAverage(nn.Linear(3, 2), ACT, S) for _ in range(2))
    fully_shard(sharded, mesh=mesh)
    calls = {
        "x": lambda: sann.OrbitBatch(ACT, S)(spread),
        "average": lambda: whole(spread),
        "module": lambda: sann.ModuleRisk(sharded.model, nn.MSELoss(), (x, x[:, :2]), ACT, S),
        "data": lambda: sann.ModuleRisk(whole.model, nn.MSELoss(), (x, spread[:, :2]), ACT, S),
    }
    return {name: answer(call) for name, call in calls.items()}


def answer(call: Callable[[], object]) -> str:
    try:
        call()
    except ArgumentError as error:
        return str(error)
    except Exception as error:
        return f"raw {type(error).__name__}: {error}"
    return "taken"


def through_a_checkpoint(path: Path) -> list[int | None]:
    """Seed and calls of S after loading a sharded checkpoint into a module with another S."""
    written = sann.OrbitAverage(nn.Linear(3, 2), ACT, S)
    dcp.save(written.state_dict(), checkpoint_id=path)
    other = sa.Oracle(ACT.group, seed=1_000_000_007).draw(4)  # whose facts are a longer text
    read = sann.OrbitAverage(nn.Linear(3, 2), ACT, other)
    state = read.state_dict()
    dcp.load(state, checkpoint_id=path)
    read.load_state_dict(state)
    assert read.orbit.sample == S
    return [read.orbit.sample.origin.seed, read.orbit.sample.calls]


def run(folder: Path) -> dict[str, Any]:
    """Both ways of making copies; what is refused; a checkpoint."""
    rank = distributed.get_rank()
    mesh = init_device_mesh("cpu", (2,))
    said: dict[str, Any] = {}
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
    said["refused"] = misuse(mesh)
    said["loaded"] = through_a_checkpoint(folder / "checkpoint")
    return said
