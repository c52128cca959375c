"""Files are whole or absent, whatever stands in the way, and what is no path is refused by name."""

from __future__ import annotations

import errno
import os
import time

import pytest

from sparseaug import _io
from sparseaug._io import read_bytes, write_atomic
from sparseaug.errors import StorageError


def temporary(folder, digit, *, age=7200):
    path = folder / f".sparseaug-{digit * 16}.part"
    path.write_bytes(b"half")
    os.utime(path, (time.time() - age,) * 2)
    return path


def test_stale_temporaries_of_any_file_are_swept_and_young_ones_left(tmp_path):
    temporary(tmp_path, "0")
    young = temporary(tmp_path, "1", age=60)
    others = [tmp_path / name for name in (".sparseaug-notes.part", "sparseaug.part", ".part")]
    for path in others:
        path.touch()
        os.utime(path, (0, 0))
    write_atomic(tmp_path / "S", b"x")
    assert set(os.listdir(tmp_path)) == {young.name, "S", *(path.name for path in others)}


def test_a_link_stays_and_its_target_is_written(tmp_path):
    (tmp_path / "data").mkdir()
    target, link = tmp_path / "data" / "S", tmp_path / "link"
    link.symlink_to(target)
    for data in (b"new", b"newer"):  # at first the link leads nowhere
        write_atomic(link, data)
        assert link.is_symlink()
        assert target.read_bytes() == data
    with pytest.raises(StorageError, match="exists already"):
        write_atomic(link, b"x", overwrite=False)
    assert os.listdir(tmp_path / "data") == ["S"]


@pytest.mark.parametrize("overwrite", [True, False])
def test_pipes_devices_and_folders_are_refused(tmp_path, overwrite):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path / "link", "/dev/null", tmp_path):
        with pytest.raises(StorageError, match="was not written: it is not a regular file"):
            write_atomic(path, b"x", overwrite=overwrite)
        with pytest.raises(StorageError, match="cannot be read: it is not a file"):
            read_bytes(path)
    assert (tmp_path / "pipe").is_fifo()
    assert sorted(os.listdir(tmp_path)) == ["link", "pipe"]


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_failed_write_leaves_the_old_file_and_no_temporary(tmp_path, monkeypatch, call):
    write_atomic(tmp_path / "S", b"old")

    def fails(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, call, fails)
    with pytest.raises(StorageError, match="S was not written: No space left on device"):
        write_atomic(tmp_path / "S", b"new")
    assert read_bytes(tmp_path / "S") == b"old"
    assert os.listdir(tmp_path) == ["S"]


def test_without_overwrite_what_is_there_stays(tmp_path):
    write_atomic(tmp_path / "S", b"first", overwrite=False)
    with pytest.raises(StorageError, match="S was not written: the file exists already"):
        write_atomic(tmp_path / "S", b"second", overwrite=False)
    assert read_bytes(tmp_path / "S") == b"first"
    assert os.listdir(tmp_path) == ["S"]


@pytest.mark.parametrize("links", [True, False])
def test_without_overwrite_a_file_that_appears_meanwhile_stays(tmp_path, monkeypatch, links):
    write = _io._write_flushed

    def meanwhile(*arguments):
        write(*arguments)
        (tmp_path / "S").write_bytes(b"first")

    monkeypatch.setattr(_io, "_write_flushed", meanwhile)
    if not links:
        monkeypatch.setattr(os, "link", refuses_links)
    with pytest.raises(StorageError, match="exists already"):
        write_atomic(tmp_path / "S", b"second", overwrite=False)
    assert read_bytes(tmp_path / "S") == b"first"
    assert os.listdir(tmp_path) == ["S"]


def refuses_links(*arguments):
    raise OSError(errno.EPERM, "Operation not permitted")


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444, 0o755])
@pytest.mark.parametrize("linked", [False, True])
def test_a_file_that_is_replaced_keeps_its_mode(tmp_path, mode, linked):
    target = path = tmp_path / "S"
    target.write_bytes(b"old")
    target.chmod(mode)
    if linked:
        path = tmp_path / "link"
        path.symlink_to(target)
    write_atomic(path, b"new")
    assert target.read_bytes() == b"new"
    assert target.stat().st_mode & 0o7777 == mode


def test_without_follow_no_link_is_written_through_or_replaced(tmp_path):
    (tmp_path / "mine").write_bytes(b"mine")
    for name, target in (("link", "mine"), ("nowhere", "missing")):
        (tmp_path / name).symlink_to(tmp_path / target)
        for overwrite in (True, False):
            with pytest.raises(
                StorageError, match=f"{name} was not written: it is a symbolic link"
            ):
                write_atomic(tmp_path / name, b"x", overwrite=overwrite, follow=False)
        assert (tmp_path / name).is_symlink()
    assert (tmp_path / "mine").read_bytes() == b"mine"
    assert sorted(os.listdir(tmp_path)) == ["link", "mine", "nowhere"]
