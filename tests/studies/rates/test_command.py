"""`python -m studies rates` as a user meets it."""

from __future__ import annotations

import pytest

from studies.commands import studies
from studies.rates import part

pytest.importorskip("sklearn")

COMMAND, GROUP = "rates", studies


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """One task in place of the study: what is printed and written is the same."""
    summary = part.Summary(
        [part.Finding("It doubles.", "4", True), part.Finding("It halves.", "4", False)],
        [part.Table("doubled", "Doubled", ["x", "twice"], [[2, 4.0], [3, None]], "A note.")],
        [part.Panel("Twice", "x", [part.Line("twice", [1.0, 2.0], [[2.0, 4.0]])])],
    )
    only = part.Part(
        "doubling",
        "Doubling",
        lambda quick: [{"x": 2}],
        lambda task: {"twice": 2 * task["x"]},
        lambda measured: summary,
    )
    monkeypatch.setattr("studies.rates.runner.PARTS", (only,))


def test_findings_and_files_are_printed(run, tmp_path):
    code, out, err = run("--quick", "--jobs", "1", "--out", "out")
    assert (code, err) == (0, "")
    assert out.startswith("QUICK")
    assert "[holds] It doubles.\n    4\n[not shown] It halves.\n    4\n" in out
    assert "In out: results.json, doubled.csv" in out
    assert "1 tasks, 0 of them were there already." in out
    assert (tmp_path / "out" / "doubled.csv").read_text() == "x,twice\n2,4.0\n3,\n"
    assert "✗ not shown" in (tmp_path / "out" / "study.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--backend", "dask"], "address= is missing; give HOST:PORT"),
        (["--address", "x:1"], "goes with --backend dask"),
        (["--backend", "multiprocessing"], "does not hand over results as they are finished"),
    ],
)
def test_back_ends_that_cannot_be_used_are_one_line(run, tmp_path, arguments, said):
    code, out, err = run("--quick", "--out", "out", *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
    assert not (tmp_path / "out").exists()
