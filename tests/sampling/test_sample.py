"""S as data: multiset semantics, words, files that are believed only when whole."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import time

import numpy as np
import pytest
from safetensors.numpy import save_file

import sparseaug as sa
from sparseaug._archive import save_archive
from sparseaug.errors import (
    ArgumentError,
    ElementError,
    FileFormatError,
    SparseAugError,
    StorageError,
)
from sparseaug.groups.permutations import uniform_digits
from sparseaug.sampling import files, keyed_rng
from sparseaug.sampling.sample import _sha256


@pytest.fixture
def S():
    return sa.Oracle(sa.symmetric(4), seed=1).draw(30)


def test_duplicates_stay_and_count():
    S = sa.GroupSample(sa.cyclic(4), [[1], [3], [1], [1]])
    rows, counts = S.counts()
    assert (S.m, len(S), S.calls) == (4, 4, 0)
    assert rows.tolist() == [[1], [3]]
    assert counts.tolist() == [3, 1]


def test_equality_and_hash_are_those_of_the_multiset(S, rng):
    shuffled = sa.GroupSample(S.group, rng.permutation(S.elements))
    assert S == shuffled
    assert S.sha256 == shuffled.sha256
    assert hash(S) == hash(shuffled)
    doubled = sa.GroupSample(S.group, np.concatenate([S.elements, S.elements]))
    assert S != doubled
    assert S.sha256 != doubled.sha256
    assert S != sa.GroupSample(
        sa.direct_product(S.group, sa.cyclic(1)), np.pad(S.elements, ((0, 0), (0, 1)))
    )
    assert S != 3


def test_a_sample_cannot_be_changed(S):
    with pytest.raises(ValueError, match="read-only"):
        S.elements[0, 0] = 9
    with pytest.raises(AttributeError):
        S.calls = 0
    rows = np.array([[1], [2]])
    T = sa.GroupSample(sa.cyclic(4), rows)
    rows[0, 0] = 3
    assert T.elements.tolist() == [[1], [2]]
    assert not pickle.loads(pickle.dumps(T)).elements.flags.writeable


def test_words_are_products_of_the_sample_at_no_call(S):
    W = S.words(length=3, size=50, seed=2)
    g = S.group
    pairs = g.compose(S.elements[:, None], S.elements[None]).reshape(-1, 4)
    triples = g.compose(pairs[:, None], S.elements[None]).reshape(-1, 4)
    allowed = set(map(tuple, triples.tolist()))
    assert all(tuple(row) in allowed for row in W.elements.tolist())
    assert (W.m, W.calls, W.seed) == (50, 0, 2)
    assert W.origin.parents == (S.sha256,)
    assert np.array_equal(S.words(3, 50, 2).elements, W.elements)
    assert not np.array_equal(S.words(3, 50, 3).elements, W.elements)


def test_a_word_is_its_letters_multiplied_from_left_to_right(S):
    letters = uniform_digits(np.full(3, S.m), 50, keyed_rng(2, "words", step=3))
    first, second, third = S.elements[letters]
    g = S.group
    wanted = g.compose(g.compose(first, second), third)
    assert np.array_equal(S.words(3, 50, 2).elements, wanted)


@pytest.mark.parametrize("side", ["left", "right", "both"])
def test_a_translate_has_its_uniform_elements_on_the_side_it_names(S, side):
    h, k = sa.Oracle(S.group, seed=7).draw(2).elements
    g = S.group
    wanted = {
        "left": g.compose(h, S.elements),
        "right": g.compose(S.elements, h),
        "both": g.compose(g.compose(k, S.elements), h),
    }
    assert np.array_equal(S.translate(sa.Oracle(g, seed=7), side).elements, wanted[side])


def test_words_of_two_letters_have_uniform_letters():
    """Over {r, s} in D_3, words of length 2 are rr, rs, sr, ss: four products, each 1/4."""
    g = sa.dihedral(3)
    r, s = [1, 0], [0, 1]
    W = sa.GroupSample(g, [r, s]).words(length=2, size=4000, seed=0)
    rows, counts = W.counts()
    products = {tuple(g.compose(np.array([a]), np.array([b]))[0]) for a in (r, s) for b in (r, s)}
    assert {tuple(row) for row in rows} == products
    assert abs(counts - 1000).max() < 6 * np.sqrt(4000 * 0.25 * 0.75)  # six standard deviations


def test_save_and_load_keep_everything(group, tmp_path):
    S = sa.Oracle(group, seed=5).draw(7)
    path = tmp_path / "S.safetensors"
    S.save(path)
    T = sa.GroupSample.load(path)
    assert T == S
    assert np.array_equal(T.elements, S.elements)
    assert (T.calls, T.seed, T.origin, T.sha256) == (S.calls, S.seed, S.origin, S.sha256)
    assert os.listdir(tmp_path) == ["S.safetensors"]
    W = S.words(2, 9)
    W.save(path, overwrite=True)
    assert sa.GroupSample.load(path).origin == W.origin


def test_seeds_of_numpy_are_saved_as_plain_numbers(S, tmp_path):
    W = S.words(2, 4, seed=np.int64(3))
    W.save(tmp_path / "W")
    assert sa.GroupSample.load(tmp_path / "W").origin == W.origin


def test_json_says_all_of_it(S):
    data = json.loads(json.dumps(S.to_dict()))
    assert data["elements"] == S.elements.tolist()
    assert data["order"] == 24
    assert (data["m"], data["calls"], data["sha256"]) == (30, 30, S.sha256)
    assert json.loads(json.dumps(sa.Oracle(sa.symmetric(3000)).draw(1).to_dict()))["m"] == 1


def test_a_file_cut_anywhere_is_refused(S, tmp_path):
    path = tmp_path / "S.safetensors"
    S.save(path)
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(FileFormatError):
            sa.GroupSample.load(path)
    path.write_bytes(whole + b"\0")
    with pytest.raises(FileFormatError):
        sa.GroupSample.load(path)


def test_a_flipped_bit_is_a_typed_error_or_changes_nothing(S, tmp_path, rng):
    path = tmp_path / "S.safetensors"
    S.save(path)
    whole = path.read_bytes()
    refused = 0
    for bit in rng.choice(8 * len(whole), 2000, replace=False):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << (bit % 8)
        path.write_bytes(damaged)
        try:
            T = sa.GroupSample.load(path)
        except FileFormatError:
            refused += 1
        else:
            assert np.array_equal(T.elements, S.elements)
            assert (T.calls, T.origin, T.group) == (S.calls, S.origin, S.group)
    assert refused > 1900


def test_other_schemas_and_strangers_are_refused(S, tmp_path):
    path = tmp_path / "S.safetensors"
    rows = {"elements": S.elements}
    for metadata, message in (
        (None, "its schema is 'none' and this version reads 'sparseaug.GroupSample/1'"),
        ({"schema": "sparseaug.GroupSample/2"}, "GroupSample/2.*matching version"),
        ({"schema": files.SCHEMA}, "its metadata lacks or adds"),
        ({"schema": files.SCHEMA, "facts": "{}", "checksum": "0"}, "checksum"),
    ):
        save_file(rows, path, metadata=metadata)
        with pytest.raises(FileFormatError, match=message):
            sa.GroupSample.load(path)
    for tensors in ({"other": S.elements}, {"elements": S.elements.astype(np.int32)}, {}):
        save_archive(path, files.SCHEMA, tensors, {})
        with pytest.raises(FileFormatError, match="int64 array"):
            sa.GroupSample.load(path)
    save_archive(path, files.SCHEMA, rows, {})
    with pytest.raises(FileFormatError, match="facts are not those of a sample"):
        sa.GroupSample.load(path)
    with pytest.raises(StorageError, match=r"cannot be read: .*; check the path"):
        sa.GroupSample.load(tmp_path / "nothing")
    with pytest.raises(StorageError, match="cannot be read"):
        sa.GroupSample.load(tmp_path)


def forged(S, tmp_path, **changes):
    """A file with a right checksum around wrong facts."""
    facts = {**S._facts(), **changes}
    path = tmp_path / "forged.safetensors"
    files.save(path, S.group, S.elements, facts, overwrite=True)
    return path


@pytest.mark.parametrize(
    "changes",
    [
        {"sha256": "0" * 64},
        {"calls": -1},
        {"calls": "many"},
        {"origin": {"kind": "oracle"}},
        {"origin": {"kind": "magic", "seed": 0, "start": 0, "length": 0, "parents": []}},
        {"origin": {"kind": "oracle", "seed": "x", "start": 0, "length": 0, "parents": []}},
        {"origin": {"kind": "oracle", "seed": 0, "start": 0, "length": 0, "parents": 3}},
        {"origin": None},
        {"extra": 1},
    ],
)
def test_every_field_of_a_file_is_checked(S, tmp_path, changes):
    with pytest.raises(FileFormatError):
        sa.GroupSample.load(forged(S, tmp_path, **changes))


def test_rows_of_a_file_are_checked_against_its_group(S, tmp_path):
    path = tmp_path / "forged.safetensors"
    rows = S.elements[:, :1] + 7
    facts = {**S._facts(), "sha256": _sha256(sa.cyclic(3), rows)}
    files.save(path, sa.cyclic(3), rows, facts)
    with pytest.raises(FileFormatError, match="is not an element of C3"):
        sa.GroupSample.load(path)


def test_a_failed_save_leaves_the_old_file_whole(S, tmp_path):
    path = tmp_path / "S.safetensors"
    S.save(path)
    before = path.read_bytes()
    with pytest.raises(StorageError, match=r"was not written: .*; give a path"):
        S.save(path / "below")
    with pytest.raises(StorageError, match="was not written"):
        S.save(tmp_path)
    with pytest.raises(ArgumentError, match="names no file"):
        S.save("")
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["S.safetensors"]


def test_another_file_is_overwritten_only_when_asked_and_the_same_one_is_left(S, tmp_path):
    path = tmp_path / "S.safetensors"
    S.save(path)
    before = path.stat().st_mtime_ns, path.read_bytes()
    S.save(path)
    assert (path.stat().st_mtime_ns, path.read_bytes()) == before
    other = sa.Oracle(sa.symmetric(4), seed=2).draw(30)
    with pytest.raises(StorageError, match=r"exists already; .*overwrite=True"):
        other.save(path)
    assert (path.stat().st_mtime_ns, path.read_bytes()) == before
    (tmp_path / "notes").write_text("mine")
    with pytest.raises(StorageError, match=r"exists already; .*overwrite=True"):
        S.save(tmp_path / "notes")
    assert (tmp_path / "notes").read_text() == "mine"
    other.save(path, overwrite=True)
    assert sa.GroupSample.load(path) == other


def test_a_sample_of_the_same_multiset_at_another_cost_is_another_file(S, tmp_path):
    S.save(tmp_path / "S")
    for other in (
        sa.GroupSample(S.group, S.elements),
        sa.GroupSample(S.group, S.elements[::-1], S.calls, S.origin),
    ):
        with pytest.raises(StorageError, match="exists already"):
            other.save(tmp_path / "S")


def test_a_killed_save_leaves_the_old_file_or_the_new(tmp_path):
    """kill -9 at 8 moments during a loop of saves: the file on disk loads every time."""
    path = tmp_path / "S.safetensors"
    sa.Oracle(sa.symmetric(50), seed=0).draw(500).save(path)
    code = (
        "import sys, sparseaug as sa\n"
        "samples = [sa.Oracle(sa.symmetric(50), seed=s).draw(500) for s in range(4)]\n"
        "print('ready', flush=True)\n"
        "while True:\n"
        "    for S in samples: S.save(sys.argv[1], overwrite=True)\n"
    )
    for delay in np.linspace(0.0, 0.06, 8):
        with subprocess.Popen([sys.executable, "-c", code, path], stdout=subprocess.PIPE) as child:
            child.stdout.readline()
            time.sleep(delay)
            child.kill()
        assert sa.GroupSample.load(path).m == 500


def test_a_group_that_cannot_be_described_is_not_saved(tmp_path):
    class Mine(sa.groups.Group):
        name = "S3"
        width = 1
        radices = (2,)
        is_abelian = True
        _compose = staticmethod(np.bitwise_xor)
        _inverse = staticmethod(np.copy)

        def _contains(self, elements):
            return (elements >= 0)[:, 0]

        def generators(self):
            return np.array([[1]])

    with pytest.raises(SparseAugError, match="cannot be saved"):
        sa.GroupSample(Mine(), [[1]]).save(tmp_path / "S")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: sa.GroupSample(3, [[0]]), ArgumentError, "group=3 is not a group"),
        (lambda: sa.GroupSample(sa.cyclic(3), np.empty((0, 1), int)), ArgumentError, "m >= 1"),
        (lambda: sa.GroupSample(sa.cyclic(3), [[3]]), ElementError, r"elements\[0\]"),
        (lambda: sa.GroupSample(sa.cyclic(3), [[0]], calls=-1), ArgumentError, "calls=-1"),
        (lambda: sa.GroupSample(sa.cyclic(3), [[0]]).words(0, 5), ArgumentError, "length=0"),
        (lambda: sa.GroupSample(sa.cyclic(3), [[0]]).words(1, 0), ArgumentError, "size=0"),
        (lambda: sa.GroupSample(sa.cyclic(3), [[0]]).words(1, 1, -1), ArgumentError, "seed=-1"),
    ],
)
def test_bad_arguments_are_named(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_what_is_made_of_draws_knows_them():
    oracle = sa.Oracle(sa.symmetric(4), seed=5)
    first, second = oracle.draw(3), oracle.draw(4)
    assert second.origin.draws == ((5, 3, 7),)
    assert first.words(2, 8).origin.draws == ((5, 0, 3),)
    assert sa.GroupSample(first.group, first.elements).origin.draws == ()


def test_a_group_is_taken_by_name_and_a_sample_as_rows_wherever_one_is():
    S3, x = sa.symmetric(3), np.arange(6.0).reshape(2, 3)
    act = sa.permute_axis("S3")
    assert act == sa.permute_axis(S3)
    assert sa.rotate_grid("D4").group == sa.dihedral(4)
    assert sa.flip_signs("Z2^3").group == sa.sign_flips(3)
    assert sa.Oracle("S3").draw(4) == sa.Oracle(S3).draw(4)
    assert sa.GroupSample.full("S3") == sa.GroupSample("S3", S3.all_elements())
    assert sa.design("S7", degree=2) == sa.design(sa.symmetric(7), degree=2)
    assert sa.records("S7").to_dict() == sa.records(sa.symmetric(7)).to_dict()
    assert sa.plan("S3", deviation=0.5).to_dict() == sa.plan(S3, deviation=0.5).to_dict()
    assert sa.direct_product("S3", "C2").name == "S3xC2"
    rows = [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
    S = sa.GroupSample(S3, rows)
    assert np.array_equal(sa.augment(act, rows, x), sa.augment(act, S, x))
    assert np.array_equal(sa.augment(act, "full", x), sa.augment(act, S3.all_elements(), x))
    errors = [
        sa.invariance_error(lambda x: x[:, 0], act, given, x).to_dict()
        for given in ("full", "S3", S3, S3.all_elements())
    ]
    assert errors[0] == errors[1] == errors[2]
    with pytest.raises(ArgumentError, match="S has no rows"):
        sa.augment(act, np.empty((0, 3), int), x)
