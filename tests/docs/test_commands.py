"""Command lines on the pages that no doctest runs: the commands, options and targets exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from sparseaug.cli import cli
from studies.commands import studies

ROOT = Path(__file__).parents[2]
PAGES = [
    *sorted(ROOT.glob("docs/**/*.md")),
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
]


def lines(text: str) -> list[str]:
    """What stands in code, inline or on its own line, and begins with the name of a command."""
    names = "sparseaug|make|python|torchrun"
    own = re.findall(rf"^(?:{names}) .*$", text, re.MULTILINE)
    return own + re.findall(rf"`((?:{names}) [^`]+)`", text)


def check(line: str) -> None:
    """Raise unless the command, as it stands there, would be understood."""
    program, *words = shlex.split(line, comments=True)
    if program == "sparseaug":
        command = cli.commands[words[0]]
        given = words[1:]
        if given:  # a bare name is a mention, not a call
            parent = click.Context(cli, info_name="sparseaug", **cli.context_settings)
            command.make_context(words[0], given, parent=parent)
    elif program == "make":
        assert re.search(rf"^{words[0]}:", (ROOT / "Makefile").read_text(), re.MULTILINE), line
    else:
        if words[:2] == ["-m", "studies"]:
            studies.commands[words[2]].make_context(words[2], words[3:])
            return
        script = next(word for word in words if word.endswith(".py") or word.startswith("studies."))
        path = ROOT / (script if script.endswith(".py") else script.replace(".", "/") + ".py")
        source = (path if path.exists() else path.with_suffix("") / "__main__.py").read_text()
        if "examples.study import" in source:  # the options that the examples share
            source += (ROOT / "studies/examples/study.py").read_text()
        for option in words[words.index(script) + 1 :]:
            assert not option.startswith("--") or f'"{option}"' in source, f"{line}: {option}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_on_a_page_exists(page):
    for line in lines(page.read_text()):
        check(line)


def test_a_command_that_does_not_exist_is_found():
    for line, error in (
        ("sparseaug certificate S.safetensors", KeyError),
        ("sparseaug plan --group S6 --epsilon 0.1", click.UsageError),
        ("make papers", AssertionError),
        ("python -m studies.examples.digits --fast", AssertionError),
    ):
        with pytest.raises(error):
            check(line)


@pytest.mark.parametrize("name", sorted(cli.commands))
def test_the_examples_in_the_help_of_a_command_are_understood(name):
    command = cli.commands[name]
    shown = re.findall(r"^\s+(sparseaug .*)$", command.help or "", re.MULTILINE)
    assert shown
    for line in shown:
        check(line)
