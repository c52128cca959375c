"""Products next to draws on the paper's experiment, and the sections of the report that show it."""

from __future__ import annotations

import numpy as np
import pytest

from studies.paper import beyond
from studies.paper.config import Config
from studies.paper.problem import Problem
from studies.report.beyond import PAPER, credit, sections


@pytest.fixture(scope="module")
def found():
    return beyond.run(Config.shortened(), seeds=1)


def test_products_cost_the_logarithm_and_run_as_draws_do(found):
    rows = found["rows"]
    for calls in beyond.CALLS:
        row = rows[f"products of {calls}"]
        assert (row["calls"], row["elements"]) == (calls, 2**calls)
        S = Problem(Config(), 0).oracle(f"products of {calls}").products(calls)
        assert (S.calls, S.m) == (calls, 2**calls)
    none, few, many = (rows[n]["test_risk"][0] for n in ("none", "products of 6", "full group"))
    assert abs(few - many) < abs(none - many)
    start = {row["first"][0][0] for row in rows.values()}
    assert len(start) == 1  # every run starts at the same theta
    assert all(len(row["first"][0]) == beyond.FIRST + 1 for row in rows.values())


def test_the_report_names_the_paper_and_shows_what_was_measured(found, tmp_path):
    beyond.save_json(tmp_path / beyond.FILE, found)
    shown = sections(beyond.read(tmp_path))
    assert "products of 6" in shown
    assert f"{np.median([found['rows']['none']['first'][0][40]]):.3g}" in shown
    assert "streaming, b = 8" in shown
    assert all(name in credit() for name in PAPER)
    assert sections(beyond.read(tmp_path / "absent")) == ""
    starts = [{"init_std": 0.5, "of": 10, "missed": ["one"], "clipped": 3}]
    assert "9 of 10" in sections({**found, "starts": starts})
