"""The habits of the suite itself: threads, and which warnings fail a test."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import threadpoolctl

ROOT = Path(__file__).parents[2]

ELSEWHERE = """
import warnings

def deprecated_inside():
    warnings.warn("old", DeprecationWarning)

def deprecated_for_the_caller():
    warnings.warn("old", DeprecationWarning, stacklevel=2)
"""
OURS = """
import elsewhere, warnings

def test_of_what_another_package_deprecates_inside_itself():
    elsewhere.deprecated_inside()

def test_of_what_our_line_calls():
    elsewhere.deprecated_for_the_caller()

def test_of_what_a_line_of_the_library_calls():
    made = {"__name__": "sparseaug.made", "elsewhere": elsewhere}
    exec("elsewhere.deprecated_for_the_caller()", made)

def test_of_what_the_library_deprecates():
    exec("import warnings; warnings.warn('old', DeprecationWarning)", {"__name__": "sparseaug.made"})

def test_of_an_overflow_anywhere():
    exec("import numpy; numpy.float64(1e308) * 10", {"__name__": "elsewhere"})
"""


def test_a_deprecation_fails_a_test_only_where_it_is_about_a_line_of_ours(tmp_path):
    options = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    written = "[tool.pytest.ini_options]\nfilterwarnings = " + json.dumps(options["filterwarnings"])
    (tmp_path / "pyproject.toml").write_text(f'{written}\npythonpath = ["."]\n')
    (tmp_path / "elsewhere.py").write_text(ELSEWHERE)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_ours.py").write_text(OURS)
    arguments = ["-m", "pytest", "-q", "-rA", "--import-mode=importlib", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    passed = [line for line in done.stdout.splitlines() if line.startswith("PASSED")]
    assert [line.split("::test_of_")[1] for line in passed] == [
        "what_another_package_deprecates_inside_itself"
    ], done.stdout
    assert "4 failed, 1 passed" in done.stdout


def test_every_worker_has_one_thread():
    np.ones((4, 4)) @ np.ones((4, 4))
    assert {pool["num_threads"] for pool in threadpoolctl.threadpool_info()} <= {1}
    if "torch" in sys.modules:
        assert sys.modules["torch"].get_num_threads() == 1
