"""The study of a store against streaming, on digits and a small untrained network; no download."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("sklearn")
pytest.importorskip("zarr")
pytest.importorskip("PIL")

import torch

import sparseaug as sa
from studies.store.__main__ import main
from studies.store.cases import digits
from studies.store.features import collect
from studies.store.report import summary

WAYS = {"none", "draws", "own draws", "design", "moved first", "full", "streaming"}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    pytest.importorskip("matplotlib")
    out = tmp_path_factory.mktemp("store")
    main(["--cases", "digits", "--epochs", "10", "--seeds", "2", "--out", str(out)])
    assert "| moved first | 4 |" in (out / "store.md").read_text()
    assert (out / "store.svg").stat().st_size > 1000
    return json.loads((out / "digits.json").read_text())


def test_every_way_is_trained_and_its_passes_are_counted(found: dict[str, Any]) -> None:
    assert {row["way"] for row in found["rows"]} == WAYS
    pilot = 16 * 8 / 200
    for row in found["rows"]:
        made = row["way"] in ("design", "moved first")
        most = {"none": 1, "full": 8, "streaming": row["m"]}.get(row["way"], row["m"])
        assert row["passes"] <= most + pilot * made
        assert row["passes"] == most + pilot * made or row["way"] in ("draws", "own draws")
    streaming = [line for line in summary(found, "linear") if line["way"] == "streaming"]
    assert [line["passes"] for line in streaming] == [5, 10]
    assert streaming[-1]["gap"] == 0.0


def test_more_of_the_group_is_more_accurate_on_moved_digits(found: dict[str, Any]) -> None:
    score = {(line["way"], line["m"]): line["score"] for line in summary(found, "machine")}
    assert score["none", 1] + 0.1 < score["design", 4] < score["full", 8]


def test_the_certificate_bounds_what_the_head_loses(found: dict[str, Any]) -> None:
    for one in found["certificates"]:
        assert one["on S"] < 1e-4 < one["exact"]
        assert 0 < one["excess"] <= one["excess, at most"]


def test_columns_are_the_values_at_the_elements_of_each_way(tmp_path: Path) -> None:
    case = digits(train=24, test=6)
    data = collect(case, tmp_path, seeds=2, epochs=6)
    group = case.action.group
    store = sa.views.open(tmp_path / "store")
    elements = store.S.elements

    def value(i: int, row: Any) -> Any:
        with torch.no_grad():
            moved = case.action(row[None], case.x[i : i + 1])[0]
            return case.function(torch.from_numpy(moved))[0].numpy()

    unmoved = store.array(elements=data.tables["none", 1, 0][0])[:24, 0]
    raw = data.values * (unmoved.std(axis=0) + 1e-3) + unmoved.mean(axis=0)
    for name, m, table, epochs in data.contenders(1, 6):
        assert table.shape == (24, m)
        assert epochs == (m if name == "streaming" else 6)
        i, j = 5, table[5, -1]
        np.testing.assert_allclose(raw[i, j], value(i, elements[j]), rtol=1e-3, atol=1e-6)
    S = elements[data.tables["design", 4, 1][0]]
    for i in range(24):
        moved = elements[data.tables["moved first", 4, 1][i]]
        first = elements[data.own[1][i, :1]]
        np.testing.assert_array_equal(group.compose(S, first), moved)
