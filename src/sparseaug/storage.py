"""Files that are whole or absent: write aside, flush, read back, rename, flush the folder."""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from pathlib import Path

from sparseaug.errors import ArgumentError, SparseAugError

_STALE_SECONDS = 3600
_TEMPORARY = ".part-"  # ".name.part-1f2e3d4c" beside "name"


class StorageError(SparseAugError, OSError):
    """The disk did not take or give the file; what was there before is untouched."""


def write_atomic(path: str | os.PathLike[str], data: bytes) -> None:
    """Write `data` to `path` so that a reader or a crash sees the old file or the new, never half.

    Temporaries that a killed process left beside `path` an hour ago or more are swept.
    """
    target = Path(path)
    if not target.name:
        raise ArgumentError(f"path={os.fspath(path)!r} names no file; give a file name.")
    temporary = target.with_name(f".{target.name}{_TEMPORARY}{secrets.token_hex(4)}")
    try:
        for stale in target.parent.glob(f".{_escape(target.name)}{_TEMPORARY}*"):
            if time.time() - stale.stat().st_mtime > _STALE_SECONDS:
                stale.unlink(missing_ok=True)
        try:
            with open(temporary, "xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if temporary.read_bytes() != data:
                raise StorageError(f"{target} was not written: the disk gave back other bytes.")
            os.replace(temporary, target)
            _sync_folder(target.parent)
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
    except StorageError:
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise StorageError(
            f"{target} was not written: {reason}; give a path you may write to."
        ) from error


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The file's bytes, or a `StorageError` that says why not."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise StorageError(f"{Path(path)} cannot be read: {reason}; check the path.") from error


def _sync_folder(folder: Path) -> None:
    if os.name == "posix":  # elsewhere folders cannot be opened, and need not be
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _escape(name: str) -> str:
    return "".join(f"[{c}]" if c in "*?[" else c for c in name)
