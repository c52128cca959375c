"""Real processes, started by torchrun: the gradient of one process, and ranks that differ."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

HERE = Path(__file__).parent
SCRIPT = HERE.parents[1] / "examples" / "distributed.py"


def start(*command: str, ranks: int) -> None:
    run = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}"]
    arguments = [sys.executable, *(run if ranks else []), *command]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, torch.Tensor]:
    """What the script computes on one process, without torchrun."""
    path = tmp_path_factory.mktemp("alone") / "run.safetensors"
    start(str(SCRIPT), "--out", str(path), "--steps", "5", ranks=0)
    return load_file(path)


@pytest.mark.parametrize("ranks", [2, 3])
def test_ranks_give_the_gradient_of_one_process(ranks, alone, tmp_path):
    """505 copies: neither 2 nor 3 divides them."""
    start(str(SCRIPT), "--out", str(tmp_path / "run"), "--steps", "5", ranks=ranks)
    found = load_file(tmp_path / "run")
    assert float(alone["gradient"].abs().max()) > 1e-3
    assert float((found["gradient"] - alone["gradient"]).abs().max()) <= 1e-12
    # Adam divides by root mean squares, so that roundings grow a little over five steps
    assert float((found["theta"] - alone["theta"]).abs().max()) <= 1e-9


def test_ranks_that_differ_are_told_apart_and_fewer_copies_than_ranks_are_no_problem(tmp_path):
    start(str(HERE / "ranks_that_differ.py"), str(tmp_path), ranks=2)
    said = [json.loads((tmp_path / f"{rank}.json").read_text()) for rank in range(2)]
    for messages in said:
        for name in ("S", "data", "module", "oracle"):
            assert messages[name].startswith(f"{name} is not the same on all ranks: rank 1 differs")
        assert messages["order"].startswith("S is not the same")
    # one copy, x = (0, 1, 2), y = 0: prediction 2, gradient 2 * 2 * (x, 1)
    assert said[0]["tiny"] == said[1]["tiny"] == [0.0, 4.0, 8.0, 4.0]
