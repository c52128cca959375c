"""What happens to the files: resumed, refused, damaged, killed; never lost, never different."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from safetensors.numpy import load_file

from sparseaug.errors import ArgumentError, FileFormatError, SparseAugError, StorageError
from sparseaug.experiments import Config, reproduce
from sparseaug.experiments.folder import Folder
from sparseaug.experiments.runner import _run_seeds

TINY = Config(
    group_size=4,
    train=12,
    test=10,
    centers=8,
    num_steps=30,
    eval_every=10,
    sample_sizes=(2, 4, 8),
    seeds=2,
)

CHILD = """
import sys
from sparseaug.experiments import Config, reproduce
config = Config(**eval(sys.argv[1]))
print("ready", flush=True)
reproduce(config, sys.argv[2], jobs=int(sys.argv[3]))
"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("finished")
    return reproduce(TINY, folder, jobs=1)


def test_results_have_the_layout_that_readers_rely_on(finished):
    results = json.loads((finished.folder / "results.json").read_text())
    assert results == finished.results
    assert list(results) == ["config", *TINY.methods, "certificates"]
    assert results["config"] == TINY.to_dict()
    calls = {method: results[method]["oracle_calls"] for method in TINY.methods}
    assert calls == {
        "none": 0,
        "full": 24,
        "streaming": 30,
        "one-shot-2": 2,
        "one-shot-4": 4,
        "one-shot-8": 8,
    }
    for method in TINY.methods:
        assert results[method]["step"] == [0, 10, 20, 30]
        for name in ("train_risk", "test_risk", "gradient_norm", "identity_test_risk"):
            assert np.shape(results[method][name]) == (2, 4)
    replay = load_file(finished.folder / "replay" / "seed-1.safetensors")
    shared = {"x_train", "x_test", "centers", "a0", "b0", "streaming"}
    assert set(replay) == shared | {"one_shot_2", "one_shot_4", "one_shot_8"}


def test_every_bound_is_at_least_the_full_gradient_norm(finished):
    for method, found in finished.results["certificates"].items():
        truth = np.array(finished.results[method]["gradient_norm"])
        for kind in ("spectral", "kernel", "a-priori", "a-priori-at-theta"):
            assert (np.array(found[kind]) >= truth).all(), (method, kind)
        floor, norm = np.array(found["floor"]), np.array(found["deviation"])
        assert (norm >= floor).all()


def test_a_second_call_computes_nothing_and_changes_nothing(finished):
    before = (finished.folder / "results.json").read_bytes()
    timing = (finished.folder / "timing.json").read_bytes()
    again = reproduce(TINY, finished.folder, jobs=1)
    assert again.computed == 0
    assert (finished.folder / "results.json").read_bytes() == before
    assert (finished.folder / "timing.json").read_bytes() == timing


def test_the_number_of_processes_changes_no_byte(finished, tmp_path):
    reproduce(TINY, tmp_path, jobs=2)
    expected = (finished.folder / "results.json").read_bytes()
    assert (tmp_path / "results.json").read_bytes() == expected


def test_progress_ends_with_everything_finished(tmp_path):
    seen = []
    reproduce(TINY, tmp_path, jobs=1, progress=seen.append)
    assert (seen[0].seeds, seen[0].methods) == (0, 0)
    assert (seen[-1].seeds, seen[-1].methods, seen[-1].certificates) == (2, 12, 6)


def test_a_lost_part_is_made_again_to_the_same_bytes(tmp_path):
    done = reproduce(TINY, tmp_path, jobs=1)
    before = (tmp_path / "results.json").read_bytes()
    for name in ("seed-0-streaming", "seed-1-one-shot-4", "seed-1-one-shot-4-certificate"):
        (tmp_path / "seeds" / f"{name}.safetensors").unlink()
    (tmp_path / "results.json").unlink()
    (tmp_path / "config.json").unlink()
    again = reproduce(TINY, tmp_path, jobs=1)
    assert (done.computed, again.computed) == (12, 2)
    assert (tmp_path / "results.json").read_bytes() == before


@pytest.mark.parametrize("kept", ["config.json", "results.json", "seeds"])
def test_a_folder_of_another_config_is_refused_and_left_alone(tmp_path, kept):
    reproduce(TINY, tmp_path, jobs=1)
    for name in {"config.json", "results.json"} - {kept}:
        (tmp_path / name).unlink()
    before = contents(tmp_path)
    other = Config(**{**TINY.to_dict(), "init_std": 0.25})
    with pytest.raises(SparseAugError, match=r"another (config|experiment)") as error:
        reproduce(other, tmp_path, jobs=1)
    if kept != "seeds":
        assert "init_std: 0.5 there, 0.25 here" in str(error.value)
        assert contents(tmp_path) == before
    assert before.items() <= contents(tmp_path).items()


@pytest.mark.parametrize("name", ["seed-1-full", "seed-0-one-shot-8-certificate"])
@pytest.mark.parametrize("damage", ["truncated", "flipped", "empty", "exchanged"])
def test_a_damaged_part_is_named_and_nothing_is_lost(tmp_path, name, damage):
    reproduce(TINY, tmp_path, jobs=1)
    path = tmp_path / "seeds" / f"{name}.safetensors"
    good = path.read_bytes()
    other = (tmp_path / "seeds" / "seed-0-none.safetensors").read_bytes()
    flipped = good[:-5] + bytes([good[-5] ^ 1]) + good[-4:]
    bad = {"truncated": good[:-9], "flipped": flipped, "empty": b"", "exchanged": other}[damage]
    path.write_bytes(bad)
    before = contents(tmp_path)
    with pytest.raises(FileFormatError, match=path.name):
        reproduce(TINY, tmp_path, jobs=1)
    assert contents(tmp_path) == before


def test_a_damaged_replay_file_is_named(tmp_path):
    reproduce(TINY, tmp_path, jobs=1)
    path = tmp_path / "replay" / "seed-0.safetensors"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(FileFormatError, match=r"seed-0\.safetensors"):
        reproduce(TINY, tmp_path, jobs=1)


def test_a_replay_file_of_other_numbers_is_refused(tmp_path):
    reproduce(TINY, tmp_path, jobs=1)
    files = Folder(tmp_path, TINY)
    arrays = load_file(tmp_path / "replay" / "seed-0.safetensors")
    with pytest.raises(FileFormatError, match="other random numbers"):
        files.save_replay(0, {**arrays, "a0": arrays["a0"] + 1})


@pytest.mark.parametrize("text", ["", "[]", "{", '{"seeds": 10', "[1, 2]", "null"])
def test_a_damaged_config_file_is_named(tmp_path, text):
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(FileFormatError, match=r"config\.json"):
        reproduce(TINY, tmp_path, jobs=1)
    assert contents(tmp_path) == {"config.json": text.encode()}


def test_a_folder_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "here").write_text("mine")
    for folder in (tmp_path / "here", tmp_path / "here" / "below"):
        with pytest.raises(StorageError, match="cannot be used"):
            reproduce(TINY, folder, jobs=1)
    assert (tmp_path / "here").read_text() == "mine"


def test_a_full_disk_is_said_and_the_rest_goes_on_afterwards(finished, tmp_path, monkeypatch):
    import sparseaug.storage as storage

    plain, written = storage._write_flushed, []

    def fill(temporary, *rest):
        if len(written) == 5:
            raise OSError(28, "No space left on device")
        written.append(temporary)
        plain(temporary, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(storage, "_write_flushed", fill)
        with pytest.raises(StorageError, match="No space left"):
            reproduce(TINY, tmp_path, jobs=1)
    assert Folder(tmp_path, TINY).count().methods == 3
    reproduce(TINY, tmp_path, jobs=1)
    expected = (finished.folder / "results.json").read_bytes()
    assert (tmp_path / "results.json").read_bytes() == expected


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("seeds", 0),
        ("seeds", -1),
        ("seeds", 2.5),
        ("group_size", 13),
        ("group_size", 0),
        ("init_std", 0),
        ("init_std", float("nan")),
        ("step_size", -0.1),
        ("sample_sizes", ()),
        ("sample_sizes", (4, 4)),
        ("sample_sizes", (16, 4)),
        ("sample_sizes", (0, 4)),
        ("sample_sizes", 4),
    ],
)
def test_a_bad_config_is_an_error_that_names_the_field(field, value):
    with pytest.raises(ArgumentError, match=field):
        Config(**{field: value})


def test_bad_jobs_are_refused_before_anything_is_written(tmp_path):
    with pytest.raises(ArgumentError, match="jobs=0"):
        reproduce(TINY, tmp_path / "out", jobs=0)
    assert not (tmp_path / "out").exists()


def test_a_killed_worker_is_said(tmp_path):
    def die(config, seed, folder):
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(SparseAugError, match="worker process was killed"):
        _run_seeds(die, Folder(tmp_path, TINY), 2)


@pytest.mark.parametrize("jobs", [1, 2])
def test_killed_runs_go_on_to_the_same_bytes(finished, tmp_path, jobs):
    kill_and_finish(TINY, tmp_path, finished, kills=3, jobs=jobs)


@pytest.mark.slow
def test_fifty_killed_runs_go_on_to_the_same_bytes(tmp_path):
    config = Config.shortened()
    finished = reproduce(config, tmp_path / "whole", jobs=2)
    kill_and_finish(config, tmp_path / "killed", finished, kills=50, jobs=2)


def kill_and_finish(config, folder, finished, *, kills, jobs):
    """Start over until `kills` runs were killed, at moments that spread over a run, then finish."""
    chance = random.Random(jobs)  # noqa: S311 - moments, no secrets
    expected = (finished.folder / "results.json").read_bytes()
    for round_ in range(kills):
        child = start(config, folder, jobs)
        time.sleep(chance.uniform(0, finished.seconds + finished.certificate_seconds))
        os.killpg(child.pid, signal.SIGKILL)
        child.communicate()
        if (folder / "results.json").exists():
            assert (folder / "results.json").read_bytes() == expected, round_
            for path in [*(folder / "seeds").glob("seed-1-*"), folder / "results.json"]:
                path.unlink()  # so that the next one has something to do
    reproduce(config, folder, jobs=jobs)
    assert (folder / "results.json").read_bytes() == expected


def start(config, folder, jobs):
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, repr(config.to_dict()), str(folder), str(jobs)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        text=True,
    )
    assert child.stdout.readline() == "ready\n"
    return child


def contents(folder):
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
