"""A store on disk: a Zarr 3 group with one array (n, distinct m, ...) per output.

    zarr.json                         the group; its attribute "sparseaug" holds all facts
    <output>/zarr.json                the array, which follows from these facts
    <output>/c/<block>/<element>/...  a chunk: `block` samples, one element; then its CRC-32C

A chunk holds one element, so that more elements are more files and no chunk is ever rewritten. Unless
compression was asked for, a reader maps it into memory, once its checksum is right. The metadata of
arrays are zarr's own, chunks are its codecs "bytes", "zstd" where compressed, and "crc32c". bfloat16,
which zarr has not, is stored as the upper half of a float32: uint16.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import google_crc32c
import numpy as np
import zarr
from numcodecs import Zstd
from numpy.typing import NDArray
from zarr.codecs import Crc32cCodec, ZstdCodec
from zarr.storage import MemoryStore

from sparseaug._archive import canonical_json, parse_json
from sparseaug._tables import Table
from sparseaug.errors import ArgumentError, FileFormatError, SparseAugError, StorageError, size_text
from sparseaug.groups import Rows
from sparseaug.views.places import ROOT, Place

FLOATS = {"float16": 2**-11, "bfloat16": 2**-8, "float32": 2**-24, "float64": 2**-53}
"""What floating-point values may be stored as, and the relative error of each."""

SCHEMA = "sparseaug.views/1"
_CHECKSUM = 4  # bytes of a CRC-32C, which end a chunk
_LEVEL = 3  # of zstd, its default
_GROWING = ("S", "sample", "rows", "counts", "documents")  # facts that change with more elements


@dataclass(frozen=True)
class Layout:
    """Where a store lies and what is known of it.

    Args:
        place: the folder, or the object store
        facts: JSON data
        root: SHA-256 of the file that holds them; "" before it was written
    """

    place: Place
    facts: Mapping[str, Any]
    root: str = ""

    @classmethod
    def load(cls, place: Place) -> Layout:
        """The layout that is there; its checksum is verified, and that of every array's metadata."""
        layout = cls.load_root(place)
        for name, stated in layout.facts["documents"].items():
            key = f"{name}/{ROOT}"
            _require(_sha256(place.read(key)) == stated, f"{place}/{key}")
        return layout

    @classmethod
    def load_root(cls, place: Place) -> Layout:
        """The same without the arrays' metadata, which can be made again."""
        data = place.read(ROOT)
        try:
            found = parse_json(data)
            stated = found["attributes"]["sparseaug"].pop("sha256")
            schema = found["attributes"]["sparseaug"]["schema"]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise FileFormatError(f"{place}/{ROOT} is damaged or not ours: {error}") from error
        if stated != _sha256(canonical_json(found)):
            raise FileFormatError(
                f"{place}/{ROOT} is damaged: its checksum does not match; put back the file, or compute "
                "the views again in another folder."
            )
        if schema != SCHEMA:
            raise FileFormatError(
                f"{place} has the schema {schema!r}; this version reads {SCHEMA!r}."
            )
        return cls(place, found["attributes"]["sparseaug"], _sha256(data))

    def save(self) -> Layout:
        """Write the facts, then the arrays' metadata; after a crash between the two, save again."""
        documents = {name: self._document(name) for name in self.outputs}
        facts = {**self.facts, "documents": {k: _sha256(v) for k, v in documents.items()}}
        group = {"zarr_format": 3, "node_type": "group", "attributes": {"sparseaug": facts}}
        facts["sha256"] = _sha256(canonical_json(group))
        self.place.write(ROOT, canonical_json(group))
        for name, document in documents.items():
            self.place.write(f"{name}/{ROOT}", document)
        return Layout.load(self.place)

    @property
    def outputs(self) -> Mapping[str, Any]:
        """The shape of one value and the dtypes of each output."""
        return self.facts["outputs"]

    @property
    def n(self) -> int:
        """Number of samples."""
        return self.facts["n"]

    @property
    def rows(self) -> Rows:
        """The distinct elements, in the order of the arrays."""
        whole = np.asarray(self.facts["sample"]["elements"])
        return np.asarray(self.facts["rows"], whole.dtype)

    @property
    def elements(self) -> int:
        """Number of distinct elements."""
        return len(self.facts["rows"])

    @property
    def blocks(self) -> int:
        """Number of blocks of samples."""
        return -(-self.n // self.facts["block"])

    def table(self) -> Table:
        """What is known of the store, for people."""
        facts, chunks = self.facts, self.blocks * self.elements
        action, there = facts["action"], len(self.there())
        size = f"{size_text(chunks * self.chunk_bytes())}, {chunks} chunks"
        missing = "" if there == chunks else f", {chunks - there} missing: incomplete"
        outputs = [
            (f"output {name}", f"{(self.n, self.elements, *one['shape'])}, {one['dtype']}")
            for name, one in self.outputs.items()
        ]
        rows = [
            ("function", facts["function"]),
            ("action", action["class"] if isinstance(action, dict) else action),
            ("S", f"{sum(facts['counts'])} elements, {self.elements} distinct, {facts['S'][:12]}"),
            *outputs,
            ("size", f"{size}{', compressed' * facts['compress']}{missing}"),
            ("made with", ", ".join(f"{k} {v}" for k, v in facts["versions"].items() if v)),
        ]
        return Table(("", ""), rows, title=f"Store of views at {self.place}")

    def samples(self, block: int) -> tuple[int, int]:
        """The first sample of a block, and the one after its last."""
        size = self.facts["block"]
        return block * size, min((block + 1) * size, self.n)

    def chunk_bytes(self) -> int:
        """Bytes of one chunk of every output, before compression."""
        return sum(self._size(name) + _CHECKSUM for name in self.outputs)

    def there(self) -> set[tuple[int, int]]:
        """Blocks and elements whose chunks of every output exist; nothing is said of their bytes."""
        keys = self.place.keys()
        pairs = ((b, j) for b in range(self.blocks) for j in range(self.elements))
        return {
            pair for pair in pairs if all(self.key(name, *pair) in keys for name in self.outputs)
        }

    def is_sound(self, block: int, element: int) -> bool:
        """Whether the chunks of every output exist and have their checksum."""
        try:
            for name in self.outputs:
                self.read(name, block, element)
        except SparseAugError:
            return False
        return True

    def key(self, name: str, block: int, element: int) -> str:
        """The file of a chunk."""
        return "/".join([name, "c", str(block), str(element), *"0" * len(self._shape(name))])

    def write(self, name: str, block: int, element: int, values: NDArray[Any]) -> None:
        """Write one chunk, whole or not at all; of the last block the rest is zero.

        Workers of a killed process may still run when its folder holds another store: they are refused.
        """
        padded = np.zeros((self.facts["block"], *self._shape(name)), self._dtype(name))
        padded[: len(values)] = rounded(values, self.outputs[name]["dtype"])
        data = Zstd(_LEVEL).encode(padded) if self.facts["compress"] else padded.tobytes()
        if _sha256(self.place.read(ROOT)) != self.root:
            raise StorageError(f"{self.place} has become another store; start again.")
        checksum = google_crc32c.value(data).to_bytes(_CHECKSUM, "little")
        self.place.write(self.key(name, block, element), data + checksum)

    def require_unchanged(self) -> None:
        """Raise a `StorageError` where another store lies here now; it may have grown."""
        if _sha256(self.place.read(ROOT)) == self.root:
            return
        found = Layout.load_root(self.place)
        differ = any(found.facts.get(k) != v for k, v in self.facts.items() if k not in _GROWING)
        if differ or found.facts["rows"][: self.elements] != self.facts["rows"]:
            raise StorageError(f"{self.place} has become another store; open it again.")

    def read(self, name: str, block: int, element: int, *, known: bool = False) -> NDArray[Any]:
        """The values of one chunk as they are stored, once its checksum is right, or known to be."""
        key = self.key(name, block, element)
        data = self.place.map(key)
        body, size = data[:-_CHECKSUM], self._size(name)
        stated = int.from_bytes(data[-_CHECKSUM:], "little")
        whole = known or google_crc32c.value(np.ascontiguousarray(body)) == stated
        if whole and self.facts["compress"]:
            body = np.frombuffer(Zstd().decode(body), np.uint8)
        _require(whole and len(body) == size, f"{self.place}/{key}")
        start, stop = self.samples(block)
        return body.view(self._dtype(name)).reshape(-1, *self._shape(name))[: stop - start]

    def _shape(self, name: str) -> tuple[int, ...]:
        return tuple(self.outputs[name]["shape"])

    def _dtype(self, name: str) -> np.dtype[Any]:
        stored = self.outputs[name]["dtype"]
        return np.dtype("uint16" if stored == "bfloat16" else stored).newbyteorder("<")

    def _size(self, name: str) -> int:
        return self.facts["block"] * math.prod(self._shape(name)) * self._dtype(name).itemsize

    def _document(self, name: str) -> bytes:
        """The metadata of an array as zarr writes them."""
        kept: dict[str, Any] = {}
        compressed = [ZstdCodec(level=_LEVEL, checksum=False)] if self.facts["compress"] else []
        zarr.create_array(
            store=MemoryStore(kept),
            shape=(self.n, self.elements, *self._shape(name)),
            chunks=(self.facts["block"], 1, *self._shape(name)),
            dtype=self._dtype(name),
            compressors=[*compressed, Crc32cCodec()],
        )
        return kept[ROOT].to_bytes()


def rounded(values: NDArray[Any], dtype: str) -> NDArray[Any]:
    """Values as they are stored."""
    if values.dtype == dtype:
        return values
    with np.errstate(over="ignore"):
        stored = _upper_half(values) if dtype == "bfloat16" else values.astype(dtype)
        read = restored(stored, dtype)
    if (np.isinf(read) & ~np.isinf(values)).any():
        raise ArgumentError(
            f"dtype={dtype!r} has no numbers as large as {abs(values[np.isfinite(values)]).max():.3g}, "
            "which function returned; give a wider dtype or None, and another folder."
        )
    return stored


def restored(stored: NDArray[Any], dtype: str) -> NDArray[Any]:
    """Values as they are read: float16 and bfloat16 as float32."""
    if dtype == "bfloat16":
        return (stored.astype(np.uint32) << 16).view(np.float32)
    return stored.astype(np.float32 if dtype == "float16" else dtype, copy=False)


def _upper_half(values: NDArray[Any]) -> NDArray[np.uint16]:
    """bfloat16 to nearest, ties to even: the upper bits of a float32."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    nearest = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return np.where(np.isnan(values), 0x7FC0, nearest).astype(np.uint16)


def _require(sound: bool, path: str) -> None:
    if not sound:
        raise FileFormatError(
            f"{path} is damaged: its checksum does not match; call views.compute with the same "
            "arguments to compute it again."
        )


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
