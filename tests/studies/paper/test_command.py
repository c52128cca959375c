"""`python -m studies paper` as a user meets it: the claims, the files, one-line errors."""

from __future__ import annotations

import json
import os
import shutil

import pytest

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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--seeds", "-1"], "seeds=-1 is not allowed"),
        (["--init-std", "nan"], "init_std=nan is not allowed"),
        (["--jobs", "0"], "jobs=0 is not allowed"),
        (["--out", "/proc/nowhere"], "cannot be used"),
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
