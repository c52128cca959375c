"""kill -9 at any moment of a run with a checkpoint: what is resumed ends at the same bits."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time

CHILD = """
import json, sys
import numpy as np
import sparseaug as sa

rng = np.random.default_rng(20)
x = np.sort(rng.uniform(-1, 1, (10, 4)), axis=1)
model = sa.KernelModel(sa.GaussianKernel(1.25), rng.uniform(-1, 1, (7, 4)))
act = sa.permute_axis(sa.symmetric(4))
data, start = (x, x.sum(axis=1)), rng.normal(0, 0.5, 14)
if sys.argv[1] == "streaming":
    risk = sa.risk.streaming_risk(model, data, act, sa.Oracle(act.group, seed=9), batch=2)
else:
    risk = sa.augmented_risk(model, data, act, sa.Oracle(act.group, seed=0).draw(5))
print("ready", flush=True)
run = sa.descend(
    risk, start, step_size=0.05, num_steps=300, project=sa.descent.Box(2.0), eval_every=7,
    checkpoint=sa.descent.Checkpoint(sys.argv[2], every=3) if sys.argv[2] else None,
)
said = [run.last.tolist(), run.best.tolist(), run.best_step, run.calls, run.trace.to_dict()]
print(json.dumps(said), flush=True)
"""


def start(method, path):
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, method, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout.readline() == "ready\n"
    return child


def finish(method, path=""):
    """What a run says, and the seconds it took."""
    began = time.monotonic()
    with start(method, path) as child:
        return json.loads(child.stdout.read()), time.monotonic() - began


def test_killed_runs_are_resumed_to_the_same_bits(tmp_path):
    kill_and_finish(tmp_path, "streaming", kills=3)


def kill_and_finish(folder, method, *, kills):
    """Kill so many runs, each resumed from the one before; a run that ends starts over."""
    chance = random.Random(method)  # noqa: S311 - moments, no secrets
    path, (expected, _) = folder / "run.safetensors", finish(method)
    begun = time.monotonic()
    assert finish(method, path)[0] == expected
    longest = time.monotonic() - begun
    path.unlink()
    ended = 0
    for round_ in range(kills):
        child = start(method, path)
        time.sleep(chance.uniform(0, longest / 3))
        child.kill()
        said = child.stdout.read()
        child.wait()
        child.stdout.close()
        if said.endswith("\n"):
            assert json.loads(said) == expected, round_
            path.unlink()
            ended += 1
    assert ended < kills
    assert finish(method, path)[0] == expected
