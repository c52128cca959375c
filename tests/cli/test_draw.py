"""`sparseaug draw`: so many elements, all of them, or as many as reach a target."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sparseaug as sa

COMMAND = "draw"


def test_full_identity_and_distinct(run) -> None:
    assert run("--group", "D4", "--full", "--out", "S")[0] == 0
    assert sa.GroupSample.load("S") == sa.GroupSample.full(sa.dihedral(4))
    code, out, _ = run(
        "--group", "S5", "--m", "7", "--identity", "--distinct", "--out", "T", "--json"
    )
    facts = json.loads(out)
    S = sa.GroupSample.load("T")
    assert code == 0
    assert S.elements[0].tolist() == [0, 1, 2, 3, 4]
    assert (facts["m"], facts["distinct"], facts["calls"]) == (7, 7, S.calls)


def test_a_target_is_reached_and_said(run) -> None:
    code, out, _ = run("--group", "S4", "--target", "0.5", "--out", "S", "--json")
    facts = json.loads(out)
    assert code == 0
    assert facts["deviation"]["value"] <= 0.5
    assert facts["calls"] == sa.GroupSample.load("S").m


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--m", "4"), "Missing option '--group'"),
        (("--group", "S3"), "--m, --full and --target"),
        (("--group", "S3", "--m", "4", "--full"), "--m, --full and --target"),
        (("--group", "S3", "--full", "--identity"), "go with --m"),
        (("--group", "S3", "--m", "4", "--degree", "1"), "goes with --target"),
        (("--group", "S3", "--m", "7", "--distinct"), "which has 6 elements"),
        (("--group", "S20", "--full"), "S20"),
        (("--group", "S3", "--target", "0"), "target"),
    ],
)
def test_what_does_not_go_together_is_said_and_nothing_is_written(run, arguments, said) -> None:
    code, _, err = run(*arguments, "--out", "S")
    assert code == 2
    assert said in err
    assert not Path("S").exists()
