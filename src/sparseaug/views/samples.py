"""What samples may be: arrays, data sets, tables; blocks of samples out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from sparseaug.actions.arrays import (
    is_tensor,
    leaves,
    library,
    map_leaves,
    require_dense,
    require_samples,
)
from sparseaug.errors import ArgumentError, SparseAugError, shorten, shorten_text
from sparseaug.sampling.identity import fingerprint

_PROBED = 16  # samples of a data set, which are compared when a store is used again


@dataclass(frozen=True)
class Source:
    """n samples: arrays, a data set with items x or (x, y, ...), or a table with columns.

    Args:
        data: what the user gave
        column: the column of a table (a Hugging Face data set) or the key of items that are dicts
    """

    data: Any
    column: str | None = None

    def __post_init__(self) -> None:
        try:
            count = len(self)
        except ArgumentError:
            raise
        except Exception as error:  # whatever a foreign object raises
            message = f"source={shorten(self.data)} has no length; give arrays or a data set."
            raise ArgumentError(message) from error
        if not count:
            raise ArgumentError("source is empty; give at least one sample.")
        if self.is_arrays and self.column is not None:
            raise ArgumentError("column= is given, but source is arrays; give the one array.")
        for array in leaves(self.data) if self.is_arrays else ():
            require_dense("source", array)

    @property
    def is_arrays(self) -> bool:
        """Whether all samples are in arrays; a list of arrays is a sequence of samples."""
        parts = leaves(self.data)
        return bool(parts) and all(library(part) for part in parts)

    def __len__(self) -> int:
        return require_samples(self.data, "source") if self.is_arrays else len(self.data)

    def first(self, count: int) -> Any:
        """The first samples, or an `ArgumentError` where there are none."""
        try:
            x = self.get(0, min(count, len(self)))
            require_samples(x, "source")
        except SparseAugError:
            raise
        except Exception as error:  # whatever a foreign object raises
            told = shorten_text(str(error))
            raise ArgumentError(f"source gave no samples of one shape: {told}.") from error
        return x

    def fingerprint(self) -> str:
        """SHA-256 of all arrays; of a data set that is not arrays, of some samples."""
        if self.is_arrays:
            return fingerprint(self.data)
        self.first(1)
        places = np.unique(np.linspace(0, len(self) - 1, _PROBED).astype(int)).tolist()
        return fingerprint([self.get(i, i + 1) for i in places])

    def part(self, start: int, stop: int) -> Callable[[], Any]:
        """A function that fetches samples, in a worker; arrays travel as the part that is needed."""
        if self.is_arrays:
            return partial(Source(map_leaves(compact, self.get(start, stop))).get, 0, stop - start)
        return partial(self.get, start, stop)

    def get(self, start: int, stop: int) -> Any:
        """Samples start..stop-1 as arrays."""
        if self.is_arrays:
            return map_leaves(lambda array: array[start:stop], self.data)
        items = getattr(self.data, "iloc", self.data)  # of pandas, whose indices are labels
        return _stacked([self._picked(items[i]) for i in range(start, stop)])

    def _picked(self, item: Any) -> Any:
        """x of an item."""
        if isinstance(item, Mapping):
            if self.column not in item:
                names = shorten([*item])
                raise ArgumentError(f"column={shorten(self.column)} is none of source: {names}.")
            return item[self.column]
        return item[0] if isinstance(item, tuple) else item


def compact(array: Any) -> Any:
    """Memory of its own that may be written: a part would carry all of its tensor along."""
    return array.clone() if is_tensor(array) else np.array(array)


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
