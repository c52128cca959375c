"""Stores of views next to plain loops: computing them, and reading them into a training loop.

Limits: computing at most 1.05 times the passes of the network, reading at most 1.1 times a loop over
one memory-mapped array. With a GPU the network is an EfficientNet-Lite0-sized one at 224 px in the
arithmetic of the GPU, and at least 85 % of the bare throughput is asked for.
"""

from __future__ import annotations

import sys
import tempfile
import time
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

import sparseaug as sa
from benchmarks.side_by_side import compare

GPU = torch.cuda.is_available()
SIDE, SAMPLES, BATCH = (224, 2048, 128) if GPU else (112, 256, 32)
ACTION = sa.rotate_grid(sa.dihedral(4))
ELEMENTS = sa.GroupSample.full(ACTION.group)


class Block(nn.Sequential):
    """A mobile bottleneck: 1 x 1 up, depthwise, 1 x 1 down."""

    def __init__(self, inside: int, outside: int, stride: int, width: int = 5) -> None:
        wide = 6 * inside
        super().__init__(
            *(nn.Conv2d(inside, wide, 1, bias=False), nn.BatchNorm2d(wide), nn.ReLU6()),
            nn.Conv2d(wide, wide, width, stride, width // 2, groups=wide, bias=False),
            *(nn.BatchNorm2d(wide), nn.ReLU6()),
            *(nn.Conv2d(wide, outside, 1, bias=False), nn.BatchNorm2d(outside)),
        )


def network() -> nn.Module:
    """As many layers, channels and products as EfficientNet-Lite0, with random weights."""
    stages = [(16, 24, 2, 2), (24, 40, 2, 2), (40, 80, 3, 2), (80, 112, 3, 1), (112, 192, 4, 2)]
    layers: list[nn.Module] = [nn.Conv2d(3, 32, 3, 2, 1), nn.ReLU6(), nn.Conv2d(32, 16, 1)]
    for inside, outside, repeats, stride in stages:
        layers.append(Block(inside, outside, stride))
        layers += [Block(outside, outside, 1) for _ in range(repeats - 1)]
    layers += [Block(192, 320, 1), nn.Conv2d(320, 1280, 1), nn.ReLU6(), nn.AdaptiveAvgPool2d(1)]
    return nn.Sequential(*layers, nn.Flatten()).eval().to("cuda" if GPU else "cpu")


class Timed(nn.Module):
    """A network, and the seconds spent in it."""

    def __init__(self, net: nn.Module) -> None:
        super().__init__()
        self.net, self.seconds = net, 0.0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        start = time.perf_counter()
        found = self.net(x)
        self.seconds += time.perf_counter() - start
        return found


def computing(folder: Path) -> float:
    """Seconds of a store over those of the passes: on a GPU of passes alone, else of its own passes."""
    net, x = network(), torch.rand(SAMPLES, 3, SIDE, SIDE)
    timed, ratios = Timed(net), []
    placed, numbers = x[:BATCH].to("cuda" if GPU else "cpu"), count()

    @torch.no_grad()
    def passes() -> None:
        for _ in range(SAMPLES // BATCH * ELEMENTS.m):
            found = net(placed)
        found.cpu()

    def store() -> None:
        out, timed.seconds, start = folder / str(next(numbers)), 0.0, time.perf_counter()
        sa.views.compute(x, ACTION, ELEMENTS, timed, out=out, name="network", batch=BATCH)
        ratios.append((time.perf_counter() - start) / timed.seconds)

    title = f"{SAMPLES * ELEMENTS.m} passes at {SIDE} px"
    limit = "at least 85 % of the throughput" if GPU else "at most 1.05 times"
    best = compare(title, {"passes": passes, "store": store}, rounds=3, limit=limit)
    if GPU:
        return best["store"] / best["passes"]
    print(
        f"seconds of a store over those of its own passes: {', '.join(f'{r:.3f}' for r in ratios)}\n"
    )
    return min(ratios)


class Plain(Dataset):  # type: ignore[type-arg]
    """One memory-mapped array."""

    def __init__(self, values: np.ndarray, y: np.ndarray) -> None:
        self.values, self.y = values, y

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, k: int) -> tuple[np.ndarray, int]:
        return self.values[k], self.y[k]


def reading(folder: Path, n: int = 4000, features: int = 1280) -> float:
    """Seconds of an epoch from the store over those of one from a memory-mapped array."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 4, features // 4)).astype(np.float32)
    act = sa.permute_axis(sa.cyclic(4), axis=1)
    store = sa.views.compute(x, act, "full", out=folder / "read", batch=500)
    y = rng.integers(10, size=n)
    copies = store.dataset(y)
    plain = np.lib.format.open_memmap(
        folder / "plain.npy", "w+", np.float32, (len(copies), 4, features // 4)
    )
    plain[:] = np.array([value for value, _ in copies.__getitems__(range(len(copies)))])
    plain.flush()
    mapped = Plain(np.load(folder / "plain.npy", mmap_mode="r+"), np.tile(y, store.S.m))

    def epoch(data: Any) -> None:
        head = nn.Sequential(nn.Flatten(), nn.Linear(features, 10))
        optimizer = torch.optim.Adam(head.parameters())
        for values, targets in DataLoader(data, batch_size=256, shuffle=True):
            loss = nn.functional.cross_entropy(head(values), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    ways = {"memory map": lambda: epoch(mapped), "store": lambda: epoch(copies)}
    best = compare(f"an epoch of {len(copies)} copies", ways, rounds=5, limit="at most 1.1 times")
    return best["store"] / best["memory map"]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        ratios = computing(Path(folder)), reading(Path(folder))
    sys.exit(ratios[0] > (1 / 0.85 if GPU else 1.05) or ratios[1] > 1.1)


if __name__ == "__main__":
    main()
