"""`python -m studies paper` as a user meets it: the claims, the files, one-line errors."""

from __future__ import annotations

import json
import os
import shutil

import pytest

from sparseaug.errors import StorageError
from studies.commands import studies
from studies.paper import Config, reproduce

COMMAND, GROUP = "paper", studies
SHORT = ["--quick", "--group-size", "3", "--jobs", "1", "--out", "out"]


@pytest.fixture(autouse=True)
def without_figures(monkeypatch):
    monkeypatch.setattr("studies.report.write_report", lambda folder: [])


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("finished")
    reproduce(Config.shortened(group_size=3), folder, jobs=1)
    return folder


@pytest.fixture
def done(finished, tmp_path):
    """A folder `out` in which the short run is finished."""
    return shutil.copytree(finished, tmp_path / "out")


def test_a_short_run_prints_claims_files_and_time_and_says_that_it_is_short(run, tmp_path):
    code, out, _ = run(*SHORT)
    assert code == 0
    assert out.startswith("QUICK: 2 seeds, 100 steps")
    assert "Oracle calls are |S|" in out
    assert "In out: results.json, replay/" in out
    assert "Took " in out
    assert max(len(line.rstrip()) for line in out.splitlines()) <= 80
    config = json.loads((tmp_path / "out" / "results.json").read_text())["config"]
    assert (config["quick"], config["seeds"], config["num_steps"]) == (True, 2, 100)
    assert sorted(os.listdir(tmp_path / "out" / "replay")) == [
        "seed-0.safetensors",
        "seed-1.safetensors",
    ]


def test_a_second_call_finds_everything_there(run, done):
    before = (done / "results.json").read_bytes()
    code, out, _ = run(*SHORT)
    assert code == 0
    assert "12 of 12 runs were there already" in out
    assert (done / "results.json").read_bytes() == before


def test_another_config_in_the_folder_is_one_line(run, done):
    before = (done / "results.json").read_bytes()
    code, out, err = run(*SHORT, "--seeds", "3", "--init-std", "1")
    assert (code, out) == (2, "")
    assert "init_std: 0.5 there, 1.0 here; seeds: 2 there, 3 here" in err
    assert err.count("\n") == 1
    assert (done / "results.json").read_bytes() == before


@pytest.mark.parametrize("name", ["figure.png", "certificates.pdf", "report.html"])
@pytest.mark.parametrize("linked", [False, True])
def test_a_file_in_the_way_is_named_before_anything_is_done(run, tmp_path, name, linked):
    (tmp_path / "out").mkdir()
    (tmp_path / "mine").write_bytes(b"mine")
    if linked:
        (tmp_path / "out" / name).symlink_to(tmp_path / "mine")
    else:
        (tmp_path / "out" / name).write_bytes(b"mine")
    code, out, err = run(*SHORT)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert name in err
    assert (tmp_path / "out" / name).read_bytes() == b"mine"
    assert os.listdir(tmp_path / "out") == [name]


def test_a_damaged_part_is_one_line_that_names_it(run, done):
    (done / "seeds" / "seed-1-full.safetensors").write_bytes(b"?")
    code, _, err = run(*SHORT)
    assert code == 2
    assert "seed-1-full.safetensors" in err
    assert "to have it computed again" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--seeds", "-1"], "seeds=-1 is not allowed"),
        (["--seeds", "0"], "seeds=0 is not allowed"),
        (["--seeds", "many"], "not a valid integer"),
        (["--group-size", "0"], "group_size=0 is not allowed"),
        (["--group-size", "40"], "group_size=40 is not allowed"),
        (["--init-std", "0"], "init_std=0.0 is not allowed"),
        (["--init-std", "nan"], "init_std=nan is not allowed"),
        (["--jobs", "0"], "jobs=0 is not allowed"),
        (["--jobs", "-1"], "jobs=-1 is not allowed"),
        (["--out", ""], "the name is empty; give a folder"),
        (["--out", "/proc/nowhere"], "cannot be used"),
        (["--out", "x" * 300], "cannot be used"),
        (["--out", "a\0b"], "folder='a\\x00b' is not a path"),
        (["--seeds", "1000000000"], "seeds=1000000000 is not allowed"),
        (["--jobs", "1000000000"], "jobs=1000000000 is not allowed"),
        (["--no-such-option"], "No such option"),
    ],
)
def test_wrong_input_is_one_line_and_exit_code_2_and_leaves_nothing(
    run, tmp_path, arguments, message
):
    code, out, err = run("--quick", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_one_line(run, monkeypatch):
    def fill(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sparseaug._io._write_flushed", fill)
    code, out, err = run(*SHORT)
    assert (code, out) == (2, "")
    assert "No space left on device" in err
    assert err.count("\n") == 1


def test_a_figure_that_cannot_be_written_leaves_the_results(run, done, monkeypatch):
    (done / "results.json").unlink()

    def stop(folder):
        raise StorageError("the disk is full")

    monkeypatch.setattr("studies.report.write_report", stop)
    code, out, err = run(*SHORT)
    assert (code, err) == (2, "Error: the disk is full\n")
    assert "Oracle calls are |S|" in out
    assert (done / "results.json").exists()


def test_help_shows_an_example(run):
    code, out, _ = run("--help")
    assert code == 0
    assert "python -m studies paper --quick --out quick" in out
