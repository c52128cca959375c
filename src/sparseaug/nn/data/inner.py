"""The inner data set of ours: its length, checked indices, and a batch of its samples at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, final

import numpy as np
from torch.utils.data import IterableDataset, Subset, TensorDataset

from sparseaug.actions.arrays import as_numpy
from sparseaug.actions.bound import Indices
from sparseaug.errors import ArgumentError, check_integer, shorten
from sparseaug.nn.data.items import Moves


class OutOfRangeError(ArgumentError, IndexError):
    """An index beyond the ends: an IndexError, which is how Python's iteration learns of the end."""


@final
class Inner:
    """A map-style data set of n samples, fetched in batches.

    A `TensorDataset`, or a `Subset` of one as `random_split` makes it, is indexed as a whole.
    """

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset
        self.n = _length(dataset)
        self._plain, self._places = _plain_tensors(dataset)

    def moved(self, source: Indices, which: Indices, moves: Moves) -> Sequence[Any]:
        """The samples `source`, sample t moved by element which[t]."""
        if not len(source):
            return []
        if self._plain is None:
            return moves.items(self._fetch(source), which)
        places = source if self._places is None else self._places[source]
        return moves.columns(self._plain.tensors, places, which)

    def _fetch(self, source: Indices) -> list[Any]:
        """One item per index; an index that is there several times is fetched once."""
        once, back = np.unique(source, return_inverse=True)
        indices = once.tolist()
        fetch = getattr(self.dataset, "__getitems__", None)
        items = list(fetch(indices)) if callable(fetch) else [self.dataset[i] for i in indices]
        return [items[place] for place in back.tolist()]


def check_index(index: Any, length: int, name: str = "index") -> int:
    """A Python int in 0..length-1; negative ones count from the end, as in a list."""
    number = check_integer(name, index, at_least=-(1 << 63), below=1 << 63)
    if not -length <= number < length:
        raise OutOfRangeError(f"{name}={number} is out of range for {length} items.")
    return number % length


def check_indices(indices: Any, length: int, name: str = "indices") -> Indices:
    """The same for a list, an array or a tensor of integers."""
    try:
        array = as_numpy(indices)
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:
        raise ArgumentError(f"{name}={shorten(indices)} must be integers: {error}") from error
    if array.ndim and not array.size:
        return np.zeros(array.shape, np.int64)
    if array.dtype.kind not in "iu" or not array.ndim:
        raise ArgumentError(f"{name}={shorten(indices)} must be integers; give a list of them.")
    if array.min() < -length or array.max() >= length:
        raise OutOfRangeError(f"{name}={shorten(indices)} out of range for {length} items.")
    array = array.astype(np.int64)
    return np.where(array < 0, array + length, array)


def check_list(indices: Any, length: int) -> Indices:
    """The same for the indices of a batch: a list of them, or one axis."""
    array = check_indices(indices, length)
    if array.ndim != 1:
        raise ArgumentError(f"indices have shape {array.shape}; give a list of integers.")
    return array


def _length(dataset: Any) -> int:
    remedy = "give a map-style data set, with __len__ and __getitem__."
    if isinstance(dataset, IterableDataset | Mapping):
        kind = "a mapping" if isinstance(dataset, Mapping) else "iterable"
        raise ArgumentError(f"dataset={shorten(dataset)} is {kind}: it has no indices; {remedy}")
    if not hasattr(dataset, "__getitem__"):
        raise ArgumentError(f"dataset={shorten(dataset)} has no __getitem__; {remedy}")
    try:
        return len(dataset)
    except Exception as error:  # whatever a foreign object raises
        raise ArgumentError(f"dataset={shorten(dataset)} has no length; {remedy}") from error


def _plain_tensors(dataset: Any) -> tuple[TensorDataset | None, Indices | None]:
    """The tensors behind a data set and the places of its samples in them (None: all, in order).

    Subclasses are left alone: they may fetch in their own way.
    """
    if type(dataset) is TensorDataset:
        return dataset, None
    if type(dataset) is not Subset:
        return None, None
    inner, places = _plain_tensors(dataset.dataset)
    if inner is None:
        return None, None
    chosen = check_indices(dataset.indices, len(dataset.dataset))  # type: ignore[arg-type]
    return inner, chosen if places is None else places[chosen]
