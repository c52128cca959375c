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

from torch import distributed
from torch.distributed.launcher.api import LaunchConfig, elastic_launch

from tests.nn import ranks_in_step, ranks_of_a_batch, ranks_sharded, ranks_that_differ

EXAMPLE = Path(__file__).parents[2] / "examples" / "distributed.py"


def example(folder: Path) -> None:
    """As its own command line says: it takes and leaves the process group itself."""
    spec = importlib.util.spec_from_file_location("distributed_example", EXAMPLE)
    module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    spec.loader.exec_module(module)  # type: ignore[union-attr]
    module.main(["--out", str(folder / "run"), "--steps", "5"], standalone_mode=False)


def batch(folder: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ranks_of_a_batch.run()


JOBS: dict[str, Callable[[Path], Any]] = {
    "batch": batch,
    "differ": lambda folder: ranks_that_differ.run(),
    "plain": lambda folder: ranks_in_step.plain(distributed.get_rank()),
    "sharded": ranks_sharded.run,
    "dealt": lambda folder: ranks_in_step.dealt_by_accelerate(),
    "accelerate": ranks_in_step.in_accelerate,
    "lightning": lambda folder: ranks_in_step.in_lightning(distributed.get_rank(), folder),
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
        said = JOBS[job](place)
        (place / f"{rank}.json").write_text(json.dumps(said))
        if distributed.is_initialized():
            distributed.destroy_process_group()


if __name__ == "__main__":
    for package in ("torch._dynamo", "accelerate", "lightning.pytorch"):  # once for both ranks
        if importlib.util.find_spec(package.partition(".")[0]):
            importlib.import_module(package)
    two = LaunchConfig(1, 1, 2, start_method="fork", rdzv_backend="c10d", run_id="ranks")
    two.rdzv_endpoint, two.max_restarts = "localhost:0", 0
    elastic_launch(two, main)(Path(sys.argv[1]), sys.argv[2:])
