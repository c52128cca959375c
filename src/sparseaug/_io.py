"""Files that are whole or absent: write aside, flush, read back, rename, flush the folder."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sparseaug.errors import ArgumentError, StorageError, shorten

LARGEST = 1 << 32
"""Bytes of the largest file: reading or writing one holds it in memory, writing more than once."""

_STALE_SECONDS = 3600
_DIGITS = 16  # a temporary is ".sparseaug-<random>.part", a short name
_LONGEST_SHOWN = 200  # characters of a path in a message
_NO_LINKS = {errno.EPERM, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK}


def write_atomic(
    path: str | os.PathLike[str], data: bytes, *, overwrite: bool = True, follow: bool = True
) -> None:
    """Write `data` to `path` so that a reader or a crash sees the old file or the new, never half.

    A symbolic link stays and the file it names is written; with follow=False it is refused. An
    existing path that is not a regular file is refused, and with overwrite=False any existing file, even
    one that appears meanwhile. A file that is replaced keeps its mode. Temporaries that a killed
    process left beside the file are swept after an hour.
    """
    given = check_path("path", path)
    with _telling(given, "was not written"):
        target = Path(os.path.realpath(given if follow else given.parent))
        target = target if follow else target / given.name
        mode = _mode_of(target, overwrite)
        _require_size(len(data))
        _sweep(target.parent)
        with _temporary(target.parent, 0o666 if mode is None else 0o600) as (temporary, handle):
            _write_flushed(temporary, handle, data, mode)
            _rename(temporary, target, overwrite)
    with _telling(given, "is in place, but its folder was not flushed to disk"):
        _sync_folder(target.parent)


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The file's bytes, or a `StorageError` with the reason."""
    given = check_path("path", path)
    with _telling(given, "cannot be read"):
        found = os.stat(given)
        if not stat.S_ISREG(found.st_mode):  # a pipe or a device may never end
            raise StorageError("it is not a file")
        _require_size(found.st_size)
        return given.read_bytes()


@contextlib.contextmanager
def _telling(path: Path, what: str) -> Iterator[None]:
    """An error of the system, or of this file, as one that says what happened to the path."""
    try:
        yield
    except (OSError, UnicodeError) as error:  # names of files in another encoding
        reason = getattr(error, "strerror", None) or error
        what = f"{show_path(path)} {what}: {reason}"
        raise StorageError(f"{what}; try again, or another path.") from error


def _require_size(size: int) -> None:
    if size > LARGEST:
        raise StorageError(f"it has {size} bytes, and the limit is {LARGEST}")


def is_name(text: object) -> bool:
    """Whether a name that stands in a file may become that of another: it stays in its folder.

    Examples:
        >>> from sparseaug._io import is_name
        >>> is_name("one-shot-4.csv"), is_name("../results"), is_name("/etc/x"), is_name(".hidden")
        (True, False, False, False)
    """
    return isinstance(text, str) and re.fullmatch("[A-Za-z0-9][A-Za-z0-9._-]*", text) is not None


def show_path(path: str | os.PathLike[str]) -> str:
    """The path on one line of a message, its end kept and what is not printable escaped."""
    text = str(path) if str(path).isprintable() else ascii(str(path))
    return text if len(text) <= _LONGEST_SHOWN else "..." + text[3 - _LONGEST_SHOWN :]


def check_path(name: str, path: Any) -> Path:
    """`path` as a `Path`, or an `ArgumentError` that names the argument."""
    text = os.fspath(path) if isinstance(path, (str, os.PathLike)) else None
    if not isinstance(text, str) or "\0" in text:
        raise ArgumentError(f"{name}={shorten(path)} is not a path; give a string or a Path.")
    return Path(text)


def _mode_of(target: Path, overwrite: bool) -> int | None:
    """The mode of the file that will be replaced, None if there is none; links are resolved."""
    try:
        mode = os.lstat(target).st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(mode):
        kind = "a symbolic link" if stat.S_ISLNK(mode) else "not a regular file"
        raise StorageError(f"it is {kind}")
    if not overwrite:
        raise _there_already()
    return stat.S_IMODE(mode) & 0o777


def _sweep(folder: Path) -> None:
    """Remove what dead writers left, which an hour without a change shows; what no one can is left."""
    for left in folder.glob(f".sparseaug-{'[0-9a-f]' * _DIGITS}.part"):
        with contextlib.suppress(OSError):
            if time.time() - left.lstat().st_mtime > _STALE_SECONDS:
                left.unlink()


@contextlib.contextmanager
def _temporary(folder: Path, mode: int) -> Iterator[tuple[Path, int]]:
    """A new file, open for its one writer, that is gone afterwards unless it was renamed."""
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
    path = folder / f".sparseaug-{secrets.token_hex(_DIGITS // 2)}.part"
    handle = os.open(path, flags, mode)
    try:
        yield path, handle
    finally:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


def _write_flushed(temporary: Path, handle: int, data: bytes, mode: int | None) -> None:
    """Write and read back; what will replace a file is private until it takes that file's mode."""
    with open(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    if temporary.read_bytes() != data:
        raise StorageError("the disk gave back other bytes")
    if mode is not None:
        os.chmod(temporary, mode)


def _rename(temporary: Path, target: Path, overwrite: bool) -> None:
    """A rename replaces what is there; a hard link, made in one step too, refuses to."""
    if overwrite:
        os.replace(temporary, target)
        return
    try:
        os.link(temporary, target)
    except FileExistsError as error:
        raise _there_already() from error
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        _claim_and_rename(temporary, target)


def _claim_and_rename(temporary: Path, target: Path) -> None:
    """Where the file system has no hard links: an empty file claims the name, then gives way."""
    try:
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except FileExistsError as error:
        raise _there_already() from error
    try:
        os.replace(temporary, target)
    except OSError:
        target.unlink()
        raise


def _there_already() -> StorageError:
    return StorageError("the file exists already, and overwrite is False")


def _sync_folder(folder: Path) -> None:
    if os.name == "posix":  # elsewhere folders cannot be opened, and need not be
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
