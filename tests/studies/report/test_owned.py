"""What a report may replace: what it wrote itself, known by its hash, and nothing else."""

import pytest

from sparseaug.errors import StorageError
from studies.report import write_report

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
