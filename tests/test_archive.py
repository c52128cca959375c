"""Archives and sealed JSON: read once, believed only when whole, readable by anyone."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest
import safetensors.numpy
from safetensors.numpy import load_file

from sparseaug._archive import _checksum, canonical_json, load_archive, save_archive
from sparseaug.errors import FileFormatError, StorageError
from studies.sealed import load_json, save_json

SCHEMA = "sparseaug.Test/1"
DATA = {"config": {"seeds": 2, "name": "±"}, "risk": [[0.1, 1e-300], [-0.0, 5]], "none": None}


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


def test_an_archive_is_read_once_so_that_a_rewriter_cannot_kill_the_reader(tmp_path, monkeypatch):
    """A mapped file that another program cuts short is a SIGBUS; bytes that were read stay."""
    import sparseaug._archive as archive

    path, reads = tmp_path / "A", []
    save_archive(path, SCHEMA, {"x": np.arange(1000.0)}, {})
    plain = archive.read_bytes

    def read_then_cut(given):
        reads.append(given)
        data = plain(given)
        os.truncate(path, 0)
        return data

    monkeypatch.setattr(archive, "read_bytes", read_then_cut)
    arrays, _ = load_archive(path, SCHEMA)
    assert len(reads) == 1
    assert arrays["x"].sum() == 499500


def _twice(text, key, value):
    """The JSON object with one more entry, before the others: Python's reader takes the later one."""
    return "{" + json.dumps(key) + ":" + json.dumps(value) + "," + text.strip()[1:]


def _with_header(data, header):
    text = header.encode()
    return len(text).to_bytes(8, "little") + text + data[8 + int.from_bytes(data[:8], "little") :]


@pytest.mark.parametrize("where", ["facts", "metadata", "header", "arrays"])
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
        if where == "metadata":
            inner = json.dumps(known["__metadata__"])
            header = json.dumps({**known, "__metadata__": 0})
            header = header.replace(
                '"__metadata__": 0', f'"__metadata__": {_twice(inner, "facts", "{}")}'
            )
        else:
            key = "__metadata__" if where == "header" else "a"
            header = _twice(header, key, known[key])
        data = _with_header(data, header)
    (tmp_path / "A").write_bytes(data)
    with pytest.raises(FileFormatError):
        load_archive(tmp_path / "A", SCHEMA)


def test_every_cut_and_every_flipped_bit_of_sealed_json_is_refused_or_changes_nothing(tmp_path):
    path = tmp_path / "a.json"
    save_json(path, DATA)
    whole = path.read_bytes()
    for length in range(len(whole) - 1):  # the last byte is the line's end
        path.write_bytes(whole[:length])
        with pytest.raises(FileFormatError):
            load_json(path)
    refused = 0
    for bit in range(8 * len(whole)):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << (bit % 8)
        path.write_bytes(damaged)
        try:
            assert repr(load_json(path)) == repr(DATA)
        except FileFormatError:
            refused += 1
    assert refused > 0.8 * 8 * len(whole)


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


@pytest.mark.parametrize("shape", [[1 << 40], [1 << 33, 1 << 33], [0, 1 << 62], [1] * 100])
def test_a_header_that_claims_a_huge_shape_is_refused_at_once(tmp_path, shape):
    entry = {"dtype": "F64", "shape": shape, "data_offsets": [0, 8 * (shape == [1] * 100)]}
    header = json.dumps({"x": entry}).encode()
    size = len(header).to_bytes(8, "little")
    (tmp_path / "A").write_bytes(size + header + bytes(8 * (shape == [1] * 100)))
    with pytest.raises(FileFormatError):
        load_archive(tmp_path / "A", SCHEMA)
