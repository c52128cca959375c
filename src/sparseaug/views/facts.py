"""What a store says of itself: JSON in its `zarr.json`, with a hash, and checked before it is used."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from typing import Any

from sparseaug._archive import canonical_json, parse_json
from sparseaug._io import LARGEST, is_name
from sparseaug.errors import FileFormatError, shorten, shorten_text
from sparseaug.groups import Rows
from sparseaug.sampling import GroupSample
from sparseaug.views.folder import ROOT, Folder, damaged
from sparseaug.views.numbers import FLOATS, stored_dtype

SCHEMA = "sparseaug.views/2"
CHECKSUM = 4
"""Bytes of a CRC-32C, which end a chunk."""


def read_facts(folder: Folder) -> tuple[dict[str, Any], GroupSample, str]:
    """The facts of the store in a folder, its sample, and the hash of the file that holds them."""
    if not folder.has(ROOT):
        raise FileFormatError(f"{folder} is not a store, as it has no {ROOT}; give another path.")
    data = folder.read(ROOT)
    try:
        found = parse_json(data)
        facts = found["attributes"]["sparseaug"]
        if facts.pop("sha256") != hash_of(canonical_json(found)):
            raise ValueError("its checksum does not match")
        if facts["schema"] != SCHEMA:
            raise ValueError(f"it is {shorten(facts['schema'])}, and this version reads {SCHEMA!r}")
        S = _sample_of(facts)
    except Exception as error:  # whatever a file says
        raise damaged(f"{folder}/{ROOT}", shorten_text(str(error))) from error
    return facts, S, hash_of(data)


def write_facts(folder: Folder, facts: Mapping[str, Any]) -> None:
    """Write the facts with their hash, as an attribute of the group that zarr opens."""
    own = dict(facts)
    group = {"zarr_format": 3, "node_type": "group", "attributes": {"sparseaug": own}}
    own["sha256"] = hash_of(canonical_json(group))
    folder.write(ROOT, canonical_json(group))


def hash_of(data: bytes) -> str:
    """SHA-256 in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def columns_of(S: GroupSample, first: Rows | None = None) -> list[int]:
    """Places in S of its distinct elements: those of `first` in their order, then by appearance.

    Raises:
        KeyError: an element of `first` is not in S.
    """
    places: dict[bytes, int] = {}
    for j, key in enumerate(keys_of(S.elements)):
        places.setdefault(key, j)
    kept = [places.pop(key) for key in ([] if first is None else keys_of(first))]
    return kept + list(places.values())


def keys_of(rows: Rows) -> list[bytes]:
    """What equal elements have in common; -0.0 equals 0.0."""
    return [row.tobytes() for row in rows + 0]


def _sample_of(facts: dict[str, Any]) -> GroupSample:
    """The sample of a store, its facts checked for types and sizes: a file may say anything."""
    sizes = [facts[key] for key in ("n", "batch", "block", "threads")]
    outputs = facts["outputs"]
    S = GroupSample.from_dict(facts["sample"])
    if not (
        all(type(size) is int and 0 < size < 1 << 40 for size in sizes)
        and facts["block"] <= facts["n"]
        and facts["threads"] <= 1 << 12
        and all(isinstance(facts[key], str) for key in ("function", "fingerprint", "source"))
        and isinstance(facts["column"], str | None)
        and all(isinstance(each, str | None) for each in facts["versions"].values())
        and len({name.casefold() for name in outputs}) == len(outputs) > 0
        and all(map(is_name, outputs))
        and all(_is_output(facts["block"], **one) for one in outputs.values())
        and columns_of(S, S.elements[facts["columns"]]) == facts["columns"]
        and facts["dtype"] in (None, *FLOATS)
    ):
        raise ValueError("its numbers and names do not fit together")
    return S


def _is_output(block: int, *, shape: Any, dtype: Any) -> bool:
    whole = isinstance(shape, list) and all(type(size) is int and size > 0 for size in shape)
    return (
        whole
        and len(shape) < 32
        and math.prod([block, *shape]) * stored_dtype(dtype).itemsize <= LARGEST - CHECKSUM
    )
