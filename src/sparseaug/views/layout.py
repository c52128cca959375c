"""A store on disk: a Zarr 3 group with one array (n, distinct elements, ...) per output.

    zarr.json                   the group; its attribute "sparseaug" holds all facts, and their SHA-256
    <output>/zarr.json          the array, which follows from these facts
    <output>/c.<block>.<j>...   a chunk: `block` samples, one element; zarr's codecs "bytes", "crc32c"
    _sha256/c.<block>.<j>...    what binds this chunk of every output to its place and to this store

A chunk holds one element, so that more elements are more files and no chunk is ever rewritten. The hash
of a chunk is that of its values, its key, its element and the facts that never change: a chunk that
was moved, or that comes from another store, does not have it. It is written after the chunk, so what
has none was not finished. Everything that a file says of itself is checked before memory is taken for
it. bfloat16, which zarr has not, is stored as the upper half of a float32: uint16.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import zarr
from numpy.typing import NDArray
from zarr.codecs import Crc32cCodec
from zarr.storage import MemoryStore

from sparseaug._archive import canonical_json
from sparseaug._tables import Table
from sparseaug.errors import (
    ArgumentError,
    FileFormatError,
    SparseAugError,
    StorageError,
    shorten,
    size_text,
)
from sparseaug.groups import Rows
from sparseaug.sampling import GroupSample
from sparseaug.views.facts import CHECKSUM, hash_of, read_facts, write_facts
from sparseaug.views.folder import ROOT, Folder, damaged
from sparseaug.views.numbers import rounded, stored_dtype

_HASHES = "_sha256"  # which no output is called: names begin with a letter or a digit
_WRITE_ZEROS: Any = {"write_empty_chunks": True}
_GROWING = ("sample", "columns")  # facts that change with more elements


@dataclass(frozen=True)
class Layout:
    """Where a store lies and what is known of it.

    Args:
        folder: where
        facts: JSON data
        S: the sample
        root: SHA-256 of the file that holds the facts; "" before it was written
    """

    folder: Folder
    facts: Mapping[str, Any]
    S: GroupSample
    root: str = ""

    @classmethod
    def load(cls, folder: Folder) -> Layout:
        """The layout that is there: facts with their hash, and arrays that are as they should be."""
        layout = cls.load_root(folder)
        layout.arrays  # noqa: B018 - opens them
        return layout

    @classmethod
    def load_root(cls, folder: Folder) -> Layout:
        """The same without the metadata of the arrays, which can be made again."""
        return cls(folder, *read_facts(folder))

    def save(self) -> Layout:
        """Write the facts, then the arrays' metadata; after a crash between the two, save again."""
        write_facts(self.folder, self.facts)
        for name in self._shapes:
            self.folder.write(f"{name}/{ROOT}", self._made(name)[0])
        return Layout.load(self.folder)

    @property
    def outputs(self) -> Mapping[str, Any]:
        """The shape of one value and the dtypes of each output."""
        return self.facts["outputs"]

    @property
    def n(self) -> int:
        """Number of samples."""
        return self.facts["n"]

    @cached_property
    def rows(self) -> Rows:
        """The distinct elements, in the order of the arrays."""
        return self.S.elements[self.facts["columns"]]

    @property
    def elements(self) -> int:
        """Number of distinct elements."""
        return len(self.facts["columns"])

    @property
    def blocks(self) -> int:
        """Number of blocks of samples."""
        return -(-self.n // self.facts["block"])

    @cached_property
    def arrays(self) -> dict[str, zarr.Array[Any]]:
        """The arrays as zarr opens them, each with the metadata that follow from the facts."""
        found = {}
        for name in self._shapes:
            try:
                there = zarr.open_array(self.folder, path=name, mode="r+", zarr_format=3)
                # open_array takes config= and forgets it where there is an array
                known: Any = zarr.AsyncArray(there.metadata, there.store_path, config=_WRITE_ZEROS)
                found[name] = zarr.Array(known)
                same = found[name].metadata == self._made(name)[1]
            except SparseAugError:
                raise
            except Exception as error:  # whatever zarr says of arbitrary bytes
                raise damaged(f"{self.folder}/{name}/{ROOT}", shorten(error)) from error
            if not same:
                raise damaged(f"{self.folder}/{name}/{ROOT}", "it is not what the facts say")
        return found

    def table(self) -> Table:
        """What is known of the store, for people."""
        chunks, there = self.blocks * self.elements, len(self.there())
        missing = "" if there == chunks else f", {chunks - there} missing: incomplete"
        rows = [
            ("function", self.facts["function"]),
            ("S", f"{self.S.m} elements, {self.elements} distinct, {self.S.sha256[:12]}"),
            *(
                (f"output {name}", f"{(self.n, self.elements, *one['shape'])}, {one['dtype']}")
                for name, one in self.outputs.items()
            ),
            ("size", f"{size_text(chunks * self.chunk_bytes())}, {chunks} chunks{missing}"),
        ]
        return Table(("", ""), rows, title=f"Store of views at {self.folder}")

    def samples(self, block: int) -> tuple[int, int]:
        """The first sample of a block, and the one after its last."""
        size = self.facts["block"]
        return block * size, min((block + 1) * size, self.n)

    def chunk_bytes(self) -> int:
        """Bytes of one chunk of every output."""
        return sum(self._size(name) for name in self.outputs)

    def there(self) -> set[tuple[int, int]]:
        """Blocks and elements whose files exist, in their size; nothing is said of their bytes.

        They are looked for by their hashes, never by what the facts say there should be.
        """
        parts = [name.split(".")[1:3] for name in self.folder.names(_HASHES) if name[:2] == "c."]
        pairs = {(int(b), int(j)) for b, j in parts if b.isdecimal() and j.isdecimal()}
        known = {pair for pair in pairs if pair[0] < self.blocks and pair[1] < self.elements}
        files = {
            pair: [(self._key(name, *pair), self._size(name)) for name in self._shapes]
            for pair in known
        }
        return {pair for pair in known if all(self.folder.has(*one) for one in files[pair])}

    def is_sound(self, block: int, element: int) -> bool:
        """Whether the chunks of every output exist and are those that were written."""
        try:
            for name in self.outputs:
                self.read(name, block, element)
        except FileFormatError:
            return False
        return True

    def write(self, block: int, element: int, values: Mapping[str, NDArray[Any]]) -> None:
        """Write one chunk of every output, then their hashes.

        Workers of a killed process may still run when its folder holds another store: they are refused.
        """
        self.require_outputs(values)
        start, stop = self.samples(block)
        hashes = np.empty((len(values), 32), np.uint8)
        if hash_of(self.folder.read(ROOT)) != self.root:
            raise StorageError(f"{self.folder} has become another store; start again.")
        for k, name in enumerate(self.outputs):
            stored = rounded(values[name], self.outputs[name]["dtype"])
            self.arrays[name][start:stop, element] = stored
            hashes[k] = self._hash(name, block, element, stored)
        self.arrays[_HASHES][block, element] = hashes

    def require_outputs(self, values: Mapping[str, NDArray[Any]]) -> None:
        """Values of other shapes and dtypes than those of the store are refused."""
        outputs = outputs_of(values, self.facts["dtype"])
        if outputs != self.outputs:
            raise ArgumentError(f"function returned {outputs}, and at first {self.outputs}.")

    def read(self, name: str, block: int, element: int, *, known: bool = False) -> NDArray[Any]:
        """The values of one chunk as they are stored, once its hash is right, or known to be."""
        self.folder.require(self._key(name, block, element), self._size(name))
        path = f"{self.folder}/{self._key(name, block, element)}"
        start, stop = self.samples(block)
        try:
            values = np.asarray(self.arrays[name][start:stop, element])
        except ValueError as error:  # zarr's, of its checksum
            raise damaged(path, "its checksum does not match") from error
        if known:
            return values
        self.folder.require(self._key(_HASHES, block, element), self._size(_HASHES))
        stated = np.asarray(self.arrays[_HASHES][block, element])[list(self.outputs).index(name)]
        if not np.array_equal(stated, self._hash(name, block, element, values)):
            raise damaged(path, "it is not what was written to this place")
        return values

    def place_of(self, name: str, block: int, element: int) -> Path:
        """The path of a chunk."""
        return self.folder.root / self._key(name, block, element)

    def empty(self, name: str) -> NDArray[Any]:
        """An array for one sample, as it is stored."""
        return np.empty(self._shapes[name], self._dtype(name))

    @cached_property
    def _identity(self) -> bytes:
        """The facts that never change, hashed."""
        facts = {key: value for key, value in self.facts.items() if key not in _GROWING}
        return hashlib.sha256(canonical_json(facts)).digest()

    def _hash(self, name: str, block: int, element: int, values: NDArray[Any]) -> NDArray[Any]:
        row = self.rows[element].tobytes().hex()
        digest = hashlib.sha256(self._identity + canonical_json([name, block, row]))
        digest.update(np.ascontiguousarray(values, self._dtype(name)).data)
        return np.frombuffer(digest.digest(), np.uint8)

    @cached_property
    def _shapes(self) -> dict[str, tuple[int, ...]]:
        """Each array, and the shape of what it holds for one sample, or for one chunk."""
        shapes = {name: tuple(one["shape"]) for name, one in self.outputs.items()}
        return {**shapes, _HASHES: (len(shapes), 32)}

    def _dtype(self, name: str) -> np.dtype[Any]:
        return np.dtype(np.uint8) if name == _HASHES else stored_dtype(self.outputs[name]["dtype"])

    def _key(self, name: str, block: int, element: int) -> str:
        """The file of a chunk."""
        return f"{name}/{'.'.join(['c', str(block), str(element), *'0' * len(self._shapes[name])])}"

    def _size(self, name: str) -> int:
        """Bytes of one chunk; of the last block the rest is zero."""
        values = math.prod(self._shapes[name]) * self._dtype(name).itemsize
        return values if name == _HASHES else self.facts["block"] * values + CHECKSUM

    def _made(self, name: str) -> tuple[bytes, Any]:
        """The metadata of an array as zarr writes and holds them."""
        kept: dict[str, Any] = {}
        shape, is_hash = self._shapes[name], name == _HASHES
        array = zarr.create_array(
            store=MemoryStore(kept),
            shape=(self.blocks if is_hash else self.n, self.elements, *shape),
            chunks=(1 if is_hash else self.facts["block"], 1, *shape),
            dtype=self._dtype(name),
            compressors=None if is_hash else Crc32cCodec(),
            chunk_key_encoding={"name": "default", "separator": "."},
        )
        return kept[ROOT].to_bytes(), array.metadata


def outputs_of(values: Mapping[str, NDArray[Any]], dtype: str | None) -> dict[str, Any]:
    """The shape of one value of each output, and the dtype in which it is stored."""
    return {
        name: {
            "shape": list(array.shape[1:]),
            "dtype": dtype if dtype and array.dtype.kind == "f" else array.dtype.name,
        }
        for name, array in values.items()
    }
