"""A right checksum around wrong content: a typed error, or exactly what the file says; never another.

A checksum shows damage, not sense: these files are whole, and somebody else wrote them.
"""

from __future__ import annotations

import copy

import numpy as np
import pytest

import sparseaug as sa
from sparseaug._archive import canonical_json, load_archive, save_archive
from sparseaug.errors import ArgumentError, FileFormatError, SparseAugError
from tests.runs import run_with_checkpoint

DEEP: list = []
for _ in range(400):
    DEEP = [DEEP]

BAD = {
    **{"None": None, "True": True, "-1": -1, "1.5": 1.5, "text": "x", "an escape": "\x1b[31m"},
    **{"empty text": "", "an empty list": [], "an empty mapping": {}, "a mapping": {"a": 1}},
    **{"a list of None": [None], "a list of lists": [[]], "a list of text": ["x"]},
    **{"numbers": [1.5], "10^400": 10**400, "2^70": 2**70, "1e308": 1e308, "400 deep": DEEP},
}


TRIANGLE = sa.permutation_group([[1, 2, 0], [1, 0, 2]], label="triangle")
SAMPLES = {
    "a named group": sa.Oracle(sa.symmetric(4), seed=1).draw(5),
    "words": sa.Oracle(sa.symmetric(4), seed=1).draw(5).words(2, 4),
    "permutations": sa.Oracle(TRIANGLE, seed=0).draw(3),
    "a table": sa.Oracle(sa.table_group([[0, 1], [1, 0]]), seed=0).draw(3),
    "matrices": sa.Oracle(sa.matrix_group([[[1.0]], [[-1.0]]]), seed=0).draw(3),
    "a product": sa.Oracle(sa.direct_product(sa.symmetric(3), TRIANGLE), seed=0).draw(3),
}


@pytest.fixture(autouse=True)
def without_waiting_for_the_disk(monkeypatch):
    monkeypatch.setattr("os.fsync", lambda handle: None)


def go_through(cases, read, believed, typed=FileFormatError):
    """Read each case; what is read without an error must be what `believed` takes for its content."""
    count = refused = 0
    for name, content in cases:
        count += 1
        try:
            found = read(content)
        except typed as error:
            refused += str(error).isprintable()
        except Exception as error:
            error.add_note(name)
            raise
        else:
            assert believed(found, content), name
    return count, refused


@pytest.mark.parametrize("name", SAMPLES)
def test_facts_of_a_sample(tmp_path, name):
    S, path = SAMPLES[name], tmp_path / "S"
    S.save(path)
    arrays, facts = load_archive(path, "sparseaug.GroupSample/1")

    def read(wrong):
        save_archive(path, "sparseaug.GroupSample/1", arrays, wrong)
        return sa.GroupSample.load(path)

    def believed(found, wrong):
        """It says what the file says."""
        found.save(path, overwrite=True)
        return canonical_json(load_archive(path, "sparseaug.GroupSample/1")[1]) == canonical_json(
            wrong
        )

    count, refused = go_through(wrong_facts(facts), read, believed)
    assert count > 200
    assert refused > 0.85 * count


@pytest.mark.parametrize("name", SAMPLES)
def test_arrays_of_a_sample(tmp_path, name):
    path = tmp_path / "S"
    SAMPLES[name].save(path)
    arrays, facts = load_archive(path, "sparseaug.GroupSample/1")

    def read(wrong):
        save_archive(path, "sparseaug.GroupSample/1", wrong, facts)
        return sa.GroupSample.load(path)

    count, refused = go_through(wrong_arrays(arrays), read, lambda *_: False)
    assert count == refused >= 14


@pytest.mark.parametrize("calls", [5, 10**18])
@pytest.mark.parametrize("name", ["a named group", "words"])
def test_an_origin_that_claims_other_draws_than_its_calls_and_elements_is_refused(
    tmp_path, name, calls
):
    S = SAMPLES[name]
    facts = {"group": S.group.to_dict(), **S._facts(), "calls": calls}
    facts["origin"]["draws"] = [[1, 0, 10**18 + (name == "words") * 100]]
    save_archive(tmp_path / "S", "sparseaug.GroupSample/1", {"elements": S.elements}, facts)
    with pytest.raises(FileFormatError, match="draws="):
        sa.GroupSample.load(tmp_path / "S")
    with pytest.raises(ArgumentError, match="draws="):
        sa.GroupSample.from_dict({**S.to_dict(), **facts})


def test_checkpoints(tmp_path):
    from sparseaug.descent.checkpoint import SCHEMA

    path = tmp_path / "run"
    assert run_with_checkpoint(path, stop=10) is None  # stopped
    arrays, facts = load_archive(path, SCHEMA)

    def read(wrong_arrays, wrong_facts):
        save_archive(path, SCHEMA, wrong_arrays, wrong_facts)
        return run_with_checkpoint(path)

    def believed(run, wrong):
        """Another number in the trace, another best norm or count is what the file says."""
        columns = {name: wrong["trace"][name][1:] for name in facts["trace"]}
        told = ("trace", "best_norm", "clipped")
        rest = {name: facts[name] for name in facts if name not in told}
        return columns == {name: facts["trace"][name][1:] for name in columns} and rest == {
            name: wrong[name] for name in rest
        }

    count, refused = go_through(
        wrong_facts(facts), lambda wrong: read(arrays, wrong), believed, SparseAugError
    )
    assert count > 300
    assert refused > 0.9 * count
    bent = wrong_arrays(arrays)
    count, refused = go_through(bent, lambda wrong: read(wrong, facts), lambda *_: False)
    assert count == refused > 20


def wrong_facts(facts):
    """(name, facts) with one thing removed or replaced, wherever it stands; of a list the first."""
    for path in _paths(facts):
        if path:
            yield f"{path} removed", _changed(facts, path)
            for name, value in BAD.items():
                yield f"{path} = {name}", _changed(facts, path, value)


def wrong_arrays(arrays):
    """(name, arrays) with one array removed, added, or of another type, rank, size or content."""
    for name, array in arrays.items():
        yield f"{name} removed", {key: each for key, each in arrays.items() if key != name}
        for kind in ("float32", "float64", "int32", "int64", "uint64", "bool", "complex64"):
            if array.dtype != kind:
                with np.errstate(all="ignore"):
                    yield f"{name} as {kind}", {**arrays, name: array.real.astype(kind)}
        for what, bent in _bent(array).items():
            if bent.shape != array.shape or not np.array_equal(bent, array):
                yield f"{name} {what}", {**arrays, name: bent}
    yield "one more", {**arrays, "more": np.zeros(3)}


def _bent(array):
    flat = array.reshape(-1)
    bent = {
        "flat": flat if array.ndim != 1 else array[:, None],
        "in a list": array[None],
        "empty": flat[:0],
        "without its last": array[:-1] if array.ndim else flat[:0],
        "twice as long": np.concatenate([np.atleast_1d(array)] * 2),
        "a number": flat[:1].reshape(()) if array.ndim else flat,
        "negative": -np.abs(array) - 1 if array.dtype.kind == "i" else array[None],
        "too large": array + 10**9 if array.dtype.kind == "i" else array[None],
    }
    if array.dtype.kind == "f":
        for value in (np.nan, np.inf, -np.inf):
            changed = flat.copy()
            changed[-1] = value
            bent[f"with {value}"] = changed.reshape(array.shape)
    return bent


def _paths(data, before=()):
    yield before
    if isinstance(data, dict):
        for key in data:
            yield from _paths(data[key], (*before, key))
    elif isinstance(data, list) and data:
        yield from _paths(data[0], (*before, 0))


def _changed(data, path, *value):
    """With this value at the path, or without what stands there."""
    changed = place = copy.deepcopy(data)
    for key in path[:-1]:
        place = place[key]
    if value:
        place[path[-1]] = value[0]
    else:
        del place[path[-1]]
    return changed
