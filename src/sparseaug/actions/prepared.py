"""An action and rows: what the action prepares for them is made once per shape, dtype and device.

`bound(x)` moves every sample by every row, `bound.each(x, which)` each datum by its own row.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from sparseaug.actions.arrays import Array, is_tensor, leaves, map_leaves, namespace
from sparseaug.actions.base import Action
from sparseaug.groups import Rows

Indices: TypeAlias = NDArray[np.int64]

ROOM = 1 << 26
"""Bytes of prepared arrays that are kept for data which need only some of the rows at a time. An index
array of a 32 x 32 image takes 8 KiB, so 8192 rows fit; beyond that they are prepared batch
by batch, at about twice the time."""


@final
class PreparedAction:
    """Rows of an action's group, ready to move data.

    Args:
        action: how the group moves data
        rows: (k, width), elements of its group, which is not checked again: `action.rows` has done so
        memory: bytes to keep of what `each` prepares; 0 for rows that are used once

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

    def _keep(self, key: Hashable, arrays: list[Array]) -> None:
        """Keep these arrays, and forget all others where the memory is used up."""
        size = sum(int(array.nbytes) for array in arrays)
        if self._bytes + size > self._room:
            self._kept.clear()
            self._bytes = 0
        self._kept[key] = arrays
        self._bytes += size


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
