"""What a report may replace: what it wrote itself, known by its hash, and nothing else."""

import sys

import pytest

from sparseaug.errors import StorageError
from studies.report import write_report
from studies.report.write import NAMES, _figures
from studies.sealed import load_json

DRAW = _figures  # the real one: the fixture of this folder puts another in its place
FIGURES = ["figure.pdf", "figure.png", "certificates.pdf", "certificates.png"]


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


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


def test_its_own_files_are_replaced_when_the_results_are_others(synthetic, save):
    folder = save(synthetic())
    write_report(folder)
    before = contents(folder)
    save(synthetic(seeds=3))
    write_report(folder)
    assert all(contents(folder)[name] != before[name] for name in NAMES)
    write_report(folder)


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
