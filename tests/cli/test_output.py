"""Where standard output is full or broken, and after Ctrl-C: one line, a code, whole files."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import sparseaug as sa
from sparseaug.cli import cli, main

PATH = str(Path(sa.__file__).parents[1])
START = [sys.executable, "-c", "from sparseaug.cli import main; main()"]
COMMANDS = {
    "help": ["--help"],
    "groups": ["groups"],
    "draw": ["draw", "--group", "S6", "--m", "4", "--out", "T"],
    "certify": ["certify", "S"],
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    sa.Oracle(sa.symmetric(4), seed=0).draw(8).save(tmp_path / "S")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def answer(words, **options):
    """Exit code, output and error of a command in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": PATH, **options.pop("environment", {})}
    options.setdefault("stdout", subprocess.PIPE)
    done = subprocess.run(
        [*START, *words], env=environment, stderr=subprocess.PIPE, check=False, **options
    )
    return done.returncode, done.stdout, done.stderr.decode()


def is_one_line(err):
    return err.count("\n") == 1 and "Traceback" not in err and err.startswith("Error: ")


def test_a_full_standard_output_is_one_line_and_code_1_and_the_file_is_there(folder):
    for words in COMMANDS.values():
        with open("/dev/full", "w") as full:
            code, _, err = answer(words, stdout=full)
        assert (code, is_one_line(err)) == (1, True), err
        assert "No space left on device" in err
    assert sa.GroupSample.load(folder / "T").m == 4


def test_a_pipe_that_nobody_reads_has_no_traceback(folder):
    read, write = os.pipe()
    os.close(read)
    code, _, err = answer(COMMANDS["draw"], stdout=write)
    os.close(write)
    assert (code, "Traceback" in err) == (1, False), err
    assert sa.GroupSample.load(folder / "T").m == 4


def test_no_memory_is_one_line(monkeypatch, capsys, tmp_path):
    def draw(self, m, **options):
        raise MemoryError

    monkeypatch.setattr(sa.Oracle, "draw", draw)
    arguments = ["draw", "--group", "C2", "--m", "5", "--out", str(tmp_path / "T")]
    monkeypatch.setattr(sys, "argv", ["sparseaug", *arguments])
    with pytest.raises(SystemExit) as leave:
        main()
    assert leave.value.code == 1
    assert is_one_line(capsys.readouterr().err)


def test_ctrl_c_is_one_line_and_130_and_leaves_no_half_file(folder):
    """Sent while a command works for a minute, as a terminal sends it."""
    words = ["draw", "--group", "S10", "--target", "0.01", "--out", "T"]
    started = "from sparseaug.cli import main; print('ready', flush=True); main()"
    child = subprocess.Popen(
        [sys.executable, "-c", started, *words],
        env={**os.environ, "PYTHONPATH": PATH},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    child.stdout.readline()
    time.sleep(2)
    os.killpg(child.pid, signal.SIGINT)
    err = child.communicate(timeout=60)[1].decode()
    assert (child.returncode, err.strip()) == (130, "Interrupted.")
    assert os.listdir(folder) == ["S"]


@pytest.mark.parametrize("columns", ["0", "1", "7"])
@pytest.mark.parametrize("words", [["groups"], ["certify", "S"], ["--help"]], ids=lambda w: w[0])
def test_no_width_of_the_terminal_hides_the_answer(columns, words, folder, monkeypatch, capsys):
    def printed(width):
        monkeypatch.setenv("COLUMNS", width)
        monkeypatch.setattr(sys, "argv", ["sparseaug", *words])
        with pytest.raises(SystemExit) as leave:
            main()
        assert leave.value.code == 0
        return capsys.readouterr().out

    assert len(printed(columns).split()) >= 0.7 * len(printed("80").split())


def test_terminal_escapes_in_names_are_not_printed(folder, monkeypatch, capsys):
    name = "\x1b]0;owned\x07"
    (folder / name).mkdir()
    draw = ["draw", "--group", "S4", "--m", "2", "--out", f"{name}/S"]
    for words in (
        ["certify", name],
        ["groups", name],
        [name],
        draw,
        draw,
        ["certify", f"{name}/S"],
    ):
        monkeypatch.setattr(sys, "argv", ["sparseaug", *words])
        with pytest.raises(SystemExit):
            main(cli)
        said = "".join(capsys.readouterr())
        assert said
        assert not {"\x1b", "\x07"} & set(said), words
