"""A flipped bit in any file that the library writes: a typed error, or exactly the same content."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import FileFormatError, StorageError
from studies.paper import Folder, read_results, reproduce
from tests.runs import TINY, run_with_checkpoint


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """One of each: a sample, a checkpoint, a finished experiment."""
    folder = tmp_path_factory.mktemp("written")
    sa.Oracle(sa.symmetric(4), seed=1).draw(30).save(folder / "S")
    reproduce(TINY, folder / "out", jobs=1)
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


def the_results(folder):
    results = read_results(folder / "out")
    return results.to_dict(), dict(results.timing), dict(results.versions)


KINDS = {
    "sample": ("S", the_sample),
    "checkpoint": ("checkpoint", the_run),
    "part": ("out/seeds/seed-0-full.safetensors", the_part("full")),
    "results": ("out/results.json", the_results),
}


@pytest.mark.parametrize("flips", [60, pytest.param(2000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", KINDS)
def test_no_flipped_bit_is_believed(written, tmp_path, monkeypatch, kind, flips):
    assert flip(written, tmp_path, monkeypatch, kind, flips) == 0


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
