"""Products next to draws on the paper's experiment, and the sections of the report that show it."""

from __future__ import annotations

import numpy as np
import pytest

from sparseaug.errors import ConfigMismatchError
from studies.paper import beyond
from studies.paper.config import Config
from studies.paper.problem import Problem
from studies.report.beyond import PAPER, call_charts, credit, first_charts, sections

CONFIG = Config.shortened(group_size=4, seeds=1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("beyond")


@pytest.fixture(scope="module")
def found(folder):
    return beyond.measure(CONFIG, folder, jobs=1)


def test_products_cost_the_logarithm_and_run_as_draws_do(found):
    rows = found["rows"]
    for calls in beyond.CALLS:
        row = rows[f"products of {calls}"]
        assert (row["calls"], row["elements"]) == (calls, 2**calls)
        S = Problem(CONFIG, 0).oracle(f"products of {calls}").products(calls)
        assert (S.calls, S.m) == (calls, 2**calls)
    none, few, many = (rows[n]["test_risk"][0] for n in ("none", "products of 6", "full group"))
    assert abs(few - many) < abs(none - many)
    start = {row["first"][0][0] for row in rows.values()}
    assert len(start) == 1  # every run starts at the same theta
    assert all(len(row["first"][0]) == beyond.FIRST + 1 for row in rows.values())


def test_what_the_folder_has_is_read_and_that_of_another_config_refused(found, folder):
    assert beyond.measure(CONFIG, folder) == found
    with pytest.raises(ConfigMismatchError, match="another config"):
        beyond.measure(Config.shortened(group_size=3, seeds=1), folder)


def test_claims_are_judged_from_every_start(found):
    assert [one["init_std"] for one in found["starts"]] == list(beyond.STARTS)
    assert {one["of"] for one in found["starts"]} == {10}
    assert all(len(one["missed"]) < 10 for one in found["starts"])


def test_the_report_names_the_paper_and_shows_what_was_measured(found):
    shown = "".join(sections(found, credit(), credit()))
    assert "products of 6" in shown
    assert f"{np.median([found['rows']['none']['first'][0][40]]):.3g}" in shown
    assert "streaming, b = 8" in shown
    assert all(name in credit() for name in PAPER)
    assert "10 of 10" in "".join(
        sections(
            {**found, "starts": [{"init_std": 2, "of": 10, "missed": [], "clipped": 3}]}, *".."
        )
    )
    risk, _ = call_charts(found)
    curves = {each.label: each for each in risk.series}
    assert list(curves["products of a few draws"].x) == list(beyond.CALLS)
    assert curves["m draws"].rows[0, -1] == found["rows"]["64 draws"]["test_risk"][0]
    (first,) = first_charts(found)
    assert all(len(each.x) == beyond.FIRST + 1 for each in first.series)
