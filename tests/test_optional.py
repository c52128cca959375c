"""What needs a package that is not installed says so, with what to install; all else works."""

from __future__ import annotations

import json
import pkgutil
import subprocess
import sys

import pytest

import sparseaug
from tests.extras import LAYERS
from tests.extras import PACKAGES as EXTRAS

PACKAGES = tuple(
    one.name
    for one in pkgutil.iter_modules(sparseaug.__path__)
    if one.ispkg and one.name not in ("cli", "search", "tables")  # of which no name is public
)

BLOCKED = """
import sys
class Blocked:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.split(".")[0] in {packages!r}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Blocked)
import numpy as np, sparseaug as sa
"""
NEEDING = """
try:
    {action}
except sa.errors.MissingPackageError as error:
    assert isinstance(error, ImportError)
    print(error)
"""
EVERY_NAME = """
import importlib, json
answers = dict.fromkeys(("sparseaug." + name for name in sa.__all__ if hasattr(sa, name)), "")
for package in {packages}:
    try:
        module = importlib.import_module("sparseaug." + package)
        for name in module.__all__:
            getattr(module, name)
            answers[package + "." + name] = ""
    except sa.errors.MissingPackageError as error:
        answers[package] = str(error)
print(json.dumps(answers))
"""


def without(packages, code, folder):
    """What the code prints in a process in which these packages cannot be imported."""
    code = BLOCKED.format(packages=tuple(packages)) + code
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=folder, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_without_the_extras_every_public_name_is_there_or_names_its_package(tmp_path):
    answers = json.loads(without(EXTRAS, EVERY_NAME.format(packages=PACKAGES), tmp_path))
    missing = {name: answer for name, answer in answers.items() if answer}
    assert missing.keys() == set(LAYERS) - {"sources"}  # whose two functions are below
    for name, answer in missing.items():
        assert f"needs {LAYERS[name]}, " in answer
        assert "pip install " in answer
    there = {name.split(".")[0] for name in answers.keys() - missing.keys()}
    assert there == {"sparseaug", *PACKAGES} - missing.keys()
    assert len(answers) > 150


@pytest.mark.parametrize(
    ("package", "action", "remedy"),
    [
        ("torch", "sa.nn", "torch"),
        ("sklearn", "import sparseaug.sklearn", "scikit-learn"),
        ("networkx", "sa.sources.graph_automorphisms(None)", "networkx"),
        ("spglib", "sa.sources.crystal((np.eye(3), np.zeros((1, 3)), [1]))", "spglib"),
        ("matplotlib", "sa.profile(sa.Oracle(sa.symmetric(3)).draw(4)).plot()", "matplotlib"),
    ],
)
def test_a_missing_package_is_named_with_the_remedy(package, action, remedy, tmp_path):
    said = without([package], NEEDING.format(action=action), tmp_path)
    assert f"needs {package}" in said
    assert f"pip install {remedy}." in said
