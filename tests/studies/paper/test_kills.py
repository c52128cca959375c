"""Killed at any moment, with workers alive: nothing is left running, no result is different."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from studies.paper import Config, reproduce
from tests.runs import SMALL

TINY = replace(SMALL, seeds=4)
CHILD = """
import json, sys
from studies.paper import Config, reproduce
print("ready", flush=True)
reproduce(Config.from_dict(json.loads(sys.argv[1])), sys.argv[2], jobs=int(sys.argv[3]))
"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    return reproduce(TINY, tmp_path_factory.mktemp("finished"), jobs=1)


def start(config, folder, jobs):
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, json.dumps(config.to_dict()), str(folder), str(jobs)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )
    assert child.stdout.readline() == "ready\n"
    return child


def running(group):
    """Processes of this process group that are not zombies."""
    found = []
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8") as file:
                state, _, pgrp = file.read().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(pgrp) == group and state != "Z":
            found.append(int(name))
    return found


def end_with_workers(child):
    """kill -9 of the parent alone: no worker is left, and nobody holds its standard output."""
    child.kill()
    deadline = time.monotonic() + 20
    while (left := running(child.pid)) and time.monotonic() < deadline:
        time.sleep(0.05)
    if left:
        os.killpg(child.pid, signal.SIGKILL)
    child.communicate()
    assert left == []


needs_proc = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks into /proc")


@needs_proc
@pytest.mark.parametrize("workers", [1, 2])
def test_workers_end_with_their_parent(tmp_path, workers):
    """Killed once some workers run: those at work, those waiting, and those still importing."""
    config = Config(**{**TINY.to_dict(), "num_steps": 200_000, "eval_every": 100_000})
    child = start(config, tmp_path, 2)
    deadline = time.monotonic() + 60
    while len(running(child.pid)) < 2 + workers and time.monotonic() < deadline:
        time.sleep(0.01)  # the parent, loky's resource tracker, and the workers
    if workers == 2:
        while not (tmp_path / "replay").exists() or not any((tmp_path / "replay").iterdir()):
            time.sleep(0.01)
    end_with_workers(child)


@needs_proc
@pytest.mark.parametrize("jobs", [1, 2])
def test_killed_runs_go_on_to_the_same_bytes(finished, tmp_path, jobs):
    kill_and_finish(TINY, tmp_path, finished, kills=jobs, jobs=jobs)


@needs_proc
@pytest.mark.slow
def test_a_hundred_killed_runs_go_on_to_the_same_bytes(tmp_path):
    config = Config.shortened(seeds=4)
    finished = reproduce(config, tmp_path / "whole", jobs=2)
    kill_and_finish(config, tmp_path / "killed", finished, kills=100, jobs=2)


def kill_and_finish(config, folder, finished, *, kills, jobs):
    """Kill so many runs, at moments that spread over a run, then finish.

    Every other time the next run starts while the workers of the killed one still write.
    """
    chance = random.Random(jobs)  # noqa: S311 - moments, no secrets
    expected = (finished.folder / "results.json").read_bytes()
    for round_ in range(kills):
        child = start(config, folder, jobs)
        time.sleep(chance.uniform(0, 1.2 * (finished.seconds + finished.certificate_seconds) + 1))
        if round_ % 2:
            end_with_workers(child)
        else:
            child.kill()
            child.wait()
        if (folder / "results.json").exists():
            assert (folder / "results.json").read_bytes() == expected, round_
            for path in [*(folder / "seeds").glob("seed-1-*"), folder / "results.json"]:
                path.unlink(missing_ok=True)  # so that the next one has something to do
        child.stdout.close()
        child.stderr.close()
    reproduce(config, folder, jobs=jobs)
    assert (folder / "results.json").read_bytes() == expected
