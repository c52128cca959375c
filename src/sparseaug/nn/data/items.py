"""Moving the items of a data set: a whole batch at once, each item by its own element.

An item is x alone or a tuple or list (x, y, ...) of one sample: x is moved, y moves along where it
has an action of its own, the rest passes through. For graphs x may be (adjacency, features).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import torch

from sparseaug.actions import Action, Array, permute_axis
from sparseaug.actions.permute import PermuteNodes
from sparseaug.errors import ArgumentError, shorten
from sparseaug.nn.checks import require_dense
from sparseaug.nn.data.prepared import Indices, Move


@final
@dataclass(frozen=True)
class Moves:
    """How each part of an item moves; None for a part that stays."""

    x: Move
    features: Move | None = None
    y: Move | None = None

    def items(self, items: Sequence[Any], which: Indices) -> list[Any]:
        """Items moved, item t by element which[t]; each keeps its form."""
        parts = [_parts(item) for item in items]
        xs = _move_x(self, [part[0] for part in parts], which)
        ys: Sequence[Any] = [()] * len(parts)
        if self.y is not None:
            _require_targets(parts)
            moved = _move_arrays(self.y, [part[1] for part in parts], which, "y")
            ys = [(y,) for y in moved]
        return [
            _like(item, (x, *y, *part[1 + len(y) :]))
            for item, part, x, y in zip(items, parts, xs, ys, strict=True)
        ]

    def columns(
        self, columns: Sequence[torch.Tensor], source: Indices, which: Indices
    ) -> list[Any]:
        """The items (x, y, ...) whose parts are the rows `source` of these tensors, moved."""
        if self.y is not None:
            _require_targets([columns])
        moves = {0: ("x", self.x), 1: ("y", self.y)}
        parts = [
            _pick(*moves.get(place, ("", None)), tensor, source, which)
            for place, tensor in enumerate(columns)
        ]
        return list(zip(*map(_rows_of, parts), strict=True))


def make_moves(action: Action, y_action: Action | None, make: Callable[[Action], Move]) -> Moves:
    """The moves of an item's parts, each made of its action; node features go with the nodes."""
    nodes = isinstance(action, PermuteNodes)
    return Moves(
        make(action),
        make(permute_axis(action.group, 1)) if nodes else None,
        None if y_action is None else make(y_action),
    )


def require_actions(action: Any, y_action: Any) -> None:
    """Raise an `ArgumentError` unless they are actions of one group (the second may be None)."""
    if not isinstance(action, Action):
        raise ArgumentError(f"action={shorten(action)} is not an action; try sparseaug.roll(...).")
    if y_action is None:
        return
    if not isinstance(y_action, Action):
        raise ArgumentError(f"y_action={shorten(y_action)} is not an action, nor None.")
    if y_action.group != action.group:
        raise ArgumentError(
            f"y_action is of {y_action.group.name}, but action is of {action.group.name}; "
            "one element moves both: use one group."
        )


def _pick(
    name: str, move: Move | None, tensor: torch.Tensor, source: Indices, which: Indices
) -> torch.Tensor:
    """The rows `source` of a tensor of all samples, moved where there is a move."""
    index = torch.from_numpy(source).to(tensor.device)
    if move is None:
        return tensor.index_select(0, index)
    _require_axes(tensor[0], name)
    return move.pick(which, tensor, index)


def _move_x(moves: Moves, xs: list[Any], which: Indices) -> Sequence[Any]:
    if moves.features is None or not all(isinstance(x, tuple) and len(x) == 2 for x in xs):
        return _move_arrays(moves.x, xs, which, "x")
    adjacency = _move_arrays(moves.x, [x[0] for x in xs], which, "adjacency")
    features = _move_arrays(moves.features, [x[1] for x in xs], which, "features")
    return list(zip(adjacency, features, strict=True))


def _move_arrays(move: Move, arrays: list[Any], which: Indices, name: str) -> Sequence[Any]:
    """Arrays moved, those of one shape together."""
    alike: dict[Hashable, list[int]] = {}
    for place, array in enumerate(arrays):
        _require_axes(array, name)
        kind = (array.shape, array.dtype, getattr(array, "device", None), type(array))
        alike.setdefault(kind, []).append(place)
    moved: list[Any] = [None] * len(arrays)
    for places in alike.values():
        together = [arrays[place] for place in places]
        stacked = (
            torch.stack(together) if isinstance(together[0], torch.Tensor) else np.stack(together)
        )
        rows = _rows_of(move(which[places], stacked))
        if len(alike) == 1:
            return rows
        for place, row in zip(places, rows, strict=True):
            moved[place] = row
    return moved


def _rows_of(moved: Array) -> Sequence[Any]:
    """The data of a batch; NumPy's in plain order, since torch takes no negative strides."""
    return moved.unbind(0) if isinstance(moved, torch.Tensor) else list(np.ascontiguousarray(moved))


def _parts(item: Any) -> Sequence[Any]:
    if not isinstance(item, tuple | list):
        return (item,)
    if not item:
        raise ArgumentError("dataset gave an empty tuple; items are x or (x, y, ...).")
    return item


def _like(item: Any, parts: tuple[Any, ...]) -> Any:
    """The parts in the form of `item`: one array, a tuple, a named tuple or a list."""
    if not isinstance(item, tuple | list):
        return parts[0]
    if hasattr(item, "_make"):
        return item._make(parts)
    return parts if type(item) is tuple else type(item)(parts)


def _require_axes(array: Any, name: str) -> None:
    if not isinstance(array, torch.Tensor | np.ndarray):
        raise ArgumentError(
            f"dataset gave {shorten(array)} as {name}, which is not an array; let its items be x "
            "or (x, y, ...) with tensors or NumPy arrays: convert images and lists to tensors first."
        )
    if isinstance(array, torch.Tensor):
        require_dense(f"{name} of dataset", array)
    if array.ndim < 1:
        raise ArgumentError(
            f"dataset gave a single number as {name}; an action moves arrays of at least one axis."
        )


def _require_targets(parts: Sequence[Sequence[Any]]) -> None:
    if any(len(part) < 2 for part in parts):
        raise ArgumentError("y_action is given, but dataset has items without y; leave it out.")
