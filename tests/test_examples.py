"""The examples as a user runs them: each one file, and each prints a before and an after."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.extras import REASON

FOLDER = Path(__file__).parents[1] / "examples"


def printed(name: str) -> dict[str, float]:
    """The figures at the ends of the lines, by what stands before them."""
    done = subprocess.run(
        [sys.executable, str(FOLDER / name)], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    lines = re.findall(r"^(\w.*?) +([\d.]+)(?:%| meV)$", done.stdout, re.MULTILINE)
    return {what: float(figure) for what, figure in lines}


def test_digits_designed_shifts_are_above_as_many_draws_and_none():
    pytest.importorskip("sklearn", reason=REASON.format("sklearn"))
    shown = printed("digits.py")
    assert shown["none"] < shown["32 drawn"] < shown["32 designed"] < shown["all 64"]


def test_rotations_designed_turns_leave_less_than_as_many_draws():
    pytest.importorskip("sklearn", reason=REASON.format("sklearn"))
    pytest.importorskip("ase", reason=REASON.format("ase"))
    shown = printed("rotations.py")
    assert shown["60 designed"] < shown["60 drawn"] / 3 < shown["alone"] / 10
    assert shown["12 designed"] < shown["12 drawn"] < shown["alone"]


def test_twirls_16_designed_circuits_leave_no_more_than_128_random_ones():
    shown = printed("twirls.py")
    for error in ("too much ZZ", "any direction"):
        designed, balanced = (
            shown[f"0.05 {error}, 16 designed"],
            shown[f"0.05 {error}, 16 balanced"],
        )
        assert designed < shown[f"0.05 {error}, 128 random"] < shown[f"0.05 {error}, 16 random"] / 2
        assert designed < 1.02 * balanced
        assert shown[f"0.05 {error}, 256 designed"] < shown[f"0.05 {error}, 256 balanced"] / 4
        # the caveat: at this angle the noise of 4,096 shots is larger than what any of them leaves
        shots = [v for k, v in shown.items() if k.startswith(f"0.05 {error}") and "shots" in k]
        assert min(shots) > 0.85 * max(shots)


def test_an_example_is_one_file():
    for path in FOLDER.glob("*.py"):
        own = {other.stem for other in FOLDER.glob("*.py")} | {"studies"}
        found = re.findall(r"^(?:from|import) (\w+)", path.read_text(), re.MULTILINE)
        assert not own & set(found), path.name
        assert len(path.read_text().splitlines()) <= 80
