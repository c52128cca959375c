"""Rooms that need a package which is not there: a typed error with what to install."""

from __future__ import annotations

import subprocess
import sys

import pytest

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
