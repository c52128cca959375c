"""A batch in which each datum is moved by its own element: of fixed elements, or of fresh rows.

What an action prepares for the fixed elements is kept for each shape of a sample. An action that only
moves entries is more than that: one index per entry, so that the copies are read straight from the
tensor of all samples, in one pass.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Any, TypeAlias, final

import numpy as np
import torch
from numpy.typing import NDArray

from sparseaug.actions import Action, Array
from sparseaug.actions.base import Shape, to_namespace_of
from sparseaug.compiled import attempt
from sparseaug.groups import Rows

Indices: TypeAlias = NDArray[np.int64]

# Bytes of prepared arrays that one data set keeps. An index array of a 32 x 32 image takes 8 KiB, so
# there is room for 8192 elements; beyond that they are prepared batch by batch, at about twice the time.
_ROOM = 1 << 26

# Entries of a batch from which a compiled loop is twice as fast as index arithmetic in torch; below,
# there is nothing to gain.
_WORTH_COMPILING = 1 << 16


class Move(ABC):
    """Moves data by numbered elements."""

    @abstractmethod
    def __call__(self, which: Indices, x: Array) -> Array:
        """x (k, ...) with datum t moved by the element of number which[t]."""

    def pick(self, which: Indices, x: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
        """The same for the data x[source], of a tensor x (n, ...) of all samples."""
        return self(which, x.index_select(0, source))


@final
class FreshMove(Move):
    """Element number t is rows[t], used once."""

    def __init__(self, action: Action, rows: Rows) -> None:
        self._action = action
        self._rows = rows

    def __call__(self, which: Indices, x: Array) -> Array:
        """x (k, ...) with datum t moved by rows[which[t]]."""
        prepared = self._action.prepare(self._rows[which], (1, *x.shape[1:]))
        return self._action.apply([to_namespace_of(x, array) for array in prepared], x[:, None])[
            :, 0
        ]


@final
class PreparedMove(Move):
    """Element number j is rows[j], used again and again."""

    def __init__(self, action: Action, rows: Rows) -> None:
        self._action = action
        self._rows = rows
        self._kept: dict[Hashable, list[Array]] = {}
        self._bytes = 0

    def __call__(self, which: Indices, x: Array) -> Array:
        """x (k, ...) with datum t moved by rows[which[t]]."""
        prepared = self._prepared(x)
        if prepared is None:
            return FreshMove(self._action, self._rows)(which, x)
        if isinstance(x, torch.Tensor):
            index = torch.from_numpy(which).to(x.device)
            chosen = [array.index_select(0, index) for array in prepared]
        else:
            chosen = [array[which] for array in prepared]
        return self._action.apply(chosen, x[:, None])[:, 0]

    def pick(self, which: Indices, x: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
        """The same for x[source]; in one pass where the action only moves entries.

        Entry q of the copy of sample i by element j is entry i d + index[j, q] of the flattened x,
        with d entries a sample.
        """
        index = self._sources(x)
        if index is None:
            return super().pick(which, x, source)
        if len(which) * index.shape[1] >= _WORTH_COMPILING and _is_plain(x):
            moved = attempt(
                "sparseaug.nn.data.gather_numba",
                lambda compiled: compiled.gather(x, source, which, index),
            )
            if moved is not None:
                return moved
        entries = index.index_select(0, torch.from_numpy(which).to(x.device))
        entries += (source * index.shape[1]).to(index.dtype)[:, None]
        picked = x.reshape(-1).index_select(0, entries.reshape(-1))
        return picked.reshape(len(which), *x.shape[1:])

    def __getstate__(self) -> dict[str, Any]:
        """Without what is kept, which a process that needs it prepares again."""
        return {**self.__dict__, "_kept": {}, "_bytes": 0}

    def _prepared(self, x: Array) -> list[Array] | None:
        """What `apply` needs of all elements, or None where there is no room for it."""
        key = (*x.shape[1:], x.dtype, getattr(x, "device", None))
        if key in self._kept:
            return self._kept[key]
        shape = (1, *x.shape[1:])
        one = self._action.prepare(self._rows[:1], shape)
        if sum(array.nbytes for array in one) * len(self._rows) > _ROOM:
            return None
        arrays = self._action.prepare(self._rows, shape)
        return self._keep(key, [to_namespace_of(x, array) for array in arrays])

    def _sources(self, x: torch.Tensor) -> torch.Tensor | None:
        """Where each entry of a moved sample comes from (m, d), or None where that does not apply.

        A tensor that is not contiguous would be copied whole to be read flat.
        """
        entries = math.prod(x.shape[1:])
        dtype = torch.int32 if x.numel() < 1 << 31 else torch.int64  # half the memory to read
        key = ("sources", *x.shape[1:], dtype, x.device)
        if key in self._kept:
            return self._kept[key][0] if x.is_contiguous() else None
        size = len(self._rows) * entries * dtype.itemsize
        if size > _ROOM or not x.is_contiguous() or self._action.kind != "entries":
            return None
        index = torch.from_numpy(_source_entries(self._action, self._rows, tuple(x.shape[1:])))
        return self._keep(key, [index.to(x.device, dtype)])[0]

    def _keep(self, key: Hashable, arrays: list[Array]) -> list[Array]:
        """Keep these arrays, and forget all others where they leave no room."""
        size = sum(int(array.nbytes) for array in arrays)
        if self._bytes + size > _ROOM:
            self._kept.clear()
            self._bytes = 0
        self._kept[key] = arrays
        self._bytes += size
        return arrays


def _is_plain(x: torch.Tensor) -> bool:
    """Whether the entries are memory that a compiled loop can read, and need no gradient."""
    plain = x.device.type == "cpu" and not x.requires_grad and x.dtype.itemsize <= 8
    return plain and not x.is_conj() and not x.is_neg()  # whose memory holds other values


def _source_entries(action: Action, rows: Rows, shape: Shape) -> NDArray[np.int64]:
    """Where each entry of a moved sample comes from (m, d): move the entries' numbers and look."""
    numbers = np.arange(math.prod(shape)).reshape(1, *shape)
    prepared = action.prepare(rows, numbers.shape)
    moved = action.apply(prepared, numbers[None])
    return np.ascontiguousarray(moved).reshape(len(rows), numbers.size)
