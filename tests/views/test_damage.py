"""A store that was interrupted goes on to the same bytes; what is damaged is found, never believed."""

from __future__ import annotations

import hashlib
import json
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
from sparseaug.errors import ConfigMismatchError, FileFormatError, SparseAugError, StorageError
from sparseaug.views.folder import folder_of
from sparseaug.views.layout import Layout
from tests.views.common import ACTION, N, X, compute, direct, features, files, several

pytest.importorskip("zarr")

PROGRAM = """
import sys
import sparseaug.views
from tests.views.common import compute
if __name__ == "__main__":
    print("ready", flush=True)
    compute(sys.argv[1], workers=int(sys.argv[2]))
    print("done", flush=True)
"""


def _started(folder, out, workers):
    program = folder / "program.py"
    program.write_text(PROGRAM)
    return subprocess.Popen(
        [sys.executable, str(program), str(out), str(workers)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "SLOW": "0.02"},
    )


@pytest.mark.parametrize(
    ("workers", "kills"),
    [(1, 4), (2, 3), *(pytest.param(w, 50, marks=pytest.mark.slow) for w in (1, 2))],
)
def test_killed_at_any_moment_it_resumes_to_the_same_bytes(tmp_path, workers, kills):
    whole, killed = tmp_path / "whole", tmp_path / "killed 0"
    compute(whole)
    rng = np.random.default_rng(workers)
    partial = 0
    for trial in range(1, kills + 1):
        run = _started(tmp_path, killed, workers)
        assert run.stdout.readline() == b"ready\n"
        time.sleep(rng.uniform(0.0, 0.7) + (workers - 1) * 0.6)
        run.send_signal(signal.SIGKILL)
        run.wait()  # its workers hold the pipes for some time
        run.stdout.close()
        run.stderr.close()
        left = _whole_files(killed) if killed.exists() else {}
        assert left.items() <= files(whole).items()  # every file is whole or absent
        partial += 0 < len(left) < len(files(whole))
        if _opens(killed):  # its workers may have written the last of it since
            assert _whole_files(killed) == files(whole)
        if rng.random() < 0.5:
            compute(killed)
            assert _whole_files(killed) == files(whole)
            killed = tmp_path / f"killed {trial}"
    compute(killed)
    assert _whole_files(killed) == files(whole)
    assert partial


def _opens(folder):
    try:
        sa.views.open(folder)
    except SparseAugError:
        return False
    return True


def _whole_files(folder):
    """Without those that a writer left aside, which are swept an hour later."""
    while True:
        try:
            return {k: v for k, v in files(folder).items() if not k.endswith(".part")}
        except FileNotFoundError:  # a worker of the killed process had a chunk to finish
            continue


def test_of_two_processes_one_is_refused_and_nothing_is_lost(tmp_path):
    out = tmp_path / "both"
    runs = [_started(tmp_path, out, 1) for _ in range(2)]
    ended = [run.communicate() for run in runs]
    codes = [run.returncode for run in runs]
    assert 0 in codes
    for code, (said, complaint) in zip(codes, ended, strict=True):
        assert (code == 0) == (b"done" in said)
        assert code == 0 or b"written by another process" in complaint
    compute(tmp_path / "whole")
    assert files(out) == files(tmp_path / "whole")


@pytest.mark.parametrize("flips", [100, pytest.param(2000, marks=pytest.mark.slow)])
def test_a_flipped_bit_is_found_when_reading_and_repaired_or_refused_when_resuming(tmp_path, flips):
    folder = tmp_path / "a"
    call = {"source": X[:9], "function": several}
    compute(folder, **call)
    wanted = files(folder)
    paths = [folder / name for name in wanted]
    rng = np.random.default_rng(0)
    for trial in range(flips):
        path = folder / "zarr.json" if trial % 4 == 1 else paths[rng.integers(len(paths))]
        data = path.read_bytes()
        bit = int(rng.integers(8 * len(data)))
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped)
        with pytest.raises(SparseAugError):
            sa.views.open(folder).verify()
        assert _is_refused(folder, ("corner", "row", "sign"))
        if trial % 10 == 0 and path != folder / "zarr.json":
            compute(folder, **call)
            assert files(folder) == wanted
        elif path == folder / "zarr.json":
            with pytest.raises(SparseAugError):
                compute(folder, **call)
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


def test_swapped_and_foreign_chunks_are_noticed_and_computed_again(tmp_path):
    compute(tmp_path / "a")
    compute(tmp_path / "b", function=lambda x: -features(x), name="other")
    compute(tmp_path / "c", source=X + 1)
    wanted = files(tmp_path / "a")
    every = [name for name in wanted if name.startswith("values/c.")]
    own = [(tmp_path / "a", every[k]) for k in (2, 7)]  # of another element, of another block
    others = [*own, (tmp_path / "b", every[3]), (tmp_path / "c", every[3])]
    for folder, name in others:
        for with_hash in (False, True):  # the chunk alone, or with its hash
            for part in (name, name.replace("values", "_sha256"))[: 1 + with_hash]:
                at = every[3] if part == name else every[3].replace("values", "_sha256")
                end = ".0" if part == name else ".0.0"
                source, target = (key.removesuffix(".0") + end for key in (part, at))
                shutil.copy(folder / source, tmp_path / "a" / target)
            with pytest.raises(FileFormatError, match="is not what was written to this place"):
                sa.views.open(tmp_path / "a").verify()
            with pytest.raises(FileFormatError, match="is not what was written to this place"):
                sa.views.open(tmp_path / "a").dataset(items="views")[0]
            compute(tmp_path / "a")
            assert files(tmp_path / "a") == wanted


def test_a_worker_that_outlived_its_store_does_not_write_into_another(tmp_path):
    old = compute(tmp_path / "a")
    shutil.rmtree(tmp_path / "a")
    compute(tmp_path / "a", name="features 2")
    before = files(tmp_path / "a")
    with pytest.raises(StorageError, match="has become another store"):
        old._layout.write(0, 0, {"values": np.ones((4, 2))})
    assert files(tmp_path / "a") == before
    with pytest.raises(FileFormatError, match="of another store"):
        old.array()


@pytest.mark.parametrize("change", [lambda d: d[:-1], lambda d: b"", lambda d: bytes(len(d))])
def test_a_cut_chunk_is_found_and_computed_again(tmp_path, change):
    compute(tmp_path / "a")
    wanted = files(tmp_path / "a")
    store = sa.views.open(tmp_path / "a")
    chunk = tmp_path / "a/values/c.2.1.0"
    chunk.write_bytes(change(chunk.read_bytes()))
    with pytest.raises(SparseAugError, match="damaged"):
        store.array()
    compute(tmp_path / "a")
    assert files(tmp_path / "a") == wanted
    (tmp_path / "a/_sha256/c.2.1.0.0").unlink()
    with pytest.raises(SparseAugError, match="1 of 24 chunks are missing"):
        sa.views.open(tmp_path / "a")


def test_a_chunk_that_is_cut_after_it_was_verified_is_no_crash(tmp_path, monkeypatch):
    monkeypatch.setattr("sparseaug.views.store._HELD", 0)
    data = compute(tmp_path / "a").dataset()
    data.__getitems__(range(len(data)))
    (tmp_path / "a/values/c.0.0.0").write_bytes(b"")
    with pytest.raises(FileFormatError, match="shorter than it was"):
        data[0]


def test_a_full_disk_is_a_clear_error_and_the_run_goes_on_afterwards(tmp_path):
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
    assert compute(tmp_path / "a", **call).array().shape == (N, 5, 120, 120)


def test_a_last_write_that_fails_is_not_taken_for_done(tmp_path):
    compute(tmp_path / "a")
    chunk = tmp_path / "a/values/c.5.3.0"
    chunk.unlink()
    chunk.mkdir()  # where no file can be written
    with pytest.raises(StorageError, match="not a regular file"):
        compute(tmp_path / "a")
    chunk.rmdir()
    compute(tmp_path / "a")


FAILS_AFTER = {"calls": 10**9}  # in this process


def failing(x):
    FAILS_AFTER["calls"] -= 1
    if FAILS_AFTER["calls"] < 0:
        raise KeyboardInterrupt
    return several(x)


def test_an_interrupted_extension_goes_on(tmp_path, monkeypatch):
    full = sa.GroupSample.full(sa.dihedral(4))
    store = compute(tmp_path / "b", function=failing)
    monkeypatch.setitem(FAILS_AFTER, "calls", 7)
    with pytest.raises(KeyboardInterrupt):
        compute(tmp_path / "b", S=full, function=failing)
    with pytest.raises(SparseAugError, match="incomplete"):
        sa.views.open(tmp_path / "b")
    monkeypatch.undo()
    grown = store.extend(full)
    grown.verify()
    assert np.array_equal(grown.array("corner"), direct(full, lambda x: x[:, 0, 0]))


def test_nothing_outside_a_store_is_touched(tmp_path):
    victim, runs = tmp_path / "victim", tmp_path / "runs"
    compute(victim)
    (runs / "train").mkdir(parents=True)
    (runs / "train/.sparseaug-0123456789abcdef.part").write_bytes(
        b"half of what another job writes"
    )
    before = files(victim), files(runs)
    with pytest.raises(StorageError, match="holds other files"):
        compute(runs)
    compute(tmp_path / "a")
    shutil.rmtree(tmp_path / "a/values")
    (tmp_path / "a/values").symlink_to(victim / "values")
    for use in (sa.views.open, compute):
        with pytest.raises(StorageError, match="is behind a link"):
            use(tmp_path / "a")
    (tmp_path / "a/values").unlink()
    compute(tmp_path / "a")
    chunk = tmp_path / "a/values/c.1.1.0"
    chunk.unlink()
    chunk.symlink_to(victim / "values/c.0.0.0")
    with pytest.raises(StorageError, match="symbolic link"):
        compute(tmp_path / "a")
    assert (files(victim), files(runs)) == before
    shutil.copytree(victim, tmp_path / "b")
    _with_facts(tmp_path / "b", lambda facts: _rename(facts, "../victim"))
    for use in (sa.views.open, compute):
        with pytest.raises((FileFormatError, ConfigMismatchError)):
            use(tmp_path / "b")
    assert (files(victim), files(runs)) == before


def _rename(facts, name):
    facts["outputs"] = {name: facts["outputs"]["values"]}


def _with_facts(folder, change):
    """Change what a store says of itself, and make its hash right."""

    def text(value):
        return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()

    whole = json.loads((folder / "zarr.json").read_bytes())
    facts = whole["attributes"]["sparseaug"]
    del facts["sha256"]
    change(facts)
    facts["sha256"] = hashlib.sha256(text(whole)).hexdigest()
    (folder / "zarr.json").write_bytes(text(whole))


EVIL = [None, True, 0, -1, 1, 3, 10**9, 10**18, 2**70, 1.5, 1e308, [], {}, [10**9], [[]], {"x": 1}]
EVIL += [[0] * 40, "", "../victim", "/x", "\0", "bfloat16", "object", "float128", "S5", "x" * 10**5]


def _places(value, path=()):
    """Every place in a tree of JSON."""
    yield path
    inside = value.items() if isinstance(value, dict) else ()
    for key, part in enumerate(value) if isinstance(value, list) else inside:
        yield from _places(part, (*path, key))


def _put(tree, path, value):
    for key in path[:-1]:
        tree = tree[key]
    tree[path[-1]] = value


def _crafted_facts(folder, rng):
    def change(facts):
        places = [path for path in _places(facts) if path]
        for _ in range(rng.integers(1, 3)):
            path = places[rng.integers(len(places))]
            try:
                _put(facts, path, EVIL[rng.integers(len(EVIL))])
            except (KeyError, IndexError, TypeError):  # below what was replaced before
                continue

    _with_facts(folder, change)


def _crafted_array(folder, rng):
    path = folder / ["values", "_sha256"][rng.integers(2)] / "zarr.json"
    tree = json.loads(path.read_bytes())
    places = [place for place in _places(tree) if place]
    codecs = [{"name": "zstd", "configuration": {"level": 0, "checksum": False}}, {"name": "gzip"}]
    values = [*EVIL, codecs, [{"name": "sharding_indexed"}]]
    _put(tree, places[rng.integers(len(places))], values[rng.integers(len(values))])
    path.write_text(json.dumps(tree))


def _crafted_file(folder, rng):
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    path, other = (paths[i] for i in rng.integers(len(paths), size=2))
    data = other.read_bytes()
    path.unlink()
    kind = rng.integers(6)
    if kind == 0:
        os.mkfifo(path)
    elif kind == 1:
        path.mkdir()
    elif kind == 2:
        path.symlink_to(folder.parent / "victim" / path.relative_to(folder))
    elif kind == 3:
        path.write_bytes(data)  # a file of the store at another place
    elif kind == 4:
        with open(path, "wb") as file:
            file.truncate(1 << 40)  # a terabyte of zeros that takes no room
    elif kind == 5:
        path.write_bytes(rng.bytes(rng.integers(1000)))


@pytest.mark.parametrize("count", [60, pytest.param(1500, marks=pytest.mark.slow)])
def test_crafted_stores_are_refused_or_hold_what_they_held(tmp_path, count):
    def small(out):
        return compute(
            out, X[:5], sa.GroupSample(ACTION.group, ACTION.group.all_elements()[[1, 6]]), batch=2
        )

    wanted = small(tmp_path / "whole").array()
    small(tmp_path / "victim")
    victim, folder = files(tmp_path / "victim"), tmp_path / "crafted"
    rng = np.random.default_rng(count)
    believed = refused = 0
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for trial in range(count):
        shutil.copytree(tmp_path / "whole", folder)
        (_crafted_facts, _crafted_array, _crafted_file)[trial % 3](folder, rng)
        start = time.perf_counter()
        for read in (_read, lambda folder: small(folder).array()):
            try:
                found = read(folder)
            except SparseAugError:
                refused += 1
            else:
                assert np.array_equal(found, wanted) or (read is _read and _is_other(folder))
                believed += 1
        assert time.perf_counter() - start < 5
        assert files(tmp_path / "victim") == victim
        shutil.rmtree(folder)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 300_000  # kB
    assert min(refused, believed) > count / 4


def _read(folder):
    store = sa.views.open(folder)
    store.verify()
    return store.array()


def _is_other(folder):
    """Whether a sound store says that it is of another sample, in which elements occur more often."""
    return Layout.load(folder_of("path", folder)).S.m != 2


def test_many_stores_are_read_with_128_open_files(tmp_path, monkeypatch):
    monkeypatch.setattr("sparseaug.views.store._HELD", 0)
    stores = [compute(tmp_path / str(k), source=X + k) for k in range(6)]
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (128, hard))
    try:
        for k, store in enumerate(stores):
            data = store.dataset()
            assert len(data.__getitems__(range(len(data)))) == 5 * N
            compute(tmp_path / str(k), source=X + k)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
