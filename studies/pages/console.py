"""What the command prints, on the pages that show it: every block of commands, run again.

    python -m studies.pages.console docs/howto/command.md

A block is fenced as `console`; lines after `$ ` are commands, the others what they print. Each block
runs in an empty folder, 80 columns wide.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
from pathlib import Path
from unittest import mock

from sparseaug.cli import cli, main

BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```)", re.MULTILINE | re.DOTALL)


def run_again(page: str) -> str:
    """The page, with what its commands print today."""
    return BLOCK.sub(lambda block: _run_block(block.group()), page)


def _run_block(block: str) -> str:
    commands = re.findall(r"^\$ (.*)$", block, re.MULTILINE)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        return "".join(f"$ {command}\n{_printed(command)}" for command in commands)


def _printed(command: str) -> str:
    """Standard output and error of one `sparseaug ...`."""
    out = io.StringIO()
    with (
        mock.patch.object(sys, "argv", shlex.split(command)),
        mock.patch.object(sys.modules["__main__"], "__package__", None),  # click names it in usages
        mock.patch.dict(os.environ, {"COLUMNS": "80"}),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(out),
        contextlib.suppress(SystemExit),
    ):
        main(cli)
    return out.getvalue()


if __name__ == "__main__":
    for path in map(Path, sys.argv[1:]):
        path.write_text(run_again(path.read_text("utf-8")), encoding="utf-8")
