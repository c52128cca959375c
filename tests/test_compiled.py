"""numba is installed and does not work: one warning, and the results of NumPy, SciPy and torch."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import sparseaug
from sparseaug import _compiled
from sparseaug.errors import AcceleratorWarning
from tests.extras import REASON

# All that numba compiles, on problems small enough for a test and taken for large ones; twice, so
# that a second warning would be seen.
pytest.importorskip("torch", reason=REASON.format("torch"))
IMPORTS = """
import importlib, json, os, sys, warnings
import numpy as np, torch
import sparseaug as sa
from torch.utils.data import TensorDataset
"""
SCRIPT = """
for module in ("sparseaug.kernels.group_means", "sparseaug.actions.prepared"):
    importlib.import_module(module)._WORTH_COMPILING = 0
permanents = importlib.import_module("sparseaug.kernels.group_means").permanents
rng = np.random.default_rng(0)
entries, images = rng.random((6, 6, 9)), torch.from_numpy(rng.random((5, 8, 8)))
S = sa.Oracle(sa.abelian(8, 8), seed=0).draw(4)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for _ in range(2):
        means = permanents(entries)
        copies = sa.nn.OneShotDataset(TensorDataset(images), sa.roll(S.group), S)
        batch = torch.stack([item[0] for item in copies.__getitems__(range(20))])
bits = [np.ascontiguousarray(array).tobytes().hex() for array in (means, batch)]
answer = json.dumps({
    "bits": bits,
    "close": [means.tolist(), batch.tolist()],
    "warnings": [[type(w.message).__name__, str(w.message)] for w in caught],
})
"""
ABSENT = """
import sys
class Blocked:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.split(".")[0] == "numba":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Blocked)
"""


# What is imported before numba would be serves a fork for each case.
FORKED = """
for case in json.load(sys.stdin):
    if os.fork() == 0:
        os.environ.update(case["variables"])
        sys.path[:0] = case["path"]
        exec(case["code"])
        with open(case["name"], "w") as file:
            file.write(answer)
        os._exit(0)
    assert os.wait()[1] == 0, case["name"]
"""


def run(code: str, given: str, folder: Path, path: list[str], **variables: str) -> None:
    """The code in a fresh process with these folders first on its path."""
    folders = os.pathsep.join([*path, str(Path(sparseaug.__file__).parents[1])])
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=given,
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": folders, **variables},
        timeout=300,
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the script says without numba, with it, with it told not to compile, with broken ones."""
    folder = tmp_path_factory.mktemp("numba")
    cases = [{"name": "absent", "code": ABSENT + SCRIPT}, {"name": "there", "code": SCRIPT}]
    cases += [{"name": "idle", "code": SCRIPT, "variables": {"NUMBA_DISABLE_JIT": "1"}}]
    for fault, (text, _) in BROKEN.items():
        (folder / f"in {fault}" / "numba").mkdir(parents=True)
        (folder / f"in {fault}" / "numba" / "__init__.py").write_text(text)
        cases += [{"name": fault, "code": SCRIPT, "path": [str(folder / f"in {fault}")]}]
    if find_spec("numba") is None:
        cases = [case for case in cases if case["name"] not in ("there", "idle")]
    given = json.dumps([{"path": [], "variables": {}, **case} for case in cases])
    run(IMPORTS + FORKED, given, folder, [])
    return {case["name"]: json.loads((folder / case["name"]).read_text()) for case in cases}


def require_fallback(answer: dict[str, Any], plain: dict[str, Any], reason: str) -> None:
    assert answer["bits"] == plain["bits"]
    assert [kind for kind, _ in answer["warnings"]] == ["AcceleratorWarning"]
    assert reason in answer["warnings"][0][1]
    assert "results agree up to rounding" in answer["warnings"][0][1]  # not to the bit: permanents


def test_without_numba_nothing_is_said(answers: dict[str, Any]) -> None:
    assert answers["absent"]["warnings"] == []


def test_with_numba_nothing_is_said_and_the_results_agree(answers: dict[str, Any]) -> None:
    pytest.importorskip("numba")
    answer, plain = answers["there"], answers["absent"]
    assert answer["warnings"] == []
    for fast, slow in zip(answer["close"], plain["close"], strict=True):
        assert _flat(fast) == pytest.approx(_flat(slow), rel=1e-13, abs=1e-15)


def test_a_read_only_installation_without_a_cache_falls_back(
    answers: dict[str, Any], tmp_path: Path
) -> None:
    """Files in the place of folders: not even root can write there."""
    pytest.importorskip("numba")
    package = Path(sparseaug.__file__).parent
    shutil.copytree(package, tmp_path / "sparseaug", ignore=shutil.ignore_patterns("__pycache__"))
    for module in (tmp_path / "sparseaug").rglob("*_numba.py"):
        (module.parent / "__pycache__").write_text("")
    places = dict.fromkeys(("NUMBA_CACHE_DIR", "HOME", "XDG_CACHE_HOME"), "/dev/null/nowhere")
    case = {"name": "answer", "code": SCRIPT, "path": [], "variables": {}}
    written = {"PYTHONDONTWRITEBYTECODE": "1", **places}
    run(IMPORTS + FORKED, json.dumps([case]), tmp_path, [str(tmp_path)], **written)
    answer = json.loads((tmp_path / "answer").read_text())
    require_fallback(answer, answers["absent"], "cannot cache function")


BROKEN = {
    "a clash of versions": ("raise ImportError('Numba needs NumPy 1.9 or less')", "NumPy 1.9"),
    "another error at import": ("raise SystemError('initialization failed')", "initialization"),
    "no njit": ("config = type('C', (), {'DISABLE_JIT': 0})", "njit"),
    "a compiler that fails": (
        "config = type('C', (), {'DISABLE_JIT': 0})\n"
        "def njit(**options):\n"
        "    def fail(*given):\n"
        "        raise RuntimeError('LLVM cannot lower this')\n"
        "    return lambda function: fail\n",
        "LLVM cannot lower this",
    ),
}


@pytest.mark.parametrize("fault", list(BROKEN))
def test_a_broken_numba_falls_back(answers: dict[str, Any], fault: str) -> None:
    require_fallback(answers[fault], answers["absent"], BROKEN[fault][1])


def test_a_numba_told_not_to_compile_is_not_used(answers: dict[str, Any]) -> None:
    """Its loops would run in Python, thousands of times slower than NumPy."""
    pytest.importorskip("numba")
    require_fallback(answers["idle"], answers["absent"], "NUMBA_DISABLE_JIT")


def test_the_warning_comes_once_even_where_warnings_are_errors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_compiled, "_failure", None)
    monkeypatch.setattr(_compiled, "_installed", lambda: True)

    def fail(module: Any) -> None:
        raise OSError("no space left on device")

    with pytest.raises(AcceleratorWarning, match="no space left on device"):
        _compiled.attempt("json", fail)
    assert _compiled.attempt("json", lambda module: module.dumps(1)) is None
    assert not _compiled.usable()


def test_memory_that_runs_out_is_not_taken_for_a_fault_of_numba(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_compiled, "_failure", None)

    def fill(module: Any) -> None:
        raise MemoryError

    with pytest.raises(MemoryError):
        _compiled.attempt("json", fill)
    assert _compiled._failure is None


def _flat(values: Any) -> list[float]:
    return [x for value in values for x in _flat(value)] if isinstance(values, list) else [values]
