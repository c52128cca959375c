"""Real processes, started as by torchrun: the gradient of one process, and ranks that differ."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import load_file

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "examples" / "distributed.py"


@pytest.fixture(scope="module")
def two_ranks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What two ranks left that did every job of `ranks.py`, a folder for each."""
    folder = tmp_path_factory.mktemp("ranks")
    command = [sys.executable, "-m", "tests.nn.ranks", str(folder), "differ"]
    env = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}  # ranks are forked, which CUDA refuses
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    return folder


def said_by(two_ranks: Path, job: str) -> list[Any]:
    return [json.loads((two_ranks / job / f"{rank}.json").read_text()) for rank in range(2)]


def test_ranks_give_the_gradient_of_one_process(script, two_ranks, tmp_path):
    """505 copies: 2 does not divide them."""
    path = tmp_path / "run.safetensors"
    script.main(["--out", str(path), "--steps", "5"], standalone_mode=False)
    alone, found = load_file(path), load_file(two_ranks / "run")
    assert float(alone["gradient"].abs().max()) > 1e-3
    assert float((found["gradient"] - alone["gradient"]).abs().max()) <= 1e-12
    # Adam divides by root mean squares, so that roundings grow a little over five steps
    assert float((found["theta"] - alone["theta"]).abs().max()) <= 1e-9


def test_ranks_that_differ_are_told_apart_and_fewer_copies_than_ranks_are_no_problem(two_ranks):
    for messages in said_by(two_ranks, "differ"):
        assert messages.pop("broadcast")
        # one copy, x = (0, 1, 2), y = 0: prediction 2, gradient 2 * 2 * (x, 1)
        assert messages.pop("tiny") == [0.0, 4.0, 8.0, 4.0]
        for name, message in messages.items():
            part = name.split()[0]
            assert message.startswith(f"{part} differs between ranks 0 and 1")


@pytest.fixture
def script() -> Any:
    spec = importlib.util.spec_from_file_location("distributed_example", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
