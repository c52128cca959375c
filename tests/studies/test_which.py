"""The study of sets made for a model, on two of its pairs and few inputs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("sklearn")
pytest.importorskip("ase")
pytest.importorskip("networkx")
pytest.importorskip("matplotlib")


import sparseaug as sa
from studies.which.__main__ import main
from studies.which.measure import Truth, noise
from studies.which.pairs import Pair

RNG = np.random.default_rng(0)


def test_study_measures_every_contender_and_leaves_out_what_has_no_data(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ["outlines", "photographs-quarters", "leaves"]
    main(["--pairs", *names, "--quick", "--out", str(tmp_path)])
    found = json.loads((tmp_path / "which.json").read_text())["pairs"]
    assert [pair["pair"] for pair in found] == names[:2]
    assert [pair["group"] for pair in found] == ["C120", "D4"]
    kinds = {"draws", "distinct", "spectrum", "deviation", "prior", "field"}
    for pair, sizes in zip(found, [(8, 16, 32, 64), (2, 4)], strict=True):
        for m in sizes:
            rows = [row for row in pair["sets"] if row["m"] == m]
            assert kinds <= {row["kind"] for row in rows}
            assert all(row["size"] <= m and row["left"] >= 0 for row in rows)
    text = (tmp_path / "which.md").read_text()
    assert "LEFT OUT: leaves" in text
    assert "LEFT OUT: leaves" in capsys.readouterr().out
    assert "PASS: outlines, m = 64:" in text  # at least three times better than draws
    assert (tmp_path / "which.svg").stat().st_size > 1000


def test_truth_from_translates_is_the_expectation_over_all_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x = RNG.normal(size=(40, 5))
    pair = Pair(sa.permute_axis(sa.symmetric(5)), lambda x: np.tanh(x[:, :1] + x[:, 1:2] ** 2), x)
    exact, whole = Truth(pair, x), Truth(pair, x, parts=1)
    monkeypatch.setattr("studies.which.measure.ENUMERATED", 0)
    sampled = Truth(pair, x, translates=400)
    S = sa.Oracle("S5", seed=1).draw(6)
    found = sampled.left(S)
    assert exact.left(S).mean() == pytest.approx(whole.left(S).mean(), rel=1e-9)
    # three half-widths of 95 %: fails by chance in one of 10^8
    assert abs(found.mean() - exact.left(S).mean()) < 3 * noise(found) + 1e-3
    assert sampled.variance == pytest.approx(exact.variance, rel=0.05)
