"""Graphs of PyTorch Geometric: their nodes relabelled by an element of a group of permutations."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import torch

from sparseaug.actions.arrays import require_dense
from sparseaug.errors import ArgumentError, UnsupportedError, shorten
from sparseaug.groups import Group, Rows
from sparseaug.groups.permutations import invert_permutations

_ARRAYS = (torch.Tensor, np.ndarray, list, tuple)


def is_graph(data: Any) -> bool:
    """Whether this looks like a graph of PyTorch Geometric."""
    kinds = ("edge_index", "node_types")  # of one type of nodes, or of several
    return hasattr(data, "num_nodes") and any(hasattr(data, kind) for kind in kinds)


def relabel_nodes(data: Any, group: Group, row: Rows) -> Any:
    """A copy of a graph with its nodes relabelled by one element, which shares what does not change."""
    attributes, indices = _split(data, _node_count(data, group))
    data = copy.copy(data)
    (image,) = group.permutations(row[None])
    source = torch.from_numpy(invert_permutations(image[None])[0])
    to = torch.from_numpy(image.copy())
    for name, value in attributes.items():
        axis = _node_axis(data, name, value)
        setattr(data, name, value.index_select(axis, source.to(value.device)))
    for name, value in indices.items():
        setattr(data, name, to.to(value.device, value.dtype)[value.long()])
    return data


def _node_count(data: Any, group: Group) -> int:
    if hasattr(data, "node_types"):
        raise UnsupportedError("data has several types of nodes; relabel a graph of one type.")
    if getattr(data, "batch", None) is not None:
        raise UnsupportedError("data is a batch of graphs; relabel graphs before they are batched.")
    nodes: Any = getattr(data, "num_nodes", None)
    if not isinstance(nodes, int | np.integer) or nodes != group.points:
        raise ArgumentError(
            f"data has {shorten(nodes)} nodes, but {group.name} permutes {group.points}; use a "
            "group of so many points, and for graphs of several sizes one data set and one S per size."
        )
    return int(nodes)


def _split(data: Any, nodes: int) -> tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]]:
    """The attributes of nodes, and those whose values are numbers of nodes."""
    attributes, indices = {}, {}
    for name, value in _named(data):
        if name in ("adj", "adj_t") and value is not None:
            raise UnsupportedError(
                f"data.{name} is an adjacency matrix; give edge_index, or use permute_nodes."
            )
        # first, since a graph may have as many edges as nodes
        if ("index" in name or name == "face") and isinstance(value, _ARRAYS):
            indices[name] = _tensor(name, value)
            _require_nodes(name, indices[name], nodes)
        elif _is_node_attribute(data, name, value, nodes):
            attributes[name] = _tensor(name, value)
    return attributes, indices


def _tensor(name: str, value: Any) -> torch.Tensor:
    """The value itself; what is not a tensor would stay while the nodes move."""
    if not isinstance(value, torch.Tensor):
        raise ArgumentError(
            f"data.{name} is about nodes and is a {type(value).__name__}; make it a tensor."
        )
    require_dense(f"data.{name}", value)
    return value


def _require_nodes(name: str, value: torch.Tensor, nodes: int) -> None:
    """Raise an `ArgumentError` unless these are numbers of nodes; -1 would be taken for the last."""
    whole = not (value.is_floating_point() or value.is_complex() or value.dtype == torch.bool)
    wide = whole and torch.iinfo(value.dtype).max >= nodes - 1  # a relabelled one fits as well
    if not wide or (value.numel() and not 0 <= int(value.min()) <= int(value.max()) < nodes):
        raise ArgumentError(
            f"data.{name} has dtype {value.dtype}, and must hold integers in 0..{nodes - 1}, the "
            'numbers of nodes; correct it, or give it a name without "index".'
        )


def _named(data: Any) -> list[tuple[str, Any]]:
    if callable(getattr(data, "keys", None)):
        return [(name, data[name]) for name in data.keys()]  # noqa: SIM118
    return list(vars(data).items())


def _is_node_attribute(data: Any, name: str, value: Any, nodes: int) -> bool:
    if hasattr(data, "is_node_attr"):
        return bool(data.is_node_attr(name))
    if name not in ("x", "pos", "y") or not isinstance(value, _ARRAYS):
        return False
    sized = getattr(value, "ndim", 1) > 0 and len(value) == nodes
    if not sized and name != "y":
        raise ArgumentError(
            f"data.{name} does not have one row for each of {nodes} nodes; correct it."
        )
    return sized


def _node_axis(data: Any, name: str, value: torch.Tensor) -> int:
    """The axis that counts the nodes: where the library joins graphs into a batch."""
    axis = data.__cat_dim__(name, value) if hasattr(data, "__cat_dim__") else 0
    return int(axis or 0)
