"""The command line as a user meets it: output, help with examples, one-line errors, exit code 2."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.cli import cli, main
from sparseaug.cli.progress import Waiting

INSTALLED = str(Path(sys.executable).with_name("sparseaug"))


@pytest.fixture
def run(monkeypatch, capsys):
    """The command in this process: what a process of its own would have said and returned."""

    def call(*arguments, environment=None):
        monkeypatch.setattr(sys, "argv", ["sparseaug", *map(str, arguments)])
        monkeypatch.setattr(sys.modules["__main__"], "__package__", None)  # a script, not pytest
        for name, value in (environment or {}).items():
            monkeypatch.setenv(name, value)
        with pytest.raises(SystemExit) as leave:
            main()
        said = capsys.readouterr()
        return SimpleNamespace(returncode=leave.value.code, stdout=said.out, stderr=said.err)

    return call


def test_the_installed_command_is_this_one(run):
    words = ["groups", "S6"]
    done = subprocess.run([INSTALLED, *words], capture_output=True, text=True, check=False)
    assert vars(run(*words)) == {
        name: getattr(done, name) for name in ("returncode", "stdout", "stderr")
    }


def test_groups_lists_the_families_with_orders(run):
    out = run("groups").stdout
    for text in ("S6", "720", "Rubik", "4.33e19", "M24", "244,823,040", "permute_axis"):
        assert text in out


def test_groups_by_name_as_json(run):
    (facts,) = json.loads(run("groups", "S5000", "--json").stdout)
    assert facts["name"] == "S5000"
    assert facts["log_order"] == pytest.approx(37591.14, abs=0.01)


def test_draw_saves_what_the_library_draws_and_says_what_it_cost(tmp_path, run):
    out = tmp_path / "S.safetensors"
    done = run("draw", "--group", "S6", "--m", 64, "--seed", 0, "--out", out)
    assert done.returncode == 0
    assert "oracle calls  64" in done.stdout
    S = sa.GroupSample.load(out)
    assert S == sa.Oracle(sa.symmetric(6), seed=0).draw(64)
    assert S.sha256 in done.stdout
    again = run("draw", "--group", "S6", "--m", 8, "--out", out)
    assert again.returncode == 2
    assert "--force" in again.stderr
    assert sa.GroupSample.load(out).m == 64
    assert run("draw", "--group", "S6", "--m", 8, "--out", out, "--force").returncode == 0
    assert sa.GroupSample.load(out).m == 8


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("draw", "--group", "S6x", "--m", 4, "--out", "S"), "does not parse"),
        (("draw", "--group", "S6", "--m", 0, "--out", "S"), "m=0 is not allowed"),
        (("draw", "--group", "S6", "--m", "x", "--out", "S"), "not a valid integer"),
        (("draw", "--group", "S6", "--m", 4, "--seed", -1, "--out", "S"), "seed=-1"),
        (("draw", "--group", "S6", "--m", 4), "Missing option '--out'"),
        (("draw", "--group", "S6", "--m", 4, "--out", "no/such/folder/S"), "was not written"),
        (("draw", "--group", "S6", "--m", 4, "--out", "S" * 5000), "File name too long"),
        (("draw", "--group", "S6", "--m", 4, "--out", "no/a\nb"), "was not written"),
        (("groups", "X8"), "does not parse"),
        (("certify", "nothing"), "cannot be read"),
        (("certify",), "Missing argument"),
        (("nonsense",), "No such command"),
    ],
)
def test_wrong_input_is_one_line_and_exit_code_2(arguments, message, tmp_path, run, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert len(done.stderr) < 500
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_without_force_a_file_that_appears_meanwhile_stays(tmp_path, monkeypatch):
    """The look before the work misses it; the write itself does not."""
    out = tmp_path / "S"
    out.write_bytes(b"first")
    monkeypatch.setattr(os.path, "exists", lambda path: False)
    arguments = ["draw", "--group", "S6", "--m", "4", "--out", str(out)]
    monkeypatch.setattr(sys, "argv", ["sparseaug", *arguments])
    with pytest.raises(SystemExit) as leave:
        main()
    assert leave.value.code == 2
    assert out.read_bytes() == b"first"
    assert os.listdir(tmp_path) == ["S"]


def test_a_file_in_the_way_is_named_before_anything_is_drawn(tmp_path, run, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "S").touch()
    done = run("draw", "--group", "no group", "--m", 4, "--out", "S")
    assert done.returncode == 2
    assert "S exists already; choose another --out or add --force" in done.stderr


def test_the_bare_command_prints_the_help(run):
    done = run()
    assert done.returncode == 0
    assert done.stdout == run("--help").stdout
    assert done.stderr == ""


def test_certify_prints_the_deviation_and_its_kind(tmp_path, run):
    path = tmp_path / "S.safetensors"
    S = sa.Oracle(sa.symmetric(5), seed=0).draw(30)
    S.save(path)
    done = run("certify", path)
    assert done.returncode == 0
    for text in ("S5 of order 120", "rigorous", "at least", "a-priori bound"):
        assert text in done.stdout
    data = json.loads(run("certify", path, "--json").stdout)
    assert data["deviation"]["value"] == sa.deviation(S).value
    assert data["sha256"] == S.sha256
    restricted = json.loads(run("certify", path, "--degree", 1, "--json").stdout)
    assert restricted["deviation"]["method"] == "tuples"


def test_certify_leads_with_the_prediction_where_a_model_is_at_hand(tmp_path, run):
    path, file = tmp_path / "S.safetensors", tmp_path / "spectrum.json"
    act = sa.roll(sa.cyclic(12))
    S = sa.Oracle(act.group, seed=0).draw(5)
    S.save(path)
    said = "for your own model use orbit_spectrum"
    assert said in " ".join(run("certify", path).stdout.split())
    spectrum = sa.orbit_spectrum(lambda x: x[:, 0] ** 3, act, np.arange(12.0)[None])
    file.write_text(json.dumps(spectrum.to_dict()))
    out = run("certify", path, "--spectrum", file).stdout
    assert said not in out
    assert " ".join(out.split()).startswith(
        f"{spectrum.predict(S)} {sa.deviation(S).statement} group"
    )
    data = json.loads(run("certify", path, "--spectrum", file, "--json").stdout)
    assert data["prediction"]["value"] == spectrum.predict(S).value
    shown = run("certify", path, "--profile", "--spectrum", file).stdout
    assert " ".join(shown.split()) == " ".join(f"{spectrum.predict(S)} {sa.profile(S)}".split())


def test_certify_profile_prints_a_table_by_degree(tmp_path, run):
    path = tmp_path / "S.safetensors"
    S = sa.design(sa.symmetric(7), degree=2)
    S.save(path)
    done = run("certify", path, "--profile")
    assert done.returncode == 0
    assert done.stdout.rstrip("\n") == str(sa.profile(S))
    data = json.loads(run("certify", path, "--profile", "--degree", 3, "--json").stdout)
    assert data["profile"] == sa.profile(S, degree=3).to_dict()
    assert data["profile"]["exact_to"] == 2
    shifts = tmp_path / "shifts.safetensors"
    sa.design(sa.abelian(8, 8), m=32, name="lattice").save(shifts)
    data = json.loads(run("certify", shifts, "--profile", "--by", "frequency", "--json").stdout)
    assert data["profile"]["exact_to"] == 5
    done = run("certify", path, "--by", "frequency")
    assert done.returncode == 2
    assert "--profile" in done.stderr


def test_draw_and_certify_take_the_degree_of_products_and_of_signed_permutations(tmp_path, run):
    for name in ("S6xZ2^5", "B6"):
        path = tmp_path / f"{name}.safetensors"
        drawn = run(
            "draw", "--group", name, "--target", 0.4, "--degree", 2, "--out", path, "--json"
        )
        found = json.loads(drawn.stdout)["deviation"]
        assert (found["method"], found["value"] <= 0.4) == ("coordinates", True)
        again = json.loads(run("certify", path, "--degree", 2, "--json").stdout)["deviation"]
        assert again["value"] == found["value"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_completes_commands_and_options(shell, run):
    """What the README says to put in a shell's start-up file."""
    done = run(environment={"_SPARSEAUG_COMPLETE": f"{shell}_source"})
    assert (done.returncode, done.stderr) == (0, "")
    assert f"_SPARSEAUG_COMPLETE={shell}_complete" in done.stdout
    words = {"COMP_WORDS": "sparseaug plan --deg", "COMP_CWORD": "2"}
    if shell == "fish":
        words["COMP_CWORD"] = "--deg"
    asked = run(environment={"_SPARSEAUG_COMPLETE": f"{shell}_complete", **words})
    assert "--degree" in asked.stdout


def test_certify_says_why_a_sample_cannot_work(tmp_path, run):
    path = tmp_path / "S.safetensors"
    sa.GroupSample(sa.symmetric(3), [[0, 1, 2], [1, 2, 0]]).save(path)
    done = run("certify", path)
    assert "subgroup of order 3" in done.stdout


@pytest.mark.parametrize("command", [(), *((name,) for name in cli.commands)])
def test_help_shows_an_example_in_80_columns(command, run):
    done = run(*command, "--help")
    assert done.returncode == 0
    assert "Examples:\n    sparseaug " in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "..." not in done.stdout.replace("[ARGS]...", "").replace("[NAMES]...", "")


def test_what_certify_and_draw_say_begins_with_what_the_number_bounds(tmp_path, run):
    path = tmp_path / "S.safetensors"
    out = run("draw", "--group", "S6", "--target", 0.25, "--out", path).stdout
    said = sa.deviation(sa.GroupSample.load(path)).statement
    assert " ".join(out.split()).startswith(f"{said} group")
    out = " ".join(run("certify", path).stdout.split())
    assert out.startswith(f"{said}; for your own model use orbit_spectrum")


@pytest.mark.parametrize("name", ["S6", "SO3", "Z2^70", "S5000"])
def test_an_order_is_an_integer_in_all_json_or_null_where_there_is_none_to_write(
    name, tmp_path, run
):
    g = sa.group(name)
    expected = g.order if g.is_finite and g.log_order < 9901 else None
    (facts,) = json.loads(run("groups", name, "--json").stdout)
    assert facts["order"] == expected
    path = tmp_path / "S"
    facts = json.loads(run("draw", "--group", name, "--m", 2, "--out", path, "--json").stdout)
    assert facts["order"] == expected
    assert json.loads(json.dumps(sa.GroupSample.load(path).to_dict()))["order"] == expected


def test_a_bar_moves_in_a_terminal_and_leaves_nothing(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")  # a terminal, for rich
    monkeypatch.setenv("TERM", "xterm")
    with Waiting("counting [b]to two") as bar:
        bar.update(1, 2)
        time.sleep(0.3)
    said = capsys.readouterr().err
    assert "counting [b]to two" in said
    assert said.endswith("\x1b[2K")  # the line is cleared
    monkeypatch.delenv("FORCE_COLOR")
    with Waiting("counting") as bar:
        bar.update(1, 2)
    assert capsys.readouterr().err == ""


def test_certify_says_the_a_priori_bound_of_uniform_draws_only(tmp_path, run):
    path = tmp_path / "W.safetensors"
    sa.Oracle(sa.symmetric(5), seed=0).draw(40).words(2, 40).save(path)
    out = run("certify", path).stdout
    assert "deviation" in out
    assert "a-priori" not in out
    assert "from 40 oracle calls" in out
    data = json.loads(run("certify", path, "--json").stdout)
    assert data["deviation"]["bound"] is None
    assert data["calls"] == 40


def test_certify_rounds_the_floor_down_and_states_the_probability_in_full(tmp_path, run):
    path = tmp_path / "S.safetensors"
    S = sa.Oracle(sa.symmetric(5), seed=0).draw(40)
    S.save(path)
    out = run("certify", path, "--delta", "1e-9").stdout
    floor = sa.deviation(S).floor
    printed = float(out.split("floor")[1].split(":")[0])
    assert floor - 1e-6 < printed <= floor < float(f"{floor:.6g}")
    assert "with probability 1 - 1e-09" in out
