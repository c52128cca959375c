"""What samples and functions may be: blocks of samples in, named NumPy arrays out."""

from __future__ import annotations

import hashlib
import itertools
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
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

Named = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Source:
    """n samples: arrays, a data set with items x or (x, y, ...), a table with columns, or an iterable.

    Args:
        data: what the user gave
        column: the column of a table (a Hugging Face data set) or the key of items that are dicts
    """

    data: Any
    column: str | None = None

    def __post_init__(self) -> None:
        if hasattr(self.data, "batch_size") and hasattr(self.data, "dataset"):
            raise ArgumentError("source is a loader of batches; give its data set, loader.dataset.")
        for array in leaves(self.data) if self.is_arrays else ():
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
        return require_samples(self.data, "source") if self.is_arrays else len(self.data)

    def blocks(self, limits: Sequence[tuple[int, int]]) -> Iterator[Callable[[], Any]]:
        """For each block of samples, in order, a function that fetches it, in a worker if it can be."""
        if self.is_arrays or hasattr(self.data, "__getitem__"):
            yield from (Fetch(self, start, stop) for start, stop in limits)
            return
        samples = iter(self.data)
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
            x = self.data if self.column is None else self.data[self.column]
            return map_leaves(lambda array: array[start:stop], x)
        return self._joined([self.data[i] for i in range(start, stop)])

    def _joined(self, items: list[Any]) -> Any:
        if isinstance(items[0], Mapping):
            if self.column is None:
                names = ", ".join(map(str, items[0]))
                raise ArgumentError(f"source has the columns {names}; name one with column=.")
            if self.column not in items[0]:
                raise ArgumentError(
                    f"column={self.column!r} is not in source; it has {[*items[0]]}."
                )
            items = [item[self.column] for item in items]
        elif isinstance(items[0], tuple):
            items = [item[0] for item in items]
        if is_tensor(items[0]):
            return sys.modules["torch"].stack(items)
        return np.stack([np.asarray(item) for item in items])


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
        dtype: in which floating-point values are stored; None for what the function returns
    """

    action: Action
    function: Callable[..., Any] | None
    batch: int
    dtype: str | None

    def __call__(self, row: Rows, x: Any) -> Named:
        """The values at one element (1, width), by name, in the dtypes in which they are stored."""
        n = require_samples(x, "source")
        found: list[Named] = []
        with self._evaluating() as place:
            for start in range(0, n, self.batch):
                part = map_leaves(lambda array: place(array[start : start + self.batch]), x)  # noqa: B023
                moved = map_leaves(lambda array: array[0], self.action(row, part))
                value = moved if self.function is None else call(self.function, moved)
                found.append(self._stored(value, len(leaves(part)[0])))
        if any(each.keys() != found[0].keys() for each in found):
            raise ArgumentError("function returned other names for another batch; return the same.")
        return {name: np.concatenate([each[name] for each in found]) for name in found[0]}

    @contextmanager
    def _evaluating(self) -> Iterator[Callable[[Any], Any]]:
        """A torch module evaluates, without gradients, on its device; it is left as it was."""
        torch = sys.modules.get("torch")
        if torch is None or not isinstance(self.function, torch.nn.Module):
            yield lambda array: array
            return
        module = self.function
        training = [part for part in module.modules() if part.training]
        device = next(
            (p.device for p in itertools.chain(module.parameters(), module.buffers())), None
        )
        module.eval()
        try:
            with torch.no_grad():
                yield lambda array: torch.as_tensor(
                    array if is_tensor(array) else np.array(array), device=device
                )
        finally:
            for part in training:
                part.training = True

    def _stored(self, value: Any, count: int) -> Named:
        stored = {}
        for name, array in _named(value).items():
            values = as_numpy(array)
            if values.dtype.kind not in "biufc" or not values.ndim or len(values) != count:
                raise ArgumentError(
                    f"function returned shape {values.shape} and dtype {values.dtype} as {name!r} for a "
                    f"batch of {count}; return numbers, one row per sample."
                )
            stored[name] = _rounded(values, self.dtype)
        return stored


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


def _named(value: Any) -> dict[str, Any]:
    if isinstance(value, Mapping):
        named = dict(value)
    elif isinstance(value, tuple | list):
        named = {str(k): part for k, part in enumerate(value)}
    else:
        named = {"values": value}
    bad = [name for name, part in named.items() if not is_name(name) or not library(part)]
    if bad or not named:
        raise ArgumentError(
            f"function returned {shorten(value)}; return an array, or a tuple or dict of arrays whose "
            "names are letters, digits, '.', '_' and '-'."
        )
    return named


def _rounded(values: NDArray[Any], dtype: str | None) -> NDArray[Any]:
    if dtype is None or values.dtype.kind != "f":
        return values
    with np.errstate(over="ignore"):
        stored = values.astype(dtype)
    if (np.isinf(stored) & ~np.isinf(values)).any():
        raise ArgumentError(
            f"dtype={dtype!r} has no numbers as large as {abs(values[np.isfinite(values)]).max():.3g}, "
            "which function returned; give dtype='float32' or None."
        )
    return stored


def _compact(array: Any) -> Any:
    """Memory of its own that may be written: a part would carry all of its tensor along."""
    return array.clone() if is_tensor(array) else np.array(array)
