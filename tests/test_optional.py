"""Rooms that need a package which is not there: a typed error with what to install."""

from __future__ import annotations

import subprocess
import sys

import pytest

import sparseaug as sa
from sparseaug import nn as sann

BLOCKED = """
import sys
class Blocked:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.split(".")[0] == {package!r}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Blocked)
import numpy as np, sparseaug as sa
try:
    {action}
except sa.errors.MissingPackageError as error:
    assert isinstance(error, ImportError)
    print(error)
"""


@pytest.mark.parametrize(
    ("package", "action", "remedy"),
    [
        ("torch", "sa.nn", "sparseaug[torch]"),
        (
            "torch",
            "sa.deviation(sa.Oracle(sa.symmetric(3)).draw(4), device='cuda')",
            "sparseaug[torch]",
        ),
        ("sklearn", "import sparseaug.sklearn", "sparseaug[sklearn]"),
        ("networkx", "sa.sources.graph_automorphisms(None)", "sparseaug[sources]"),
        ("spglib", "sa.sources.crystal((np.eye(3), np.zeros((1, 3)), [1]))", "sparseaug[sources]"),
        (
            "matplotlib",
            "from sparseaug.report import save_plan_figure; save_plan_figure("
            "sa.plan(sa.symmetric(4), eps=0.5, delta=0.1, C=1, B=1, L=1, gap=1), 'p.png')",
            "sparseaug[report]",
        ),
    ],
)
def test_a_missing_package_is_named_with_the_remedy(package, action, remedy, tmp_path):
    code = BLOCKED.format(package=package, action=action)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert f"needs {package}" in done.stdout
    assert f"pip install '{remedy}'" in done.stdout


def test_invariance_is_measured_without_torch(tmp_path):
    use = """
    act = sa.permute_axis(sa.symmetric(3))
    x = np.array([[1.0, 2.0, 3.0]])
    found = sa.invariance_error(lambda x: x[:, 0], act, act.group, x)
    assert isinstance(found, sa.InvarianceReport)
    assert sa.assert_invariant(lambda x: x.sum(axis=1), act, act.group, x).max == 0
    assert "torch" not in sys.modules and "sparseaug.nn" not in sys.modules
    print(found)
"""
    code = BLOCKED.format(package="torch", action=use.strip())
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "mean 1 (relative 1), max 2 at [2, 1, 0]" in done.stdout


def test_the_public_names_of_invariance_are_the_same_objects():
    assert sa.invariance_error is sann.invariance_error
    assert sa.assert_invariant is sann.assert_invariant
    assert sa.InvarianceReport is sann.InvarianceReport
