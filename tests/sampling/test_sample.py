"""S as data: multiset semantics, words, files that are believed only when whole."""

from __future__ import annotations

import os
import pickle

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import FileFormatError
from sparseaug.groups.permutations import uniform_digits
from sparseaug.sampling import keyed_rng


@pytest.fixture
def S():
    return sa.Oracle(sa.symmetric(4), seed=1).draw(30)


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


def test_what_is_made_of_draws_knows_them():
    oracle = sa.Oracle(sa.symmetric(4), seed=5)
    first, second = oracle.draw(3), oracle.draw(4)
    assert second.origin.draws == ((5, 3, 7),)
    assert first.words(2, 8).origin.draws == ((5, 0, 3),)
    assert sa.GroupSample(first.group, first.elements).origin.draws == ()
