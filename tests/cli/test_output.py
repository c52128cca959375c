"""Where standard output is full, closed, broken or ASCII: one line, a code, and every file in place."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import sparseaug as sa
from sparseaug import _io
from sparseaug.cli import cli, main
from studies.commands import studies
from studies.paper import Config, reproduce

PATH = f"{Path(__file__).parents[2]}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
START = [sys.executable, "-c", "from sparseaug_command import main; main()"]
STUDY = [sys.executable, "-c", "from sparseaug_command import main; main('studies.commands')"]
QUICK = ["paper", "--quick", "--group-size", "3", "--out", "out"]
COMMANDS = {
    "help": ["--help"],
    "groups": ["groups"],
    "draw": ["draw", "--group", "S6", "--m", "4", "--out", "T"],
    "certify": ["certify", "S"],
    "paper": [*QUICK, "--jobs", "1"],
}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("finished")
    reproduce(Config.shortened(group_size=3), folder, jobs=1)
    (folder / "results.json").unlink()
    return folder


@pytest.fixture
def folder(tmp_path, finished):
    """A sample, and an experiment of which nothing is left to do but the results and the report."""
    sa.Oracle(sa.symmetric(4), seed=0).draw(8).save(tmp_path / "S")
    shutil.copytree(finished, tmp_path / "out")
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "matplotlib.py").write_text("raise ImportError('not here')")
    return tmp_path


# Python meets the streams as they are; what it imports then serves a fork for each command
FORKED = """
import os, sys
import sparseaug.cli, studies.commands, sparseaug_command
names = sys.argv[1:]
for name in names:
    words = open(f"{name}.words").read().split()
    if os.fork() == 0:
        os.dup2(os.open(f"{name}.err", os.O_CREAT | os.O_WRONLY), 2)
        sys.argv = ["sparseaug", *words]
        sparseaug_command.main("studies.commands" if name == "paper" else "sparseaug.cli")
    code = os.waitstatus_to_exitcode(os.wait()[1])
    with open(f"{name}.code", "w") as file:
        file.write(str(code))
"""


def answers(folder, *, workers=(), environment=(), **options):
    """Exit code and error of every command in a process with these streams; their files are there."""
    for name, words in COMMANDS.items():
        extra = workers if name == "paper" else ()
        (folder / f"{name}.words").write_text(" ".join([*words, *extra]))
    done = subprocess.run(
        [sys.executable, "-c", FORKED, *COMMANDS],
        cwd=folder,
        timeout=120,
        check=True,
        env={**os.environ, "PYTHONPATH": f"{folder}/hidden{os.pathsep}{PATH}", **dict(environment)},
        **options,
    )
    assert sa.GroupSample.load(folder / "T").m == 4
    assert {"results.json", "report.html"} <= set(os.listdir(folder / "out"))
    said = {
        name: (int((folder / f"{name}.code").read_text()), (folder / f"{name}.err").read_text())
        for name in COMMANDS
    }
    return said, done.stdout


def one_line(err):
    return err.count("\n") == 1 and "Traceback" not in err and err.startswith("Error: ")


def test_a_full_standard_output_is_one_line_and_code_1(folder):
    with open("/dev/full", "w") as full:
        said, _ = answers(folder, stdout=full)
    for name, (code, err) in said.items():
        assert (code, one_line(err)) == (1, True), (name, err)
        assert "No space left on device" in err


def test_a_closed_standard_output_is_one_line_and_code_1(folder):
    workers = ["--jobs", "2"]  # starting them flushes it
    said, _ = answers(folder, workers=workers, preexec_fn=lambda: os.close(1))
    for name, (code, err) in said.items():
        assert (code, one_line(err)) == (1, True), (name, err)


def test_a_pipe_that_nobody_reads_is_one_line_and_code_1(folder):
    read, write = os.pipe()
    os.close(read)
    said, _ = answers(folder, stdout=write)
    os.close(write)
    for name, (code, err) in said.items():
        assert (code, one_line(err)) == (1, True), (name, err)
        assert "Broken pipe" in err


def test_closed_standard_error_and_input_are_survived(folder):
    for number in (0, 2):
        done = subprocess.run(
            [*START, "groups", "S6"],
            cwd=folder,
            stdout=subprocess.PIPE,
            preexec_fn=lambda n=number: os.close(n),
            check=True,
        )
        assert b"720" in done.stdout


def test_ascii_is_survived_and_a_missing_matplotlib_is_said(folder):
    ascii_only = {"PYTHONIOENCODING": "ascii"}
    said, out = answers(folder, environment=ascii_only, stdout=subprocess.PIPE)
    assert said == dict.fromkeys(COMMANDS, (0, ""))
    out.decode("ascii")
    assert b"No figures: matplotlib is not installed; pip install 'sparseaug[report]'" in out
    assert (folder / "out" / "report.html").exists()
    assert not (folder / "out" / "figure.pdf").exists()


def test_no_memory_is_one_line(monkeypatch, capsys, tmp_path):
    def draw(self, m, **options):
        raise MemoryError

    monkeypatch.setattr(sa.Oracle, "draw", draw)
    arguments = ["draw", "--group", "C2", "--m", "5", "--out", str(tmp_path / "T")]
    monkeypatch.setattr(sys, "argv", ["sparseaug", *arguments])
    with pytest.raises(SystemExit) as leave:
        main()
    assert leave.value.code == 1
    assert capsys.readouterr() == (
        "",
        "Error: out of memory; use smaller numbers, or a machine with more memory.\n",
    )


LEFT = {
    "groups": "nothing was written",
    "certify": "nothing was written",
    "draw": "(nothing was written|T is written)",
    "paper": "(nothing was written|what is finished is kept: run it again to resume)",
}


@pytest.mark.parametrize("name", LEFT)
def test_ctrl_c_is_one_line_and_130_at_any_moment(name, folder):
    """To the whole process group, as a terminal sends it; from the first line of our code on."""
    chance = random.Random(name)  # noqa: S311 - moments, no secrets
    longest = 3 if name == "paper" else 1.5
    workers = ["--jobs", "2"] if name == "paper" else []
    for _ in range(2):
        shutil.rmtree(folder / "out", ignore_errors=True)
        (folder / "T").unlink(missing_ok=True)
        code = "print('ready', flush=True); " + (STUDY if name == "paper" else START)[-1]
        child = subprocess.Popen(
            [sys.executable, "-c", code, *COMMANDS[name], *workers],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": PATH},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            text=True,
        )
        child.stdout.readline()
        time.sleep(chance.uniform(0, longest))
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGINT)
        _, err = child.communicate(timeout=60)
        # joblib's own process may say that it cleaned up what a worker had just begun to make
        err = re.sub(r".*resource_tracker.*\n +warnings\.warn\(.*\n", "", err)
        if child.returncode not in (0, -signal.SIGINT) or err:  # else all was done and printed
            assert child.returncode == 130, err
            assert re.fullmatch(f"Interrupted; {LEFT[name]}[.]", err.strip()), err
            assert err.count("\n") <= 2  # the first ends the line on which a terminal shows ^C


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("there", [False, True])
def test_ctrl_c_says_whether_the_file_was_written(after, there, tmp_path, monkeypatch, capsys):
    """Stopped right before the file is put in place, or right after; new, or in place of another."""
    monkeypatch.chdir(tmp_path)
    if there:
        sa.Oracle(sa.symmetric(4), seed=0).draw(8).save("T")
    rename = _io._rename

    def stopped(*arguments):
        if after:
            rename(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(_io, "_rename", stopped)
    monkeypatch.setattr(sys, "argv", ["sparseaug", *COMMANDS["draw"], "--force"])
    with pytest.raises(SystemExit) as leave:
        main()
    said = "T is written" if after else "nothing was written"
    assert (leave.value.code, *capsys.readouterr()) == (130, "", f"\nInterrupted; {said}.\n")
    assert sa.GroupSample.load("T").m == (4 if after else 8) if after or there else True


@pytest.mark.parametrize("columns", ["0", "1", "7"])
@pytest.mark.parametrize(
    "arguments",
    [
        ["groups"],
        ["certify", "S"],
        ["plan", "--group", "S6", "--deviation", "0.5"],
        ["design", "--group", "S5"],
        ["--help"],
    ],
    ids=lambda words: words[0],
)
def test_no_width_of_the_terminal_hides_the_answer(
    columns, arguments, tmp_path, monkeypatch, capsys
):
    sa.Oracle(sa.symmetric(4), seed=0).draw(8).save(tmp_path / "S")
    monkeypatch.chdir(tmp_path)

    def printed(width):
        monkeypatch.setenv("COLUMNS", width)
        monkeypatch.setattr(sys, "argv", ["sparseaug", *arguments])
        with pytest.raises(SystemExit) as leave:
            main()
        assert leave.value.code == 0
        return capsys.readouterr().out

    assert len(printed(columns).split()) >= 0.7 * len(printed("80").split())


def test_terminal_escapes_in_names_are_not_printed(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    monkeypatch.setattr("studies.report.write._figures", lambda results: {})
    name = "\x1b]0;owned\x07"
    (folder / name).mkdir()
    (folder / "out").rename(folder / name / "out")
    quick = ["paper", "--quick", "--jobs", "1"]
    commands = [
        ["certify", name],
        ["certify", f"{name}/S"],
        ["groups", name],
        [name],
        ["draw", "--group", "S4", "--m", "2", "--out", f"{name}/S"],
        ["draw", "--group", "S4", "--m", "2", "--out", f"{name}/S"],
        [*quick, "--group-size", "3", "--out", f"{name}/out"],
        [*quick, "--group-size", "4", "--out", f"{name}/out"],
        [*quick, "--out", f"{name}/S"],
    ]
    for command in commands:
        monkeypatch.setattr(sys, "argv", ["sparseaug", *command])
        with pytest.raises(SystemExit):
            main(studies if command[0] == "paper" else cli)
        said = "".join(capsys.readouterr())
        assert said
        assert not {"\x1b", "\x07"} & set(said), command
