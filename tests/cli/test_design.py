"""`sparseaug design`: the table, a design in a file, its translate, wrong input in one line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import sparseaug as sa

COMMAND = "design"


def test_help_shows_an_example(run):
    code, out, _ = run("--help")
    assert code == 0
    assert "sparseaug design --group S7 --degree 2 --translate-seed 0 --out S\n" in out


def test_a_group_alone_lists_what_is_known(run):
    code, out, _ = run("--group", "S7")
    assert code == 0
    for word in ("AGL(1,7)", "42", "cyclic shifts", "exact to", "nested"):
        assert word in out
    code, out, _ = run("--group", "S7", "--json")
    assert json.loads(out) == sa.records(sa.symmetric(7)).to_dict()


def test_groups_without_a_design_say_so(run):
    code, out, _ = run("--group", "Rubik")
    assert code == 0
    assert "No design of Rubik is known" in out


def test_a_translated_design_is_saved_with_its_origin(run):
    code, out, _ = run(
        "--group", "S7", "--degree", "2", "--translate-seed", "0", "--out", "S.safetensors"
    )
    assert code == 0
    S = sa.GroupSample.load("S.safetensors")
    group = sa.symmetric(7)
    assert S == sa.design(group, degree=2).translate(sa.Oracle(group, seed=0))
    assert (S.calls, S.origin.kind, S.origin.design) == (1, "translate", "AGL(1,7)")
    assert out.startswith("AGL(1,7), m = 42: exact to degree 2\n")
    assert "oracle calls  1" in out
    assert S.sha256 in out
    code, _, error = run("--group", "S7", "--degree", "1", "--out", "S.safetensors")
    assert code == 2
    assert "--force" in error
    assert run("--group", "S7", "--degree", "1", "--out", "S.safetensors", "--force")[0] == 0
    assert sa.GroupSample.load("S.safetensors").m == 7


def test_facts_as_json_without_a_file(run):
    code, out, _ = run(
        "--group", "C8xC8", "--m", "32", "--name", "lattice", "--translate-seed", "1",
        "--json",
    )  # fmt: skip
    facts = json.loads(out)
    assert code == 0
    assert (facts["design"], facts["m"], facts["calls"]) == ("lattice", 32, 1)


def test_m_alone_is_judged_by_the_prior_and_the_deviation_is_asked_for(run):
    group = sa.cyclic(91)
    code, out, _ = run("--group", "C91", "--m", "10", "--out", "S")
    assert code == 0
    assert sa.GroupSample.load("S") == sa.design(group, m=10)
    assert "by a prior, the share of degree k as 1/k^3; for your own model" in " ".join(out.split())
    code, out, _ = run("--group", "C91", "--m", "10", "--objective", "deviation", "--out", "T")
    assert code == 0
    assert sa.GroupSample.load("T") == sa.design(group, m=10, objective="deviation")
    assert "the best found in the worst case; for your own model give" in " ".join(out.split())


def test_the_best_for_a_model_by_the_spectrum_in_a_file(run):
    act = sa.roll(sa.cyclic(12))
    x = np.random.default_rng(0).normal(size=(5, 12))
    spectrum = sa.orbit_spectrum(lambda x: np.tanh(x[:, :6].sum(axis=1)), act, x)
    Path("spectrum.json").write_text(json.dumps(spectrum.to_dict()), encoding="utf-8")
    given = ("--group", "C12", "--m", "5", "--spectrum", "spectrum.json")
    code, out, _ = run(*given, "--identity", "--out", "S")
    S = sa.design(act.group, m=5, spectrum=spectrum, identity=True)
    assert code == 0
    assert sa.GroupSample.load("S") == S
    assert str(spectrum.predict(S)) in " ".join(out.split())
    assert "for your own model" not in out
    code, out, _ = run(*given, "--json")
    assert json.loads(out)["prediction"]["value"] == spectrum.predict(S).value
    code, _, error = run("--group", "C13", *given[2:])
    assert code == 2
    assert "spectrum is of C12, not of C13" in error
    Path("spectrum.json").write_text("[1, 2]", encoding="utf-8")
    code, _, error = run(*given)
    assert code == 2
    assert "--spectrum spectrum.json is not the JSON of spectrum.to_dict()" in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--group", "S7x"), "does not parse"),
        (("--degree", "2"), "Missing option '--group'"),
        (("--group", "S7", "--degree", "0"), "degree=0"),
        (("--group", "S7", "--degree", "9"), "degree=9 is above 7"),
        (("--group", "S7", "--degree", "x"), "not a valid integer"),
        (("--group", "S7", "--m", "0"), "m=0"),
        (("--group", "S21", "--degree", "2"), "the nearest: degree 1 with 21 elements"),
        (("--group", "S7", "--name", "other"), "is not a design of S7"),
        (("--group", "S7", "--out", "S"), "need --degree, --m or --name"),
        (("--group", "S7", "--objective", "deviation"), "need --degree, --m or --name"),
        (("--group", "S7", "--objective", "worst"), "is not one of"),
        (("--group", "S7", "--m", "8", "--spectrum", "nowhere.json"), "nowhere.json"),
        (("--group", "S7", "--degree", "1", "--translate-seed", "-1"), "seed=-1"),
        (("--group", "S7", "--degree", "1", "--out", "no/where/S"), "no/where"),
        (("--group", "S20", "--m", "8", "--objective", "deviation"), "too large to be searched"),
    ],
)
def test_wrong_input_is_one_line_and_exit_code_2(run, arguments, message):
    code, out, error = run(*arguments)
    assert code == 2
    assert out == ""
    assert message in error
    assert error.count("\n") == 1
