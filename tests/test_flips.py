"""A flipped bit in any file that the library writes: a typed error, or exactly the same content."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import FileFormatError, StorageError
from studies.paper import Folder, read_comparison, read_results, reproduce
from studies.report import check_report, write_report
from studies.sealed import load_json
from tests.runs import TINY, run_with_checkpoint


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """One of each: a sample, a checkpoint, a finished experiment with its page."""
    folder = tmp_path_factory.mktemp("written")
    sa.Oracle(sa.symmetric(4), seed=1).draw(30).save(folder / "S")
    reproduce(TINY, folder / "out", jobs=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("studies.report.write._figures", lambda *results: {})
        write_report(folder / "out")
    run_with_checkpoint(folder / "checkpoint", stop=10)
    return folder


def the_sample(folder):
    S = sa.GroupSample.load(folder / "S")
    return S.to_dict()


def the_run(folder):
    kept = (folder / "checkpoint").read_bytes()
    try:
        run = run_with_checkpoint(folder / "checkpoint")
    finally:
        (folder / "checkpoint").write_bytes(kept)
    return run.last.tolist(), run.best.tolist(), run.trace.to_dict(), run.calls, run.best_step


def the_part(name):
    def read(folder):
        part = Folder(folder / "out", TINY).load_part(0, name)
        return part.calls, part.seconds, {key: part.arrays[key].tolist() for key in part.arrays}

    return read


def the_replay(folder):
    from studies.paper import Problem

    Folder(folder / "out", TINY).save_replay(0, Problem(TINY, 0).replay())


def the_results(folder):
    results = read_results(folder / "out")
    return results.to_dict(), dict(results.timing), dict(results.versions)


def the_designs(folder):
    return read_comparison(folder / "out").to_dict()


def the_config(folder):
    Folder(folder / "out", TINY).open()


def the_files(folder):
    check_report(folder / "out")
    return load_json(folder / "out" / "files.json")


KINDS = {
    "sample": ("S", the_sample),
    "checkpoint": ("checkpoint", the_run),
    "part": ("out/seeds/seed-0-full.safetensors", the_part("full")),
    "certificate": (
        "out/seeds/seed-0-one-shot-4-certificate.safetensors",
        the_part("one-shot-4-certificate"),
    ),
    "designs": ("out/seeds/seed-0-designs.safetensors", the_part("designs")),
    "designs.json": ("out/designs.json", the_designs),
    "replay": ("out/replay/seed-0.safetensors", the_replay),
    "results.json": ("out/results.json", the_results),
    "timing.json": ("out/timing.json", the_results),
    "config.json": ("out/config.json", the_config),
    "files.json": ("out/files.json", the_files),
    "report.html": ("out/report.html", the_files),
}


@pytest.mark.parametrize("kind", KINDS)
def test_no_flipped_bit_is_believed(written, tmp_path, monkeypatch, kind):
    assert flip(written, tmp_path, monkeypatch, kind, 60) == 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_of_two_thousand_flipped_bits_none_is_believed(written, tmp_path, monkeypatch, kind):
    assert flip(written, tmp_path, monkeypatch, kind, 2000) == 0


def flip(written, tmp_path, monkeypatch, kind, flips):
    """How many of so many files with one bit flipped are taken for whole, with other content."""
    monkeypatch.setattr("os.fsync", lambda handle: None)
    folder = shutil.copytree(written, tmp_path / "copy")
    name, read = KINDS[kind]
    path, expected = folder / name, repr(read(folder))
    whole = path.read_bytes()
    bits = np.random.default_rng(7).choice(
        8 * len(whole), min(flips, 8 * len(whole)), replace=False
    )
    believed = refused = 0
    for bit in bits.tolist():
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << (bit % 8)
        path.write_bytes(damaged)
        try:
            believed += repr(read(folder)) != expected
        except (FileFormatError, StorageError):
            refused += 1
    assert refused > 0.7 * len(bits)  # the rest are spaces and line ends
    return believed
