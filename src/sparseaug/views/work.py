"""The work behind a store: f(g x_i) for every sample i and every distinct g of S, once.

One task is one block of samples: it is fetched once, moved by every element whose chunk is missing or
damaged, and each chunk is written when it is there. So a run that was killed resumes where it stopped,
and it does not matter who computes a chunk, if the function gives the same values each time.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import joblib
import numpy as np

from sparseaug._checks import Progress, silent
from sparseaug._io import show_path
from sparseaug.actions.arrays import map_leaves, require_samples
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
from sparseaug.views.layout import SCHEMA, Layout, locked, sweep
from sparseaug.views.sources import Function, Source, describe, fingerprint

COPY = "moved copy"
"""The name of the function that a store has where no function was given."""

_CHUNK = 1 << 23  # bytes: a few milliseconds to write, and thousands of files for 10^10 bytes
_WORDS = {"n": "the length of source", "first sample": "the first sample of source"}
_BLOCKS = 16  # at least, where batches allow it, so that workers share the load


@dataclass(frozen=True)
class Work:
    """What fills stores: the samples, the function and how to run it; a store keeps it to grow."""

    source: Source
    values: Function
    asked: dict[str, Any]
    workers: int = 1
    progress: Progress = silent

    def first_facts(self, S: GroupSample) -> dict[str, Any]:
        """The facts of a new store; the function is called once, for shapes and dtypes."""
        x = _first(self.source, self.values.batch)
        rows, counts = S.counts()
        try:
            self.values.action(rows[:1], map_leaves(lambda array: array[:1], x))
        except ArgumentError as error:  # which speaks of the data as x
            raise ArgumentError(f"source does not fit action: {error}") from error
        found = self.values(rows[:1], x)
        largest = max(array[0].nbytes for array in found.values())
        batch = self.values.batch
        block = min(_CHUNK // max(largest, 1), max(batch, -(-len(self.source) // _BLOCKS)))
        block = max(block // batch * batch, min(block, batch), 1)  # whole batches, if there is one
        return {
            "schema": SCHEMA,
            **self.asked,
            "block": min(block, len(self.source)),
            "outputs": {
                name: {"shape": list(array.shape[1:]), "dtype": array.dtype.name}
                for name, array in found.items()
            },
            "versions": {name: _version(name) for name in ("sparseaug", "numpy", "torch", "zarr")},
            **facts_of(S, rows, counts.tolist()),
        }

    def fill(self, layout: Layout) -> None:
        """Compute what is missing or damaged; the caller holds the lock."""
        blocks = range(layout.blocks)
        absent = [[not layout.is_there(b, j) for j in range(layout.elements)] for b in blocks]
        size, needed = layout.chunk_bytes(), layout.chunk_bytes() * int(np.sum(absent))
        if needed > (free := shutil.disk_usage(layout.path).free):
            raise StorageError(
                f"{show_path(layout.path)} needs {size_text(needed)} more, and its disk has "
                f"{size_text(free)}; free some space, then call again to resume."
            )
        total = size * len(blocks) * layout.elements
        self.progress(0, total)
        fetches = self.source.blocks([layout.samples(b) for b in blocks])
        run = joblib.Parallel(
            min(self.workers, len(blocks)), return_as="generator", pre_dispatch="2 * n_jobs"
        )
        tasks = (
            joblib.delayed(fill_block)(layout, self.values, b, fetch)
            for b, fetch in zip(blocks, fetches, strict=True)
        )
        for done, _ in enumerate(run(tasks), 1):
            self.progress(done * size * layout.elements, total)


def fill_block(layout: Layout, values: Function, block: int, fetch: Callable[[], Any]) -> None:
    """Compute and write the chunks of one block that are missing or damaged."""
    wanted = [j for j in range(layout.elements) if not layout.is_sound(block, j)]
    if not wanted:
        return
    x, rows = fetch(), stored_rows(layout)
    for j in wanted:
        found = values(rows[j : j + 1], x)
        shapes = {k: {"shape": list(v.shape[1:]), "dtype": v.dtype.name} for k, v in found.items()}
        if shapes != layout.outputs:
            raise ArgumentError(
                f"function returned {shapes} for samples {layout.samples(block)} and {layout.outputs} "
                "for the first; one shape and dtype is needed for all."
            )
        for name, array in found.items():
            layout.write(name, block, j, array)


def work_on(layout: Layout, source: Any, action: Any, function: Any) -> Work:
    """The work that a store was computed with, from what its user gives again."""
    require_action(action)
    facts = layout.facts
    if (function is None) != (facts["function"] == COPY):
        raise ArgumentError(
            f"function={shorten(function)}, but the store holds {facts['function']!r}."
        )
    samples = Source(source, facts["column"])
    values = Function(action, function, facts["batch"], facts["dtype"])
    asked = asked_of(samples, values, facts["function"])
    return Work(samples, values, asked)


def extend(layout: Layout, S: GroupSample, work: Work) -> Layout:
    """The layout with the elements of a larger S, filled; the chunks that are there stay."""
    with locked(layout.path):
        sweep(layout.path)
        layout = Layout.load_root(layout.path)
        require_same(layout, work.asked)
        rows, counts = S.counts()
        old = stored_rows(layout)
        place = {row.tobytes(): k for k, row in enumerate(rows)}
        missing = sum(row.tobytes() not in place for row in old)
        if missing:
            raise ArgumentError(
                f"S lacks {missing} of the {len(old)} elements in the store; give an S that has them, "
                "or compute a store of its own."
            )
        kept = [place[row.tobytes()] for row in old]
        order = kept + sorted(set(range(len(rows))) - set(kept))
        facts = {**layout.facts, **facts_of(S, rows[order], counts[order].tolist())}
        layout = Layout(layout.path, facts).save()
        work.fill(layout)
    return layout


def facts_of(S: GroupSample, rows: Rows, counts: list[int]) -> dict[str, Any]:
    """What a store says of S: all of it, and its distinct rows in the order of the arrays."""
    return {"S": S.sha256, "sample": S.to_dict(), "rows": rows.tolist(), "counts": counts}


def stored_rows(layout: Layout) -> Rows:
    """The distinct elements, in the order of the arrays."""
    S = layout.facts["sample"]["elements"]
    return np.asarray(layout.facts["rows"], np.asarray(S).dtype)


def asked_of(source: Source, values: Function, name: str) -> dict[str, Any]:
    """What a store must have been made with to be gone on with."""
    return {
        "action": describe(values.action),
        "n": len(source),
        "function": name,
        "dtype": values.dtype,
        "batch": values.batch,
        "column": source.column,
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
            f"{show_path(layout.path)} is a store of something else: {told}. Give another folder, or "
            "the arguments it was made with."
        )


def has_lost_documents(path: Path) -> bool:
    """Whether the metadata of an array are missing or damaged: they follow from the facts."""
    try:
        Layout.load(path)
    except SparseAugError:
        return True
    return False


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
