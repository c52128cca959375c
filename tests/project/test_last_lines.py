"""The last lines of a run say whether the browser tests ran, and which packages were missing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.extras import installed

ROOT = Path(__file__).parents[2]
SUITE = """
import pytest
from tests.last_lines import in_browser

@in_browser
@pytest.mark.parametrize("page", [1, 2])
def test_page(page):
    pass

@in_browser
def test_broken_page():
    assert False

def test_alone():
    pytest.importorskip("no_such_package.inside")
"""
ABSENT = "not installed: no_such_package, 1 skipped"


def run(folder, *arguments, browser):
    """The last lines of a run of SUITE by our conftest.py, with or without a browser on the path."""
    (folder / "test_suite.py").write_text(SUITE)
    (folder / "bin").mkdir()
    if browser:
        (folder / "bin/chromium").write_text("#!/bin/sh\n")
        (folder / "bin/chromium").chmod(0o755)
    paths = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    ours = ["-p", "conftest", "-c", str(ROOT / "pyproject.toml"), "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *ours, *arguments, str(folder / "test_suite.py")],
        cwd=folder,
        env={**os.environ, "PATH": str(folder / "bin"), "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.stdout.splitlines()[-3:]


def test_the_last_lines_say_how_many_browser_tests_ran(tmp_path):
    workers = ["-n", "2"] if installed("xdist") else []  # the other runs are without
    lines = run(tmp_path, *workers, browser=True)
    assert lines[:2] == ["browser tests: 2 passed, 1 failed", ABSENT]
    assert lines[2].startswith("1 failed, 2 passed, 1 skipped in")


def test_the_last_lines_say_that_there_is_no_browser_and_what_installs_it(tmp_path):
    lines = run(tmp_path, browser=False)
    assert lines[:2] == [
        "browser tests: 3 did not run: "
        "Chromium is not installed; make browser installs it and runs them",
        ABSENT,
    ]
    assert lines[2].startswith("4 skipped in")
