"""Arrays and facts in one safetensors file, under a schema and a checksum; read back or refused."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug.errors import FileFormatError
from sparseaug.storage import read_bytes, write_atomic

Arrays = dict[str, NDArray[Any]]


def save_archive(
    path: str | os.PathLike[str],
    schema: str,
    arrays: Mapping[str, NDArray[Any]],
    facts: Mapping[str, Any],
    *,
    overwrite: bool = True,
) -> None:
    """Write arrays and JSON facts, whole or not at all."""
    from safetensors.numpy import save

    tensors = {name: _plain(array) for name, array in arrays.items()}
    metadata = {"schema": schema, "facts": canonical_json(facts).decode()}
    metadata["checksum"] = _checksum(metadata, tensors)
    write_atomic(path, save(tensors, metadata=metadata), overwrite=overwrite)


def load_archive(path: str | os.PathLike[str], schema: str) -> tuple[Arrays, dict[str, Any]]:
    """Read what `save_archive` wrote; anything else is a `FileFormatError` that says what is wrong."""
    metadata, arrays = _read(path)
    found = metadata.get("schema", "none")
    require(
        found == schema,
        path,
        f"its schema is {found[:60]!r} and this version reads {schema!r}; "
        "save it again with a matching version of sparseaug",
    )
    missing = {"schema", "facts", "checksum"} ^ set(metadata)
    require(not missing, path, f"its metadata lacks or adds {sorted(missing)}")
    stated = metadata.pop("checksum")
    require(stated == _checksum(metadata, arrays), path, "its checksum does not match")
    try:
        facts = json.loads(metadata["facts"])
    except (ValueError, RecursionError) as error:
        raise FileFormatError(f"{os.fspath(path)} is damaged: {error}") from error
    require(isinstance(facts, dict), path, "its facts are no mapping")
    return arrays, facts


def require(condition: bool, path: str | os.PathLike[str], reason: str) -> None:
    """Raise a `FileFormatError` for `path` unless the condition holds."""
    if not condition:
        raise FileFormatError(f"{os.fspath(path)} is not a file that can be trusted: {reason}.")


def canonical_json(data: Any) -> bytes:
    """One spelling for one value: sorted keys, no spaces, ASCII."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def _read(path: str | os.PathLike[str]) -> tuple[dict[str, str], Arrays]:
    from safetensors import safe_open

    read_bytes(path)  # a missing or unreadable file is told apart from a damaged one
    try:
        with safe_open(os.fspath(path), framework="np") as file:
            metadata = dict(file.metadata() or {})
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except Exception as error:  # the parser meets arbitrary bytes and may raise anything
        raise FileFormatError(f"{os.fspath(path)} is damaged or not ours: {error}") from error
    return metadata, arrays


def _checksum(metadata: dict[str, str], arrays: Mapping[str, NDArray[Any]]) -> str:
    shapes = {name: [str(a.dtype), list(a.shape)] for name, a in arrays.items()}
    digest = hashlib.sha256(canonical_json({**metadata, "arrays": shapes}))
    for name in sorted(arrays):
        digest.update(_plain(arrays[name]).tobytes())
    return digest.hexdigest()


def _plain(array: NDArray[Any]) -> NDArray[Any]:
    """Contiguous and little-endian."""
    contiguous = np.ascontiguousarray(array).reshape(array.shape)
    return contiguous.astype(contiguous.dtype.newbyteorder("<"), copy=False)
