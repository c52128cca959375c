"""What a report may replace: what it wrote itself, known by its hash, and nothing else."""

import os
import sys

import pytest

from sparseaug.errors import FileFormatError, StorageError
from studies.report import write_report
from studies.report.write import NAMES, _figures
from studies.sealed import load_json, save_json

DRAW = _figures  # the real one: the fixture of this folder puts another in its place
FIGURES = ["figure.pdf", "figure.png", "certificates.pdf", "certificates.png"]


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("name", [*FIGURES, "report.html"])
def test_a_file_of_somebody_else_stays_and_nothing_is_written(synthetic, save, name):
    folder = save(synthetic())
    (folder / name).write_bytes(b"mine")
    before = contents(folder)
    with pytest.raises(StorageError, match=f"{name} was written by something else"):
        write_report(folder)
    assert contents(folder) == before


@pytest.mark.parametrize("name", [*FIGURES, "report.html"])
def test_a_file_that_was_changed_since_stays(synthetic, save, name):
    folder = save(synthetic())
    write_report(folder)
    with open(folder / name, "ab") as file:
        file.write(b"a note")
    before = contents(folder)
    with pytest.raises(StorageError, match="or changed since"):
        write_report(folder)
    assert contents(folder) == before


@pytest.mark.parametrize("name", [*FIGURES, "report.html", "files.json"])
def test_nothing_is_written_through_a_link(synthetic, save, tmp_path_factory, name):
    folder, elsewhere = save(synthetic()), tmp_path_factory.mktemp("elsewhere") / "mine"
    write_report(folder)
    elsewhere.write_bytes((folder / name).read_bytes())
    (folder / name).unlink()
    (folder / name).symlink_to(elsewhere)
    save(synthetic(seeds=3))
    before = elsewhere.read_bytes()
    with pytest.raises(StorageError, match="symbolic link"):
        write_report(folder)
    assert elsewhere.read_bytes() == before
    assert (folder / name).is_symlink()


def test_its_own_files_are_replaced_when_the_results_are_others(synthetic, save):
    folder = save(synthetic())
    write_report(folder)
    before = contents(folder)
    save(synthetic(seeds=3))
    write_report(folder)
    assert all(contents(folder)[name] != before[name] for name in NAMES)
    write_report(folder)


def test_the_same_report_is_left_alone(synthetic, save):
    folder = save(synthetic())
    write_report(folder)
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    write_report(folder)
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == before


@pytest.mark.parametrize("stop", range(6))
def test_stopped_at_any_write_the_files_are_still_known(synthetic, save, monkeypatch, stop):
    from studies.report import owned

    folder = save(synthetic())
    write_report(folder)
    save(synthetic(seeds=3))
    plain, written = owned.write_atomic, []

    def write(path, *rest, **options):
        if len(written) == stop:
            raise KeyboardInterrupt
        written.append(path)
        plain(path, *rest, **options)

    with monkeypatch.context() as patch:
        patch.setattr(owned, "write_atomic", write)
        if stop < 5:
            with pytest.raises(KeyboardInterrupt):
                write_report(folder)
    save(synthetic(seeds=2))
    assert len(write_report(folder)) == 5


@pytest.mark.parametrize("listed", [None, [], {"report.html": 3}, {"report.html": [3]}])
def test_a_damaged_list_of_files_is_named(synthetic, save, listed):
    folder = save(synthetic())
    save_json(folder / "files.json", {"files": listed})
    with pytest.raises(FileFormatError, match=r"files\.json"):
        write_report(folder)
    (folder / "files.json").write_text("{}")
    with pytest.raises(FileFormatError, match=r"files\.json"):
        write_report(folder)
    assert sorted(os.listdir(folder)) == ["files.json", "results.json"]


def test_without_matplotlib_the_page_is_written(synthetic, save, monkeypatch):
    folder = save(synthetic())
    whole = write_report(folder)[-1].read_bytes()
    for path in folder.iterdir():
        if path.name != "results.json":
            path.unlink()
    monkeypatch.setattr("studies.report.write._figures", DRAW)
    for name in ("matplotlib", "matplotlib.style", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    assert [path.name for path in write_report(folder)] == ["report.html"]
    assert (folder / "report.html").read_bytes() == whole
    assert load_json(folder / "files.json")["files"].keys() == {"report.html"}
