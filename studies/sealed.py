"""JSON files for people, under a checksum of their own: configs, results, lists of files."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any

from sparseaug._archive import canonical_json, parse_json, require
from sparseaug._io import read_bytes, show_path, write_atomic
from sparseaug.errors import FileFormatError


def save_json(
    path: str | os.PathLike[str], data: Mapping[str, Any], *, follow: bool = True
) -> None:
    """Write a JSON object, whole or not at all; the same data gives the same bytes.

    Its last field, "sha256", is that of the `canonical_json` of the others.
    """
    sealed = {**data, "sha256": _json_seal(data)}
    text = json.dumps(sealed, indent=1, allow_nan=False) + "\n"
    write_atomic(path, text.encode(), follow=follow)


def load_json(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read what `save_json` wrote, without its "sha256"; anything else is a `FileFormatError`."""
    try:
        data = parse_json(read_bytes(path))
    except (ValueError, RecursionError) as error:  # bad UTF-8 is a ValueError too
        raise FileFormatError(f"{show_path(path)} is not valid JSON: {error}.") from error
    require(isinstance(data, dict), path, "it is not a JSON object")
    stated = data.pop("sha256", None)
    require(stated is not None, path, "it has no sha256; it was edited, or is not ours")
    try:
        found = _json_seal(data)
    except ValueError as error:  # 1e999 is valid JSON
        raise FileFormatError(f"{show_path(path)} has a number that is not finite.") from error
    require(stated == found, path, "its sha256 does not match; it was damaged or edited")
    return data


def _json_seal(data: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical_json(data)).hexdigest()
