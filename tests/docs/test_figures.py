"""Figures that a page quotes stand on the page or in the table that it quotes them from."""

from __future__ import annotations

import statistics
from pathlib import Path

import pytest

from tests.extras import REASON

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(
    ("page", "table", "same", "names"),
    [
        ("examples/digits.md", "digits", {"learner": "CNN"}, {"deviation of S": "deviation"}),
        ("examples/qm9.md", "qm9", {}, {}),
        ("evidence.md", "deviation", {}, {"draws: mean": "mean", "the paper's bound": "bound"}),
    ],
)
def test_the_short_table_of_a_page_holds_rows_of_its_csv_file(page, table, same, names):
    pytest.importorskip("matplotlib", reason=REASON.format("matplotlib"))
    from studies.pages.tables import read_table

    whole = read_table(f"data/{table}.csv")
    key = "group" if "group" in whole[0] else "way"
    shown = [row for row in read_table(page, key) if key in row]
    assert len(shown) >= 4
    for row in shown:
        wanted = {key: row[key], **same}
        wanted |= {"learner": row["learner"]} if "learner" in row else {}
        found = next(one for one in whole if all(one[k] == v for k, v in wanted.items()))
        columns = [name for name in row if names.get(name, name) in found]
        assert len(columns) >= 4
        for name in columns:
            assert found[names.get(name, name)].split(" ±")[0] == row[name].strip("*"), (row, name)


def test_the_medians_of_the_slopes_are_those_of_the_table():
    from studies.pages.tables import number, read_table

    rows = read_table("data/rates.csv", "group")
    page = (DOCS / "evidence.md").read_text()
    for name in ("one-shot", "words", "streaming"):
        assert f"{statistics.median(number(row[name]) for row in rows):.2f}" in page
