"""Copies drawn once next to fresh elements at every step: two networks on shifted digits, equal steps.

    python -m studies.stream

300 images, 64 shifts, 480 steps of Adam; asked about others in all positions: alone, and averaged over
16 elements chosen for the network. Means over three seeds, with standard errors.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import sparseaug as sa
from sparseaug.nn import OneShotDataset, OrbitAverage, StreamingDataset

SEEDS, M, SAMPLES, EPOCHS = 3, 16, 300, 160
SHIFT = sa.roll(sa.abelian(8, 8))


def perceptron() -> nn.Module:
    return nn.Sequential(nn.Flatten(), nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))


def convolutions() -> nn.Module:
    layers: list[nn.Module] = [nn.Unflatten(1, (1, 8)), nn.Conv2d(1, 16, 3, padding=1), nn.ReLU()]
    layers += [nn.MaxPool2d(2), nn.Conv2d(16, 32, 3, padding=1), nn.ReLU()]
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(512, 10))


def contenders(data: TensorDataset, seed: int) -> dict[str, OneShotDataset | StreamingDataset]:
    """What a network may learn from, by name."""
    even = sa.design(SHIFT.group, m=M, identity=True)
    oracles = [sa.Oracle(SHIFT.group, seed=100 * k + seed) for k in range(4)]
    table = sa.SampleTable.draws(oracles[1], SAMPLES, M, identity=True, distinct=True)
    moved = sa.SampleTable.translates(even, oracles[2], SAMPLES)
    return {
        "one S": OneShotDataset(data, SHIFT, oracles[0].draw(M, identity=True, distinct=True)),
        "one design": OneShotDataset(data, SHIFT, even),
        "own draws": OneShotDataset(data, SHIFT, table),
        "own translates": OneShotDataset(data, SHIFT, moved),
        "fresh": StreamingDataset(data, SHIFT, oracles[3]),
    }


def train(
    make: Callable[[], nn.Module], data: OneShotDataset | StreamingDataset, seed: int
) -> nn.Module:
    torch.manual_seed(seed)
    net = make()
    optimizer = torch.optim.Adam(net.parameters(), 0.003)
    for epoch in range(EPOCHS * SAMPLES // len(data)):
        if isinstance(data, StreamingDataset):
            data.set_epoch(epoch)
        for x, y in DataLoader(data, batch_size=100, shuffle=True):
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            optimizer.step()
    return net.eval()


@torch.no_grad()
def main() -> None:
    images, labels = (torch.tensor(part) for part in load_digits(return_X_y=True))
    images = images.float().reshape(-1, 8, 8) / 16
    data = TensorDataset(images[:SAMPLES], labels[:SAMPLES])
    asked = SHIFT("full", images[1500:]).flatten(0, 1)
    wanted = labels[1500:].repeat(64)
    for make in (perceptron, convolutions):
        right: dict[str, list[list[float]]] = {}
        for seed in range(SEEDS):
            for name, copies in contenders(data, seed).items():
                with torch.enable_grad():
                    net = train(make, copies, seed)
                spectrum = sa.orbit_spectrum(net, SHIFT, images[:128])
                chosen = sa.design(SHIFT.group, m=M, spectrum=spectrum)
                models = net, OrbitAverage(net, SHIFT, chosen)
                shares = [float((f(asked).argmax(1) == wanted).float().mean()) for f in models]
                right.setdefault(name, []).append(shares)
        for name, rows in right.items():
            mean, error = np.mean(rows, 0), np.std(rows, 0, ddof=1) / SEEDS**0.5
            told = "  ".join(f"{a:.3f} +- {b:.3f}" for a, b in zip(mean, error, strict=True))
            print(f"{make.__name__:14}{name:16}{told}")


if __name__ == "__main__":
    main()
