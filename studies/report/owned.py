"""Files that are replaced only if we wrote them: files.json in the folder has their hashes.

A file is ours if files.json, itself under a checksum, lists the SHA-256 of its bytes. What anybody
else wrote or changed is refused, and so is a link. files.json is written first, with the hashes of
the old bytes and of the new: stopped anywhere, what is in the folder is still known as ours.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sparseaug._archive import require
from sparseaug._io import is_name, read_bytes, show_path, write_atomic
from sparseaug.errors import ArgumentError, StorageError, shorten
from studies.paper.folder import require_no_link
from studies.sealed import load_json, save_json

MANIFEST = "files.json"


def require_ours(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """SHA-256 of each of these files that is there; a `StorageError` for one that is not ours."""
    known, found = _manifest(folder), {}
    for name in names:
        path = folder / name
        if not os.path.lexists(path):
            continue
        require_no_link(path)
        found[name] = _sha256(read_bytes(path))
        if found[name] not in known.get(name, ()):
            raise StorageError(
                f"{show_path(path)} was written by something else, or changed since; move it away "
                "or give another folder."
            )
    return found


def write_owned(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write these files, or none of them if one is there that is not ours."""
    for name in files:
        if not is_name(name):
            raise ArgumentError(f"files={shorten(name)} is not the name of a file in the folder.")
    there = require_ours(folder, files)
    new = {name: _sha256(data) for name, data in files.items()}
    if all(there.get(name) == new[name] for name in files):
        return
    both = {name: sorted({new[name], there.get(name, new[name])}) for name in files}
    save_json(folder / MANIFEST, {"files": {**_manifest(folder), **both}}, follow=False)
    for name, data in files.items():
        if there.get(name) != new[name]:
            write_atomic(folder / name, data, follow=False)


def _manifest(folder: Path) -> dict[str, list[str]]:
    path = folder / MANIFEST
    if not os.path.lexists(path):
        return {}
    listed: Any = load_json(path).get("files")
    whole = isinstance(listed, dict) and all(map(_hashes, listed.values()))
    require(whole and all(map(is_name, listed)), path, "it lists no files")
    return dict(listed)


def _hashes(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
