"""The work behind a store: f(g x_i) for every sample i and every distinct g of S, once.

One task is one block of samples: it is fetched once, moved by every element whose chunk is missing or
damaged, and each chunk is written when it is there. So a run that was killed resumes where it stopped,
and it does not matter who computes a chunk, if the function gives the same values each time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from sparseaug._checks import Progress, silent
from sparseaug.actions.arrays import as_numpy, leaves, map_leaves, require_samples, this_rank
from sparseaug.actions.base import require_action
from sparseaug.errors import (
    ArgumentError,
    ConfigMismatchError,
    SparseAugError,
    StorageError,
    shorten,
    shorten_text,
    size_text,
)
from sparseaug.groups import Rows
from sparseaug.sampling import GroupSample
from sparseaug.views.engines import Task, on_all_ranks, require_outputs, run_tasks, threads_now
from sparseaug.views.layout import SCHEMA, Layout
from sparseaug.views.places import ROOT, Place
from sparseaug.views.sources import Function, Source, describe, described, fingerprint

COPY = "moved copy"
"""The name of the function that a store has where no function was given."""

_CHUNK = 1 << 23  # bytes: a few milliseconds to write, and thousands of files for 10^10 bytes
_HELD = 1 << 28  # bytes of samples that are held at once
_WORDS = {"n": "the length of source", "first sample": "the first sample of source"}
_BLOCKS = 16  # at least, where batches allow it, so that workers share the load


@dataclass(frozen=True)
class Work:
    """What fills stores: the samples, the function and how to run it; a store keeps it to grow.

    Args:
        source: the samples
        values: the function of an element and samples
        asked: what the store must have been made with
        workers: of joblib; None for what `joblib.parallel_config` states
        progress: of bytes
    """

    source: Source
    values: Function
    asked: dict[str, Any]
    workers: int | None = None
    progress: Progress = silent

    def first_facts(self, S: GroupSample) -> dict[str, Any]:
        """The facts of a new store; the function is called once, for shapes and dtypes."""
        x = _first(self.source, self.values.batch)
        rows, counts = S.counts()
        try:
            self.values.action(rows[:1], map_leaves(lambda array: array[:1], x))
        except ArgumentError as error:  # which speaks of the data as x
            raise ArgumentError(f"source does not fit action: {error}") from error
        found = self.values(rows[:1], x)[0]
        n, batch = len(self.source), self.values.batch
        most = _CHUNK // max(1, *(array[0].nbytes for array in found.values()))
        held = _HELD // max(1, sum(as_numpy(part[0]).nbytes for part in leaves(x)))
        block = min(most, held, max(batch, -(-n // _BLOCKS)))
        block = max(block // batch * batch, min(most, batch), 1)  # whole batches, if there is one
        return {
            "schema": SCHEMA,
            **self.asked,
            "block": min(block, n),
            "threads": threads_now(),
            "outputs": described(found, self.asked["dtype"]),
            "versions": {name: _version(name) for name in ("sparseaug", "numpy", "torch", "zarr")},
            **facts_of(S, rows, counts.tolist()),
        }

    def fill(self, layout: Layout) -> Layout:
        """The layout, with what was missing or damaged computed; the caller holds the lock."""
        rank, ranks = this_rank()
        own, size = range(rank, layout.blocks, ranks), layout.chunk_bytes() * layout.elements
        require_space(layout)
        fetches = self.source.blocks([layout.samples(b) for b in range(layout.blocks)])
        tasks = (
            Task(layout, self.values, block, fetch)
            for block, fetch in enumerate(fetches)
            if block in own
        )
        workers = None if self.workers is None else max(1, min(self.workers, len(own)))
        self.progress(0, size * len(own))
        with self.values.evaluating():
            for done, _ in enumerate(run_tasks(tasks, workers), 1):
                self.progress(done * size, size * len(own))
        return layout


def filled(place: Place, work: Work, prepare: Callable[[], Layout]) -> Layout:
    """The layout that `prepare` writes, with all its chunks; one process prepares and has the lock."""
    if this_rank()[0]:
        on_all_ranks(lambda: None)
        return on_all_ranks(lambda: work.fill(Layout.load(place)))
    with ExitStack() as held:

        def locked() -> Layout:
            held.enter_context(place.locked())
            return prepare()

        layout = on_all_ranks(locked)
        return on_all_ranks(lambda: work.fill(layout))


def start(place: Place, work: Work, S: GroupSample) -> Layout:
    """A new store with all its chunks, or one of the same that was interrupted."""

    def prepare() -> Layout:
        if ROOT in (keys := place.keys()):
            found = Layout.load_root(place)
            require_same(found, {**work.asked, "S": S.sha256})
            return found.save() if has_lost_documents(place) else found
        if keys:
            raise StorageError(f"out={place} holds other files; give a new folder.")
        return Layout(place, work.first_facts(S)).save()

    return filled(place, work, prepare)


def extend(layout: Layout, S: GroupSample, work: Work) -> Layout:
    """The layout with the elements of a larger S, filled; the chunks that are there stay."""

    def prepare() -> Layout:
        found = Layout.load_root(layout.place)
        require_same(found, work.asked)
        rows, counts = S.counts()
        old = found.rows
        place = {row.tobytes(): k for k, row in enumerate(rows)}
        missing = sum(row.tobytes() not in place for row in old)
        if missing:
            raise ArgumentError(
                f"S lacks {missing} of the {len(old)} elements in the store; give an S that has them, "
                "or compute a store of its own."
            )
        kept = [place[row.tobytes()] for row in old]
        order = kept + sorted(set(range(len(rows))) - set(kept))
        facts = {**found.facts, **facts_of(S, rows[order], counts[order].tolist())}
        larger = Layout(layout.place, facts)
        require_space(larger)  # and the function, before the store is said to be larger
        values = work.values(rows[order][-1:], _first(work.source, work.values.batch))[0]
        require_outputs(larger, values, (0, work.values.batch))
        return larger.save()

    return filled(layout.place, work, prepare)


def require_space(layout: Layout) -> None:
    """Raise a `StorageError` where the disk is too full for the chunks that are missing."""
    missing = layout.blocks * layout.elements - len(layout.there())
    needed, free = layout.chunk_bytes() * missing, layout.place.free()
    if needed > free and not layout.facts["compress"]:
        raise StorageError(
            f"{layout.place} needs {size_text(needed)} more, and its disk has "
            f"{size_text(int(free))}; free some space, then call again to resume."
        )


def work_on(layout: Layout, source: Any, action: Any, function: Any) -> Work:
    """The work that a store was computed with, from what its user gives again."""
    require_action(action)
    facts = layout.facts
    if (function is None) != (facts["function"] == COPY):
        raise ArgumentError(
            f"function={shorten(function)}, but the store holds {facts['function']!r}."
        )
    samples = Source(source, facts["column"])
    values = Function(action, function, facts["batch"])
    told = {key: facts[key] for key in ("function", "dtype", "compress")}
    asked = asked_of(samples, values, told)
    return Work(samples, values, asked)


def facts_of(S: GroupSample, rows: Rows, counts: list[int]) -> dict[str, Any]:
    """What a store says of S: all of it, and its distinct rows in the order of the arrays."""
    return {"S": S.sha256, "sample": S.to_dict(), "rows": rows.tolist(), "counts": counts}


def asked_of(source: Source, values: Function, told: Mapping[str, Any]) -> dict[str, Any]:
    """What a store must have been made with to be gone on with; `told` is what the user said."""
    return {
        **told,
        "action": describe(values.action),
        "n": len(source),
        "batch": values.batch,
        "column": describe(source.column),
        "first sample": fingerprint(_first(source, 1)),
    }


def _first(source: Source, count: int) -> Any:
    """The first samples."""
    try:
        x = next(source.blocks([(0, min(count, len(source)))]))()
        require_samples(x, "source")
    except SparseAugError:
        raise
    except Exception as error:  # whatever a foreign object raises
        raise ArgumentError(
            f"source={shorten(source.data)} gave no first samples ({shorten_text(str(error))}); give "
            "arrays, or a data set or iterable whose samples are arrays of one shape."
        ) from error
    return x


def require_same(layout: Layout, asked: dict[str, Any]) -> None:
    """Raise a `ConfigMismatchError` that names what differs."""
    differ = [key for key, value in asked.items() if layout.facts.get(key) != value]
    if differ:
        told = "; ".join(
            f"{_WORDS.get(key, key)} is {shorten(layout.facts.get(key), 30)} there and "
            f"{shorten(asked[key], 30)} here"
            for key in differ
        )
        raise ConfigMismatchError(
            f"{layout.place} is a store of something else: {told}. Give another folder, or "
            "the arguments it was made with."
        )


def has_lost_documents(place: Place) -> bool:
    """Whether the metadata of an array are missing or damaged: they follow from the facts."""
    try:
        Layout.load(place)
    except SparseAugError:
        return True
    return False


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
