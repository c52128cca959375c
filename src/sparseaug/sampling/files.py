"""A sample on disk: one safetensors file whose metadata is JSON under a schema and a checksum."""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any

import numpy as np

from sparseaug.errors import FileFormatError, SparseAugError, UnsupportedError
from sparseaug.groups import Group, Rows, from_dict
from sparseaug.storage import read_bytes, write_atomic

SCHEMA = "sparseaug.GroupSample/1"


def save(
    path: str | os.PathLike[str],
    group: Group,
    elements: Rows,
    facts: dict[str, Any],
    *,
    overwrite: bool = True,
) -> None:
    """Write group, elements and facts, whole or not at all."""
    from safetensors.numpy import save as to_bytes

    description = group.to_dict()
    if not _describes(description, group):
        raise UnsupportedError(
            f"{group.name} cannot be saved: its to_dict() does not describe it; use a named group, "
            "permutation_group, matrix_group or table_group."
        )
    metadata = {
        "schema": SCHEMA,
        "group": canonical_json(description).decode(),
        "facts": canonical_json(facts).decode(),
    }
    metadata["checksum"] = _checksum(metadata, elements)
    tensors = {"elements": np.ascontiguousarray(elements, "<i8")}
    write_atomic(path, to_bytes(tensors, metadata=metadata), overwrite=overwrite)


def load(path: str | os.PathLike[str]) -> tuple[Group, Rows, dict[str, Any]]:
    """Read what `save` wrote; anything else is a `FileFormatError` that says what is wrong."""
    metadata, elements = _read(path)
    schema = metadata.get("schema", "none")
    require(
        schema == SCHEMA,
        path,
        f"its schema is {schema[:60]!r} and this version reads {SCHEMA!r}; "
        "save it again with a matching version of sparseaug",
    )
    missing = {"schema", "group", "facts", "checksum"} ^ set(metadata)
    require(not missing, path, f"its metadata lacks or adds {sorted(missing)}")
    stated = metadata.pop("checksum")
    require(stated == _checksum(metadata, elements), path, "its checksum does not match")
    try:
        group = from_dict(json.loads(metadata["group"]))
        facts = json.loads(metadata["facts"])
        require(set(facts) == {"calls", "origin", "sha256"}, path, "its facts are others")
    except (SparseAugError, ValueError, TypeError, RecursionError) as error:
        raise FileFormatError(f"{os.fspath(path)} is damaged: {error}") from error
    return group, elements, facts


def require(condition: bool, path: str | os.PathLike[str], reason: str) -> None:
    """Raise a `FileFormatError` for `path` unless the condition holds."""
    if not condition:
        raise FileFormatError(f"{os.fspath(path)} is not a sample that can be trusted: {reason}.")


def canonical_json(data: Any) -> bytes:
    """One spelling for one value: sorted keys, no spaces, ASCII."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def _read(path: str | os.PathLike[str]) -> tuple[dict[str, str], Rows]:
    from safetensors import safe_open

    read_bytes(path)  # a missing or unreadable file is told apart from a damaged one
    try:
        with safe_open(os.fspath(path), framework="np") as file:
            metadata = dict(file.metadata() or {})
            names = list(file.keys())
            elements = file.get_tensor("elements") if names == ["elements"] else None
    except Exception as error:  # the parser meets arbitrary bytes and may raise anything
        raise FileFormatError(f"{os.fspath(path)} is damaged or no sample: {error}") from error
    if elements is None or elements.dtype != np.int64 or elements.ndim != 2:
        raise FileFormatError(
            f"{os.fspath(path)} is no sample: it needs one int64 array 'elements'."
        )
    return metadata, elements


def _checksum(metadata: dict[str, str], elements: Rows) -> str:
    digest = hashlib.sha256(canonical_json({**metadata, "shape": list(elements.shape)}))
    digest.update(np.ascontiguousarray(elements, "<i8").tobytes())
    return digest.hexdigest()


def _describes(description: dict[str, Any], group: Group) -> bool:
    try:
        return from_dict(description) == group
    except SparseAugError:
        return False
