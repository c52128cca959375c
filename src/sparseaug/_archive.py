"""Arrays and facts in one safetensors file under a checksum, and JSON that has one meaning.

A file is read once and parsed from its bytes: what another program does to it meanwhile is a checksum
that does not match, never a mapped page that is gone.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug._io import read_bytes, show_path, write_atomic
from sparseaug.errors import FileFormatError, SparseAugError, escape_controls, shorten, shorten_text

Arrays = dict[str, NDArray[Any]]


def save_archive(
    path: str | os.PathLike[str],
    schema: str,
    arrays: Mapping[str, NDArray[Any]],
    facts: Mapping[str, Any],
    *,
    overwrite: bool = True,
    follow: bool = True,
) -> None:
    """Write arrays and JSON facts, whole or not at all.

    With overwrite=False a file that holds the same is left as it is, and any other refused.
    """
    from safetensors.numpy import save

    tensors = {name: _plain(array) for name, array in arrays.items()}
    metadata = {"schema": schema, "facts": canonical_json(facts).decode()}
    metadata["checksum"] = _checksum(metadata, tensors)
    if not overwrite and os.path.exists(path) and _holds(path, metadata):
        return
    write_atomic(path, save(tensors, metadata=metadata), overwrite=overwrite, follow=follow)


def load_archive(path: str | os.PathLike[str], schema: str) -> tuple[Arrays, dict[str, Any]]:
    """Read what `save_archive` wrote.

    Args:
        path: The file.
        schema: The kind of file and its version, as in "sparseaug.Checkpoint/3".

    Returns:
        The arrays and the facts.

    Raises:
        FileFormatError: The file is damaged, of another kind, or of another version.
    """
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
    same = metadata["checksum"] == _checksum(metadata, arrays)
    require(same, path, "its checksum does not match")
    try:
        facts = parse_json(metadata["facts"])
    except (ValueError, RecursionError) as error:
        raise FileFormatError(f"{show_path(path)} is damaged: {error}") from error
    require(isinstance(facts, dict), path, "its facts are not a mapping")
    return arrays, facts


def require(condition: bool, path: str | os.PathLike[str], reason: str) -> None:
    """Raise a `FileFormatError` for `path` unless the condition holds."""
    if not condition:
        raise FileFormatError(f"{show_path(path)} is not a file that can be trusted: {reason}.")


def parse_json(text: str | bytes) -> Any:
    """The value that JSON text has for every reader: NaN and a key that stands twice are refused.

    Raises:
        ValueError: It is not such JSON, or not UTF-8.
        RecursionError: It is nested too deep.

    Examples:
        >>> from sparseaug._archive import parse_json
        >>> parse_json('{"calls": 4, "calls": 0}')
        Traceback (most recent call last):
        ValueError: it has the key 'calls' twice
    """
    return json.loads(text, object_pairs_hook=_once, parse_constant=_refuse_constant)


def canonical_json(data: Any) -> bytes:
    """One spelling for one value: sorted keys, no spaces, ASCII."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def fields_as_json(record: Any, *without: str) -> dict[str, Any]:
    """The fields of a dataclass: arrays as lists, and what has a `to_dict` by it."""
    names = [field.name for field in fields(record) if field.name not in without]
    return {name: _as_json(getattr(record, name)) for name in names}


def _as_json(value: Any) -> Any:
    if hasattr(value, "to_dict"):
        return value.to_dict()
    return value.tolist() if hasattr(value, "tolist") else value


def _read(path: str | os.PathLike[str]) -> tuple[dict[str, str], Arrays]:
    from safetensors.numpy import load

    data = read_bytes(path)  # a missing or unreadable file is told apart from a damaged one
    try:
        found = load(data)  # checks the header, which stands after its length
        arrays = {name: a if a.flags.writeable else a.copy() for name, a in found.items()}
        header = parse_json(data[8 : 8 + int.from_bytes(data[:8], "little")])
        metadata = dict(header.get("__metadata__") or {})
    except Exception as error:  # the parser meets arbitrary bytes and may raise anything
        reason = shorten_text(escape_controls(str(error)), 200)
        raise FileFormatError(f"{show_path(path)} is damaged or not ours: {reason}") from error
    return metadata, arrays


def _holds(path: str | os.PathLike[str], metadata: dict[str, str]) -> bool:
    """Whether the archive at `path` is whole and has this metadata, so the same arrays too."""
    try:
        there, arrays = _read(path)
    except SparseAugError:
        return False
    return there == metadata and _checksum(there, arrays) == there["checksum"]


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"it has the key {shorten(twice)} twice")
    return found


def _refuse_constant(name: str) -> float:
    raise ValueError(f"it holds {name}")


def _checksum(metadata: dict[str, str], arrays: Mapping[str, NDArray[Any]]) -> str:
    shapes = {name: [str(a.dtype), list(a.shape)] for name, a in arrays.items()}
    facts = {key: text for key, text in metadata.items() if key != "checksum"}
    digest = hashlib.sha256(canonical_json({**facts, "arrays": shapes}))
    for name in sorted(arrays):
        digest.update(_plain(arrays[name]).tobytes())
    return digest.hexdigest()


def _plain(array: NDArray[Any]) -> NDArray[Any]:
    """Contiguous and little-endian."""
    contiguous = np.ascontiguousarray(array).reshape(array.shape)
    return contiguous.astype(contiguous.dtype.newbyteorder("<"), copy=False)


_MOST_BITS = 14_284  # 4,300 digits, above which Python's json neither writes nor reads an integer


def to_json(value: Any) -> Any:
    """The same as JSON holds it: numbers that are infinite, or have more than 4,300 digits, are null.

    Examples:
        >>> import math
        >>> from sparseaug._archive import to_json
        >>> to_json(720), to_json(2**64), to_json(2**20000), to_json(math.inf)
        (720, 18446744073709551616, None, None)
    """
    if isinstance(value, dict):
        return {name: to_json(part) for name, part in value.items()}
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
