"""What happens to the files: resumed, refused, damaged, killed; never lost, never different."""

from __future__ import annotations

import json
import os
import signal

import numpy as np
import pytest
from safetensors.numpy import load_file

from sparseaug.errors import ConfigMismatchError, FileFormatError, SparseAugError, StorageError
from studies.paper import Config, reproduce
from studies.paper.folder import Folder
from studies.paper.workers import run_parallel
from studies.sealed import load_json
from tests.runs import SMALL


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("finished")
    return reproduce(SMALL, folder, jobs=1)


def test_results_have_the_layout_that_readers_rely_on(finished):
    results = json.loads((finished.folder / "results.json").read_text())
    assert list(results) == ["config", *SMALL.methods, "certificates", "sha256"]
    assert load_json(finished.folder / "results.json") == finished.results
    assert finished.results == {name: results[name] for name in results if name != "sha256"}
    assert results["config"] == SMALL.to_dict()
    calls = {method: results[method]["oracle_calls"] for method in SMALL.methods}
    assert calls == {
        "none": 0,
        "full": 24,
        "streaming": 30,
        "one-shot-2": 2,
        "one-shot-4": 4,
        "one-shot-8": 8,
    }
    for method in SMALL.methods:
        assert results[method]["step"] == [0, 10, 20, 30]
        for name in ("train_risk", "test_risk", "gradient_norm", "identity_test_risk"):
            assert np.shape(results[method][name]) == (2, 4)
    replay = load_file(finished.folder / "replay" / "seed-1.safetensors")
    shared = {"x_train", "x_test", "centers", "a0", "b0", "streaming"}
    assert set(replay) == shared | {"one_shot_2", "one_shot_4", "one_shot_8"}


def test_every_bound_is_at_least_the_full_gradient_norm(finished):
    for method, found in finished.results["certificates"].items():
        truth = np.array(finished.results[method]["gradient_norm"])
        for kind in ("spectral", "words", "kernel", "a-priori", "a-priori-at-theta"):
            assert (np.array(found[kind]) >= truth).all(), (method, kind)
        floor, norm = np.array(found["floor"]), np.array(found["deviation"])
        assert (norm >= floor).all()


def test_a_second_call_computes_nothing_and_changes_nothing(finished):
    before = (finished.folder / "results.json").read_bytes()
    timing = (finished.folder / "timing.json").read_bytes()
    again = reproduce(SMALL, finished.folder, jobs=1)
    assert again.computed == 0
    assert (finished.folder / "results.json").read_bytes() == before
    assert (finished.folder / "timing.json").read_bytes() == timing


def test_the_number_of_processes_changes_no_byte(finished, tmp_path):
    reproduce(SMALL, tmp_path, jobs=2)
    expected = (finished.folder / "results.json").read_bytes()
    assert (tmp_path / "results.json").read_bytes() == expected


def test_a_lost_part_is_made_again_to_the_same_bytes(tmp_path):
    done = reproduce(SMALL, tmp_path, jobs=1)
    before = (tmp_path / "results.json").read_bytes()
    for name in ("seed-0-streaming", "seed-1-one-shot-4", "seed-1-one-shot-4-certificate"):
        (tmp_path / "seeds" / f"{name}.safetensors").unlink()
    (tmp_path / "results.json").unlink()
    (tmp_path / "config.json").unlink()
    again = reproduce(SMALL, tmp_path, jobs=1)
    assert (done.computed, again.computed) == (12, 2)
    assert (tmp_path / "results.json").read_bytes() == before


@pytest.mark.parametrize("kept", ["config.json", "results.json", "seeds"])
def test_a_folder_of_another_config_is_refused_and_left_alone(tmp_path, kept):
    reproduce(SMALL, tmp_path, jobs=1)
    for name in {"config.json", "results.json"} - {kept}:
        (tmp_path / name).unlink()
    before = contents(tmp_path)
    other = Config(**{**SMALL.to_dict(), "init_std": 0.25})
    kind = FileFormatError if kept == "seeds" else ConfigMismatchError
    with pytest.raises(kind, match=r"another (config|experiment)") as error:
        reproduce(other, tmp_path, jobs=1)
    if kept != "seeds":
        assert "init_std: 0.5 there, 0.25 here" in str(error.value)
        assert contents(tmp_path) == before
    assert before.items() <= contents(tmp_path).items()


@pytest.mark.parametrize("name", ["seed-1-full", "seed-0-one-shot-8-certificate"])
@pytest.mark.parametrize("damage", ["truncated", "flipped", "empty", "exchanged"])
def test_a_damaged_part_is_named_and_nothing_is_lost(tmp_path, name, damage):
    reproduce(SMALL, tmp_path, jobs=1)
    path = tmp_path / "seeds" / f"{name}.safetensors"
    good = path.read_bytes()
    other = (tmp_path / "seeds" / "seed-0-none.safetensors").read_bytes()
    flipped = good[:-5] + bytes([good[-5] ^ 1]) + good[-4:]
    bad = {"truncated": good[:-9], "flipped": flipped, "empty": b"", "exchanged": other}[damage]
    path.write_bytes(bad)
    before = contents(tmp_path)
    with pytest.raises(FileFormatError, match=path.name):
        reproduce(SMALL, tmp_path, jobs=1)
    assert contents(tmp_path) == before


def test_a_full_disk_is_said_and_the_rest_goes_on_afterwards(finished, tmp_path, monkeypatch):
    from sparseaug import _io

    plain, written = _io._write_flushed, []

    def fill(temporary, *rest):
        if len(written) == 5:
            raise OSError(28, "No space left on device")
        written.append(temporary)
        plain(temporary, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(_io, "_write_flushed", fill)
        with pytest.raises(StorageError, match="No space left"):
            reproduce(SMALL, tmp_path, jobs=1)
    assert Folder(tmp_path, SMALL).count().methods == 3
    reproduce(SMALL, tmp_path, jobs=1)
    expected = (finished.folder / "results.json").read_bytes()
    assert (tmp_path / "results.json").read_bytes() == expected


def test_a_killed_worker_is_said():
    def die(seed):
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(SparseAugError, match="worker process was killed"):
        run_parallel(die, [(0,), (1,)], 2)


def contents(folder):
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
