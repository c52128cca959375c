"""The user's data set: n samples by their indices, fetched in batches.

The tensors of a `TensorDataset`, or of a `Subset` of one as `random_split` makes it, are indexed as a
whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, final

import numpy as np
import torch
from torch.utils.data import IterableDataset, Subset, TensorDataset

from sparseaug._checks import check_array
from sparseaug.actions.prepared import Indices
from sparseaug.errors import ArgumentError, shorten
from sparseaug.nn.moved_items import Moves


class OutOfRangeError(ArgumentError, IndexError):
    """An index beyond the ends: an IndexError, which is how Python's iteration learns of the end."""


@final
class Indexed:
    """A map-style data set and how many samples it has."""

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset
        self.n = _length(dataset)
        self._tensors, self._places = _tensors_of(dataset)

    def move(self, source: Indices, which: Indices, moves: Moves) -> Sequence[Any]:
        """The samples `source`, sample t moved by element which[t]."""
        if not len(source):
            return []
        if self._tensors is None:
            return moves.items(self._fetch(source), which)
        places = source if self._places is None else self._places[source]
        return moves.rows_of(self._tensors, places, which)

    def _fetch(self, source: Indices) -> list[Any]:
        """One item per index; an index that is there several times is fetched once."""
        once, back = np.unique(source, return_inverse=True)
        indices = once.tolist()
        fetch = getattr(self.dataset, "__getitems__", None)
        items = list(fetch(indices)) if callable(fetch) else [self.dataset[i] for i in indices]
        return [items[place] for place in back.tolist()]


def check_indices(
    indices: Any, length: int, name: str = "indices", *, axes: Sequence[int] = (1,)
) -> Indices:
    """Integers in 0..length-1, of a list, an array or a tensor; negative ones count from the end."""
    array = check_array(name, indices)
    if array.ndim not in axes:
        raise ArgumentError(f"{name} has shape {array.shape}, which is not of {axes[-1]} axes.")
    if array.size and not -length <= array.min() <= array.max() < length:
        raise OutOfRangeError(f"{name}={shorten(indices)} out of range for {length} items.")
    return array % max(length, 1)


def _length(dataset: Any) -> int:
    try:
        if isinstance(dataset, IterableDataset | Mapping) or not hasattr(dataset, "__getitem__"):
            raise TypeError
        return len(dataset)
    except Exception as error:  # whatever a foreign object raises
        message = f"dataset={shorten(dataset)} has no length or indices; give a map-style one."
        raise ArgumentError(message) from error


def _tensors_of(dataset: Any) -> tuple[tuple[torch.Tensor, ...] | None, Indices | None]:
    """The tensors behind a data set and the places of its samples in them (None: all, in order).

    Subclasses are left alone: they may fetch in their own way.
    """
    if type(dataset) is TensorDataset:
        return dataset.tensors, None
    if type(dataset) is not Subset:
        return None, None
    tensors, places = _tensors_of(dataset.dataset)
    if tensors is None:
        return None, None
    chosen = check_indices(dataset.indices, len(dataset.dataset))  # type: ignore[arg-type]
    return tensors, chosen if places is None else places[chosen]
