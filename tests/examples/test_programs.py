"""The examples as a user runs them: each one file, and each prints a before and an after."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.extras import REASON

FOLDER = Path(__file__).parents[2] / "examples"


def printed(name: str) -> dict[str, float]:
    """The figures at the ends of the lines, by what stands before them."""
    done = subprocess.run(
        [sys.executable, str(FOLDER / name)], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    lines = re.findall(r"^(\w.*?) +([\d.]+)(?:%| meV| rms error)$", done.stdout, re.MULTILINE)
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


def test_answers_chosen_orders_leave_nothing_of_places_and_neighbours_and_shifts_more_than_draws():
    shown = printed("answers.py")
    assert shown["6 chosen orders"] == 0
    assert 0 < shown["6 random orders"] < shown["6 cyclic shifts"] < shown["one order"]


def test_shapley_chosen_orders_have_less_than_half_of_the_error_of_random_ones():
    pytest.importorskip("shap", reason=REASON.format("shap"))
    pytest.importorskip("sklearn", reason=REASON.format("sklearn"))
    shown = printed("shapley.py")
    assert shown["chosen orders"] < shown["random orders"] / 2


def test_an_example_is_one_file():
    for path in FOLDER.glob("*.py"):
        own = {other.stem for other in FOLDER.glob("*.py")} | {"studies"}
        found = re.findall(r"^(?:from|import) (\w+)", path.read_text(), re.MULTILINE)
        assert not own & set(found), path.name
