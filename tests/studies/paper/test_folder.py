"""What happens to the files: resumed, refused, damaged, killed; never lost, never different."""

from __future__ import annotations

import json
import os
import signal

import numpy as np
import pytest
from safetensors.numpy import load_file

from sparseaug.errors import (
    ArgumentError,
    ConfigMismatchError,
    FileFormatError,
    SparseAugError,
    StorageError,
)
from studies.paper import Config, reproduce
from studies.paper.folder import Folder
from studies.paper.workers import run_parallel
from studies.sealed import load_json, save_json
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


def test_progress_ends_with_everything_finished(tmp_path):
    seen = []
    reproduce(SMALL, tmp_path, jobs=1, progress=seen.append)
    assert (seen[0].seeds, seen[0].methods) == (0, 0)
    assert (seen[-1].seeds, seen[-1].methods, seen[-1].certificates) == (2, 12, 6)


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


def test_a_damaged_replay_file_is_named(tmp_path):
    reproduce(SMALL, tmp_path, jobs=1)
    path = tmp_path / "replay" / "seed-0.safetensors"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(FileFormatError, match=r"seed-0\.safetensors"):
        reproduce(SMALL, tmp_path, jobs=1)


def test_a_replay_file_of_other_numbers_is_refused(tmp_path):
    reproduce(SMALL, tmp_path, jobs=1)
    files = Folder(tmp_path, SMALL)
    arrays = load_file(tmp_path / "replay" / "seed-0.safetensors")
    with pytest.raises(FileFormatError, match="other random numbers"):
        files.save_replay(0, {**arrays, "a0": arrays["a0"] + 1})


@pytest.mark.parametrize("name", ["config.json", "results.json", "timing.json"])
@pytest.mark.parametrize("text", ["", "[]", "{", '{"seeds": 10', "[1, 2]", "null", '{"seeds": 10}'])
def test_a_damaged_or_foreign_json_file_is_named_and_left_alone(tmp_path, text, name):
    (tmp_path / name).write_text(text)
    with pytest.raises(FileFormatError, match=name):
        reproduce(SMALL, tmp_path, jobs=1)
    assert contents(tmp_path) == {name: text.encode()}


@pytest.mark.parametrize("name", ["config.json", "results.json", "timing.json", "seeds", "replay"])
@pytest.mark.parametrize("leads", [True, False])
def test_nothing_in_the_folder_is_written_through_a_link(tmp_path, finished, name, leads):
    folder, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    folder.mkdir()
    if leads and name.endswith("json"):
        elsewhere.write_bytes((finished.folder / name).read_bytes())
    elif leads:
        elsewhere.mkdir()
    (folder / name).symlink_to(elsewhere)
    before = contents(tmp_path)
    with pytest.raises(StorageError, match=f"{name} is a symbolic link"):
        reproduce(SMALL, folder, jobs=1)
    assert contents(tmp_path) == before
    assert os.listdir(folder) == [name]


def test_the_folder_itself_may_be_a_link_to_one(tmp_path, finished):
    (tmp_path / "scratch").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "scratch")
    reproduce(SMALL, tmp_path / "out", jobs=1)
    expected = (finished.folder / "results.json").read_bytes()
    assert (tmp_path / "scratch" / "results.json").read_bytes() == expected


@pytest.mark.parametrize(
    ("arguments", "options", "name"),
    [
        ((None, "out"), {}, "config"),
        (({"seeds": 2}, "out"), {}, "config"),
        ((SMALL, None), {}, "folder"),
        ((SMALL, 3), {}, "folder"),
        ((SMALL, "a\0b"), {}, "folder"),
        ((SMALL, "out"), {"jobs": 10**9}, "jobs"),
        ((SMALL, "out"), {"jobs": 1.5}, "jobs"),
        ((SMALL, "out"), {"progress": 3}, "progress"),
    ],
)
def test_bad_arguments_are_named_before_anything_is_written(
    tmp_path, monkeypatch, arguments, options, name
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ArgumentError, match=f"{name}="):
        reproduce(*arguments, **options)
    assert os.listdir(tmp_path) == []


def test_a_folder_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "here").write_text("mine")
    for folder in (tmp_path / "here", tmp_path / "here" / "below"):
        with pytest.raises(StorageError, match="cannot be used"):
            reproduce(SMALL, folder, jobs=1)
    assert (tmp_path / "here").read_text() == "mine"


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
        ("sample_sizes", "46"),
        ("sample_sizes", None),
        ("sample_sizes", tuple(range(1, 102))),
        ("sample_sizes", (4, True)),
        ("init_std", 1e300),
        ("sigma", float("inf")),
        ("box", 10**400),
        ("quick", "no"),
        ("quick", 1),
    ],
)
def test_a_bad_config_is_an_error_that_names_the_field(field, value):
    with pytest.raises(ArgumentError, match=field):
        Config(**{field: value})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seeds": 10**9}, r"seeds=1000000000 is not allowed.* below 10,001"),
        ({"group_size": 10**9}, "group_size=1000000000 is not allowed.* below 13"),
        ({"eval_every": 10**5000}, "eval_every=<integer of 16610 bits> is not allowed"),
        ({"train": 10**9}, "train and centers .* 1280000000000 numbers.* limit is 100000000"),
        ({"test": 10**6}, "test and centers .* 1280000000 numbers"),
        ({"centers": 50_000}, "centers .* 102400000 numbers"),
        ({"num_steps": 10**9}, "num_steps and streaming_batch .* 6000000000 numbers"),
        ({"streaming_batch": 10**6}, "streaming_batch.* 20480000000 numbers"),
        ({"num_steps": 10**7, "eval_every": 1}, "num_steps, eval_every and centers"),
        ({"sample_sizes": (4, 10**6)}, "sample_sizes .* 1000000000000 numbers"),
        ({"sample_sizes": (10**30,)}, "sample_sizes="),
    ],
)
def test_a_config_that_would_take_gigabytes_or_days_is_refused_with_the_number(changes, message):
    with pytest.raises(ArgumentError, match=message):
        Config(**changes)


def test_a_config_read_back_is_the_same_and_other_fields_are_refused():
    assert Config.from_dict(json.loads(json.dumps(SMALL.to_dict()))) == SMALL
    for data in ({"colour": 1}, {1: 2}, {"seeds": None}):
        with pytest.raises(ArgumentError):
            Config.from_dict(data)


def test_bad_jobs_are_refused_before_anything_is_written(tmp_path):
    with pytest.raises(ArgumentError, match="jobs=0"):
        reproduce(SMALL, tmp_path / "out", jobs=0)
    assert not (tmp_path / "out").exists()


def test_a_killed_worker_is_said():
    def die(seed):
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(SparseAugError, match="worker process was killed"):
        run_parallel(die, [(0,), (1,)], 2)


def contents(folder):
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_a_folder_of_a_study_is_refused_in_one_short_line(tmp_path):
    study = {"study": 1, "quick": True, "tasks": {"deviation": [{"m": 4}] * 99}}
    save_json(tmp_path / "config.json", study)
    with pytest.raises(ConfigMismatchError, match="holds a study, not this experiment") as error:
        reproduce(SMALL, tmp_path, jobs=1)
    assert len(str(error.value)) < 120 + len(str(tmp_path))


def test_of_many_differences_the_first_are_named(tmp_path):
    others = dict.fromkeys(("train", "test", "centers", "num_steps", "eval_every", "init_std"), 7)
    save_json(tmp_path / "config.json", {**SMALL.to_dict(), **others})
    with pytest.raises(ConfigMismatchError, match=r"train: 7 there, \d+ here; .*; and 2 more\)"):
        reproduce(SMALL, tmp_path, jobs=1)
