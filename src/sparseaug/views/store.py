"""Reading a store: arrays, means over S, rows for scikit-learn, spectra, splits by source sample."""

from __future__ import annotations

import io
import math
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property, lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import Progress, check_array, check_choice, check_list, check_progress
from sparseaug.actions.arrays import as_numpy, library, require_dense
from sparseaug.errors import ArgumentError, FileFormatError, StorageError, shorten
from sparseaug.groups import Rows
from sparseaug.sampling import GroupSample
from sparseaug.sampling.augment import split_sources
from sparseaug.sampling.sample import as_sample
from sparseaug.spectrum.measure import measurement_at
from sparseaug.spectrum.pool import PoolSpectrum, is_pooled, pool_at
from sparseaug.spectrum.spectrum import Spectrum
from sparseaug.views.dataset import ITEMS, Indices, ViewDataset
from sparseaug.views.facts import columns_of, keys_of
from sparseaug.views.folder import damaged, folder_of
from sparseaug.views.layout import Layout
from sparseaug.views.numbers import FLOATS, restored, restored_dtype
from sparseaug.views.work import Work, start

_HELD = 1 << 30  # bytes of chunks that stay in memory
_WORDS = str | int | float | np.generic
_AT_ONCE = 1 << 27  # bytes of values that a spectrum is measured with at a time


class Copies(NamedTuple):
    """Rows for scikit-learn: one per sample and distinct element, sample by sample."""

    X: NDArray[Any]  # (rows, entries of a value)
    y: NDArray[Any]
    groups: Indices  # the source sample of each row: for GroupKFold and its kind
    weights: NDArray[np.float64]  # of each row; those of one sample sum to 1


class _File(io.FileIO):
    """It is closed with the last reference to it."""

    def read_at(self, place: int, into: Any) -> int:
        """Read at a place: other processes that hold the same file move its position."""
        if hasattr(os, "preadv"):
            return os.preadv(self.fileno(), [into], place)
        self.seek(place)
        return self.readinto(into)

    def __del__(self) -> None:
        self.close()


class Store:
    """Values f(g x_i) on disk, as `views.open` and `views.compute` return it.

    Every chunk is verified by its hash when it is first read, and a damaged or foreign one refused.

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
        self.S = layout.S if S is None else S
        self._columns = self._columns_of(self.S.elements)
        self._known: set[tuple[str, int, int]] = set()  # chunks that were verified
        self._held: dict[tuple[str, int, int], NDArray[Any]] = {}

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
        return f"Store({self._layout.folder}, {self.function!r}, n={self.n}, {self.S!r})"

    def _repr_html_(self) -> str:
        return self._layout.table().html()

    def array(
        self, name: str | None = None, samples: Any = None, elements: Any = None
    ) -> NDArray[Any]:
        """Values (samples, m, ...) of one output, column j those at element j of S.

        float16 and bfloat16 become float32.

        Args:
            name: of the output; None where there is only one.
            samples: indices of samples; None for all.
            elements: indices of elements of S; None for all.
        """
        name, which = self._name(name), self._samples(samples)
        chosen = self._columns[_indices("elements", elements, self.S.m)]
        return self._at(name, which, chosen)

    def mean(self, name: str | None = None, samples: Any = None) -> NDArray[Any]:
        """The mean over S of each sample, elements weighted by how often they occur: (samples, ...).

        Sums are in double precision. It is test-time averaging without a pass of the function.

        Args:
            name: of the output; None where there is only one.
            samples: indices of samples; None for all.
        """
        name, which = self._name(name), self._samples(samples)
        is_complex = self._layout.outputs[name]["dtype"].startswith("complex")
        wide = np.complex128 if is_complex else np.float64
        rows, counts = self.S.counts()
        total: Any = 0.0
        for column, count in zip(self._columns_of(rows), counts.tolist(), strict=True):
            total = total + count * self._at(name, which, [column])[:, 0].astype(wide)
        return total / self.S.m

    def at(self, S: GroupSample) -> Store:
        """The same store, read at other elements: all of those of S must be in it.

        Args:
            S: a sample of elements that are stored, such as one chosen by `spectrum`.
        """
        S = as_sample(S, self.S.distribution)
        missing = len(set(keys_of(S.elements)) - set(keys_of(self._layout.rows)))
        if missing:
            raise ArgumentError(f"S has {missing} elements that are not stored; use store.extend.")
        return Store(self._layout, self._work, S)

    def spectrum(
        self, name: str | None = None, samples: Any = None, *, by: str | None = None
    ) -> Spectrum | PoolSpectrum:
        """What `orbit_spectrum` says of the stored values, without a pass: for `choose` and `design`.

        Of a distribution that is no group S is the pool, at least 32 draws, and so it is with by="pool":
        `design` and `choose` take an S from it, whose values `store.at(S)` reads. It is exact where the
        store holds the whole group, and an estimate where S was drawn. From a
        design it cannot be told how the values vary elsewhere.

        Args:
            name: of the output; None where there is only one.
            samples: indices of samples; None for all.
            by: "degree" or "frequency", for abelian groups, or "pool", as for `orbit_spectrum`.
        """
        name, which = self._name(name), self._samples(samples)
        pooled = is_pooled(self.S.distribution, by)
        measurement: Any = pool_at(self.S, len(which)) if pooled else measurement_at(self.S, by)
        stored = self._layout.outputs[name]
        if stored["dtype"] not in FLOATS:
            raise ArgumentError(f"name={name!r} is of dtype {stored['dtype']}, not floating point.")
        if not len(which):
            raise ArgumentError("samples is empty; give at least one index.")
        columns = self._columns_of(measurement.rows)
        step = max(1, _AT_ONCE // (8 * len(columns) * max(1, math.prod(stored["shape"]))))
        parts = (
            (k, np.moveaxis(self._at(name, which[k : k + step], columns), 1, 0))
            for k in range(0, len(which), step)
        )
        blocks = (
            (k, part.reshape(*part.shape[:2], -1)) if pooled else part.reshape(len(columns), -1)
            for k, part in parts
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
        distinct = self._columns[columns_of(self.S)]
        counts = np.bincount(self._columns)[distinct]
        values = self._at(self._name(name), which, distinct)
        k, m = values.shape[:2]
        return Copies(
            values.reshape((k * m, math.prod(values.shape[2:]))),
            np.repeat(as_numpy(targets)[which], m, axis=0),
            np.repeat(which, m),
            np.tile(counts / self.S.m, k),
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

    def extend(self, S: GroupSample) -> Store:
        """The store with the elements of a larger S: only new ones are computed.

        It is for a store that was computed in this process, as samples and function are still known. One
        that was opened grows by `views.compute` with the larger S.

        Args:
            S: a sample whose elements include all that are stored.
        """
        S = as_sample(S, self.S.distribution)
        if self._work is None:
            raise ArgumentError("S is larger, and the store was opened; give S to views.compute.")
        return Store(start(self._layout.folder, self._work, S), self._work, S)

    def verify(self, progress: Progress | None = None) -> None:
        """Read every chunk and raise a `FileFormatError` that names the first damaged or missing one.

        Args:
            progress: a function progress(done, total) of bytes.
        """
        watch, layout = check_progress(progress), Layout.load(self._layout.folder)
        total = layout.blocks * layout.elements
        for done, (block, element) in enumerate(np.ndindex(layout.blocks, layout.elements), 1):
            for name in layout.outputs:
                layout.read(name, block, element)
            watch(done * layout.chunk_bytes(), total * layout.chunk_bytes())

    def _at(self, name: str, samples: Indices, columns: Any) -> NDArray[Any]:
        """Values at samples and columns of the arrays, chunk by chunk: (samples, columns, ...)."""
        stored = self._layout.outputs[name]
        shape = (len(samples), len(columns), *stored["shape"])
        values = np.empty(shape, restored_dtype(stored["dtype"]))
        block, place = np.divmod(samples, self._layout.facts["block"])
        for b in np.unique(block).tolist():
            here = np.flatnonzero(block == b)
            for k, column in enumerate(columns):
                chunk = self._chunk(name, b, int(column))
                values[here, k] = restored(chunk[place[here]], stored["dtype"])
        return values

    def _items(self, name: str, samples: Indices, columns: Indices) -> list[NDArray[Any]]:
        """Values at pairs of a sample and a column, each by itself.

        Of a chunk that is not held one sample is read: a hundred times faster than all of it. Zarr's
        codec "bytes" puts samples one after the other.
        """
        dtype, empty = self._layout.outputs[name]["dtype"], self._layout.empty(name)
        block, place = np.divmod(samples, self._layout.facts["block"])
        found = []
        for b, j, i in zip(block.tolist(), columns.tolist(), place.tolist(), strict=True):
            key = (name, b, j)
            if key not in self._known:
                self._chunk(*key)
            value = np.empty_like(empty)
            if key in self._held:
                value[...] = self._held[key][i]
            else:
                self._read_into(value, key, i)
            found.append(restored(value, dtype))
        return found

    @cached_property
    def _opened(self) -> Callable[[tuple[str, int, int]], _File]:
        """The file of a chunk; some stay open, as opening one takes longer than reading a sample."""
        layout, most = self._layout, 0
        with suppress(ImportError):  # of Windows, which has no reading at a place either
            from resource import RLIMIT_NOFILE, getrlimit

            most = min(64, getrlimit(RLIMIT_NOFILE)[0] // 16)
        return lru_cache(most)(lambda key: _File(layout.place_of(*key)))

    def _read_into(self, value: NDArray[Any], key: tuple[str, int, int], place: int) -> None:
        """Read a sample of a chunk that is known to be right."""
        try:
            size = self._opened(key).read_at(place * value.nbytes, value.reshape(-1).view(np.uint8))
        except OSError as error:
            where = self._layout.place_of(*key)
            raise StorageError(f"{where} cannot be read: {error.strerror}.") from error
        if size < value.nbytes:
            raise damaged(str(self._layout.place_of(*key)), "it is shorter than it was")

    def _chunk(self, name: str, block: int, column: int) -> NDArray[Any]:
        """A chunk, verified the first time, and held while there is room: the others are read again."""
        key = (name, block, column)
        if key in self._held:
            return self._held[key]
        values = self._layout.read(*key, known=key in self._known)
        self._known.add(key)
        if len(self._held) < _HELD // self._layout.chunk_bytes():
            self._held[key] = values
        return values

    def _columns_of(self, rows: Rows) -> Indices:
        """Where elements stand in the arrays."""
        place = {key: j for j, key in enumerate(keys_of(self._layout.rows))}
        return np.array([place[key] for key in keys_of(rows.astype(self._layout.rows.dtype))])

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
            words = all(isinstance(one, _WORDS) for one in check_list("y", y))
            y = np.array(y if words else [])
        if not y.ndim or len(y) != self.n:
            raise ArgumentError(f"y is not one number or word for each of {self.n} samples.")
        return y


def open(path: str | os.PathLike[str]) -> Store:
    """The store at `path`, which must be complete; its metadata are verified, its chunks when read.

    Args:
        path: the folder that `views.compute` was given as `out`.

    Raises:
        FileFormatError: it is damaged, incomplete or not a store.
    """
    layout = Layout.load(folder_of("path", path))
    chunks = layout.blocks * layout.elements
    absent = chunks - len(layout.there())
    if absent:
        lacks = f"{absent} of {chunks} chunks are missing"
        raise FileFormatError(f"{layout.folder} is incomplete: {lacks}; compute it again.")
    return Store(layout)


def _indices(name: str, value: Any, count: int) -> Indices:
    """All, for None, or the indices, each in 0..count-1."""
    if value is None:
        return np.arange(count)
    which = check_array(name, value)
    if which.ndim != 1 or (len(which) and not (which.min() >= 0 and which.max() < count)):
        raise ArgumentError(f"{name}={shorten(value)} is not a list of indices below {count}.")
    return which
