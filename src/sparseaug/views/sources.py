"""What samples and functions may be: blocks of samples in, named NumPy arrays out."""

from __future__ import annotations

import hashlib
import itertools
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug._io import is_name
from sparseaug.actions import Action
from sparseaug.actions.arrays import (
    as_numpy,
    call,
    is_tensor,
    leaves,
    library,
    map_leaves,
    require_dense,
    require_samples,
)
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Group, Rows
from sparseaug.spectrum.models import evaluating

Named = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Source:
    """n samples: arrays, a data set with items x or (x, y, ...), a table with columns, or an iterable.

    Args:
        data: what the user gave
        column: the column of a table (a Hugging Face data set) or the key of items that are dicts; a
            list of them for samples of several parts
    """

    data: Any
    column: str | Sequence[str] | None = None

    def __post_init__(self) -> None:
        if hasattr(self.data, "batch_size") and hasattr(self.data, "dataset"):
            raise ArgumentError("source is a loader of batches; give its data set, loader.dataset.")
        for array in leaves(self._arrays) if self.is_arrays else ():
            require_dense("source", array)
        try:
            count = len(self)
        except ArgumentError:
            raise
        except Exception as error:  # whatever a foreign object raises
            raise ArgumentError(
                f"source={shorten(self.data)} has no length; give arrays, or what has one."
            ) from error
        if not count:
            raise ArgumentError("source is empty; give at least one sample.")
        if self.column is not None and self.is_arrays and not isinstance(self.data, Mapping):
            raise ArgumentError("column= is given, but source is an array; leave it out.")

    @property
    def is_arrays(self) -> bool:
        """Whether all samples are in arrays; a list of arrays is a sequence of samples."""
        parts = leaves(self.data)
        return bool(parts) and all(library(part) for part in parts)

    def __len__(self) -> int:
        return require_samples(self._arrays, "source") if self.is_arrays else len(self.data)

    @property
    def _arrays(self) -> Any:
        """The arrays, or those of a dict that `column` names."""
        is_table = self.column is not None and isinstance(self.data, Mapping)
        return self._picked(self.data) if is_table else self.data

    def blocks(self, limits: Sequence[tuple[int, int]]) -> Iterator[Callable[[], Any]]:
        """For each block of samples, in order, a function that fetches it, in a worker if it can be."""
        if self.is_arrays or self._is_indexed:
            yield from (Fetch(self, start, stop) for start, stop in limits)
            return
        samples = iter(self.data)
        if samples is self.data:
            raise ArgumentError("source is an iterator, which is used up when read; give a list.")
        for start, stop in limits:
            items = list(itertools.islice(samples, stop - start))
            if len(items) < stop - start:
                raise ArgumentError(
                    f"source has length {len(self)} and ended after {start} samples."
                )
            yield Held(self._joined(items))

    def get(self, start: int, stop: int) -> Any:
        """Samples start..stop-1 as arrays."""
        if self.is_arrays:
            return map_leaves(lambda array: array[start:stop], self._arrays)
        items = getattr(self.data, "iloc", self.data)  # of pandas, whose indices are labels
        return self._joined([items[i] for i in range(start, stop)])

    @property
    def _is_indexed(self) -> bool:
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(self.data, torch.utils.data.IterableDataset):
            return False  # it inherits a __getitem__ that only raises
        return hasattr(self.data, "__getitem__")

    def _joined(self, items: list[Any]) -> Any:
        return _stacked([self._picked(item) for item in items])

    def _picked(self, item: Any) -> Any:
        """x of an item."""
        if isinstance(item, Mapping):
            names = [self.column] if isinstance(self.column, str) else list(self.column or ())
            if not names or not set(names) <= item.keys():
                raise ArgumentError(
                    f"column={shorten(self.column)}, and source has the columns {[*item]}; name one "
                    "with column=, or give a list of those that action moves together."
                )
            named = {name: item[name] for name in names}
            return named[self.column] if isinstance(self.column, str) else named
        return item[0] if isinstance(item, tuple) else item


@dataclass(frozen=True)
class Fetch:
    """Samples that are fetched where they are used; arrays travel as the part that is needed."""

    source: Source
    start: int
    stop: int

    def __call__(self) -> Any:
        return self.source.get(self.start, self.stop)

    def __reduce__(self) -> tuple[Any, ...]:
        if self.source.is_arrays:
            return Held, (map_leaves(_compact, self()),)
        return Fetch, (self.source, self.start, self.stop)


@dataclass(frozen=True)
class Held:
    """Samples that were fetched already."""

    x: Any

    def __call__(self) -> Any:
        return self.x


@dataclass(frozen=True)
class Function:
    """g, x -> f(g x) in batches of a fixed size, so that every run makes the same calls.

    Args:
        action: how elements move samples
        function: of a batch of moved samples; None for the moved samples themselves
        batch: samples per call
    """

    action: Action
    function: Callable[..., Any] | None
    batch: int

    def __call__(self, rows: Rows, x: Any) -> list[Named]:
        """For each element (k, width) the values by name."""
        return joined_values(self.start(rows, self.put(x)))

    @property
    def device(self) -> Any:
        """Where a torch module computes; None for everything else."""
        torch = sys.modules.get("torch")
        if torch is None or not isinstance(self.function, torch.nn.Module):
            return None
        tensors = itertools.chain(self.function.parameters(), self.function.buffers())
        return next((tensor.device for tensor in tensors), torch.device("cpu"))

    def put(self, x: Any) -> Any:
        """Samples where the function takes them; on a GPU without waiting for what it computes."""
        device = self.device
        if device is None:
            return x
        torch = sys.modules["torch"]
        with beside(device):
            return map_leaves(
                lambda array: torch.as_tensor(
                    array if is_tensor(array) else np.array(array), device=device
                ),
                x,
            )

    def start(self, rows: Rows, x: Any) -> list[list[dict[str, Any]]]:
        """For each element the values of each batch, which a GPU may still be computing."""
        n = require_samples(x, "source")
        self._keep(x)
        parts: list[list[dict[str, Any]]] = [[] for _ in rows]
        with self.evaluating():
            for start in range(0, n, self.batch):
                some = map_leaves(lambda array: array[start : start + self.batch], x)  # noqa: B023
                for row, found in zip(rows, parts, strict=True):
                    moved = map_leaves(lambda array: array[0], self.action(row[None], some))
                    value = moved if self.function is None else call(self.function, moved)
                    named = _named(value, len(leaves(some)[0]))
                    if self.function is not None:  # which may use its memory again
                        named = {name: _compact(part) for name, part in named.items()}
                    found.append(named)
        return parts

    def evaluating(self) -> AbstractContextManager[None]:
        """A torch module in eval mode without gradients; other functions as they are."""
        return nullcontext() if self.device is None else evaluating(self.function)

    def event(self) -> Any:
        """Ends when a GPU has computed what was started; None where nothing is waited for."""
        if self.device is None or self.device.type != "cuda":
            return None
        return sys.modules["torch"].cuda.current_stream(self.device).record_event()

    def _keep(self, x: Any) -> None:
        """The memory of samples that were copied beside is not given away before they are used."""
        for array in leaves(x):
            if is_tensor(array) and array.is_cuda:
                array.record_stream(sys.modules["torch"].cuda.current_stream(array.device))


@contextmanager
def beside(device: Any, event: Any = None) -> Iterator[None]:
    """Copies to and from a GPU beside its passes, on a stream of their own, which has ended after.

    Args:
        device: of torch, or None
        event: what copies wait for
    """
    if device is None or device.type != "cuda":
        yield
        return
    stream = sys.modules["torch"].cuda.Stream(device)
    if event is not None:
        stream.wait_event(event)
    with sys.modules["torch"].cuda.stream(stream):
        yield
    stream.synchronize()


def described(found: Named, dtype: str | None) -> dict[str, Any]:
    """The shape of one value of each output, and the dtype in which it is stored."""
    return {
        name: {
            "shape": list(array.shape[1:]),
            "dtype": dtype if dtype and array.dtype.kind == "f" else array.dtype.name,
        }
        for name, array in found.items()
    }


def describe(value: Any) -> Any:
    """An action as JSON data that are the same in every process: its class, its fields, their values.

    A function of the user is described by its name, which is all that another process can compare.
    """
    if isinstance(value, Group):
        return value.to_dict()
    if isinstance(value, np.ndarray):
        digest = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        return [str(value.dtype), list(value.shape), digest]
    if is_dataclass(value) and not isinstance(value, type):
        facts = {field.name: describe(getattr(value, field.name)) for field in fields(value)}
        return {"class": type(value).__qualname__, **facts}
    if isinstance(value, tuple | list):
        return [describe(part) for part in value]
    if isinstance(value, Mapping):
        return {str(name): describe(part) for name, part in value.items()}
    if value is None or isinstance(value, str | int | float | bool):
        return value
    kind = value if hasattr(value, "__qualname__") else type(value)
    return f"{kind.__module__}.{kind.__qualname__}"


def fingerprint(x: Any) -> str:
    """SHA-256 of arrays with their shapes and dtypes: of the first sample, say."""
    return hashlib.sha256(repr([describe(as_numpy(a)) for a in leaves(x)]).encode()).hexdigest()


def _stacked(items: list[Any]) -> Any:
    """Samples as arrays; the parts of tuples and dicts each for itself."""
    first = items[0]
    if isinstance(first, tuple):
        return tuple(_stacked(list(part)) for part in zip(*items, strict=True))
    if isinstance(first, Mapping):
        return {name: _stacked([item[name] for item in items]) for name in first}
    if is_tensor(first):
        return sys.modules["torch"].stack(items)
    return np.stack([np.asarray(item) for item in items])


def joined_values(started: list[list[dict[str, Any]]]) -> list[Named]:
    """For each element the values of all batches, in one NumPy array each."""
    return [_joined(parts) for parts in started]


def _joined(parts: list[dict[str, Any]]) -> Named:
    if any(part.keys() != parts[0].keys() for part in parts):
        raise ArgumentError("function returned other names for another batch; return the same.")
    joined = {name: np.concatenate([as_numpy(part[name]) for part in parts]) for name in parts[0]}
    for name, values in joined.items():
        if values.dtype.kind not in "biufc" or values.dtype.char in "gG":  # long doubles
            raise ArgumentError(
                f"function returned dtype {values.dtype} as {name!r}; return numbers."
            )
    return joined


def _named(value: Any, count: int) -> dict[str, Any]:
    if isinstance(value, Mapping):
        named = dict(value)
    elif isinstance(value, tuple | list):
        named = {str(k): part for k, part in enumerate(value)}
    else:
        named = {"values": value}
    bad = [name for name, part in named.items() if not is_name(name) or not library(part)]
    if bad or not named or len({name.casefold() for name in named}) < len(named):
        raise ArgumentError(
            f"function returned {shorten(value)}; return an array, or a tuple or dict of arrays whose "
            "names are letters, digits, '.', '_' and '-', and differ not only in case."
        )
    for name, part in named.items():
        require_dense("the output of function", part)
        if not part.ndim or len(part) != count or 0 in part.shape:
            raise ArgumentError(
                f"function returned shape {tuple(part.shape)} as {name!r} for a batch of {count}; "
                "return one row per sample, not empty."
            )
    return named


def _compact(array: Any) -> Any:
    """Memory of its own that may be written: a part would carry all of its tensor along."""
    return array.clone() if is_tensor(array) else np.array(array)
