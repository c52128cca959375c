"""A data set for torch's loaders, read from a store; it needs no torch itself."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import check_integer
from sparseaug.errors import shorten

if TYPE_CHECKING:
    from sparseaug.views.store import Store

Indices = NDArray[np.int64]
ITEMS = ("copies", "views", "epoch")


class ViewDataset:
    """What `Store.dataset` returns: a map-style data set; loaders join NumPy arrays."""

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
        which, m = self.samples[place], self.store.S.m
        if self.items == "views":
            flat = self._values(np.repeat(which, m), np.tile(np.arange(m), len(which)))
            values = [np.stack(flat[k * m : (k + 1) * m]) for k in range(len(which))]
        else:
            values = self._values(
                which, turn if self.items == "copies" else (self.epoch + place) % m
            )
        if self.y is None:
            return values
        return [(value, self.y[i]) for value, i in zip(values, which.tolist(), strict=True)]

    def _values(self, samples: Indices, elements: Indices) -> list[NDArray[Any]]:
        return self.store._items(self.name, samples, self.store._columns[elements])
