"""What `write_study` reads from results.json: typed errors, and nothing outside the folder."""

import os

import pytest

from sparseaug.errors import FileFormatError
from studies.rates import Finding, Line, Panel, Summary, Table, read_study
from studies.report import write_study
from studies.sealed import load_json, save_json

OUTSIDE = ["../outside", "/outside", "..", "", ".hidden", "a/b", "a\\b", "name\n", "a\0b"]


def study():
    """results.json of a study with a finding, a table and two panels."""
    summary = Summary(
        [Finding("It doubles.", "4", True), Finding("It is.", "1")],
        [Table("doubled", "Doubled", ["x", "twice"], [[2, 4.0], ["3", None]], "A note.")],
        [
            Panel("Twice", "x", [Line("twice", [1.0, 2.0], [[2.0, 4.0], [2.0, 4.5]])]),
            Panel("Half", "x", [Line("h", [0.0], [[0.0]], "points", True)], False, False),
        ],
    )
    part = {"title": "Doubling", "results": [{"twice": 4}], "summary": summary.to_dict()}
    return {"config": {"study": 2, "quick": True, "tasks": {}}, "parts": {"doubling": part}}


@pytest.fixture
def without_figures(monkeypatch):
    monkeypatch.setattr("studies.report.study.figure_bytes", lambda figure, kind: b"drawn")


def files_below(folder):
    return {os.path.join(top, name) for top, _, names in os.walk(folder) for name in names}


@pytest.mark.usefixtures("without_figures")
@pytest.mark.parametrize("name", OUTSIDE)
@pytest.mark.parametrize("what", ["table", "part"])
def test_a_crafted_name_writes_nothing_outside_the_folder_nor_in_it(tmp_path, what, name):
    folder = tmp_path / "study"
    folder.mkdir()
    name = name.replace("/outside", str(tmp_path / "outside")) if name[:1] == "/" else name
    data = study()
    if what == "table":
        data["parts"]["doubling"]["summary"]["tables"][0]["name"] = name
    else:
        data["parts"][name] = data["parts"].pop("doubling")
    save_json(folder / "results.json", data)
    for read in (write_study, read_study):
        with pytest.raises(FileFormatError, match=f"is not the name of a {what}"):
            read(folder)
    assert files_below(tmp_path) == {str(folder / "results.json")}


def test_a_study_is_read_as_it_was_written(tmp_path, drawing):
    save_json(tmp_path / "results.json", study())
    assert read_study(tmp_path) == study()
    names = ["doubled.csv", "doubling.pdf", "doubling.png", "study.html"]
    assert [path.name for path in write_study(tmp_path)] == names
    assert set(load_json(tmp_path / "files.json")["files"]) == set(names)
