"""A store that was interrupted goes on to the same bytes; what is damaged is found, never believed."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import SparseAugError, StorageError
from sparseaug.views.layout import Layout
from sparseaug.views.places import Folder
from tests.views.common import N, X, compute, direct, files, several

pytest.importorskip("zarr")

SLOW = """
import sys, time
import numpy as np, sparseaug as sa, sparseaug.views
from tests.views.common import compute, features
def slow(x):
    time.sleep(0.02)
    return features(x)
if __name__ == "__main__":
    print("ready", flush=True)
    compute(sys.argv[1], function=slow, workers=int(sys.argv[2]))
    print("done", flush=True)
"""


@pytest.mark.parametrize(
    ("workers", "kills"),
    [(1, 4), (2, 3), *(pytest.param(w, 50, marks=pytest.mark.slow) for w in (1, 2))],
)
def test_killed_at_any_moment_it_resumes_to_the_same_bytes(tmp_path, workers, kills):
    whole, killed = tmp_path / "whole", tmp_path / "killed 0"
    compute(whole)
    program = tmp_path / "program.py"
    program.write_text(SLOW)
    rng = np.random.default_rng(workers)
    partial = 0
    for trial in range(1, kills + 1):
        run = subprocess.Popen(
            [sys.executable, str(program), str(killed), str(workers)],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        assert run.stdout.readline() == b"ready\n"
        time.sleep(rng.uniform(0.0, 0.7) + (workers - 1) * 0.6)
        run.send_signal(signal.SIGKILL)
        run.wait()
        run.stdout.close()
        there = files(killed) if killed.exists() else {}
        left = {k: v for k, v in there.items() if not k.endswith(".part")}
        assert left.items() <= files(whole).items()  # every file is whole or absent
        partial += 0 < len(left) < len(files(whole))
        if len(left) < len(files(whole)):
            with pytest.raises(SparseAugError):
                sa.views.open(killed)
        if rng.random() < 0.5:
            _resume(killed)
            assert files(killed) == files(whole)
            killed = tmp_path / f"killed {trial}"
    _resume(killed)
    assert files(killed) == files(whole)
    assert partial


def test_of_two_processes_one_is_refused_and_nothing_is_lost(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(SLOW)
    out = tmp_path / "both"
    runs = [
        subprocess.Popen(
            [sys.executable, str(program), str(out), "1"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        for _ in range(2)
    ]
    ended = [run.communicate() for run in runs]
    codes = [run.returncode for run in runs]
    assert 0 in codes
    for code, (said, complaint) in zip(codes, ended, strict=True):
        assert (code == 0) == (b"done" in said)
        assert code == 0 or b"is being written by another process" in complaint
    compute(tmp_path / "whole")
    assert files(out) == files(tmp_path / "whole")


def _resume(folder):
    """Go on; workers of the killed process may have a chunk to finish, and drop it."""
    compute(folder)
    time.sleep(0.1)
    for part in folder.rglob("*.part"):
        part.unlink(missing_ok=True)


@pytest.mark.parametrize("flips", [100, pytest.param(2000, marks=pytest.mark.slow)])
def test_a_flipped_bit_is_found_when_reading_and_repaired_or_refused_when_resuming(tmp_path, flips):
    folder = tmp_path / "a"
    compute(folder, function=several)
    wanted = files(folder)
    paths = [folder / name for name in wanted]
    rng = np.random.default_rng(0)
    for trial in range(flips):
        path = paths[rng.integers(len(paths))]
        data = path.read_bytes()
        bit = int(rng.integers(8 * len(data)))
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped)
        with pytest.raises(SparseAugError):
            sa.views.open(folder).verify()
        assert _is_refused(folder, ("corner", "row", "sign"))
        if trial % 10 == 0 and path != folder / "zarr.json":
            compute(folder, function=several)
            assert files(folder) == wanted
        elif path == folder / "zarr.json":
            with pytest.raises(SparseAugError):
                compute(folder, function=several)
        path.write_bytes(data)
    assert files(folder) == wanted


def _is_refused(folder, names):
    """Whether reading all of it fails; the checksum is of the padding of the last block too."""
    try:
        store = sa.views.open(folder)
        for name in names:
            store.array(name)
    except SparseAugError:
        return True
    return False


def test_what_a_writer_left_that_was_killed_before_the_first_file_is_swept(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a/.sparseaug-0123456789abcdef.part").write_bytes(b"half")
    compute(tmp_path / "a")
    assert not list((tmp_path / "a").rglob("*.part"))


def test_a_worker_that_outlived_its_store_does_not_write_into_another(tmp_path):
    compute(tmp_path / "a")
    old = Layout.load(Folder(tmp_path / "a"))
    shutil.rmtree(tmp_path / "a")
    compute(tmp_path / "a", name="features 2")
    before = files(tmp_path / "a")
    with pytest.raises(StorageError, match="has become another store"):
        old.write("values", 0, 0, np.ones((4, 2)))
    assert files(tmp_path / "a") == before


@pytest.mark.parametrize(
    "change", [lambda data: data[:-1], lambda data: b"", lambda data: data * 2]
)
def test_a_cut_chunk_is_found_and_computed_again(tmp_path, change):
    compute(tmp_path / "a")
    wanted = files(tmp_path / "a")
    chunk = tmp_path / "a/values/c/2/1/0"
    chunk.write_bytes(change(chunk.read_bytes()))
    with pytest.raises(SparseAugError, match=r"damaged|cannot be read"):
        sa.views.open(tmp_path / "a").array()
    compute(tmp_path / "a")
    assert files(tmp_path / "a") == wanted


def test_a_store_with_a_missing_chunk_is_incomplete(tmp_path):
    compute(tmp_path / "a")
    store = sa.views.open(tmp_path / "a")
    (tmp_path / "a/values/c/2/1/0").unlink()
    with pytest.raises(SparseAugError, match="1 of 24 chunks are missing"):
        sa.views.open(tmp_path / "a")
    with pytest.raises(SparseAugError, match="is missing"):
        store.array()


def test_a_full_disk_is_a_clear_error_and_the_run_goes_on_afterwards(tmp_path, monkeypatch):
    big = np.tile(X, (1, 30, 30))
    call = {"source": big, "function": None, "name": None}
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:  # the disk takes the metadata, and no chunk
        resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, hard))
        with pytest.raises(StorageError, match="was not written: File too large"):
            compute(tmp_path / "a", **call)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert not list((tmp_path / "a").rglob("*.part"))
    none_free = shutil._ntuple_diskusage(10, 10, 0)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: none_free)
    with pytest.raises(StorageError, match="needs 11 MB more, and its disk has 0 bytes"):
        compute(tmp_path / "a", **call)
    monkeypatch.undo()
    assert compute(tmp_path / "a", **call).array().shape == (N, 4, 120, 120)


def test_a_last_write_that_fails_is_not_taken_for_done(tmp_path):
    compute(tmp_path / "a")
    chunk = tmp_path / "a/values/c/5/3/0"
    chunk.unlink()
    chunk.mkdir()  # where no file can be written
    with pytest.raises(StorageError, match="not a regular file"):
        compute(tmp_path / "a")
    chunk.rmdir()
    compute(tmp_path / "a")


def test_an_interrupted_extension_goes_on(tmp_path):
    full = sa.GroupSample.full(sa.dihedral(4))
    calls = []

    def failing(x):
        calls.append(1)
        if len(calls) > 7:
            raise KeyboardInterrupt
        return several(x)

    store = compute(tmp_path / "b", function=several)
    work = {"source": X, "action": sa.rotate_grid(sa.dihedral(4))}
    with pytest.raises(KeyboardInterrupt):
        sa.views.open(tmp_path / "b").extend(full, **work, function=failing)
    with pytest.raises(SparseAugError, match="incomplete"):
        sa.views.open(tmp_path / "b")
    grown = store.extend(full)
    assert np.array_equal(grown.array("row").mean(1), store.extend(full).array("row").mean(1))
    grown.verify()
    assert np.array_equal(
        grown.array("corner"), direct(grown.S, lambda x: x[:, 0, 0])[:, _order(grown)]
    )


def _order(store):
    """Where the store's elements stand in lexicographic order."""
    rows = store.S.counts()[0].tolist()
    return [rows.index(row) for row in store.rows.tolist()]
