"""A store on disk: a Zarr 3 group with one array (n, distinct m, ...) per output.

    zarr.json                         the group; its attribute "sparseaug" holds all facts
    <output>/zarr.json                the array, which follows from these facts
    <output>/c/<block>/<element>/...  a chunk: `block` samples, one element; then its CRC-32C

A chunk holds one element, so that more elements are more files and no chunk is ever rewritten. It is not
compressed: a reader maps it into memory, once its checksum is right. The metadata of arrays are zarr's
own, chunks are its codecs "bytes" and "crc32c"; `write_atomic` makes each file whole or absent.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import google_crc32c
import numpy as np
import zarr
from numpy.typing import NDArray
from zarr.codecs import Crc32cCodec
from zarr.storage import MemoryStore

from sparseaug._archive import canonical_json, parse_json, require
from sparseaug._io import read_bytes, show_path, write_atomic
from sparseaug.errors import FileFormatError, SparseAugError, StorageError

SCHEMA = "sparseaug.views/1"
_ROOT = "zarr.json"
_CHECKSUM = 4  # bytes of a CRC-32C, which end a chunk


@dataclass(frozen=True)
class Layout:
    """Where a store lies and what is known of it.

    Args:
        path: the folder
        facts: JSON data
        root: SHA-256 of the file that holds them; "" before it was written
    """

    path: Path
    facts: Mapping[str, Any]
    root: str = ""

    @classmethod
    def load(cls, path: Path) -> Layout:
        """The layout that is on disk; its checksum is verified, and that of every array's metadata."""
        layout = cls.load_root(path)
        for name, stated in layout.facts["documents"].items():
            found = read_bytes(path / name / _ROOT)
            require(_sha256(found) == stated, path / name / _ROOT, "its checksum does not match")
        return layout

    @classmethod
    def load_root(cls, path: Path) -> Layout:
        """The same without the arrays' metadata, which can be made again."""
        root = path / _ROOT
        try:
            data = read_bytes(root)
            found = parse_json(data)
            stated = found["attributes"]["sparseaug"].pop("sha256")
            schema = found["attributes"]["sparseaug"]["schema"]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise FileFormatError(f"{show_path(root)} is damaged or not ours: {error}") from error
        require(stated == _sha256(canonical_json(found)), root, "its checksum does not match")
        require(schema == SCHEMA, root, f"its schema is {schema!r}; this version reads {SCHEMA!r}")
        return cls(path, found["attributes"]["sparseaug"], _sha256(data))

    def save(self) -> Layout:
        """Write the facts, then the arrays' metadata; after a crash between the two, save again."""
        documents = {name: self._document(name) for name in self.outputs}
        facts = {**self.facts, "documents": {k: _sha256(v) for k, v in documents.items()}}
        group = {"zarr_format": 3, "node_type": "group", "attributes": {"sparseaug": facts}}
        facts["sha256"] = _sha256(canonical_json(group))
        write_atomic(self.path / _ROOT, canonical_json(group))
        for name, document in documents.items():
            (self.path / name).mkdir(exist_ok=True)
            write_atomic(self.path / name / _ROOT, document)
        return Layout.load(self.path)

    @property
    def outputs(self) -> Mapping[str, Any]:
        """The shape of one value and the dtypes of each output."""
        return self.facts["outputs"]

    @property
    def n(self) -> int:
        """Number of samples."""
        return self.facts["n"]

    @property
    def elements(self) -> int:
        """Number of distinct elements."""
        return len(self.facts["rows"])

    @property
    def blocks(self) -> int:
        """Number of blocks of samples."""
        return -(-self.n // self.facts["block"])

    def samples(self, block: int) -> tuple[int, int]:
        """The first sample of a block, and the one after its last."""
        size = self.facts["block"]
        return block * size, min((block + 1) * size, self.n)

    def chunk_bytes(self) -> int:
        """Bytes of one chunk of every output."""
        return sum(np.prod(self._chunk(name), dtype=int) * self._dtype(name).itemsize + _CHECKSUM
                   for name in self.outputs)  # fmt: skip

    def chunk_path(self, name: str, block: int, element: int) -> Path:
        """The file of a chunk."""
        rest = ["0"] * len(self.outputs[name]["shape"])
        return self.path.joinpath(name, "c", str(block), str(element), *rest)

    def is_there(self, block: int, element: int) -> bool:
        """Whether the chunks of every output exist; nothing is said of their bytes."""
        return all(self.chunk_path(name, block, element).is_file() for name in self.outputs)

    def is_sound(self, block: int, element: int) -> bool:
        """Whether the chunks of every output exist and have their checksum."""
        try:
            for name in self.outputs:
                self.read(name, block, element)
        except SparseAugError:
            return False
        return True

    def write(self, name: str, block: int, element: int, values: NDArray[Any]) -> None:
        """Write one chunk, whole or not at all; of the last block the rest is zero.

        Workers of a killed process may still run when its folder holds another store: they are refused.
        """
        path = self.chunk_path(name, block, element)
        padded = np.zeros(self._chunk(name), self._dtype(name))
        padded[: len(values), 0] = values
        data = padded.tobytes()
        if _sha256(read_bytes(self.path / _ROOT)) != self.root:
            raise StorageError(f"{show_path(self.path)} has become another store; start again.")
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, data + google_crc32c.value(data).to_bytes(_CHECKSUM, "little"))

    def read(self, name: str, block: int, element: int, *, known: bool = False) -> NDArray[Any]:
        """The values of one chunk, mapped into memory once its checksum is right, or known to be."""
        path = self.chunk_path(name, block, element)
        shape, dtype = self._chunk(name), self._dtype(name)
        size = int(np.prod(shape)) * dtype.itemsize
        try:
            data = np.asarray(np.memmap(path, np.uint8, "r"))
        except FileNotFoundError as error:
            raise FileFormatError(
                f"{show_path(path)} is missing: the store is incomplete; call views.compute with the "
                "same arguments to resume."
            ) from error
        except (OSError, ValueError) as error:  # an empty file cannot be mapped
            raise FileFormatError(f"{show_path(path)} cannot be read: {error}") from error
        whole = len(data) == size + _CHECKSUM
        stated = int.from_bytes(data[size:], "little")
        if not whole or not (known or google_crc32c.value(data[:size]) == stated):
            raise FileFormatError(
                f"{show_path(path)} is damaged: its checksum does not match; call views.compute with "
                "the same arguments to compute it again."
            )
        start, stop = self.samples(block)
        return data[:size].view(dtype).reshape(shape)[: stop - start, 0]

    def _chunk(self, name: str) -> tuple[int, ...]:
        return (self.facts["block"], 1, *self.outputs[name]["shape"])

    def _dtype(self, name: str) -> np.dtype[Any]:
        return np.dtype(self.outputs[name]["dtype"]).newbyteorder("<")

    def _document(self, name: str) -> bytes:
        """The metadata of an array as zarr writes them."""
        kept: dict[str, Any] = {}
        zarr.create_array(
            store=MemoryStore(kept),
            shape=(self.n, self.elements, *self.outputs[name]["shape"]),
            chunks=self._chunk(name),
            dtype=self._dtype(name),
            compressors=[Crc32cCodec()],
        )
        return kept[_ROOT].to_bytes()


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """One writer at a time: the folder is locked until the process ends, also by kill -9.

    Where there is no `fcntl` (Windows) nothing is locked; two writers then do the same work twice.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise StorageError(
            f"{show_path(path)} is being written by another process; wait until it has ended."
        ) from error
    else:
        yield
    finally:
        os.close(handle)


def sweep(path: Path) -> None:
    """Remove what killed writers left; the caller holds the lock."""
    for left in path.rglob(".sparseaug-*.part"):
        left.unlink(missing_ok=True)


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
