"""What a release needs: one version everywhere, workflows that run, files that hold what they must."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import sparseaug
from tests.dist import NEEDED, sdist_faults, wheel_faults

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
WORKFLOWS = sorted(ROOT.glob(".github/workflows/*.yml"))
# a copy of the project without them, such as the sdist, has nothing to check
pytestmark = pytest.mark.skipif(not WORKFLOWS, reason="not a clone")


def read(path):
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load(path.read_text())


def test_one_version_is_stated_everywhere():
    version = PROJECT["version"]
    assert sparseaug.__version__ == version
    newest = re.search(r"^## ([\d.]+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[1]
    assert newest == version.partition("rc")[0]  # of a candidate: the release it is for
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()
    assert f'version: "{version}"' in (ROOT / "recipe/recipe.yaml").read_text()


def test_the_recipe_for_conda_has_the_dependencies_of_the_package():
    run = read(ROOT / "recipe/recipe.yaml")["requirements"]["run"]
    wanted = [f"python {PROJECT['requires-python']}", *PROJECT["dependencies"]]
    assert [line.replace(" ", "") for line in run] == [line.replace(" ", "") for line in wanted]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_parses_and_runs_only_targets_that_exist(path):
    workflow = read(path)
    assert {"name", "permissions", "jobs"} <= workflow.keys()
    assert True in workflow  # `on`, which YAML 1.1 reads as a truth value
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for job in workflow["jobs"].values():
        assert job["runs-on"]
        assert {*job.get("needs", "").split()} <= workflow["jobs"].keys()
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step)
            called = re.findall(r"^make ([\w-]+)", step.get("run", ""), re.MULTILINE)
            assert set(called) <= set(targets)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_runs_nothing_that_may_change_and_grants_each_job_what_it_needs(path):
    """An action by its commit, its tag beside it; a package by its version or by the constraints."""
    text, workflow = path.read_text(), read(path)
    for used in re.findall(r"uses: (.*)", text):
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", used)
    for line in re.findall(r"pip install (.*)", text):
        assert "-c constraints.txt" in line or "==" in line or "-e . " in line
    assert "write" not in str(workflow["permissions"])
    granted = {name: job.get("permissions", {}) for name, job in workflow["jobs"].items()}
    wanted = {"deploy": {"contents": "write"}, "publish": {"id-token": "write"}}
    for name, rights in granted.items():
        assert {right: how for right, how in rights.items() if how == "write"} == wanted.get(
            name, {}
        )


def test_the_matrix_runs_every_python_that_is_promised():
    promised = [line.split()[-1] for line in PROJECT["classifiers"] if ":: 3." in line]
    job = read(ROOT / ".github/workflows/test.yml")["jobs"]["bare"]
    assert job["strategy"]["matrix"]["python"] == promised
    assert PROJECT["requires-python"] == f">={promised[0]}"


def test_a_stray_or_missing_file_in_what_was_built_is_found():
    own = ["sparseaug/__init__.py", "sparseaug/py.typed"]
    assert list(wheel_faults(own, "1.0")) == []
    assert list(wheel_faults([*own, "tests/a.py"], "1.0")) == ["tests/a.py is not of the library"]
    assert list(wheel_faults([*own, "sparseaug/a.so"], "1.0")) == ["sparseaug/a.so is compiled"]
    assert list(wheel_faults(own[1:], "1.0")) == ["sparseaug/__init__.py is missing"]
    tracked = {*NEEDED, "src/sparseaug/a.py", "notes.txt"}
    packed = [f"sparseaug-1.0/{name}" for name in (*NEEDED, "src/sparseaug/a.py", "PKG-INFO")]
    assert list(sdist_faults(packed, "1.0", tracked)) == []
    assert list(sdist_faults(["b", *packed], "1.0", {*tracked, "b"})) == [
        "b is outside sparseaug-1.0/"
    ]
    assert list(sdist_faults([*packed, "sparseaug-1.0/b"], "1.0", tracked)) == ["b is not tracked"]
    assert list(sdist_faults(packed, "1.0", {*tracked, "tests/b"})) == ["tests/b is missing"]


def started(code):
    """What Python prints for this code, run from the root of the clone."""
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_benchmark_can_be_started():
    """Each imports what it needs; a package that is not installed is not its fault."""
    names = [f"benchmarks.{path.stem}" for path in ROOT.glob("benchmarks/bench_*.py")]
    done = started(f"""
import importlib
for name in {names}:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name.split(".")[0] in ("benchmarks", "sparseaug", "side_by_side", "studies"):
            raise
""")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("words", [("sparseaug", "--version"), ("studies", "paper", "--help")])
def test_a_clone_that_is_not_installed_has_its_commands(words):
    done = started(f"""
import importlib.metadata, runpy, sys
found = importlib.metadata.version
def version(name):
    if name == "sparseaug":
        raise importlib.metadata.PackageNotFoundError(name)
    return found(name)
importlib.metadata.version = version
sys.argv = {list(words)}
runpy.run_module({words[0]!r}, run_name="__main__", alter_sys=False)
""")
    assert done.returncode == 0, done.stderr
    assert "PackageNotFoundError" not in done.stderr
    assert (PROJECT["version"] if words[0] == "sparseaug" else "--out") in done.stdout
