"""`sparseaug plan` as a user meets it: table, JSON, figure, one-line errors."""

from __future__ import annotations

import json
import os
import sys

import numpy as np
import pytest

import sparseaug as sa
from sparseaug._archive import save_json
from sparseaug.plans import plan as make_plan

COMMAND = "plan"
CONSTANTS = {"delta": 0.05, "C": 1.0, "B": 2.0, "L": 4.0, "gap": 1.0}
ASKED = ["--eps", "0.1", "--delta", "0.05", "--C", "1", "--B", "2", "--L", "4", "--gap", "1"]


@pytest.mark.parametrize("extra", [[], ["--n", "60000"]])
@pytest.mark.parametrize("name", ["S10", "S5000"])
def test_the_table_is_the_library_s_in_80_columns(run, name, extra):
    code, out, err = run("--group", name, *ASKED, *extra)
    assert (code, err) == (0, "")
    assert max(len(line.rstrip()) for line in out.splitlines()) <= 80
    n = 60000 if extra else None
    expected = str(make_plan(sa.group(name), eps=0.1, n=n, **CONSTANTS))
    assert {line.rstrip() for line in expected.splitlines()} <= {
        line.rstrip() for line in out.splitlines()
    }


def test_json_is_the_library_s(run):
    code, out, _ = run(
        "--group", "Z2^20", *ASKED, "--sigma", "0.5", "--b", "8", "--n", "9", "--json"
    )
    expected = make_plan(sa.sign_flips(20), eps=0.1, sigma=0.5, b=8, n=9, **CONSTANTS)
    assert code == 0
    assert json.loads(out) == json.loads(json.dumps(expected.to_dict()))


@pytest.mark.parametrize(
    ("name", "suffix", "start"),
    [("S6", "png", b"\x89PNG"), ("S5000", "pdf", b"%PDF"), ("C1", "PNG", b"\x89PNG")],
)
def test_the_figure_is_written_whole(run, tmp_path, suffix, start, name):
    pytest.importorskip("matplotlib")
    code, out, err = run("--group", name, *ASKED, "--plot", f"calls.{suffix}", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["group"] == name
    assert os.listdir(tmp_path) == [f"calls.{suffix}"]
    assert (tmp_path / f"calls.{suffix}").read_bytes().startswith(start)


def test_the_same_figure_has_the_same_bytes(run, tmp_path):
    pytest.importorskip("matplotlib")
    for name in ("a.pdf", "b.pdf"):
        run("--group", "S6", *ASKED, "--plot", name)
    assert (tmp_path / "a.pdf").read_bytes() == (tmp_path / "b.pdf").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--group", "S6x", *ASKED], "does not parse"),
        (["--group", "S6", *ASKED, "--eps", "0"], "eps=0.0 is not allowed"),
        (["--group", "S6", *ASKED, "--eps", "x"], "not a valid float"),
        (["--group", "S6", *ASKED, "--delta", "2"], "delta=2.0"),
        (["--group", "S6", *ASKED, "--gap", "nan"], "gap=nan"),
        (["--group", "S6", *ASKED, "--b", "0"], "b=0"),
        (["--group", "S6", *ASKED, "--n", "-1"], "n=-1"),
        (
            ["--group", "S6", "--eps", "0.1"],
            "--C is missing; with --eps, give --C, --B, --L and --gap",
        ),
        (["--group", "S6"], "eps and deviation are missing"),
        (["--eps", "0.1"], "--group is missing"),
        (["--group", "S6", *ASKED, "--deviation", "0.5"], "two goals"),
        (
            ["--group", "S6", "--deviation", "0.5", "--n", "3"],
            "--n=3 goes with --eps, not with --deviation.",
        ),
        (["--group", "S6", *ASKED, "--draw"], "--draw goes with --deviation, not with --eps."),
        (["--group", "S6", *ASKED, "--max-batch", "0"], "--max-batch=0"),
        (["--group", "S6", "--deviation", "2"], "deviation=2.0"),
        (
            ["--group", "S6", "--deviation", "0.5", "--degree", "7"],
            "degree=7 is above 6, the highest",
        ),
        (["--group", "S6", "--deviation", "0.5", "--plot", "calls.png"], "--plot goes with --eps"),
        (["--group", "S6", *ASKED, "--plot", "calls.gif"], "end it in .png or .pdf"),
        (["--group", "S6", *ASKED, "--plot", "no/such/calls.png"], "was not written"),
        (["--group", "S6", *ASKED, "--eps", "1e-80", "--plot", "a.png"], "too many calls to draw"),
    ],
)
def test_wrong_input_is_one_line_and_exit_code_2_and_leaves_nothing(
    run, tmp_path, arguments, message
):
    if message in ("was not written", "too many calls to draw"):
        pytest.importorskip("matplotlib")
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_failed_drawing_leaves_the_old_figure(run, tmp_path, monkeypatch):
    figure = pytest.importorskip("matplotlib.figure")
    (tmp_path / "calls.png").write_bytes(b"old")

    def stop(self, buffer, **options):
        buffer.write(b"half")
        raise sa.errors.StorageError("the disk is full")

    monkeypatch.setattr(figure.Figure, "savefig", stop)
    code, _, err = run("--group", "S6", *ASKED, "--plot", "calls.png")
    assert (code, err) == (2, "Error: the disk is full\n")
    assert (tmp_path / "calls.png").read_bytes() == b"old"


def test_another_file_is_replaced_only_with_force_and_the_same_figure_is_left(run, tmp_path):
    pytest.importorskip("matplotlib")
    figure = tmp_path / "calls.png"
    figure.write_bytes(b"mine")
    asked = ["--group", "S6", *ASKED, "--plot", "calls.png"]
    code, out, err = run(*asked)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "calls.png was not written: the file exists already" in err
    assert figure.read_bytes() == b"mine"
    assert run(*asked, "--force")[0] == 0
    drawn = figure.stat().st_mtime_ns, figure.read_bytes()
    assert run(*asked)[0] == 0
    assert (figure.stat().st_mtime_ns, figure.read_bytes()) == drawn
    assert run("--group", "S7", *ASKED, "--plot", "calls.png")[0] == 2
    assert figure.read_bytes() == drawn[1]


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_a_figure_is_not_written_through_a_link(run, tmp_path, force):
    pytest.importorskip("matplotlib")
    (tmp_path / "mine.png").write_bytes(b"mine")
    (tmp_path / "calls.png").symlink_to(tmp_path / "mine.png")
    code, _, err = run("--group", "S6", *ASKED, "--plot", "calls.png", *force)
    assert (code, err.count("\n")) == (2, 1)
    assert "symbolic link" in err
    assert (tmp_path / "mine.png").read_bytes() == b"mine"


def test_without_matplotlib_the_extra_is_named(run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    code, _, err = run("--group", "S6", *ASKED, "--plot", "calls.png")
    assert code == 2
    assert "sparseaug[report]" in err
    assert list(tmp_path.iterdir()) == []


def test_help_shows_an_example(run):
    code, out, _ = run("--help")
    assert code == 0
    assert "sparseaug plan --group S10 --eps 0.1" in out


def test_the_plan_of_draws_is_the_library_s(run):
    asked = ("--group", "S10", "--deviation", "0.25", "--degree", "2")
    code, out, err = run(*asked)
    assert (code, err) == (0, "")
    expected = make_plan(sa.symmetric(10), deviation=0.25, degree=2)
    lines = {line.rstrip() for line in out.splitlines()}
    assert {line.rstrip() for line in str(expected).splitlines()} <= lines
    code, out, _ = run(*asked, "--seed", "3", "--no-draw", "--json")
    expected = make_plan(sa.symmetric(10), deviation=0.25, degree=2, seed=3, draw=False)
    assert code == 0
    assert json.loads(out) == json.loads(json.dumps(expected.to_dict()))


def test_the_largest_batch_is_kept_to(run):
    _, out, _ = run("--group", "S10", *ASKED, "--max-batch", "50000")
    assert "fewest calls in steps of at most 50,000 transformations: sampled words" in out


def test_a_saved_pilot_is_planned_from(run) -> None:
    x = np.random.default_rng(0).uniform(-1, 1, (8, 4))
    act = sa.permute_axis(sa.symmetric(4))
    model = sa.KernelModel(sa.GaussianKernel(1.0), x)
    risk = sa.augmented_risk(model, (x, x.sum(1)), act, None)
    found = sa.pilot(risk, np.ones(16), sa.Oracle(act.group))
    found.save("pilot.json")
    code, out, _ = run("--from", "pilot.json", "--eps", "0.1")
    assert code == 0
    assert out.strip() == str(found.plan(0.1))
    code, out, _ = run("--from", "pilot.json", "--eps", "0.1", "--json")
    assert json.loads(out) == found.plan(0.1).to_dict()


@pytest.mark.parametrize("bad", [None, 1.5, [1e308] * 4])
def test_a_crafted_pilot_is_refused_in_one_line(run, bad) -> None:
    spectrum = sa.orbit_spectrum(
        lambda x: x[:, 0], sa.permute_axis(sa.symmetric(4)), np.arange(4.0)[None]
    )
    numbers = {"value": 1.0, "gradient_norm": 1.0, "L": 1.0, "samples": 1, "parameters": 1}
    data = {"schema": "sparseaug pilot 1", **numbers}
    save_json("crafted.json", {**data, "spectrum": {**spectrum.to_dict(), "variances": bad}})
    code, _, err = run("--from", "crafted.json", "--eps", "0.1")
    assert code == 2
    assert "it is not a pilot: variances" in " ".join(err.split())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--from", "pilot.json"), "--from needs --eps"),
        (("--from", "pilot.json", "--eps", "0.1", "--group", "S4"), "--group does not go with"),
        (("--from", "pilot.json", "--eps", "0.1", "--max-batch", "4"), "--max-batch does not go"),
        (("--eps", "0.1"), "--group is missing"),
        (("--from", "none.json", "--eps", "0.1"), "none.json"),
    ],
)
def test_options_that_do_not_go_with_a_pilot_are_refused(run, options, said) -> None:
    code, _, err = run(*options)
    assert code == 2
    assert said in " ".join(err.split())
