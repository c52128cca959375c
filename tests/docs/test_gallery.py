"""The gallery: a card has a picture, a command and figures that stand on its page or its tables."""

from __future__ import annotations

import re
import statistics
from pathlib import Path

import pytest

from tests.extras import REASON

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs/examples"
CARDS = (FOLDER / "index.md").read_text().split("\n-   ")[1:]
NUMBER = r"(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?"


def title(card):
    return re.search(r"\*\*\[(.*?)\]", card)[1]


@pytest.mark.parametrize("card", CARDS, ids=title)
def test_the_figures_of_a_card_stand_on_the_page_behind_it_or_in_its_tables(card):
    alt, picture = re.match(r"!\[(.+?)\]\((\S+\.png)\)", card).groups()
    assert len(alt) > 20
    assert (FOLDER / picture).exists()
    path = FOLDER / re.search(r"\*\*\[.*?\]\((.*?\.md)", card)[1]
    page = path.read_text()
    for linked in re.findall(r"\]\(([^()]+\.csv)\)", page):
        page += (path.parent / linked).read_text()
    text, command = re.search(r"\*\*\n\n(.*?)\n\n    (`.*?`)", card, re.DOTALL).groups()
    assert command
    figures = re.findall(NUMBER, text + alt)
    assert figures
    missing = [one for one in figures if not re.search(rf"(?<![\d.]){one}(?!\.?\d)", page)]
    assert not missing, missing


def test_every_example_is_in_the_gallery():
    programs = [path.stem for path in (ROOT / "studies/examples").glob("*.py")]
    names = [name for name in programs if name not in ("__init__", "study", "molecules")]
    assert len(names) == 3
    for name in ["examples/distributed.py", *(f"studies.examples.{name}" for name in names)]:
        assert any(name in card for card in CARDS)


def test_the_script_draws_the_pictures_from_the_tables_of_the_pages(tmp_path):
    pytest.importorskip("torch", reason=REASON.format("torch"))
    pyplot = pytest.importorskip("matplotlib.pyplot", reason=REASON.format("matplotlib"))
    from studies.pages import gallery

    shown = set(re.findall(r"\(gallery/([\w-]+)\.png\)", "".join(CARDS)))
    assert shown == gallery.PICTURES.keys()
    assert {path.stem for path in (FOLDER / "gallery").glob("*.png")} == {*shown, "spectrum"}
    for name in ("digits", "qm9", "rotations", "experiment", "rates", "deviation", "certificates"):
        figure, axes = pyplot.subplots()
        gallery.PICTURES[name](axes)
        assert axes.get_xlabel()
        pyplot.close(figure)
    for page in ("certificates.md", "data/digits.csv"):
        with pytest.raises(SystemExit, match="no table with the columns price"):
            gallery.read_table(page, "price")


def test_the_figures_of_the_pages_are_drawn_from_their_tables():
    pytest.importorskip("torch", reason=REASON.format("torch"))
    pytest.importorskip("matplotlib", reason=REASON.format("matplotlib"))
    from studies.pages import figures
    from studies.report.looks import LOOKS

    for name, draw in figures.FIGURES.items():
        assert (ROOT / "docs" / name).exists()
        assert draw().axes
    panel = figures.FIGURES["examples/digits.png"]().axes[2]
    colours = {
        figures.DIGITS[round(line.get_ydata()[0])]: line.get_color()
        for line in panel.lines
        if line.get_marker() not in ("|", "None")
    }
    assert colours["one-shot 16"] == LOOKS["draws"].colour
    assert colours["lattice 32"] == LOOKS["design"].colour
    assert colours["streaming, per image"] == LOOKS["streaming"].colour


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
    shown = [row for row in read_table(f"{page}", key) if key in row]
    assert len(shown) >= 4
    for row in shown:
        wanted = {
            key: row[key],
            **same,
            **({"learner": row["learner"]} if "learner" in row else {}),
        }
        found = next(one for one in whole if all(one[k] == v for k, v in wanted.items()))
        columns = [name for name in row if names.get(name, name) in found]
        assert len(columns) >= 4
        for name in columns:
            assert found[names.get(name, name)].split(" ±")[0] == row[name], (row, name)


def test_the_medians_of_the_slopes_are_those_of_the_table():
    from studies.pages.tables import number, read_table

    rows = read_table("data/rates.csv", "group")
    page, cards = (ROOT / "docs/evidence.md").read_text(), "".join(CARDS)
    for name in ("one-shot", "words", "streaming"):
        median = f"{statistics.median(number(row[name]) for row in rows):.2f}"
        assert median in page
        assert name == "words" or f"{median} for {name}" in cards


def test_the_search_knows_the_gallery_and_its_pictures_are_built(site):
    found = (site / "search/search_index.json").read_text()
    assert '"examples/#the-paper"' in found
    assert len(list((site / "examples/gallery").glob("*.png"))) > 10
