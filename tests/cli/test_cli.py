"""The command line as a user meets it: what the library says, and errors of one line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.cli import cli, main
from sparseaug.plans import plan

INSTALLED = str(Path(sys.executable).with_name("sparseaug"))
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(sa.__file__).parents[1])}


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """The command in this process: what a process of its own would have said and returned."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys.modules["__main__"], "__package__", None)  # a script, not pytest

    def call(words, *more, **environment):
        monkeypatch.setattr(sys, "argv", ["sparseaug", *words.split(), *map(str, more)])
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        with pytest.raises(SystemExit) as leave:
            main()
        said = capsys.readouterr()
        return SimpleNamespace(code=leave.value.code, out=said.out, err=said.err)

    return call


def words_of(text):
    return " ".join(text.split())


def test_the_installed_command_and_the_module_are_this_one(run):
    expected = vars(run("groups S6"))
    for start in ([INSTALLED], [sys.executable, "-m", "sparseaug"]):
        done = subprocess.run(
            [*start, "groups", "S6"], env=ENVIRONMENT, capture_output=True, text=True, check=False
        )
        assert {"code": done.returncode, "out": done.stdout, "err": done.stderr} == expected


def test_the_group_that_was_meant_is_named(run):
    meant = {"s6": "S6", "SO(3)": "SO3", "S_6": "S6", "C8XC8": "C8xC8"}
    for name, right in meant.items():
        assert f"did you mean {right}?" in run(f"groups {name}").err
    assert "did you mean" not in run("groups xyz").err


def test_draw_saves_what_the_library_draws_and_says_what_it_cost(run):
    done = run("draw --group S6 --m 64 --seed 0 --out S")
    assert "oracle calls  64" in done.out
    S = sa.GroupSample.load("S")
    assert S == sa.Oracle(sa.symmetric(6), seed=0).draw(64)
    assert S.sha256 in done.out
    again = run("draw --group no-group --m 8 --out S")  # named before anything is drawn
    assert (again.code, "add --force" in again.err) == (2, True)
    assert sa.GroupSample.load("S").m == 64
    assert run("draw --group S6 --m 8 --out S --force").code == 0
    run("draw --group D4 --full --out T")
    assert sa.GroupSample.load("T") == sa.GroupSample.full(sa.dihedral(4))
    facts = json.loads(run("draw --group S5 --m 7 --identity --distinct --out U --json").out)
    assert sa.GroupSample.load("U").elements[0].tolist() == [0, 1, 2, 3, 4]
    assert (facts["m"], facts["distinct"]) == (7, 7)
    facts = json.loads(run("draw --group S4 --target 0.5 --out V --json").out)
    assert facts["deviation"]["value"] <= 0.5
    assert facts["calls"] == sa.GroupSample.load("V").m


def test_certify_says_what_the_library_says(run):
    S = sa.Oracle(sa.symmetric(5), seed=0).draw(30)
    S.save("S")
    out = words_of(run("certify S").out)
    statement = sa.deviation(S).statement
    assert out.startswith(
        f"{statement}; for your own model give --spectrum FILE, the JSON of orbit"
    )
    data = json.loads(run("certify S --json").out)
    assert data["deviation"]["value"] == sa.deviation(S).value
    assert data["sha256"] == S.sha256
    assert (
        json.loads(run("certify S --degree 1 --json").out)["deviation"]["method"] == "coordinates"
    )
    assert run("certify S --profile").out.rstrip("\n") == str(sa.profile(S))
    data = json.loads(run("certify S --profile --degree 3 --json").out)
    assert data["profile"] == sa.profile(S, degree=3).to_dict()
    S.words(2, 40).save("W")
    out = run("certify W").out
    assert ("a-priori" in out, "from 30 oracle calls" in out) == (False, True)


def test_a_spectrum_leads_what_certify_says_and_chooses_the_design(run):
    act = sa.roll(sa.cyclic(12))
    x = np.random.default_rng(0).normal(size=(5, 12))
    spectrum = sa.orbit_spectrum(lambda x: np.tanh(x[:, :6].sum(axis=1)), act, x)
    Path("spectrum.json").write_text(json.dumps(spectrum.to_dict()), encoding="utf-8")
    out = run("design --group C12 --m 5 --spectrum spectrum.json --identity --out S").out
    S = sa.design(act.group, m=5, spectrum=spectrum, identity=True)
    assert sa.GroupSample.load("S") == S
    assert str(spectrum.predict(S)) in words_of(out)
    for option, found in (("", sa.deviation(S).statement), ("--profile", sa.profile(S))):
        out = words_of(run(f"certify S {option} --spectrum spectrum.json").out)
        assert out.startswith(words_of(f"{spectrum.predict(S)} {found}"))
    data = json.loads(run("certify S --spectrum spectrum.json --json").out)
    assert data["prediction"]["value"] == spectrum.predict(S).value
    done = run("design --group C13 --m 5 --spectrum spectrum.json")
    assert (done.code, "spectrum is of C12, not of C13" in done.err) == (2, True)


def test_design_lists_what_is_known_and_saves_what_is_asked_for(run):
    assert json.loads(run("design --group S7 --json").out) == sa.records("S7").to_dict()
    out = run("design --group S7 --degree 2 --translate-seed 0 --out S").out
    S = sa.GroupSample.load("S")
    assert S == sa.design("S7", degree=2).translate(sa.Oracle("S7", seed=0))
    assert (S.calls, S.origin.kind, S.origin.design) == (1, "translate", "AGL(1,7)")
    assert out.startswith("AGL(1,7), m = 42: exact to degree 2\n")
    out = run("design --group C91 --m 10 --objective deviation --out T").out
    assert sa.GroupSample.load("T") == sa.design("C91", m=10, objective="deviation")
    assert "the best found in the worst case; for your own model give" in words_of(out)


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        (
            "--group S10 --eps 0.1 --C 1 --B 2 --L 4 --gap 1 --n 60000",
            {"eps": 0.1, "C": 1, "B": 2, "L": 4, "gap": 1, "n": 60000},
        ),
        ("--group S10 --deviation 0.25 --degree 2", {"deviation": 0.25, "degree": 2}),
    ],
)
def test_the_plan_is_the_library_s_in_80_columns(run, words, asked):
    expected = plan("S10", delta=0.05, **asked)
    lines = [line.rstrip() for line in run(f"plan {words}").out.splitlines()]
    assert {line.rstrip() for line in str(expected).splitlines()} <= set(lines)
    assert max(map(len, lines)) <= 80
    found = json.loads(run(f"plan {words} --json").out)
    assert found == json.loads(json.dumps(expected.to_dict()))


def test_rows_that_somebody_else_wrote_are_certified_and_inspected(run):
    S = sa.Oracle(sa.group("S3xSO3"), seed=0).draw(5)
    lines = ["a,b,c,w,x,y,z", *(",".join(map(repr, row)) for row in S.elements.tolist())]
    Path("rows.csv").write_text("\n".join(lines), encoding="utf-8")
    Path("rows.json").write_text(json.dumps(S.elements.tolist()), encoding="utf-8")
    for path in ("rows.csv", "rows.json"):
        data = json.loads(run(f"certify {path} --group S3xSO3 --degree 2 --json").out)
        assert data["sha256"] == S.sha256
        assert data["deviation"]["value"] == sa.deviation(S, degree=2).value
    Path("half.csv").write_text(".5 .5 .5 -.5\n", encoding="utf-8")  # a row, and no names
    assert run("certify half.csv --group SO3 --degree 1").code == 0
    zipped = [(i % 4, i % 6) for i in range(12)]
    Path("zipped.csv").write_text("a,b\n" + "\n".join(f"{a};{b}" for a, b in zipped))
    found = json.loads(run("inspect zipped.csv --group C4xC6 --json").out)
    wanted = sa.inspect(sa.GroupSample("C4xC6", zipped)).to_dict()
    assert found == json.loads(json.dumps(wanted))


@pytest.mark.parametrize(
    ("text", "group"),
    [
        ("[[0, 0, 1, 2]]", "S4"),
        ("[[1, 0", "S2"),
        ('{"a": 1}', "S2"),
        ("a,b\n", "S2"),
        ("0,1\n1,a\n", "S2"),
        ("0.5,0,1\n0,1,2\n", "S3"),
        ("[[1.5, 0]]", "C7"),
        ("", "S2"),
    ],
)
def test_rows_that_are_not_elements_are_refused_in_one_line(run, text, group):
    Path("rows.txt").write_text(text, encoding="utf-8")
    for more in ([], ["--group", group]):
        done = run("certify rows.txt", *more)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
        assert "--group" in done.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("draw --group S6x --m 4 --out S", "does not parse"),
        ("draw --group S6 --m 4", "Missing option '--out'"),
        ("draw --group S6 --m 4 --out no/such/folder/S", "was not written"),
        ("draw --group S3 --m 4 --full --out S", "--m, --full and --target"),
        ("draw --group S3 --full --identity --out S", "go with --m"),
        ("draw --group S3 --m 4 --degree 1 --out S", "--degree with --target"),
        ("design --group S7 --objective deviation", "need --degree, --m or --name"),
        ("design --group S21 --degree 2", "degree=2"),
        ("plan --group S6", "are the two goals; give one of them."),
        ("certify nothing", "cannot be read"),
        ("nonsense", "No such command"),
    ],
)
def test_wrong_input_is_one_line_with_a_remedy_and_leaves_nothing(words, message, run):
    done = run(words)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert message in done.err
    assert os.listdir() == []


@pytest.mark.parametrize("command", ["", *cli.commands])
def test_help_shows_an_example_in_80_columns(command, run):
    done = run(f"{command} --help")
    assert done.code == 0
    assert "Examples:\n" in done.out
    assert max(map(len, done.out.splitlines())) <= 80
    assert run("").out == run("--help").out


def test_standard_output_that_is_full_or_closed_is_one_line_and_the_file_is_there(tmp_path):
    read, write = os.pipe()
    os.close(read)
    with open("/dev/full", "w") as full:
        for out, name in ((full, "S"), (write, "T")):
            done = subprocess.run(
                [
                    sys.executable,
                    "-m",
                    "sparseaug",
                    *["draw", "--group", "S6", "--m", "4", "--out"],
                    name,
                ],
                cwd=tmp_path,
                env=ENVIRONMENT,
                stdout=out,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
            assert (done.returncode, "Traceback" in done.stderr) == (1, False)
            assert done.stderr.startswith("Error: No space left") == (name == "S")
            assert sa.GroupSample.load(tmp_path / name).m == 4
    os.close(write)


def test_ctrl_c_is_one_line_and_130_and_leaves_no_half_file(tmp_path):
    """Sent while a command works for a minute, as a terminal sends it."""
    started = "from sparseaug.cli import main; print('ready', flush=True); main()"
    words = ["draw", "--group", "S10", "--target", "0.01", "--out", "T"]
    child = subprocess.Popen(
        [sys.executable, "-c", started, *words],
        cwd=tmp_path,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    child.stdout.readline()
    time.sleep(2)
    os.killpg(child.pid, signal.SIGINT)
    err = child.communicate(timeout=60)[1].decode()
    assert (child.returncode, err.strip()) == (130, "Interrupted.")
    assert os.listdir(tmp_path) == []


def test_terminal_escapes_in_names_are_not_printed(run):
    name = "\x1b]0;owned\x07"
    os.mkdir(name)
    draw = ["draw", "--group", "S4", "--m", "2", "--out", f"{name}/S"]
    for words in (["certify", name], ["groups", name], [name], draw, ["certify", f"{name}/S"]):
        done = run("", *words)
        assert done.out + done.err
        assert not {"\x1b", "\x07"} & set(done.out + done.err), words
