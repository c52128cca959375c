"""What the documentation counts of 8,339 deviations, from the shipped table of all of them."""

from __future__ import annotations

import pytest
from scipy.stats import beta

import sparseaug as sa
from sparseaug.theory import deviation_bound, deviation_floor, sharp_deviation_bound
from studies.pages.tables import read_table
from studies.rates.deviations import run, tasks

ROWS = [
    (sa.group(row["group"]), int(row["m"]), [float(each) for each in row["deviations"].split()])
    for row in read_table("data/deviation-draws.csv", "group", "m", "deviations")
]
DRAWS = [task for task in tasks(False) if task["kind"] == "draws"]
PLACE = 0.5e-5  # half of the last place that is printed


def above(bound) -> int:
    """How many deviations are above their bound for certain, whatever was rounded off."""
    return sum(each - PLACE > bound(G, m) for G, m, values in ROWS for each in values)


def test_the_table_has_every_draw_of_the_study():
    wanted = {}
    for task in DRAWS:
        key = (task["group"], task["m"])
        wanted[key] = wanted.get(key, 0) + task["draws"]
    assert {(G.name, m): len(values) for G, m, values in ROWS} == wanted
    assert sum(wanted.values()) == 8_339


def test_none_is_above_the_paper_s_bound_and_one_is_above_the_sharper_bound():
    assert above(lambda G, m: deviation_bound(m, order=G.order, delta=0.05)) == 0
    assert (
        above(
            lambda G, m: sharp_deviation_bound(m, dimension_sum=G.dimension_sum().value, delta=0.05)
        )
        == 1
    )
    assert above(lambda G, m: 1.0) == 0
    assert all(min(v) + PLACE >= deviation_floor(m, order=G.order) for G, m, v in ROWS)
    assert beta.ppf(0.975, 2, 8_338) <= 0.0007  # Clopper and Pearson, one of 8,339


SMALL = [t for t in DRAWS if t["group"] in ("S5", "B3", "Z2^6", "D8", "C16") and t["m"] == 64]


@pytest.mark.parametrize("task", SMALL, ids=lambda task: task["group"])
def test_rows_are_what_the_study_finds(task):
    (values,) = (v for G, m, v in ROWS if (G.name, m) == (task["group"], task["m"]))
    assert run({**task, "draws": 20})["values"] == pytest.approx(values[:20], rel=0, abs=2 * PLACE)


def test_the_table_of_the_page_has_their_means():
    means = {(G.name, m): sum(values) / len(values) for G, m, values in ROWS}
    rows = read_table("data/deviation.csv", "group", "m", "mean")
    assert len(rows) == 33
    for row in rows:
        mean = means[row["group"], int(row["m"])]
        assert float(row["mean"]) == pytest.approx(mean, rel=0, abs=0.5e-3 + PLACE)
