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
from sparseaug.actions.arrays import leaves, map_leaves, require_dense
from sparseaug.actions.prepared import Indices, PreparedAction
from sparseaug.errors import ArgumentError, shorten
from sparseaug.nn.graphs import is_graph, relabel_nodes


@final
@dataclass(frozen=True)
class Moves:
    """How each part of an item moves; None for a part that stays."""

    x: PreparedAction
    y: PreparedAction | None = None

    def items(self, items: Sequence[Any], which: Indices) -> list[Any]:
        """Items moved, item t by element which[t]; each keeps its form."""
        parts = [_parts(item, 1 if self.y is None else 2) for item in items]
        action = self.x.action
        xs = _move(self.x, [_entries_to_move(part[0], action) for part in parts], which, "x")
        moved = [[_merge(part[0], x) for part, x in zip(parts, xs, strict=True)]]
        if self.y is not None:
            moved.append(_move(self.y, [part[1] for part in parts], which, "y"))
        return [
            _like(item, (*own, *part[len(own) :]))
            for item, part, own in zip(items, parts, zip(*moved, strict=True), strict=True)
        ]

    def rows_of(
        self, tensors: Sequence[torch.Tensor], source: Indices, which: Indices
    ) -> list[tuple[torch.Tensor, ...]]:
        """The items (x, y, ...) whose parts are the rows `source` of these tensors, moved."""
        _parts(tensors, 1 if self.y is None else 2)
        parts = []
        for place, tensor in enumerate(tensors):
            index = torch.from_numpy(source).to(tensor.device)
            move = (self.x, self.y)[place] if place < 2 else None
            if move is None:
                parts.append(tensor.index_select(0, index))
            else:
                _kind(tensor[0], "xy"[place])
                parts.append(move.each(tensor.index_select(0, index), which))
        return list(zip(*(part.contiguous().unbind(0) for part in parts), strict=True))


def _move(move: PreparedAction, data: list[Any], which: Indices, name: str) -> list[Any]:
    """Data moved, those of one form and shape together."""
    if any(map(is_graph, data)):
        return _relabel(move, data, which, name)
    alike: dict[Hashable, list[int]] = {}
    for place, x in enumerate(data):
        kind = tuple([_kind(array, name) for array in leaves(x)])
        alike.setdefault(kind, []).append(place)
    moved: list[Any] = [None] * len(data)
    for places in alike.values():
        stacked = map_leaves(_stack, *(data[place] for place in places))
        together = map_leaves(_rows_of, move.each(stacked, which[places]))
        for t, place in enumerate(places):
            moved[place] = map_leaves(lambda rows, t=t: rows[t], together)
    return moved


def _kind(array: Any, name: str) -> Hashable:
    """What arrays have in common that are stacked, or an `ArgumentError` for what does not move."""
    if not isinstance(array, torch.Tensor | np.ndarray) or array.ndim < 1:
        raise ArgumentError(f"dataset gave {shorten(array)} as {name}; convert it to a tensor.")
    require_dense(f"{name} of dataset", array)
    return array.shape, array.dtype, getattr(array, "device", None), type(array)


def _stack(*arrays: Array) -> Array:
    return torch.stack(arrays) if isinstance(arrays[0], torch.Tensor) else np.stack(arrays)


def _rows_of(array: Array) -> Any:
    """NumPy's in plain order, since torch takes no negative strides."""
    return np.ascontiguousarray(array) if isinstance(array, np.ndarray) else list(array.unbind(0))


def _relabel(move: PreparedAction, graphs: list[Any], which: Indices, name: str) -> list[Any]:
    """Graphs, each with its nodes relabelled by its element."""
    if not move.action.relabels_nodes:
        raise ArgumentError(f"dataset gave a graph as {name}; move it by permute_nodes(group).")
    group = move.action.group
    return [
        relabel_nodes(graph, group, move.rows[row])
        for graph, row in zip(graphs, which, strict=True)
    ]


def _parts(item: Any, at_least: int) -> Sequence[Any]:
    parts = item if isinstance(item, tuple | list) else (item,)
    if len(parts) < at_least:
        raise ArgumentError("dataset gave no x, or no y for y_action; give x or (x, y, ...).")
    return parts


def _entries_to_move(x: Any, action: Action) -> Any:
    """What the action moves of x: of a dict, at any depth, the entries that it names."""
    if not isinstance(x, Mapping):
        return x
    if named := action.named():
        return {name: _entries_to_move(x[name], part) for name, part in named.items() if name in x}
    if action.parts == 1 and not action.any_form:
        names = shorten(sorted(map(str, x)))
        raise ArgumentError(f"dataset gave a dict of {names}; use together(image=action).")
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
    return type(item)(parts)
