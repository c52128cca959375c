"""The command line in this process, as a user meets it."""

from __future__ import annotations

import sys

import pytest

from sparseaug.cli import main


@pytest.fixture
def run(monkeypatch, capsys, tmp_path, request):
    """The module's COMMAND in an empty folder: exit code, standard output, standard error."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["sparseaug", request.module.COMMAND, *arguments])
        code = 0
        try:
            main()
        except SystemExit as leave:
            code = leave.code
        return (code, *capsys.readouterr())

    return call
