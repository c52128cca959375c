"""The spectrum of a small network on 200 images from 256 draws, next to the forward passes it needs.

Run with `--device cuda` for a GPU. The plain way makes the same moved copies in the same chunks and
sends them through the same network: 51,200 forward passes; the outputs go to the host. The limit is
1.2 times that.
"""

from __future__ import annotations

import argparse
import sys

import torch
from torch import Tensor, nn

import sparseaug as sa
from benchmarks.side_by_side import compare

IMAGES, CALLS, CHUNK, LIMIT = 200, 256, 1000, 1.2


def network(width: int) -> nn.Module:
    """Three 3 x 3 convolutions, of which two halve the grid, and a linear layer."""
    return nn.Sequential(
        nn.Conv2d(1, width, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(width, 2 * width, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(2 * width, 2 * width, 3, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(2 * width * 49, 10),
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--width", type=int, default=16)
    options = parser.parse_args()
    torch.manual_seed(0)
    model = network(options.width).to(options.device).eval()
    x = torch.randn(IMAGES, 1, 28, 28, device=options.device)
    action = sa.roll(sa.abelian(28, 28))
    S = sa.Oracle(action.group, seed=1).draw(CALLS)
    step = CHUNK // IMAGES

    def plain() -> list[Tensor]:
        outputs = []
        with torch.no_grad():
            for start in range(0, CALLS, step):
                copies = action(S.elements[start : start + step], x)
                outputs.append(model(copies.flatten(0, 1)).cpu())
        return outputs

    def spectrum() -> sa.spectrum.Spectrum:
        oracle = sa.Oracle(action.group, seed=1)
        return sa.orbit_spectrum(model, action, x, oracle=oracle, calls=CALLS, chunk_size=CHUNK)

    title = f"{IMAGES} images of 28 x 28, {CALLS} draws, {options.device}"
    best = compare(title, {"forward passes": plain, "spectrum": spectrum}, rounds=options.rounds)
    sys.exit(best["spectrum"] > LIMIT * best["forward passes"])


if __name__ == "__main__":
    main()
