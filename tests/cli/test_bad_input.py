"""Every option of every command with bad values: one line, exit code 2, nothing left behind.

New commands and options are found by themselves; a new command needs arguments that work, below.
"""

from __future__ import annotations

import os
import sys

import click
import pytest

import sparseaug as sa
from sparseaug.certificate import write_pairs
from sparseaug.cli import cli, main
from studies.commands import studies

COMMANDS = {
    f"{name} {part}".strip(): one
    for name, command in {**cli.commands, **studies.commands}.items()
    for part, one in getattr(command, "commands", {"": command}).items()
}

WORKS = {
    name: f"{name} {words}".split()
    for name, words in {
        "groups": "S6",
        "records": "S6",
        "draw": "--group S6 --m 4 --out T",
        "design": "--group S6 --m 4 --name nested --out T",
        "certify": "S",
        "inspect": "S",
        "plan": "--group S6 --eps 0.1 --C 1 --B 2 --L 4 --gap 1",
        "audit pairs": "--group S6 --n 9 --out T",
        "audit read": "P A --delta 0.1",
        "paper": "--quick --group-size 2 --jobs 1 --out out",
        "rates": "--quick --jobs 1 --out out",
        "views": "--quick --jobs 1 --out out",
    }.items()
}
INTEGERS = ["x", "", " ", "1.5", "nan", "inf", "-5", "1e3", "0x10", "9" * 5000, "--", "True"]
NUMBERS = ["x", "", " ", "nan", "inf", "-inf", "-1", "1e400", "1,5", "1+2j", "9" * 5000]
TEXTS = ["", " ", "S0", "S-1", "S6x", "S6\0", "S" * 5000, "é\u202e", "\x1b[31m", "../S6", "S6;ls"]
HUGE = {"--m", "--seed", "--degree", "--seeds", "--group-size", "--jobs"}
LINKS = ("folder", "folder/", "to-folder", "to-nothing", "/dev/null", "pipe")
PATHS = ["", *LINKS, "nowhere/T", "S/T", "/proc/T", "a\0b", "n" * 300, "n/" * 3000]
FOLDERS = ["", "S", "S/T", *LINKS[3:], "/proc/T", "a\0b", "n" * 300, "n/" * 3000]


def options():
    """(command, option, bad value) for all of them."""
    for name, command in COMMANDS.items():
        for option in command.params:
            if isinstance(option, click.Option) and not option.is_flag:
                for value in bad_values(option):
                    yield name, option.opts[0], value


def bad_values(option):
    kind, name = option.type.name, option.opts[0]
    if kind == "integer":
        return INTEGERS + (["9" * 30] if name in HUGE else [])
    if kind == "float":
        return NUMBERS
    if name == "--out":
        return FOLDERS if option.metavar == "FOLDER" else PATHS
    assert kind in ("text", "choice"), (
        f"{name}: a kind of option for which there are no bad values here"
    )
    return TEXTS


CASES = list(options())


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    """Run in a folder with a sample, a folder, links and a pipe; what is there afterwards counts."""
    monkeypatch.chdir(tmp_path)
    sa.Oracle(sa.symmetric(4), seed=0).draw(8).save("S")
    write_pairs("P", "S4", n=5, calls=2)
    with open("A", "w", encoding="utf-8") as file:
        file.write("pair,correct\n0,1\n1,0\n")
    os.mkdir("folder")
    os.mkfifo("pipe")
    os.symlink("folder", "to-folder")
    os.symlink("nothing", "to-nothing")

    def listing():
        return sorted((str(path), path.lstat().st_size) for path in tmp_path.rglob("*"))

    def run(*arguments):
        before = listing()
        monkeypatch.setattr(sys, "argv", ["sparseaug", *arguments])
        with pytest.raises(SystemExit) as leave:
            main(studies if arguments[0] in studies.commands else cli)
        return leave.value.code, *capsys.readouterr(), listing() == before

    return run


def require_refused(answer):
    code, out, err, untouched = answer
    assert (code, out) == (2, ""), err
    assert err.startswith("Error: ")
    assert err.count("\n") == 1
    assert err.rstrip("\n").isprintable()
    assert len(err) <= 1001
    assert untouched


def shown_as(option, value):
    """What stands for an option where it is not named: the library's argument, or a file as typed."""
    if option == "--group":
        return "group name"
    if option == "--out":
        return repr(value)[1:-1][-20:].removesuffix("/") or "path"
    if option == "--translate-seed":
        return "seed"
    return option.removeprefix("--").replace("-", "_")


def test_there_are_arguments_that_work_for_every_command():
    assert WORKS.keys() == COMMANDS.keys()


@pytest.mark.parametrize(
    "name", [name for name in WORKS if name.split()[0] in cli.commands and name != "views"]
)
def test_the_arguments_that_work_do(call, name):
    code, out, err, _ = call(*WORKS[name])
    assert (code, err) == (0, "")
    assert out


@pytest.mark.parametrize("name", WORKS)
def test_a_bad_value_of_any_option_is_one_line_and_exit_code_2(call, name):
    mine = [case for case in CASES if case[0] == name]
    for _, option, value in mine:
        try:
            answer = call(*WORKS[name], option, value)
            require_refused(answer)
            assert option in answer[2] or shown_as(option, value) in answer[2]
        except BaseException as error:
            error.add_note(f"{name} {option} {value[:50]!r}")
            raise
    assert len(mine) >= 30 or name in ("groups", "inspect", "records", "audit read")


@pytest.mark.parametrize("command", ["certify", "inspect"])
@pytest.mark.parametrize("path", [*PATHS, "nothing", "S2", "empty"])
def test_what_is_not_a_sample_is_refused(call, path, command):
    with open("empty", "w", encoding="utf-8"):
        pass
    require_refused(call(command, path))


@pytest.mark.parametrize("name", WORKS)
def test_what_is_missing_or_unknown_or_too_much_is_one_line(call, name):
    require_refused(call(*WORKS[name], "--no-such-option"))
    if name != "groups":
        require_refused(call(*WORKS[name], "one argument more"))
        require_refused(call(*WORKS[name], WORKS[name][-2] if len(WORKS[name]) > 2 else "--degree"))
    for option in COMMANDS[name].params:
        if isinstance(option, click.Option) and option.required:
            at = WORKS[name].index(option.opts[0])
            require_refused(call(*WORKS[name][:at], *WORKS[name][at + 2 :]))
