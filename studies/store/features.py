"""The values of every sample at every element that anyone asks for, computed once.

Who trains on m elements, on the whole group or on fresh elements in each epoch reads columns of the same
array, and the passes that it would have needed are counted. So a comparison costs the passes of one
store, and all contenders see the same numbers, bit by bit.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

import sparseaug as sa
from sparseaug.actions.arrays import map_leaves
from sparseaug.actions.prepared import PreparedAction
from sparseaug.groups import Rows
from sparseaug.sampling import GroupSample
from studies.store.cases import Case, Floats

Table = NDArray[np.int64]  # (samples, k): the columns at which each sample is shown, in turn
Key = tuple[str, int, int]  # name, m and seed
Sets = dict[Key, GroupSample]
Read = tuple[Floats, Floats, dict[Key, Table], list[Table]]

SIZES = (2, 4, 8, 16)
STREAMED = (5, 10, 20, 50)  # epochs of streaming, each with a schedule of its own
PILOT = 16  # training samples that the spectrum is measured on
PILOT_CALLS = 64  # elements at which, for a group that is not enumerated
TESTED = 16  # elements at which test samples are then moved
BATCH = 16  # samples per pass: the fastest on one core at 128 px


class Features(NamedTuple):
    """Values of training samples at columns, and of moved test samples.

    Attributes:
        values: (train, columns, d); entries have mean 0 and variance 1 over the unmoved samples
        y: their classes or targets
        test: (test samples, elements, d)
        y_test: of the test samples
        classes: how many; None for a regression
        tables: the columns of each set, by name, m and seed
        own: columns with elements drawn for each sample by itself, by seed
        pilot: passes for the spectrum, per training sample
    """

    values: Floats
    y: NDArray[Any]
    test: Floats
    y_test: NDArray[Any]
    classes: int | None
    tables: dict[Key, Table]
    own: list[Table]
    pilot: float

    def contenders(self, seed: int, epochs: int) -> Iterator[tuple[str, int, Table, int]]:
        """Name, m, table and epochs of each; streaming is a table with a column for each epoch."""
        for (name, m, of), table in self.tables.items():
            if of == seed:
                yield name, m, table, epochs
                if name == "draws":
                    yield "own draws", m, self.own[seed][:, :m], epochs
        for count in STREAMED:
            if count <= epochs:
                yield "streaming", count, self.own[seed][:, :count], count


def collect(case: Case, folder: Path, *, seeds: int, epochs: int) -> Features:
    """Compute the stores of a case, or resume; then read them."""
    sets, passes = chosen(case, seeds)
    read = _listed if case.action.group.is_finite else _drawn
    values, tested, tables, own = read(case, sets, folder, seeds, epochs)
    unmoved = values[:, tables["none", 1, 0][0, 0]]
    mean, spread = unmoved.mean(axis=0), unmoved.std(axis=0) + 1e-3
    for array in (values, tested):
        array -= mean
        array /= spread
    y, y_test = (case.y[at] for at in _parts(case))
    pilot = passes / case.train
    return Features(values, y, tested, y_test, case.classes, tables, own, pilot)


def chosen(case: Case, seeds: int) -> tuple[Sets, int]:
    """The sets that are compared, and the passes that went into the spectrum."""
    group, sets = case.action.group, Sets()
    pilot = map_leaves(lambda part: torch.from_numpy(part[:PILOT]), case.x)
    calls = int(group.order) if group.is_finite else PILOT_CALLS
    oracle = sa.Oracle(group, seed=77)
    spectrum = sa.orbit_spectrum(
        case.function, case.action, pilot, calls=calls, oracle=oracle, chunk_size=BATCH
    )
    for seed in range(seeds):
        sets["none", 1, seed] = identity(group)
        if group.is_finite:
            sets["full", int(group.order), seed] = GroupSample(group, group.all_elements())
    for m in (m for m in SIZES if not group.is_finite or m < group.order):
        made = sa.design(group, m=m, spectrum=spectrum)
        for seed in range(seeds):
            sets["draws", m, seed] = sa.Oracle(group, seed=seed).draw(m)
            sets["design", m, seed] = made
    return sets, PILOT * calls


def _listed(case: Case, sets: Sets, folder: Path, seeds: int, epochs: int) -> Read:
    """Of a finite group all columns are stored; own elements are drawn among them."""
    group, n = case.action.group, case.train
    store = compute(case, case.x, sets["full", int(group.order), 0], folder / "store")
    values, tested = np.split(store.array(), [n])
    place = _places(store.S.elements)
    tables = {key: np.tile(place(S.elements), (n, 1)) for key, S in sets.items()}
    own = []
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        own.append(rng.integers(len(store.S.elements), size=(n, epochs)))
        first = store.S.elements[own[seed][:, :1]]
        for m in (m for name, m, of in sets if name == "design" and of == seed):
            moved = group.compose(sets["design", m, seed].elements[None], first)
            tables["moved first", m, seed] = place(moved)
    return values, tested, tables, own


def _drawn(case: Case, sets: Sets, folder: Path, seeds: int, epochs: int) -> Read:
    """Of an infinite one: the sets, the designs on samples that were moved first, own elements."""
    group, n = case.action.group, case.train
    train, test = (map_leaves(lambda part, at=at: part[at], case.x) for at in _parts(case))
    store = compute(case, train, _joined(sets), folder / "store")
    place = _places(store.S.elements)
    tables = {key: np.tile(place(S.elements), (n, 1)) for key, S in sets.items()}
    every = map_leaves(lambda part: np.repeat(part, epochs, axis=0), train)
    rows = sa.Oracle(group, seed=55).draw(n * epochs).elements
    moved = PreparedAction(case.action, rows, memory=0).each(every, np.arange(n * epochs))
    fresh = compute(case, moved, identity(group), folder / "own")
    once = map_leaves(lambda part: part[::epochs], moved)
    designs = {key: S for key, S in sets.items() if key[0] == "design"}
    translated = compute(case, once, _joined(designs), folder / "translated")
    place = _places(translated.S.elements)
    after = len(store.S.elements) + epochs
    for (_, m, seed), S in designs.items():
        tables["moved first", m, seed] = np.tile(after + place(S.elements), (n, 1))
    parts = [store.array(), fresh.array().reshape(n, epochs, -1), translated.array()]
    turns = [np.random.default_rng(seed) for seed in range(seeds)]
    columns = np.tile(np.arange(len(store.S.elements), after), (n, 1))
    own = [rng.permuted(columns, axis=1) for rng in turns]
    tested = compute(case, test, sa.Oracle(group, seed=99).draw(TESTED), folder / "test")
    return np.concatenate(parts, axis=1), tested.array(), tables, own


def compute(case: Case, x: Any, S: GroupSample, out: Path) -> Any:
    """A store of float16."""
    return sa.views.compute(
        x, case.action, S, case.function, out=out, name=case.name, batch=BATCH, dtype="float16"
    )


def _joined(sets: Sets) -> GroupSample:
    group = next(iter(sets.values())).group
    return GroupSample(
        group, np.unique(np.concatenate([S.elements for S in sets.values()]), axis=0)
    )


def _places(rows: Rows) -> Callable[[Rows], Table]:
    """Which of the stored rows each row is."""
    known = {row.tobytes(): j for j, row in enumerate(rows)}

    def place(elements: Rows) -> Table:
        flat = elements.astype(rows.dtype).reshape(-1, rows.shape[1])
        return np.array([known[row.tobytes()] for row in flat]).reshape(elements.shape[:-1])

    return place


def seconds_per_pass(case: Case, *, count: int = 128, repeats: int = 3) -> float:
    """Of `views.compute` with one element, in processor time: the least of several."""
    x = map_leaves(lambda part: part[:count], case.x)

    def once(seed: int) -> float:
        S = sa.Oracle(case.action.group, seed=seed).draw(1)
        with tempfile.TemporaryDirectory() as folder:
            start = time.process_time()
            sa.views.compute(
                x, case.action, S, case.function, out=folder, name=case.name, batch=BATCH
            )
            return (time.process_time() - start) / count

    return min(once(seed) for seed in range(repeats))


def identity(group: Any) -> GroupSample:
    return GroupSample(group, group.identity())


def _parts(case: Case) -> tuple[slice, slice]:
    return slice(0, case.train), slice(case.train, None)
