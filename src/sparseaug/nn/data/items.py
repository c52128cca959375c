"""Moving the items of a data set: a whole batch at once, each item by its own element.

An item is x alone or a tuple or list (x, y, ...) of one sample: x is moved, y moves along where it
has an action of its own, the rest passes through. x may be a tuple or a dict of arrays that move
together; an item that is a dict is x, and what has no action in a dict passes through. x may be a graph
of PyTorch Geometric: `permute_nodes` relabels it.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import torch

from sparseaug.actions import Action, Array
from sparseaug.actions.arrays import require_dense
from sparseaug.actions.bound import Bound, Indices
from sparseaug.actions.trees import leaves, map_leaves
from sparseaug.errors import ArgumentError, shorten
from sparseaug.nn.adapters.graphs import is_graph, relabelled
from sparseaug.nn.data.joined import JoinedBatch

# Bytes that are stacked and moved at a time: they stay in the cache, and memory of this size is used
# again where a batch of large images would be given new pages, which takes longer than to move it.
_BLOCK = 1 << 22


@final
@dataclass(frozen=True)
class Moves:
    """How each part of an item moves; None for a part that stays."""

    x: Bound
    y: Bound | None = None

    def items(self, items: Sequence[Any], which: Indices) -> Sequence[Any]:
        """Items moved, item t by element which[t]; each keeps its form."""
        parts = [_parts(item) for item in items]
        action = self.x.action
        moved = [_move_data(self.x, [_chosen(part[0], action) for part in parts], which, "x")]
        if self.y is not None:
            _require_targets(parts)
            moved.append(_move_data(self.y, [part[1] for part in parts], which, "y"))
        if all(type(item) is tuple and len(item) == len(parts[0]) for item in items) and all(
            isinstance(column, torch.Tensor) for column in moved
        ):
            rest = list(zip(*parts, strict=True))[len(moved) :]
            return JoinedBatch([*moved, *rest])
        xs, *ys = map(_rows_of, moved)
        xs = [_merged(part[0], x) for part, x in zip(parts, xs, strict=True)]
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
        moves = {0: ("x", self.x), 1: ("y", self.y)}
        parts = [
            _pick(*moves.get(place, ("", None)), tensor, source, which)
            for place, tensor in enumerate(columns)
        ]
        return JoinedBatch(parts)


def _pick(
    name: str, move: Bound | None, tensor: torch.Tensor, source: Indices, which: Indices
) -> torch.Tensor:
    """The rows `source` of a tensor of all samples, moved where there is an action."""
    index = torch.from_numpy(source).to(tensor.device)
    if move is None:
        return tensor.index_select(0, index)
    _kind(tensor[0], name)
    return move.pick(tensor, which, index)


def _move_data(move: Bound, data: list[Any], which: Indices, name: str) -> Any:
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


def _move_alike(move: Bound, data: list[Any], which: Indices) -> Any:
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


def _relabel(move: Bound, graphs: list[Any], which: Indices, name: str) -> list[Any]:
    """Graphs, each with its nodes relabelled by its element."""
    if not move.action.relabels_nodes:
        raise ArgumentError(
            f"dataset gave a graph as {name}, but {type(move.action).__name__} does not relabel nodes; "
            "give permute_nodes(group) as its action."
        )
    group = move.action.group
    return [
        relabelled(graph, group, move.rows[row]) for graph, row in zip(graphs, which, strict=True)
    ]


def _parts(item: Any) -> Sequence[Any]:
    if isinstance(item, tuple | list):
        if not item:
            raise ArgumentError("dataset gave an empty tuple; items are x or (x, y, ...).")
        return item
    return (item,)


def _chosen(x: Any, action: Action) -> Any:
    """What the action moves of x: of a dict, at any depth, the entries that it names."""
    if not isinstance(x, Mapping):
        return x
    if named := action.named():
        return {name: _chosen(x[name], part) for name, part in named.items() if name in x}
    if action.parts == 1:
        raise ArgumentError(
            f"dataset gave a dict with {shorten(sorted(map(str, x)))} as x, but {type(action).__name__} "
            "moves one array; say which, as in sparseaug.together(image=action)."
        )
    return x


def _merged(x: Any, moved: Any) -> Any:
    """What was moved, with the entries of x that were not."""
    if not isinstance(x, Mapping) or not isinstance(moved, Mapping):
        return moved
    return {**x, **{name: _merged(x[name], part) for name, part in moved.items()}}


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
