"""The folder of a store, as zarr sees it: files that are whole or absent, and nothing else is touched.

Zarr asks for bytes by key, such as "values/c.3.0.0". A file is written aside and renamed; a link is not
followed, whatever stands in the folder, so that nothing outside of it is ever read as values or written.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from zarr.core.buffer import Buffer, default_buffer_prototype
from zarr.storage import LocalStore

from sparseaug._io import check_path, read_bytes, show_path, write_atomic
from sparseaug.errors import ArgumentError, FileFormatError, StorageError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

ROOT = "zarr.json"
_ASIDE = ".sparseaug-"  # files that a writer renames when they are whole


class Folder(LocalStore):
    """Zarr's store of local files, with typed errors, whole files and one writer at a time."""

    def __str__(self) -> str:
        return show_path(self.root)

    def __reduce__(self) -> tuple[Any, ...]:
        return Folder, (self.root,)

    async def get(self, key: str, prototype: Any = None, byte_range: Any = None) -> Buffer:
        """A whole file, for zarr."""
        return (prototype or default_buffer_prototype()).buffer.from_bytes(self.read(key))

    async def set(self, key: str, value: Buffer) -> None:
        """Write a whole file, for zarr."""
        self.write(key, value.to_bytes())

    def read(self, key: str) -> bytes:
        """A file's bytes; a `FileFormatError` where it is missing or not a file."""
        self.require(key)
        return read_bytes(self.root / key)

    def write(self, key: str, data: bytes) -> None:
        """Write a file, whole or not at all."""
        with contextlib.suppress(OSError):  # which writing says better
            (self.root / key).parent.mkdir(exist_ok=True)
        write_atomic(self._own(key), data, follow=False)

    def has(self, key: str, size: int | None = None) -> bool:
        """Whether there is such a file, of this size if one is given; links and pipes are none."""
        path = self._own(key)
        try:
            found = os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            raise StorageError(f"path {self}/{key} cannot be read: {error.strerror}.") from error
        return stat.S_ISREG(found.st_mode) and size in (None, found.st_size)

    def require(self, key: str, size: int | None = None) -> None:
        """Raise a `FileFormatError` unless there is such a file."""
        if not self.has(key, size):
            raise damaged(f"{self}/{key}", "it is missing, or not of the size that was written")

    def names(self, name: str = ".") -> list[str]:
        """What stands in the store or in a folder of it, without what a writer has aside."""
        folder = self._own(f"{name}/{ROOT}").parent
        found = os.listdir(folder) if folder.is_dir() else []
        return [name for name in found if not name.startswith(_ASIDE)]

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """The folder, made if needed, is locked until the process ends, also by kill -9.

        Where there is no `fcntl` (Windows) nothing is locked; two writers then do the same work twice.
        """
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            handle = os.open(self.root, os.O_RDONLY)
        except OSError as error:
            raise StorageError(f"out={self} cannot be made: {error.strerror}.") from error
        try:
            if fcntl is not None:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(handle)
            raise StorageError(f"{self} is written by another process; wait for it.") from error
        try:
            yield
        finally:
            if fcntl is not None:  # for a process that the function has started, too
                fcntl.flock(handle, fcntl.LOCK_UN)
            os.close(handle)

    def _own(self, key: str) -> Path:
        """The path of a file, whose folder must be the store's own."""
        path = self.root / key
        if os.path.realpath(path.parent) != str(path.parent):
            raise StorageError(f"{self}/{key} is behind a link; put the folder itself there.")
        return path


def folder_of(name: str, path: Any) -> Folder:
    """The folder that an argument names, wherever this process goes; an address is refused."""
    given = check_path(name, path)
    if isinstance(path, str) and "://" in path:
        raise ArgumentError(f"{name}={path!r} is an address; give a folder of this machine.")
    return Folder(Path(os.path.realpath(given)))


def damaged(path: str, reason: str) -> FileFormatError:
    """The error of a file that cannot be believed."""
    return FileFormatError(
        f"{path} is damaged or of another store: {reason}; call views.compute with the same arguments "
        "to resume or compute it again."
    )
