"""Where a store lies: a folder of this machine, or an object store through fsspec."""

from __future__ import annotations

import contextlib
import os
import shutil
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug._io import check_path, read_bytes, show_path, write_atomic
from sparseaug.errors import FileFormatError, StorageError, need, shorten_text

Bytes = NDArray[np.uint8]
ROOT = "zarr.json"


class Place(ABC):
    """Files by key, such as "values/c/0/0/0". Each is written whole or not at all."""

    is_local = False

    @abstractmethod
    def read(self, key: str) -> bytes:
        """A file's bytes; a `StorageError` where there is none."""

    @abstractmethod
    def map(self, key: str) -> Bytes:
        """A file's bytes, mapped into memory where that can be; a `FileFormatError` without it."""

    @abstractmethod
    def write(self, key: str, data: bytes) -> None:
        """Write a file whole."""

    @abstractmethod
    def keys(self) -> set[str]:
        """All files."""

    def free(self) -> float:
        """Bytes that can still be written, as far as is known."""
        return float("inf")

    def locked(self) -> AbstractContextManager[None]:
        """The folder made and swept of what killed writers left, and one writer at a time."""
        return nullcontext()


@dataclass(frozen=True)
class Folder(Place):
    """A folder of this machine."""

    path: Path
    is_local = True

    def __str__(self) -> str:
        return show_path(self.path)

    def read(self, key: str) -> bytes:
        return read_bytes(self.path / key)

    def map(self, key: str) -> Bytes:
        try:
            return np.asarray(np.memmap(self.path / key, np.uint8, "r"))
        except FileNotFoundError as error:
            raise _missing(f"{self}/{key}") from error
        except (OSError, ValueError) as error:  # an empty file cannot be mapped
            raise FileFormatError(f"{self}/{key} cannot be read: {error}") from error

    def write(self, key: str, data: bytes) -> None:
        path = self.path / key
        with contextlib.suppress(OSError):  # which writing says better
            path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, data)

    def keys(self) -> set[str]:
        files = (path for path in self.path.rglob("*") if path.is_file())
        return {path.relative_to(self.path).as_posix() for path in files}

    def free(self) -> float:
        return shutil.disk_usage(self.path).free

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """The folder is locked until the process ends, also by kill -9.

        Where there is no `fcntl` (Windows) nothing is locked; two writers then do the same work twice.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(
                f"out={self} cannot be made: {error.strerror}; give a folder you may write to."
            ) from error
        try:
            import fcntl
        except ImportError:
            yield
            return
        handle = os.open(self.path, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise StorageError(
                f"{self} is being written by another process; wait until it has ended."
            ) from error
        else:
            for left in self.path.rglob(".sparseaug-*.part"):
                left.unlink(missing_ok=True)
            try:
                yield
            finally:  # for a process that the function has started, too
                fcntl.flock(handle, fcntl.LOCK_UN)
        finally:
            os.close(handle)


@dataclass(frozen=True)
class Remote(Place):
    """A prefix of an object store, which has no locks: two writers do the same work twice."""

    url: str

    @property
    def _files(self) -> Any:
        import fsspec

        return fsspec.core.url_to_fs(self.url)

    def __str__(self) -> str:
        return self.url

    def read(self, key: str) -> bytes:
        system, root = self._files
        try:
            return system.cat_file(f"{root}/{key}")
        except FileNotFoundError as error:
            raise _missing(f"{self}/{key}") from error
        except Exception as error:  # whatever a remote system raises
            raise _failed(f"{self}/{key} cannot be read", error) from error

    def map(self, key: str) -> Bytes:
        return np.frombuffer(self.read(key), np.uint8)

    def write(self, key: str, data: bytes) -> None:
        system, root = self._files
        try:
            system.makedirs(f"{root}/{key}".rpartition("/")[0], exist_ok=True)
            system.pipe_file(f"{root}/{key}", data)
        except Exception as error:  # whatever a remote system raises
            raise _failed(f"{self}/{key} was not written", error) from error

    def keys(self) -> set[str]:
        system, root = self._files
        try:
            return {name.removeprefix(root).lstrip("/") for name in system.find(root)}
        except Exception as error:  # whatever a remote system raises
            raise _failed(f"{self} cannot be listed", error) from error


def place_of(name: str, path: Any) -> Place:
    """The folder or object store that an argument names."""
    given = check_path(name, path)
    if isinstance(path, str) and "://" in path:
        need("fsspec", "a store in an object store", extra="fsspec")
        place = Remote(path.rstrip("/"))
        try:
            place._files  # noqa: B018 - an unknown protocol is said at once
        except Exception as error:  # whatever a remote system raises
            raise _failed(f"{name}={place} cannot be opened", error) from error
        return place
    return Folder(given.absolute())  # wherever this process goes


def _missing(path: str) -> FileFormatError:
    return FileFormatError(
        f"{path} is missing: the store is incomplete; call views.compute with the same arguments to "
        "resume."
    )


def _failed(what: str, error: Exception) -> StorageError:
    return StorageError(f"{what}: {shorten_text(str(error))}; check the address, then call again.")
