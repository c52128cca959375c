"""Archives and sealed JSON: read once, believed only when whole, readable by anyone."""

from __future__ import annotations

import json

import numpy as np
import pytest
import safetensors.numpy
from safetensors.numpy import load_file

from sparseaug._archive import _checksum, canonical_json, load_archive, save_archive
from sparseaug.errors import FileFormatError, StorageError

SCHEMA = "sparseaug.Test/1"


def test_an_archive_holds_any_shape_and_is_read_by_safetensors(tmp_path):
    arrays = {
        "scalar": np.array(1.5),
        "empty": np.empty((0, 3), np.int64),
        "turned": np.arange(6, dtype=">i4").reshape(2, 3).T,
        "flag": np.array([True, False]),
    }
    save_archive(tmp_path / "A", SCHEMA, arrays, {"seed": 1})
    found, facts = load_archive(tmp_path / "A", SCHEMA)
    assert facts == {"seed": 1}
    for read in (found, load_file(tmp_path / "A")):
        assert read.keys() == arrays.keys()
        assert all(np.array_equal(read[name], arrays[name]) for name in arrays)
    found["turned"][0, 0] = 9  # one's own copy


def _twice(text, key, value):
    """The JSON object with one more entry, before the others: Python's reader takes the later one."""
    return "{" + json.dumps(key) + ":" + json.dumps(value) + "," + text.strip()[1:]


def _with_header(data, header):
    text = header.encode()
    return len(text).to_bytes(8, "little") + text + data[8 + int.from_bytes(data[:8], "little") :]


@pytest.mark.parametrize("where", ["facts", "header", "arrays"])
def test_a_key_that_stands_twice_in_an_archive_is_refused(tmp_path, where):
    arrays, facts = {"a": np.zeros(2)}, {"seed": 1}
    if where == "facts":  # under a right checksum
        twice = _twice(canonical_json(facts).decode(), "seed", 2)
        metadata = {"schema": SCHEMA, "facts": twice}
        metadata["checksum"] = _checksum(metadata, arrays)
        data = safetensors.numpy.save(arrays, metadata=metadata)
    else:
        save_archive(tmp_path / "A", SCHEMA, arrays, facts)
        data = (tmp_path / "A").read_bytes()
        header = data[8 : 8 + int.from_bytes(data[:8], "little")].decode()
        known = json.loads(header)
        key = "__metadata__" if where == "header" else "a"
        header = _twice(header, key, known[key])
        data = _with_header(data, header)
    (tmp_path / "A").write_bytes(data)
    with pytest.raises(FileFormatError):
        load_archive(tmp_path / "A", SCHEMA)


def test_the_same_archive_may_be_saved_again_without_overwrite_and_another_may_not(tmp_path):
    path, arrays = tmp_path / "A", {"x": np.arange(3)}
    for _ in range(8):  # the order of the header's fields is not fixed
        save_archive(path, SCHEMA, arrays, {"seed": 1}, overwrite=False)
    before = path.read_bytes()
    for other, facts in (({"x": np.arange(4)}, {"seed": 1}), (arrays, {"seed": 2})):
        with pytest.raises(StorageError, match="exists already"):
            save_archive(path, SCHEMA, other, facts, overwrite=False)
    path.write_bytes(before[:-1] + b"?")
    with pytest.raises(StorageError, match="exists already"):
        save_archive(path, SCHEMA, arrays, {"seed": 1}, overwrite=False)
    assert path.read_bytes() == before[:-1] + b"?"


@pytest.mark.parametrize("schema", ["Test/1", "Test/4", "Other/3", "Test/03", "Test"])
def test_other_kinds_and_versions_are_refused_with_the_one_that_is_read(tmp_path, schema):
    path = tmp_path / "A"
    save_archive(path, f"sparseaug.{schema}", {"counts": np.arange(3)}, {"minutes": 2})
    match = f"schema is 'sparseaug.{schema}' and this version reads 'sparseaug.Test/3';"
    with pytest.raises(FileFormatError, match=match):
        load_archive(path, "sparseaug.Test/3")
    path.write_bytes(path.read_bytes().replace(f'{schema}"'.encode(), f'{schema[:-1]}7"'.encode()))
    with pytest.raises(FileFormatError, match="checksum does not match"):
        load_archive(path, f"sparseaug.{schema[:-1]}7")
