"""The work behind a store: f(g x_i) for every sample i and every distinct g of S, once.

One task is one block of samples: it is fetched once, moved by every element whose chunk is missing or
damaged, and each chunk is written when it is there. So a run that was killed resumes where it stopped,
and it does not matter who computes a chunk, if the function gives the same values each time.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import Progress, silent
from sparseaug.actions.arrays import as_numpy, leaves, map_leaves, this_rank
from sparseaug.errors import (
    ArgumentError,
    ConfigMismatchError,
    FileFormatError,
    StorageError,
    shorten,
)
from sparseaug.sampling import GroupSample
from sparseaug.sampling.identity import describe, fingerprint
from sparseaug.views.engines import Task, on_all_ranks, run_tasks, same_threads, threads_now
from sparseaug.views.facts import SCHEMA, columns_of, keys_of
from sparseaug.views.folder import ROOT, Folder
from sparseaug.views.function import Function
from sparseaug.views.layout import Layout, outputs_of
from sparseaug.views.numbers import restored, rounded
from sparseaug.views.samples import Source

COPY = "moved copy"
"""The name of the function that a store has where no function was given."""

_CHUNK = 1 << 25  # bytes: a tenth of a second to write, and hundreds of files for 10^10 bytes
_HELD = 1 << 28  # bytes of samples that are held at once
_BLOCKS = 16  # at least, where batches allow it, so that workers share the load
_CLOSE = 0.01  # of the largest value: another processor or precision, not another function


@dataclass(frozen=True)
class Work:
    """What fills stores: the samples, the function and how to run it; a store keeps it to grow.

    Args:
        source: the samples
        values: the function of an element and samples
        name: of the function
        dtype: in which floating-point values are stored; None as they are
        workers: of joblib; None for what `joblib.parallel_config` states
        progress: of bytes
    """

    source: Source
    values: Function
    name: str
    dtype: str | None = None
    workers: int | None = None
    progress: Progress = silent

    @cached_property
    def asked(self) -> dict[str, Any]:
        """What a store must have been made with, to be used again."""
        return {
            "function": self.name,
            "fingerprint": fingerprint(self.values.function),
            "dtype": self.dtype,
            "action": describe(self.values.action),
            "n": len(self.source),
            "batch": self.values.batch,
            "column": self.source.column,
            "source": self.source.fingerprint(),
        }

    def new_layout(self, folder: Folder, S: GroupSample) -> Layout:
        """The layout of a new store; the function is called once, for shapes and dtypes."""
        x, columns = self.source.first(self.values.batch), columns_of(S)
        row = S.elements[:1]
        try:
            self.values.action(row, map_leaves(lambda array: array[:1], x))
        except ArgumentError as error:  # which speaks of the data as x
            raise ArgumentError(f"source does not fit action: {error}") from error
        found = self.values(row[0], self.values.put(x))
        n, batch = len(self.source), self.values.batch
        most = _CHUNK // max(1, *(array[0].nbytes for array in found.values()))
        held = _HELD // max(1, sum(as_numpy(part[0]).nbytes for part in leaves(x)))
        block = min(most, held, max(batch, -(-n // _BLOCKS)))
        block = max(block // batch * batch, min(most, batch), 1)  # whole batches, if there is one
        facts = {
            "schema": SCHEMA,
            **self.asked,
            "block": min(block, n),
            "threads": threads_now(),
            "outputs": outputs_of(found, self.dtype),
            "versions": {name: _version(name) for name in ("sparseaug", "numpy", "torch", "zarr")},
            "sample": S.to_dict(),
            "columns": columns,
        }
        return Layout(folder, facts, S)

    def fill(self, layout: Layout) -> Layout:
        """The layout, with what was missing or damaged computed; the caller holds the lock."""
        rank, ranks = this_rank()
        own, size = range(rank, layout.blocks, ranks), layout.chunk_bytes() * layout.elements
        tasks = (
            Task(layout, self.values, block, self.source.part(*layout.samples(block)))
            for block in own
        )
        self.progress(0, size * len(own))
        for done, _ in enumerate(run_tasks(tasks, self.workers), 1):
            self.progress(done * size, size * len(own))
        return layout

    def require_same(self, layout: Layout) -> None:
        """A store made with other arguments is refused, also where only values of a chunk show it."""
        facts = layout.facts
        for key, value in self.asked.items():
            if facts.get(key) != value:
                said = f"{key} is {shorten(facts.get(key), 30)} there and {shorten(value, 30)} here"
                raise ConfigMismatchError(f"{layout.folder} differs: {said}; give a new folder.")
        for block, element in sorted(layout.there(), reverse=True):
            if layout.is_sound(block, element):
                self._require_same_values(layout, block, element)
                return

    def _require_same_values(self, layout: Layout, block: int, element: int) -> None:
        start, stop = layout.samples(block)
        stop = min(stop, start + self.values.batch)
        x = self.source.get(start, stop)
        with same_threads(layout.facts["threads"]):
            found = self.values(layout.rows[element], self.values.put(x))
        layout.require_outputs(found)
        for name, one in layout.outputs.items():
            there = restored(layout.read(name, block, element)[: stop - start], one["dtype"])
            if not _are_close(there, restored(rounded(found[name], one["dtype"]), one["dtype"])):
                said = f"other {name!r} of samples {start} to {stop - 1} than function returns"
                raise ConfigMismatchError(f"{layout.folder} has {said}; give a new folder.")


def start(folder: Folder, work: Work, S: GroupSample) -> Layout:
    """A store with all its chunks: a new one, one that was interrupted, or one that grows to a larger S.

    The chunks that are there stay. Of several ranks one prepares the store and holds the lock.
    """
    if this_rank()[0]:
        on_all_ranks(lambda: None)
        return on_all_ranks(lambda: work.fill(Layout.load(folder)))
    with ExitStack() as held:

        def prepare() -> Layout:
            held.enter_context(folder.locked())
            return _prepared(folder, work, S)

        layout = on_all_ranks(prepare)
        return on_all_ranks(lambda: work.fill(layout))


def _prepared(folder: Folder, work: Work, S: GroupSample) -> Layout:
    """The layout for S, once what stands in the folder was made with the same arguments."""
    if not (folder.root / ROOT).exists():
        if folder.names():
            raise StorageError(f"out={folder} holds other files; give a new folder.")
        return work.new_layout(folder, S).save()
    try:
        found = Layout.load(folder)
    except FileFormatError:  # metadata of arrays, missing or damaged, follow from the facts
        found = Layout.load_root(folder).save()
    work.require_same(found)
    if found.S == S:
        return found
    missing = len(set(keys_of(found.rows)) - set(keys_of(S.elements)))
    if missing:
        lacks = f"S lacks {missing} of the {found.elements} elements in {folder}"
        raise ConfigMismatchError(f"{lacks}; give a new folder, or views.open(...).at(S).")
    facts = {**found.facts, "sample": S.to_dict(), "columns": columns_of(S, found.rows)}
    return Layout(folder, facts, S).save()


def _are_close(there: NDArray[Any], found: NDArray[Any]) -> bool:
    if there.dtype.kind not in "fc":
        return np.array_equal(there, found)
    slack = _CLOSE * float(abs(there[np.isfinite(there)]).max(initial=0.0))
    return np.allclose(there, found, rtol=0, atol=slack, equal_nan=True)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
