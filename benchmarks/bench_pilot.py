"""The pilot next to the plain gradients that it needs: CPU or accelerator.

    python -m benchmarks.bench_pilot [--device cuda]

A kernel risk and two small networks, 64 draws each. The plain gradients are those of 64 elements, one
gradient of the risk after the other, and nothing done with them. A pilot computes them five times, once
for the spectrum and four times for the curvature. Target: at most 6 times.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import nn

import sparseaug as sa
from benchmarks.side_by_side import compare
from sparseaug import nn as sann
from sparseaug.risk import DirectRisk
from studies.paper.config import Config
from studies.paper.problem import Problem

CALLS = 64
LIMIT = "target: pilot at most 6 times the plain gradients"


def kernel_risk() -> dict[str, Callable[[], object]]:
    """The paper's experiment."""
    given = Problem(Config(), 0)
    parts = given.model, given.train, given.action
    risk, group = sa.augmented_risk(*parts, None), given.action.group
    rows = sa.Oracle(group, seed=0).draw(CALLS).elements

    def plain() -> None:
        for row in rows:
            DirectRisk(*parts, sa.GroupSample(group, row[None])).gradient(given.start)

    return {
        "plain gradients": plain,
        "pilot": lambda: sa.pilot(risk, given.start, sa.Oracle(group, seed=0), calls=CALLS),
    }


def network(
    module: nn.Module, x: Any, y: Any, action: Any, loss: Any
) -> dict[str, Callable[[], object]]:
    """A module on the device of the data."""
    risk = sann.ModuleRisk(module, loss, (x, y), action, None)
    group, theta = action.group, risk.theta
    samples = [
        sa.GroupSample(group, row[None]) for row in sa.Oracle(group, seed=0).draw(CALLS).elements
    ]

    def plain() -> None:
        for S in samples:
            risk.on(S).gradient(theta).cpu()

    return {
        "plain gradients": plain,
        "pilot": lambda: sa.pilot(risk, theta, sa.Oracle(group, seed=0), calls=CALLS),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu")
    device = parser.parse_args().device
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    if device == "cpu":
        compare("kernel risk, 128 samples, 160 centres, S6", kernel_risk(), limit=LIMIT)
    sets = torch.tensor(rng.normal(size=(1024, 8)), dtype=torch.float32, device=device)
    mlp = nn.Sequential(
        nn.Linear(8, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh(), nn.Linear(128, 1)
    )
    ways = network(
        mlp.to(device), sets, sets[:, :1], sa.permute_axis(sa.symmetric(8)), nn.MSELoss()
    )
    compare(f"MLP of 17,793 parameters, 1024 samples, S8, {device}", ways, limit=LIMIT)
    images = torch.tensor(rng.normal(size=(200, 1, 16, 16)), dtype=torch.float32, device=device)
    cnn = nn.Sequential(
        *(
            nn.Conv2d(1, 16, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1),
        ),
        *(nn.ReLU(), nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(512, 10)),
    )
    labels = torch.tensor(rng.integers(0, 10, 200), device=device)
    ways = network(
        cnn.to(device), images, labels, sa.roll(sa.abelian(16, 16)), nn.CrossEntropyLoss()
    )
    compare(f"CNN of 9,930 parameters, 200 images, shifts, {device}", ways, limit=LIMIT)


if __name__ == "__main__":
    main()
