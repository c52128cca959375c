"""`sparseaug plan` as a user meets it: table, JSON, one-line errors."""

from __future__ import annotations

import json

import pytest

import sparseaug as sa
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
            "C= is missing; with eps=, give C=, B=, L= and gap=",
        ),
        (["--group", "S6"], "the goal is missing; give eps= or deviation=."),
        (["--eps", "0.1"], "Missing option '--group'"),
        (["--group", "S6", *ASKED, "--deviation", "0.5"], "two goals"),
        (
            ["--group", "S6", "--deviation", "0.5", "--n", "3"],
            "n=3 goes with eps=, not with deviation=.",
        ),
        (["--group", "S6", *ASKED, "--draw"], "draw=True goes with deviation=, not with eps=."),
        (["--group", "S6", *ASKED, "--max-batch", "0"], "max_batch=0"),
        (["--group", "S6", "--deviation", "2"], "deviation=2.0"),
        (
            ["--group", "S6", "--deviation", "0.5", "--degree", "7"],
            "degree=7 is above 6, the highest",
        ),
    ],
)
def test_wrong_input_is_one_line_and_exit_code_2_and_leaves_nothing(
    run, tmp_path, arguments, message
):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
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
