"""Copies made on the device next to copies that lie ready in memory, and the gather next to a clone.

Run with `--device cuda` for a GPU. Both ways see identical batches of B m copies; the ready ones are
slices of one tensor in which every batch is contiguous, the friendliest case for them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor, nn

import sparseaug as sa
from benchmarks.side_by_side import compare
from sparseaug.nn import OrbitBatch


@dataclass(frozen=True)
class Task:
    """Samples of one shape, a batch size B, m elements and the network that trains on them."""

    title: str
    action: sa.actions.Action
    shape: tuple[int, ...]
    samples: int
    batch: int
    m: int
    network: Callable[[], nn.Module]


def convolutions(channels: int, width: int) -> nn.Module:
    """Two 3 x 3 convolutions with a mean over the grid."""
    return nn.Sequential(
        nn.Conv2d(channels, width, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(width, width, 3, padding=1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(width, 10),
    )


def perceptron(inputs: int, width: int) -> nn.Module:
    """Two hidden layers."""
    return nn.Sequential(
        nn.Flatten(),
        nn.Linear(inputs, width),
        nn.ReLU(),
        nn.Linear(width, width),
        nn.ReLU(),
        nn.Linear(width, 10),
    )


def tasks(device: str) -> list[Task]:
    """The same three symmetries on either device, at a size that suits it."""
    if device == "cuda":
        n, batch, m, side, channels, width, hidden = 2048, 64, 32, 32, 3, 32, 512
    else:
        n, batch, m, side, channels, width, hidden = 256, 16, 16, 16, 1, 16, 128
    shifts, turns, orders = sa.abelian(side, side), sa.dihedral(4), sa.symmetric(12)
    image = (channels, side, side)
    return [
        Task(
            "shifts, CNN",
            sa.roll(shifts),
            image,
            n,
            batch,
            m,
            partial(convolutions, channels, width),
        ),
        Task(
            "quarter turns, CNN",
            sa.rotate_grid(turns),
            image,
            n,
            batch,
            m,
            partial(convolutions, channels, width),
        ),
        Task(
            "sets of 12, MLP",
            sa.permute_axis(orders, 1),
            (12, 8),
            4 * n,
            4 * batch,
            m,
            partial(perceptron, 96, hidden),
        ),
    ]


def training(task: Task, device: str, rounds: int) -> None:
    """One epoch of SGD over the ready copies, over copies made by OrbitBatch, and compiled."""
    S = sa.Oracle(task.action.group, seed=0).fresh(task.m)
    orbit = OrbitBatch(task.action, S).to(device)
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(task.samples, *task.shape, generator=generator).to(device)
    y = torch.randint(10, (task.samples,), generator=generator).to(device)
    batches = list(zip(x.split(task.batch), y.split(task.batch), strict=True))
    ready = torch.stack([orbit(some) for some, _ in batches])
    targets = torch.stack([orbit.repeat(some) for _, some in batches])
    torch.manual_seed(0)
    network = task.network().to(device)
    optimiser = torch.optim.SGD(network.parameters(), lr=1e-3)

    def step(copies: Tensor, wanted: Tensor) -> None:
        optimiser.zero_grad(set_to_none=True)
        nn.functional.cross_entropy(network(copies), wanted).backward()
        optimiser.step()

    def epoch_ready() -> None:
        for k in range(len(batches)):
            step(ready[k], targets[k])
        synchronise(device)

    def epoch_made() -> None:
        for some, wanted in batches:
            step(orbit(some), orbit.repeat(wanted))
        synchronise(device)

    best = compare(
        f"{task.title}: an epoch of {task.samples} x {task.m} copies {task.shape}, "
        f"{task.batch * task.m} a batch, on {device} (target: at most 1.05x)",
        {"copies ready in memory": epoch_ready, "OrbitBatch": epoch_made},
        rounds=rounds,
    )
    ratio = best["OrbitBatch"] / best["copies ready in memory"]
    held = ready.nbytes / x.nbytes
    print(f"  {ratio:.3f} times the epoch, for data {held:.0f} times smaller\n")


def moving(task: Task, device: str, rounds: int) -> None:
    """The copies of one batch: what we do, what else torch has, and writing the result once."""
    S = sa.Oracle(task.action.group, seed=0).fresh(task.m)
    orbit = OrbitBatch(task.action, S).to(device)
    x = torch.randn(task.batch, *task.shape, device=device)
    copies = orbit(x)
    repeats = 50

    def timed(way: Callable[[], Tensor]) -> Callable[[], None]:
        def run() -> None:
            for _ in range(repeats):
                way()
            synchronise(device)

        return run

    ways = {
        "clone of the copies": copies.clone,
        "OrbitBatch (torch.gather)": partial(orbit, x),
        **alternatives(task, orbit, x, copies),
    }
    best = compare(
        f"{task.title}: {repeats} times the {task.m} x {task.batch} copies of a batch on {device}",
        {name: timed(way) for name, way in ways.items()},
        rounds=rounds,
    )
    for name in ("clone of the copies", "OrbitBatch (torch.gather)"):
        # a clone reads and writes every copy; a gather reads the batch, from cache, and writes
        traffic = copies.nbytes * (2 if name.startswith("clone") else 1) + x.nbytes
        rate = traffic * repeats / best[name] / 1e9
        print(f"  {name}: {traffic / 2**20:.2f} MiB each at {rate:.1f} GB/s")
    print()


def alternatives(
    task: Task, orbit: OrbitBatch, x: Tensor, copies: Tensor
) -> dict[str, Callable[[], Tensor]]:
    """Other ways to the same contiguous copies, for images: each must give the same numbers."""
    if len(task.shape) != 3:
        return {}
    index: Tensor = orbit.prepared_0  # type: ignore[assignment]
    m, cells = index.shape
    rows = x.reshape(-1, cells)
    offsets = cells * torch.arange(len(rows), device=x.device)[:, None]
    everywhere = (index[:, None, :] + offsets).reshape(-1)

    def selected() -> Tensor:
        y = rows.index_select(1, index.reshape(-1)).reshape(len(rows), m, cells)
        return y.transpose(0, 1).reshape(copies.shape)

    def taken() -> Tensor:
        return x.reshape(-1).index_select(0, everywhere).reshape(copies.shape)

    def one_by_one() -> Tensor:
        return torch.cat([rows.index_select(1, row) for row in index]).reshape(copies.shape)

    ways = {
        "index_select, transposed": selected,
        "index_select of every cell": taken,
        "index_select per element": one_by_one,
    }
    for name, way in ways.items():
        if not torch.equal(way(), copies):
            raise RuntimeError(f"{name} gives other copies")
    return ways


def synchronise(device: str) -> None:
    if device == "cuda":
        torch.cuda.synchronize()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    for task in tasks(options.device):
        training(task, options.device, options.rounds)
        moving(task, options.device, options.rounds)
