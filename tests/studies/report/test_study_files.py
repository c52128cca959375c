"""What `write_study` reads from results.json: typed errors, and nothing outside the folder."""

import contextlib
import copy
import os

import pytest

from sparseaug.errors import ArgumentError, FileFormatError, StorageError
from studies.paper import read_comparison, read_results
from studies.rates import Finding, Line, Panel, Summary, Table, read_study
from studies.report import check_report, check_study, write_report, write_study
from studies.report.owned import write_owned
from studies.sealed import load_json, save_json
from tests.test_crafted import go_through, wrong_facts

OUTSIDE = [
    "../outside",
    "a/../../outside",
    "/outside",
    "..",
    ".",
    "",
    ".hidden",
    "a/b",
    "a\\b",
    "C:outside",
    "name\n",
    "a\0b",
    "-",
    "ä",
]


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


@pytest.mark.parametrize("name", OUTSIDE)
def test_no_name_but_that_of_a_file_in_the_folder_is_ever_written(tmp_path, name):
    (tmp_path / "folder").mkdir()
    name = name.replace("/outside", str(tmp_path / "outside")) if name[:1] == "/" else name
    with pytest.raises(ArgumentError, match="is not the name of a file in the folder"):
        write_owned(tmp_path / "folder", {"good.csv": b"", name: b""})
    save_json(tmp_path / "folder" / "files.json", {"files": {name: ["0" * 64]}})
    with pytest.raises(FileFormatError, match="it lists no files"):
        write_owned(tmp_path / "folder", {"good.csv": b""})
    assert files_below(tmp_path) == {str(tmp_path / "folder" / "files.json")}


def test_a_study_is_read_as_it_was_written(tmp_path, drawing):
    save_json(tmp_path / "results.json", study())
    assert read_study(tmp_path) == study()
    names = ["doubled.csv", "doubling.pdf", "doubling.png", "study.html"]
    assert [path.name for path in write_study(tmp_path)] == names
    assert set(load_json(tmp_path / "files.json")["files"]) == set(names)


@pytest.mark.usefixtures("without_figures")
@pytest.mark.parametrize(("panels", "least"), [(False, 400), (True, 300)])
def test_every_crafted_study_is_a_typed_error_or_is_written_as_it_stands(
    tmp_path, monkeypatch, panels, least
):
    monkeypatch.setattr("os.fsync", lambda handle: None)
    if not panels:  # which alone are drawn
        monkeypatch.setattr("studies.report.study.draw_panels", lambda given: None)

    def read(wrong):
        save_json(tmp_path / "results.json", wrong)
        write_study(tmp_path)
        return read_study(tmp_path)

    cases = [each for each in wrong_facts(study()) if ("panels" in each[0]) == panels]
    count, refused = go_through(cases, read, lambda found, wrong: found == wrong)
    assert count > least
    assert refused > 0.6 * count
    written = {"results.json", "files.json", "study.html"}
    others = {os.path.relpath(path, tmp_path) for path in files_below(tmp_path)} - written
    assert all(os.sep not in name for name in others)


@pytest.mark.parametrize("value", [1e99, -1e99, 1e-300, 0.0])
def test_any_number_that_is_accepted_is_drawn(tmp_path, drawing, value):
    data = study()
    for panel, rows in zip(data["parts"]["doubling"]["summary"]["panels"], (2, 1), strict=True):
        for i in range(rows):
            panel["lines"][0]["rows"][i][0] = value
    save_json(tmp_path / "results.json", copy.deepcopy(data))
    assert len(write_study(tmp_path)) == 4


DOORS = [check_report, check_study, read_comparison, read_results, read_study]


@pytest.mark.parametrize("door", [*DOORS, write_report, write_study], ids=lambda f: f.__name__)
@pytest.mark.parametrize("folder", [None, 3, 1.5, b"x", ["x"], {}, "a\0b", True], ids=repr)
def test_what_is_not_a_folder_is_refused_by_name(door, folder):
    with pytest.raises(ArgumentError, match="folder="):
        door(folder)


@pytest.mark.parametrize("door", [*DOORS, write_report, write_study], ids=lambda f: f.__name__)
def test_a_folder_that_cannot_be_used_is_a_typed_error(door, tmp_path):
    (tmp_path / "file").write_text("mine")
    for folder in ("", "x" * 5000, tmp_path / "file", tmp_path / ("y" * 300)):
        with contextlib.suppress(StorageError):  # there is nothing to read, or nothing in the way
            door(folder)
    assert files_below(tmp_path) == {str(tmp_path / "file")}
