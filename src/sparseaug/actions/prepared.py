"""An action and rows: what the action prepares for them is made once per shape, dtype and device.

`bound(x)` moves every sample by every row, `bound.each(x, which)` each datum by its own row. An action
that only moves entries is one index per entry, so that `bound.pick` reads copies straight from the
tensor of all samples, in one pass.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from sparseaug._compiled import attempt
from sparseaug.actions.arrays import Array, Shape, is_tensor, leaves, map_leaves, namespace
from sparseaug.actions.base import Action
from sparseaug.groups import Rows

Indices: TypeAlias = NDArray[np.int64]

ROOM = 1 << 26
"""Bytes of prepared arrays that are kept for data which need only some of the rows at a time. An index
array of a 32 x 32 image takes 8 KiB, so 8192 rows fit; beyond that they are prepared batch
by batch, at about twice the time."""

# Entries of a batch from which a compiled loop is twice as fast as index arithmetic in torch; below,
# there is nothing to gain.
_WORTH_COMPILING = 1 << 16


@final
class PreparedAction:
    """Rows of an action's group, ready to move data.

    Args:
        action: how the group moves data
        rows: (k, width), elements of its group, which is not checked again: `action.rows` has done so
        memory: bytes to keep of what `each` and `pick` prepare; 0 for rows that are used once

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> from sparseaug.actions import PreparedAction
        >>> shift = PreparedAction(sa.roll(sa.cyclic(3), (-1,)), np.array([[0], [1]]))
        >>> shift(np.array([[1, 2, 3]]))
        array([[[1, 2, 3]],
               [[3, 1, 2]]])
        >>> shift.each(np.array([[1, 2, 3], [4, 5, 6]]), np.array([1, 0]))
        array([[3, 1, 2],
               [4, 5, 6]])
    """

    def __init__(self, action: Action, rows: Rows, *, memory: int | None = None) -> None:
        self.action = action
        self.rows = rows
        self._room = ROOM if memory is None else memory
        self._kept: dict[Hashable, list[Array]] = {}
        self._bytes = 0

    def __call__(self, x: Array, which: slice | None = None) -> Array:
        """Every sample of x (n, ...) moved by every row, or by those of a slice: (k, n, ...)."""
        action, prepared = self.action.over(x), self.prepared(x)
        if which is not None:
            prepared = [array[which] for array in prepared]
        return action.apply(prepared, map_leaves(lambda array: array[None], x))

    def each(self, x: Array, which: Indices) -> Array:
        """Data x (k, ...), datum t moved by row which[t] alone: (k, ...)."""
        action = self.action.over(x)
        kept = self._kept.get(_key(x)) if self._room else None
        if kept is not None or self._has_room(action, x):
            chosen = _chosen(self.prepared(x) if kept is None else kept, which)
        else:
            chosen = action.place(action.prepare(self.rows[which], _one(x)), x)
        moved = action.apply(chosen, map_leaves(lambda array: array[:, None], x))
        return map_leaves(lambda array: array[:, 0], moved)

    def pick(self, x: Array, which: Indices, source: Array | None = None) -> Array:
        """The same for a tensor x (n, ...), or for the data x[source] of one of all samples.

        Where entries move, entry q of the copy of sample i by row j is entry i d + index[j, q] of the
        flattened x, with d entries per sample.
        """
        index = self._sources(x)
        if index is None:
            return self.each(x if source is None else x.index_select(0, source), which)
        if source is None:
            source = namespace(x).arange(len(x), device=x.device)
        if len(which) * index.shape[1] >= _WORTH_COMPILING and _is_plain(x):
            moved = attempt(
                "sparseaug.actions.gather_numba",
                lambda compiled: compiled.gather(x, source, which, index),
            )
            if moved is not None:
                return moved
        entries = _chosen([index], which)[0]
        entries += (source * index.shape[1]).to(index.dtype)[:, None]
        picked = x.reshape(-1).index_select(0, entries.reshape(-1))
        return picked.reshape(len(which), *x.shape[1:])

    def prepared(self, x: Array) -> list[Array]:
        """What `apply` needs of all rows for samples as those of x (n, ...)."""
        key = _key(x)
        if key not in self._kept:
            action = self.action.over(x)
            self._keep(key, action.place(action.prepare(self.rows, _one(x)), x))
        return self._kept[key]

    def __getstate__(self) -> dict[str, Any]:
        """Without what is kept, which a process that needs it prepares again."""
        return {**self.__dict__, "_kept": {}, "_bytes": 0}

    def _has_room(self, action: Action, x: Array) -> bool:
        """Whether what all rows need for such data is small enough to be kept."""
        if not self._room:
            return False
        one = action.prepare(self.rows[:1], _one(x))
        return sum(array.nbytes for array in one) * len(self.rows) <= self._room

    def _sources(self, x: Array) -> Array | None:
        """Where each entry of a moved sample comes from (k, d), or None where that does not apply.

        A tensor that is not contiguous would be copied whole to be read flat.
        """
        torch = namespace(x)
        entries = math.prod(x.shape[1:])
        dtype = torch.int32 if x.numel() < 1 << 31 else torch.int64  # half the memory to read
        key = ("sources", *x.shape[1:], dtype, x.device)
        if key in self._kept:
            return self._kept[key][0] if x.is_contiguous() else None
        size = len(self.rows) * entries * dtype.itemsize
        if size > self._room or not x.is_contiguous() or self.action.over(x).kind != "entries":
            return None
        index = torch.from_numpy(_source_entries(self.action, self.rows, tuple(x.shape[1:])))
        self._keep(key, [index.to(x.device, dtype)])
        return self._kept[key][0]

    def _keep(self, key: Hashable, arrays: list[Array]) -> None:
        """Keep these arrays, and forget all others where the memory is used up."""
        size = sum(int(array.nbytes) for array in arrays)
        if self._bytes + size > self._room:
            self._kept.clear()
            self._bytes = 0
        self._kept[key] = arrays
        self._bytes += size


class Distinct(NamedTuple):
    """The distinct ones of some rows, in the order in which they first occur: integers (k,) or (m,).

    A mean over the rows is the mean over these, weighted by their counts.
    """

    first: Array  # where each occurs first
    counts: Array  # how often each occurs
    number: Array  # for every row, which of these it is


def distinct(rows: Rows) -> Distinct:
    """What is equal among rows (k, width).

    Examples:
        >>> import numpy as np
        >>> from sparseaug.actions.prepared import distinct
        >>> found = distinct(np.array([[3], [1], [3]]))
        >>> found.first.tolist(), found.counts.tolist(), found.number.tolist()
        ([0, 1], [2, 1], [0, 1, 0])
    """
    _, first, number, counts = np.unique(
        rows, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.argsort(first)
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    return Distinct(first[order], counts[order].astype(np.int64), places[number.reshape(-1)])


def _key(x: Array) -> Hashable:
    """What prepared arrays depend on: the shapes of a sample, their types and devices."""
    return tuple(
        (*array.shape[1:], array.dtype, getattr(array, "device", None)) for array in leaves(x)
    )


def _one(x: Array) -> Any:
    """The shapes of one sample of x."""
    return map_leaves(lambda array: (1, *array.shape[1:]), x)


def _chosen(arrays: Sequence[Array], which: Indices) -> list[Array]:
    """These rows of prepared arrays."""
    if not any(map(is_tensor, arrays)):
        return [array[which] for array in arrays]
    tensor = next(filter(is_tensor, arrays))
    index = namespace(tensor).from_numpy(which).to(tensor.device)
    return [a.index_select(0, index) if is_tensor(a) else a[which] for a in arrays]


def _is_plain(x: Array) -> bool:
    """Whether the entries are memory that a compiled loop can read, and need no gradient."""
    plain = x.device.type == "cpu" and not x.requires_grad and x.dtype.itemsize <= 8
    return plain and not x.is_conj() and not x.is_neg()  # whose memory holds other values


def _source_entries(action: Action, rows: Rows, shape: Shape) -> NDArray[np.int64]:
    """Where each entry of a moved sample comes from (k, d): move the entries' numbers and look."""
    numbers = np.arange(math.prod(shape)).reshape(1, *shape)
    prepared = action.prepare(rows, numbers.shape)
    moved = action.apply(prepared, numbers[None])
    return np.ascontiguousarray(moved).reshape(len(rows), numbers.size)
