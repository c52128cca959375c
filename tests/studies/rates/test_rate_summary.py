"""What is said about the rates: the whole range and the last decade, held-out problems by themselves."""

from __future__ import annotations

import numpy as np
import pytest

from studies.rates import rate_summary

EPS = [10 ** (-k / 4) for k in range(9)]  # two decades


def streaming(calls, data=0, eps=EPS):
    rows = [[round(each * seed) for seed in (1.0, 1.01, 0.99)] for each in calls]
    task = {"family": "S", "size": 4, "method": "streaming", "b": 1, "data": data}
    return task, {"eps": eps, "calls": rows, "first": rows, "log_order": 3.2, "problem": data}


def one_shot(data=0):
    calls = [10, 100, 1000, 10_000, 100_000]
    norms = [[m**-0.5, 1.01 * m**-0.5] for m in calls]
    task = {"family": "S", "size": 4, "method": "one-shot", "data": data}
    return task, {"calls": calls, "norms": norms, "log_order": 3.2, "problem": data}


def row_of(rows, method):
    (row,) = (
        dict(zip(rate_summary._COLUMNS, row, strict=True)) for row in rows if row[3] == method
    )
    return row


def test_a_line_that_bends_has_another_slope_over_its_last_decade():
    """-5 over the first decade and -4 over the last."""
    calls = [1e4 * e**-5 if e >= 0.1 else 1e5 * e**-4 for e in EPS]
    row = row_of(rate_summary._slopes([streaming(calls)]), "streaming b=1")
    assert row["decades of eps"] == pytest.approx(2)
    assert row["last decade"] == pytest.approx(-4, abs=1e-3)
    assert row["its low"] <= row["last decade"] <= row["its high"]
    assert -4.9 < row["slope"] < -4.1


def test_the_last_decade_of_one_shot_is_two_decades_of_calls():
    task, result = one_shot()
    result["norms"] = [
        [3 * x for x in row] if i < 2 else row for i, row in enumerate(result["norms"])
    ]
    row = row_of(rate_summary._slopes([(task, result)]), "one-shot")
    assert row["last decade"] == pytest.approx(-2)
    assert abs(row["slope"] + 2) > 0.1


def test_held_out_problems_are_judged_by_the_same_rule_and_listed_with_their_data_seed():
    held = rate_summary._slopes([one_shot(100), streaming([1e4 * e**-4.5 for e in EPS], 100)])
    table = rate_summary._held_table(held)
    assert [row[2:4] for row in table.rows] == [[100, "one-shot"], [100, "streaming b=1"]]
    good = rate_summary._finding(held, "one-shot", -2.0, "")
    bad = rate_summary._finding(held, "streaming b=1", -4.0, "")
    assert (good.holds, bad.holds) == (True, False)
    assert "0 of 1 slopes within 0.2 of -4, 0 intervals hold it" in bad.measured
    assert "S4 -4.50" in bad.measured
    assert np.isfinite([row[5] for row in table.rows]).all()
