"""One risk on several processes: digits under periodic shifts, trained by the whole gradient.

    torchrun --standalone --nproc-per-node 3 examples/distributed.py --out run.safetensors
    python examples/distributed.py --out run.safetensors                # the same on one process

Every process builds the same risk from the same seed. `ModuleRisk` sees that `torch.distributed` runs,
gives each rank its share of the n m copies (505 here: no number of ranks needs to divide it), adds up
the gradients with their true weights, and compares S, data and parameters across ranks at the start.
So this file says nothing of ranks, except to give each a GPU and to let one of them write the result.
"""

from __future__ import annotations

import os
from pathlib import Path

import click
import torch
from safetensors.torch import save
from sklearn.datasets import load_digits
from torch import distributed, nn

import sparseaug as sa
from sparseaug import nn as sann
from sparseaug._io import write_atomic
from sparseaug.errors import SparseAugError


@click.command(epilog="Example: torchrun --standalone --nproc-per-node 2 examples/distributed.py")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Where to write parameters and gradient."
)
@click.option("--steps", type=click.IntRange(1), default=50, show_default=True, help="Of Adam.")
def main(out: Path | None, steps: int) -> None:
    """Train a small network on one-shot shifted digits, on as many processes as torchrun starts."""
    device = own_device()
    if "RANK" in os.environ:  # set by torchrun
        distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
    try:
        train(out, steps, device)
    except SparseAugError as error:
        raise click.ClickException(str(error)) from error
    finally:
        if distributed.is_initialized():
            distributed.destroy_process_group()


def own_device() -> torch.device:
    """A GPU of its own for every process of this machine; the processor where there are too few."""
    if torch.cuda.device_count() < int(os.environ.get("LOCAL_WORLD_SIZE", 1)):
        return torch.device("cpu")
    device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0)))
    torch.cuda.set_device(device)  # the one that NCCL sends from
    return device


def train(out: Path | None, steps: int, device: torch.device) -> None:
    """The part that one would write for a single process."""
    digits = load_digits()
    x = torch.tensor(digits.images[:101] / 16, device=device)
    y = torch.tensor(digits.target[:101], device=device)
    shifts = sa.roll(sa.abelian(8, 8))
    S = sa.Oracle(shifts.group, seed=0).draw(5)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.Tanh(), nn.Linear(32, 10))
    model = model.double().to(device)
    risk = sann.ModuleRisk(model, nn.CrossEntropyLoss(), (x, y), shifts, S, chunk_size=64)
    gradient = risk.gradient(risk.theta)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    values = [float(optimizer.step(risk.backward)) for _ in range(steps)]
    if not distributed.is_initialized() or distributed.get_rank() == 0:
        click.echo(f"{risk}: risk {values[0]:.4f} before, {values[-1]:.4f} after {steps} steps")
        if out is not None:
            write_atomic(out, save({"gradient": gradient.cpu(), "theta": risk.theta.cpu()}))


if __name__ == "__main__":
    main()
