"""Reading a store: arrays, means over S, data sets, splits by source sample."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import (
    Progress,
    check_array,
    check_choice,
    check_integer,
    check_list,
    check_progress,
)
from sparseaug.actions.arrays import as_numpy, library, require_dense
from sparseaug.errors import ArgumentError, FileFormatError, shorten
from sparseaug.groups import Rows
from sparseaug.sampling import GroupSample
from sparseaug.sampling.augment import split_sources
from sparseaug.sampling.sample import as_sample
from sparseaug.spectrum.measure import measurement_at
from sparseaug.spectrum.spectrum import Spectrum
from sparseaug.views.layout import FLOATS, Layout, restored
from sparseaug.views.places import place_of
from sparseaug.views.work import Work, extend, work_on

Indices = NDArray[np.int64]
ITEMS = ("copies", "views", "epoch")
_OPEN_CHUNKS = 512  # mapped at once, half of the open files that many systems allow
_UNPACKED = 1 << 30  # bytes of chunks that are held, where they cannot be mapped
_AT_ONCE = 1 << 27  # bytes of values that a spectrum is measured with at a time


class Copies(NamedTuple):
    """Rows for scikit-learn: one per sample and distinct element, sample by sample."""

    X: NDArray[Any]  # (rows, entries of a value)
    y: NDArray[Any]
    groups: Indices  # the source sample of each row: for GroupKFold and its kind
    weights: NDArray[np.float64]  # of each row; those of one sample sum to 1


class Store:
    """Values f(g x_i) on disk, as `views.open` and `views.compute` return it.

    Every chunk is verified by its checksum when it is first read, and a damaged one refused.

    Args:
        layout: where it lies, and what is known of it
        work: what it was computed with, so that it can grow; None where it was opened
        S: the sample in the order of its user; None for the order in which it was stored
    """

    def __init__(
        self, layout: Layout, work: Work | None = None, S: GroupSample | None = None
    ) -> None:
        self._layout = layout
        self._work = work
        self.S = GroupSample.from_dict(layout.facts["sample"]) if S is None else S
        self.counts: Indices = np.asarray(layout.facts["counts"], np.int64)
        self.rows = layout.rows
        self.number: Indices = self._places(self.S.elements)
        self._known: set[tuple[str, int, int]] = set()
        self._is_mapped = layout.place.is_local and not layout.facts["compress"]
        held = _OPEN_CHUNKS if self._is_mapped else max(1, _UNPACKED // layout.chunk_bytes())
        self._chunk = lru_cache(held)(self._read)

    def __reduce__(self) -> tuple[Any, ...]:
        return Store, (self._layout, None, self.S)

    @property
    def n(self) -> int:
        """Number of source samples."""
        return self._layout.n

    @property
    def function(self) -> str:
        """What the function is, as its user stated it."""
        return self._layout.facts["function"]

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of the arrays."""
        return tuple(self._layout.outputs)

    def __repr__(self) -> str:
        return (
            f"Store({self._layout.place}, {self.function!r}, n={self.n}, "
            f"{len(self.rows)} distinct of {self.S!r})"
        )

    def _repr_html_(self) -> str:
        return self._layout.table().html()

    def array(
        self, name: str | None = None, samples: Any = None, elements: Any = None
    ) -> NDArray[Any]:
        """Values (samples, distinct elements, ...) of one output; float16 and bfloat16 become float32.

        Args:
            name: of the output; None where there is only one.
            samples: indices of samples; None for all.
            elements: indices of distinct elements, in the order of `rows`; None for all.
        """
        name = self._name(name)
        which = self._samples(samples)
        chosen = _indices("elements", elements, len(self.rows))
        every = self._at(name, np.repeat(which, len(chosen)), np.tile(chosen, len(which)))
        return every.reshape((len(which), len(chosen), *every.shape[1:]))

    def _at(self, name: str, samples: Indices, elements: Indices) -> NDArray[Any]:
        """The values at pairs of a sample and a distinct element: (pairs, ...).

        Args:
            name: of the output
            samples: one index per pair
            elements: one index per pair, in the order of `rows`
        """
        stored = self._layout.outputs[name]
        dtype = restored(np.empty(0, np.uint16), stored["dtype"]).dtype
        values = np.empty((len(samples), *stored["shape"]), dtype)
        block, place = np.divmod(samples, self._layout.facts["block"])
        chunk = block * len(self.rows) + elements
        order = np.argsort(chunk, kind="stable")
        for part in np.split(order, np.nonzero(np.diff(chunk[order]))[0] + 1):
            if len(part):
                first = part[0]
                chunk_values = self._chunk(name, int(block[first]), int(elements[first]))
                values[part] = restored(chunk_values[place[part]], stored["dtype"])
        return values

    def _each_at(self, name: str, samples: Indices, elements: Indices) -> list[NDArray[Any]]:
        """The same one by one, which is faster where every pair lies in another chunk."""
        dtype = self._layout.outputs[name]["dtype"]
        block, place = np.divmod(samples, self._layout.facts["block"])
        pairs = zip(block.tolist(), elements.tolist(), place.tolist(), strict=True)
        return [np.array(restored(self._chunk(name, b, j)[i], dtype)) for b, j, i in pairs]

    def mean(self, name: str | None = None, samples: Any = None) -> NDArray[Any]:
        """The mean over S of each sample, elements weighted by how often they occur: (samples, ...).

        Sums are in double precision. It is test-time averaging without a pass of the function.

        Args:
            name: of the output; None where there is only one.
            samples: indices of samples; None for all.
        """
        name = self._name(name)
        which = self._samples(samples)
        total: Any = 0.0
        for j, count in enumerate(self.counts.tolist()):
            total = total + count * self.array(name, which, [j])[:, 0].astype(self._wide(name))
        return total / self.S.m

    def spectrum(
        self, name: str | None = None, samples: Any = None, *, by: str | None = None
    ) -> Spectrum:
        """What `orbit_spectrum` says of the stored values, without a pass: for `choose` and `design`.

        It is exact where the store holds the whole group, and an estimate where S was drawn. From a
        design it cannot be told how the values vary elsewhere.

        Args:
            name: of the output; None where there is only one.
            samples: indices of samples; None for all.
            by: "degree" or "frequency", for abelian groups, as for `orbit_spectrum`.
        """
        name, which = self._name(name), self._samples(samples)
        measurement = measurement_at(self.S, by)
        stored = self._layout.outputs[name]
        if stored["dtype"] not in FLOATS:
            raise ArgumentError(f"name={name!r} is of dtype {stored['dtype']}, not floating point.")
        if not len(which):
            raise ArgumentError("samples is empty; give at least one index.")
        number = self._places(measurement.rows)
        step = max(1, _AT_ONCE // (8 * len(number) * max(1, math.prod(stored["shape"]))))
        blocks = (
            np.moveaxis(self.array(name, which[k : k + step], number), 1, 0).reshape(
                len(number), -1
            )
            for k in range(0, len(which), step)
        )
        floor = (128 * FLOATS[stored["dtype"]]) ** 2
        return measurement.spectrum(blocks, inputs=len(which), floor=floor)

    def dataset(
        self,
        y: Any = None,
        *,
        items: Literal["copies", "views", "epoch"] = "copies",
        name: str | None = None,
        samples: Any = None,
    ) -> ViewDataset:
        """A data set for torch's loaders: items are values, or (value, y_i).

        Args:
            y: one target per source sample, of all n.
            items: "copies", one item per sample and element of S (item j k + i is sample i of k at
                element j, as in `sparseaug.augment`); "views", all m views of a sample; "epoch", one
                view per sample, another in each epoch: after m epochs each has been shown once, and in
                each epoch all elements occur equally often, up to one. Call
                `set_epoch` before each, as with a distributed sampler.
            name: of the output; None where there is only one.
            samples: indices of source samples, one part of `split`; None for all.
        """
        check_choice("items", items, ITEMS)
        return ViewDataset(self, self._name(name), self._samples(samples), self._targets(y), items)

    def xy(self, y: Any, *, name: str | None = None, samples: Any = None) -> Copies:
        """Rows for scikit-learn, with groups and weights: one per sample and distinct element.

        Args:
            y: one target per source sample, of all n.
            name: of the output; None where there is only one.
            samples: indices of source samples, one part of `split`; None for all.
        """
        which, targets = self._samples(samples), self._targets(y)
        if targets is None:
            raise ArgumentError("y=None has no targets; give one per sample.")
        values = self.array(name, which)
        k, m = values.shape[:2]
        return Copies(
            values.reshape((k * m, math.prod(values.shape[2:]))),
            np.repeat(as_numpy(targets)[which], m, axis=0),
            np.repeat(which, m),
            np.tile(self.counts / self.S.m, k),
        )

    def split(self, fractions: Sequence[float], rng: Any = 0) -> list[Indices]:
        """Disjoint parts of the source samples, so that all copies of one lie on one side.

        Args:
            fractions: of each part; they sum to 1.
            rng: a seed or a NumPy generator.

        Returns:
            The indices of source samples of each part, for `samples=`, in increasing order.
        """
        return split_sources(self.n, fractions, rng)

    def extend(
        self, S: GroupSample, source: Any = None, action: Any = None, function: Any = None
    ) -> Store:
        """The store with the elements of a larger S: only new ones are computed.

        Args:
            S: a sample whose elements include all that are stored.
            source: the samples, as for `views.compute`; only for a store that was opened: one that was
                computed in this process remembers them.
            action: as for `views.compute`
            function: as for `views.compute`
        """
        work = self._work if source is None else work_on(self._layout, source, action, function)
        if work is None:
            raise ArgumentError(
                "source is not given, and a store that was opened does not hold it; give source=, "
                "action= and function= as they were given to views.compute."
            )
        S = as_sample(S, self.S.group)
        return Store(extend(self._layout, S, work), work, S)

    def verify(self, progress: Progress | Literal["bar"] | None = None) -> None:
        """Read every chunk and raise a `FileFormatError` that names the first damaged or missing one.

        Args:
            progress: "bar", or a function progress(done, total) of bytes.
        """
        layout = Layout.load(self._layout.place)
        self._layout.require_unchanged()
        pairs = [(b, j) for b in range(layout.blocks) for j in range(layout.elements)]
        with watching(progress) as watch:
            for done, pair in enumerate(pairs, 1):
                for name in self.outputs:
                    layout.read(name, *pair)
                watch(done * layout.chunk_bytes(), len(pairs) * layout.chunk_bytes())

    def _read(self, name: str, block: int, element: int) -> NDArray[Any]:
        """A chunk, verified the first time: it is mapped again when others took its place."""
        key = (name, block, element)
        if key not in self._known:
            self._layout.require_unchanged()
        values = self._layout.read(*key, known=key in self._known)
        if self._is_mapped:
            self._known.add(key)
        return values

    def _places(self, rows: Rows) -> Indices:
        """Where elements stand in the order of the arrays."""
        place = {row.tobytes(): j for j, row in enumerate(self.rows)}
        return np.array([place[row.tobytes()] for row in rows.astype(self.rows.dtype)])

    def _name(self, name: str | None) -> str:
        names = self.outputs
        if name is None and len(names) == 1:
            return names[0]
        if not isinstance(name, str) or name not in names:
            raise ArgumentError(f"name={shorten(name)} is not an output; there are {list(names)}.")
        return name

    def _samples(self, samples: Any) -> Indices:
        return _indices("samples", samples, self.n)

    def _targets(self, y: Any) -> Any:
        if y is None:
            return None
        require_dense("y", y)
        if not library(y):
            y = check_list("y", y)
            if not all(isinstance(one, str | int | float | np.generic) for one in y):
                raise ArgumentError("y is not a list of numbers or words; give one per sample.")
            y = np.array(y)
        if not y.ndim or len(y) != self.n:
            raise ArgumentError(
                f"y has shape {tuple(y.shape)} for {self.n} samples; give one target per sample."
            )
        return y

    def _wide(self, name: str) -> type:
        is_complex = self._layout.outputs[name]["dtype"].startswith("complex")
        return np.complex128 if is_complex else np.float64


class ViewDataset:
    """What `Store.dataset` returns: a map-style data set, without torch; loaders join NumPy arrays."""

    def __init__(self, store: Store, name: str, samples: Indices, y: Any, items: str) -> None:
        self.store = store
        self.name = name
        self.samples = samples
        self.y = y
        self.items = items
        torch = sys.modules.get("torch")  # in shared memory, so that living workers see a new epoch
        shared = None if torch is None else torch.zeros(1, dtype=torch.int64).share_memory_()
        self._epoch: Any = np.zeros(1, np.int64) if shared is None else shared

    @property
    def epoch(self) -> int:
        """The number that `set_epoch` was given last."""
        return int(self._epoch[0])

    def set_epoch(self, epoch: int) -> None:
        """Which view of each sample is shown, for items="epoch"; call it before each epoch."""
        self._epoch[0] = check_integer("epoch", epoch, below=1 << 62)

    def __len__(self) -> int:
        return len(self.samples) * (self.store.S.m if self.items == "copies" else 1)

    def __getitem__(self, k: int) -> Any:
        return self.__getitems__([k])[0]

    def __getitems__(self, places: Sequence[int]) -> list[Any]:
        """Items at once, as loaders ask for a batch."""
        where = np.asarray(places, np.int64)
        if len(where) and not (-len(self) <= where.min() and where.max() < len(self)):
            raise IndexError(f"{shorten(list(places))} leaves 0..{len(self) - 1}")
        turn, place = np.divmod(where % len(self), len(self.samples))
        which, number, m = self.samples[place], self.store.number, self.store.S.m
        if self.items == "views":
            values = list(self.store.array(self.name, which, number))
        else:
            turn = turn if self.items == "copies" else (self.epoch + place) % m
            values = self.store._each_at(self.name, which, number[turn])
        if self.y is None:
            return values
        return [(value, self.y[i]) for value, i in zip(values, which.tolist(), strict=True)]


def open(path: str | os.PathLike[str]) -> Store:
    """The store at `path`, which must be complete; its metadata are verified, its chunks when read.

    Args:
        path: the folder that `views.compute` was given as `out`.

    Raises:
        FileFormatError: it is damaged, incomplete or not a store.
    """
    layout = Layout.load(place_of("path", path))
    chunks = layout.blocks * layout.elements
    absent = chunks - len(layout.there())
    if absent:
        raise FileFormatError(
            f"{layout.place} is incomplete: {absent} of {chunks} chunks are missing; call "
            "views.compute, or extend, with the same arguments to resume."
        )
    return Store(layout)


@contextmanager
def watching(progress: Progress | Literal["bar"] | None) -> Iterator[Progress]:
    """What is called with (done, total) bytes; "bar" shows them, their rate and the time left."""
    if not (isinstance(progress, str) and progress == "bar"):
        yield check_progress(progress)
        return
    from rich import progress as rich
    from rich.console import Console

    columns = (
        *(rich.BarColumn(), rich.DownloadColumn()),
        *(rich.TransferSpeedColumn(), rich.TimeRemainingColumn()),
    )
    with rich.Progress(*columns, console=Console(stderr=True)) as shown:
        task = shown.add_task("views")
        yield lambda done, total: shown.update(task, completed=done, total=total)


def _indices(name: str, value: Any, count: int) -> Indices:
    """All, for None, or the indices, each in 0..count-1."""
    if value is None:
        return np.arange(count)
    which = check_array(name, value)
    if which.ndim != 1 or (len(which) and not (which.min() >= 0 and which.max() < count)):
        raise ArgumentError(
            f"{name}={shorten(value)} is not allowed; give a list of indices from 0 to {count - 1}."
        )
    return which
