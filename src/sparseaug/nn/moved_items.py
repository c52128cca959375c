"""Moving the items of a data set: a whole batch at once, each item by its own element.

An item is x alone or a tuple or list (x, y, ...) of one sample: x is moved, y moves along where it
has an action of its own, the rest passes through. x may be a tuple or a dict of arrays that move
together; an item that is a dict is x, and what has no action in a dict passes through. x may be a graph
of PyTorch Geometric: `permute_nodes` relabels it.

The inner data set of ours: its length, checked indices, and a batch of its samples at once.

A batch whose samples are rows of tensors already: PyTorch's default collate need not copy them again.

A loader asks a data set for a list of samples and joins them: to cut a moved batch into samples and join
these again takes longer than to move it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import torch
from torch.utils.data import IterableDataset, Subset, TensorDataset
from torch.utils.data._utils import collate

from sparseaug._checks import check_integer
from sparseaug.actions import Action, Array
from sparseaug.actions.arrays import as_numpy, leaves, map_leaves, require_dense
from sparseaug.actions.prepared import Indices, PreparedAction
from sparseaug.errors import ArgumentError, shorten
from sparseaug.nn.graphs import is_graph, relabel_nodes

# Bytes that are stacked and moved at a time: they stay in the cache, and memory of this size is used
# again where a batch of large images would be given new pages, which takes longer than to move it.
_BLOCK = 1 << 22


@final
@dataclass(frozen=True)
class Moves:
    """How each part of an item moves; None for a part that stays."""

    x: PreparedAction
    y: PreparedAction | None = None

    def items(self, items: Sequence[Any], which: Indices) -> Sequence[Any]:
        """Items moved, item t by element which[t]; each keeps its form."""
        parts = [_parts(item) for item in items]
        action = self.x.action
        moved = [
            _move_data(self.x, [_entries_to_move(part[0], action) for part in parts], which, "x")
        ]
        if self.y is not None:
            _require_targets(parts)
            moved.append(_move_data(self.y, [part[1] for part in parts], which, "y"))
        if all(type(item) is tuple and len(item) == len(parts[0]) for item in items) and all(
            isinstance(column, torch.Tensor) for column in moved
        ):
            rest = list(zip(*parts, strict=True))[len(moved) :]
            return JoinedBatch([*moved, *rest])
        xs, *ys = map(_rows_of, moved)
        xs = [_merge(part[0], x) for part, x in zip(parts, xs, strict=True)]
        return [
            _like(item, (*own, *part[len(own) :]))
            for item, part, own in zip(items, parts, zip(xs, *ys, strict=True), strict=True)
        ]

    def columns(
        self, columns: Sequence[torch.Tensor], source: Indices, which: Indices
    ) -> JoinedBatch:
        """The items (x, y, ...) whose parts are the rows `source` of these tensors, moved."""
        if self.y is not None:
            _require_targets([columns])
        parts = []
        for place, tensor in enumerate(columns):
            index = torch.from_numpy(source).to(tensor.device)
            move = (self.x, self.y)[place] if place < 2 else None
            if move is None:
                parts.append(tensor.index_select(0, index))
            else:
                _kind(tensor[0], "xy"[place])
                parts.append(move.pick(tensor, which, index))
        return JoinedBatch(parts)


def _move_data(move: PreparedAction, data: list[Any], which: Indices, name: str) -> Any:
    """Data moved, those of one form and shape together: in their own form with one more axis if all
    are alike, else a list.
    """
    if any(map(is_graph, data)):
        return _relabel(move, data, which, name)
    alike: dict[Hashable, list[int]] = {}
    for place, x in enumerate(data):
        plain = isinstance(x, torch.Tensor | np.ndarray)  # spares the search in most data sets
        kind = _kind(x, name) if plain else tuple(_kind(array, name) for array in leaves(x))
        alike.setdefault(kind, []).append(place)
    moved: list[Any] = [None] * len(data)
    for places in alike.values():
        together = _move_alike(move, [data[place] for place in places], which[places])
        if len(alike) == 1:
            return together
        for place, row in zip(places, _rows_of(together), strict=True):
            moved[place] = row
    return moved


def _move_alike(move: PreparedAction, data: list[Any], which: Indices) -> Any:
    """Data of one form and shape, moved, with one more axis."""
    if not isinstance(data[0], torch.Tensor):
        return move.each(map_leaves(_stack, *data), which)
    step = max(1, _BLOCK // max(1, data[0].nbytes))
    moved = move.pick(torch.stack(data[:step]), which[:step])
    if step >= len(data):
        return moved
    joined = moved.new_empty((len(data), *moved.shape[1:]))
    joined[:step] = moved
    for start in range(step, len(data), step):
        block = slice(start, start + step)
        joined[block] = move.pick(torch.stack(data[block]), which[block])
    return joined


def _kind(array: Any, name: str) -> Hashable:
    """What arrays have in common that are stacked, or an `ArgumentError` for what does not move."""
    if isinstance(array, torch.Tensor):
        if array.layout is not torch.strided or array.is_meta:
            require_dense(f"{name} of dataset", array)
    elif not isinstance(array, np.ndarray):
        raise ArgumentError(
            f"dataset gave {shorten(array)} as {name}, which is not an array; let its items be x "
            "or (x, y, ...) with tensors or NumPy arrays: convert images and lists to tensors first."
        )
    if array.ndim < 1:
        raise ArgumentError(
            f"dataset gave a single number as {name}; an action moves arrays of at least one axis."
        )
    return array.shape, array.dtype, getattr(array, "device", None), type(array)


def _stack(*arrays: Array) -> Array:
    return torch.stack(arrays) if isinstance(arrays[0], torch.Tensor) else np.stack(arrays)


def _rows_of(moved: Any) -> Sequence[Any]:
    """The data of a batch; NumPy's in plain order, since torch takes no negative strides."""
    if isinstance(moved, list):
        return moved
    if isinstance(moved, torch.Tensor):
        return moved.unbind(0)
    if isinstance(moved, np.ndarray):
        return list(np.ascontiguousarray(moved))
    apart = map_leaves(lambda array: list(_rows_of(array)), moved)
    return [map_leaves(lambda rows, t=t: rows[t], apart) for t in range(len(leaves(moved)[0]))]


def _relabel(move: PreparedAction, graphs: list[Any], which: Indices, name: str) -> list[Any]:
    """Graphs, each with its nodes relabelled by its element."""
    if not move.action.relabels_nodes:
        raise ArgumentError(
            f"dataset gave a graph as {name}, but {type(move.action).__name__} does not relabel nodes; "
            "give permute_nodes(group) as its action."
        )
    group = move.action.group
    return [
        relabel_nodes(graph, group, move.rows[row])
        for graph, row in zip(graphs, which, strict=True)
    ]


def _parts(item: Any) -> Sequence[Any]:
    if isinstance(item, tuple | list):
        if not item:
            raise ArgumentError("dataset gave an empty tuple; items are x or (x, y, ...).")
        return item
    return (item,)


def _entries_to_move(x: Any, action: Action) -> Any:
    """What the action moves of x: of a dict, at any depth, the entries that it names."""
    if not isinstance(x, Mapping):
        return x
    if named := action.named():
        return {name: _entries_to_move(x[name], part) for name, part in named.items() if name in x}
    if action.parts == 1 and not action.any_form:
        raise ArgumentError(
            f"dataset gave a dict with {shorten(sorted(map(str, x)))} as x, but {type(action).__name__} "
            "moves one array; say which, as in sparseaug.together(image=action)."
        )
    return x


def _merge(x: Any, moved: Any) -> Any:
    """What was moved, with the entries of x that were not."""
    if not isinstance(x, Mapping) or not isinstance(moved, Mapping):
        return moved
    return {**x, **{name: _merge(x[name], part) for name, part in moved.items()}}


def _like(item: Any, parts: tuple[Any, ...]) -> Any:
    """The parts in the form of `item`: one array, a dict, a tuple, a named tuple or a list."""
    if not isinstance(item, tuple | list):
        return parts[0]
    if hasattr(item, "_make"):
        return item._make(parts)
    return parts if type(item) is tuple else type(item)(parts)


def _require_targets(parts: Sequence[Sequence[Any]]) -> None:
    if any(len(part) < 2 for part in parts):
        raise ArgumentError("y_action is given, but dataset has items without y; leave it out.")


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

    def move(self, source: Indices, which: Indices, moves: Moves) -> Sequence[Any]:
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
    """The same for a list, an array or a tensor of integers, of one axis."""
    try:
        array = as_numpy(indices)
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:
        raise ArgumentError(f"{name}={shorten(indices)} must be integers: {error}") from error
    if array.ndim == 1 and not array.size:
        return np.zeros(0, np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ArgumentError(f"{name}={shorten(indices)} must be integers; give a list of them.")
    if array.min() < -length or array.max() >= length:
        raise OutOfRangeError(f"{name}={shorten(indices)} out of range for {length} items.")
    return array.astype(np.int64) % length


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


class JoinedItem(tuple[Any, ...]):
    """An item of a `JoinedBatch`: `default_collate` asks the type of the first item what to do."""

    __slots__ = ()


@final
class JoinedBatch(Sequence[Any]):
    """The items (x, y, ...) whose parts are the rows of these tensors: a sequence of tuples.

    `default_collate`, which a `DataLoader` uses unless told otherwise, returns the tensors themselves,
    in the list that it makes of tuples, and joins what is not a tensor. Other functions find a
    sequence of items.

    Args:
        columns: tensors (k, ...) or sequences of k things, one for each part of an item

    Examples:
        >>> import torch
        >>> from torch.utils.data import default_collate
        >>> from sparseaug.nn.moved_items import JoinedBatch
        >>> batch = JoinedBatch([torch.eye(2), torch.tensor([3, 4])])
        >>> batch[1], len(batch)
        ((tensor([0., 1.]), tensor(4)), 2)
        >>> default_collate(batch)[0] is batch.columns[0]
        True
    """

    def __init__(self, columns: Sequence[Any]) -> None:
        self.columns = [
            column.contiguous() if isinstance(column, torch.Tensor) else column
            for column in columns
        ]
        # PyTorch's table of types; an entry for ours, in every process that makes a batch
        collate.default_collate_fn_map.setdefault(JoinedItem, _columns)

    def __len__(self) -> int:
        return len(self.columns[0])

    def __getitem__(self, k: Any) -> Any:
        if isinstance(k, slice):
            return list(self)[k]
        return JoinedItem(column[k] for column in self.columns)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        rows = (c.unbind(0) if isinstance(c, torch.Tensor) else c for c in self.columns)
        return zip(*rows, strict=True)


def _columns(batch: Sequence[Any], *, collate_fn_map: Any = None) -> Any:
    """What `default_collate` makes of these items: no copy, unless a user joins tensors otherwise."""
    usual = (collate_fn_map or {}).get(torch.Tensor) is collate.collate_tensor_fn
    if isinstance(batch, JoinedBatch) and usual:
        return [
            column
            if isinstance(column, torch.Tensor)
            else collate.collate(column, collate_fn_map=collate_fn_map)
            for column in batch.columns
        ]
    return collate.collate([tuple(item) for item in batch], collate_fn_map=collate_fn_map)
