"""What `design`, `certify` and `records` print: elements, rotations for others, exact designs first."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import sparseaug as sa
from sparseaug.cli import cli


def said(words: str, code: int = 0) -> str:
    done = CliRunner().invoke(cli, words.split())
    assert done.exit_code == code, done.output
    return done.output


def test_design_prints_its_elements() -> None:
    S = sa.design("S6", m=8)
    lines = said("design --group S6 --m 8").rstrip().splitlines()
    assert [[int(n) for n in line.split()] for line in lines[-S.m :]] == S.elements.tolist()
    assert json.loads(said("design --group S6 --m 8 --json"))["elements"] == S.elements.tolist()


def turn(axis: int, angle: float) -> Any:
    c, s = np.cos(angle), np.sin(angle)
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    R = np.eye(3)
    R[i, i] = R[j, j] = c
    R[i, j], R[j, i] = -s, s
    return R


@pytest.mark.parametrize("degree", [2, 3, 5])
def test_rotations_are_the_same_in_every_form(degree: int) -> None:
    S = sa.design("SO3", degree=degree)
    wanted = S.group.matrices(S.elements)
    found = {
        form: np.loadtxt(said(f"design --group SO3 --degree {degree} --euler {form}").splitlines())
        for form in ("zyz", "quaternion", "matrix")
    }
    assert np.array_equal(found["matrix"].reshape(-1, 3, 3), wanted)
    assert np.array_equal(found["quaternion"], S.elements)
    for (a, b, c), R in zip(found["zyz"], wanted, strict=True):
        assert np.allclose(turn(2, a) @ turn(1, b) @ turn(2, c), R, atol=1e-14)
    assert "SO3" in said("design --group S4 --degree 1 --euler zyz", code=2)


def test_certify_speaks_of_what_a_design_leaves_before_its_worst_function(tmp_path: Any) -> None:
    sa.design("S6", degree=1).save(tmp_path / "S")
    out = " ".join(said(f"certify {tmp_path / 'S'}").split())
    assert out.startswith("cyclic shifts, exact to degree 1: an average over it leaves ")
    assert out.index("--spectrum FILE") < out.index("deviation 1")
    assert "profile(S)" not in out
    assert "--profile" in out
