"""Two ranks, started once as torchrun starts them, do every job; each leaves what it says as JSON.

torchrun would have each rank import torch again: here they are forked by its launcher.
"""

from __future__ import annotations

import datetime
import importlib.util
import json
import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import distributed, nn
from torch.distributed.launcher.api import LaunchConfig, elastic_launch

import sparseaug as sa
from sparseaug import nn as sann
from sparseaug.errors import ArgumentError

EXAMPLE = Path(__file__).parents[2] / "examples" / "distributed.py"


def example(folder: Path) -> None:
    """As its own command line says: it takes and leaves the process group itself."""
    spec = importlib.util.spec_from_file_location("distributed_example", EXAMPLE)
    module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    spec.loader.exec_module(module)  # type: ignore[union-attr]
    module.main(["--out", str(folder / "run"), "--steps", "5"], standalone_mode=False)


def differ(rank: int) -> dict[str, Any]:
    """What is said of risks that are not the same on both ranks; one with fewer copies than ranks."""
    act = sa.permute_axis(sa.symmetric(3))
    x = torch.arange(12.0, dtype=torch.float64).reshape(4, 3)

    def linear(bias: float = 0.5) -> nn.Module:
        model = nn.Linear(3, 1).double()
        nn.init.constant_(model.weight, 0.5)
        nn.init.constant_(model.bias, bias)
        return model

    def risk(model: nn.Module | None = None, data: Any = x, S: Any = None) -> sann.ModuleRisk:
        return sann.ModuleRisk(model or linear(), nn.MSELoss(), (data, data[:, :1]), act, S)

    S, good = sa.Oracle(act.group).draw(4), risk()
    own, theta = sa.Oracle(act.group, seed=rank), good.theta
    asked: dict[str, Callable[[], object]] = {
        "S": lambda: risk(S=sa.Oracle(act.group, seed=rank).draw(4)),
        "S of another risk": lambda: good.on(sa.Oracle(act.group, seed=rank).draw(4)),
        "data": lambda: risk(data=x + rank),
        "module": lambda: risk(linear(rank)),
        "oracle of an audit": lambda: sann.audit(good, theta, own, calls=10, largest=1e3),
    }
    messages: dict[str, Any] = {name: refusal(ask) for name, ask in asked.items()}
    tiny = risk(data=x[:1])
    messages["tiny"] = tiny.gradient(tiny.theta).tolist()
    # DDP broadcasts buffers: rank 0 decides on S
    orbit = sann.OrbitBatch(act, sa.Oracle(act.group, seed=rank).draw(4))
    model = nn.parallel.DistributedDataParallel(nn.Sequential(orbit, linear()))
    for _ in range(2):
        model(x).square().mean().backward()
    copies = sa.augment(act, S, x, x)[0]
    messages["broadcast"] = orbit.sample == S and torch.equal(orbit(x), copies)
    return messages


def refusal(ask: Callable[[], object]) -> str:
    try:
        ask()
    except ArgumentError as error:
        return str(error)
    return "no error"


JOBS: dict[str, Callable[[int, Path], Any]] = {
    "differ": lambda rank, folder: differ(rank),
}


def main(folder: Path, jobs: list[str]) -> None:
    rank = int(os.environ["RANK"])
    example(folder)
    warnings.simplefilter("ignore")
    for job in jobs:
        place = folder / job
        place.mkdir(exist_ok=True)
        distributed.init_process_group(
            "gloo",
            init_method=f"file://{place}/store",
            rank=rank,
            world_size=2,
            # a rank that waits for another one which is done must fail, not hang
            timeout=datetime.timedelta(seconds=60),
        )
        said = JOBS[job](rank, place)
        (place / f"{rank}.json").write_text(json.dumps(said))
        if distributed.is_initialized():
            distributed.destroy_process_group()


if __name__ == "__main__":
    importlib.import_module("torch._dynamo")  # once for both ranks
    two = LaunchConfig(1, 1, 2, start_method="fork", rdzv_backend="c10d", run_id="ranks")
    two.rdzv_endpoint, two.max_restarts = "localhost:0", 0
    elastic_launch(two, main)(Path(sys.argv[1]), sys.argv[2:])
