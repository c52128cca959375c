"""Graphs of PyTorch Geometric: their nodes relabelled by an element of a group of permutations.

(g.X)[g(i)] = X[i] for every attribute of nodes, and every number of a node is mapped by g.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import torch

from sparseaug._checks import check_type
from sparseaug.actions.arrays import require_dense
from sparseaug.errors import ArgumentError, UnsupportedError, shorten
from sparseaug.groups import Group, Rows
from sparseaug.groups.permutations import invert_permutations


def is_graph(data: Any) -> bool:
    """Whether this looks like a graph of PyTorch Geometric."""
    kinds = ("edge_index", "node_types")  # of one type of nodes, or of several
    return hasattr(data, "num_nodes") and any(hasattr(data, kind) for kind in kinds)


def relabel_nodes(data: Any, group: Group, row: Rows) -> Any:
    """A copy of a graph with its nodes relabelled by one element, which shares what does not change."""
    _require_graph(data, group)
    (image,) = group.permutations(row[None])
    source = torch.from_numpy(invert_permutations(image[None])[0])
    to = torch.from_numpy(image.copy())
    moved = copy.copy(data)
    for name, value in data.to_dict().items():
        # indices first, since a graph may have as many edges as nodes
        if ("index" in name or name == "face") and isinstance(value, _ARRAYS):
            numbers = _check_nodes(name, value, len(image))
            moved[name] = to.to(numbers.device, numbers.dtype)[numbers.long()]
        elif data.is_node_attr(name):
            rows = _check_tensor(name, value)
            axis = int(data.__cat_dim__(name, value) or 0)
            moved[name] = rows.index_select(axis, source.to(rows.device))
    return moved


_ARRAYS = (torch.Tensor, np.ndarray, list, tuple)


def _require_graph(data: Any, group: Group) -> None:
    """Raise an error unless it is one graph, of edges, with as many nodes as the group permutes."""
    single = hasattr(data, "is_node_attr") and getattr(data, "batch", None) is None
    if not single or any(name in data for name in ("adj", "adj_t")):
        raise UnsupportedError(
            "data has several types of nodes, an adjacency matrix, or several graphs in a batch; give "
            "graphs of PyTorch Geometric with edge_index, of one type, before they are batched."
        )
    if data.num_nodes != group.points:
        raise ArgumentError(
            f"data has {shorten(data.num_nodes)} nodes, but {group.name} permutes {group.points}; use "
            "a group of so many points, and for graphs of several sizes one data set and one S per size."
        )


def _check_tensor(name: str, value: Any) -> torch.Tensor:
    """What is not a tensor would stay while the nodes move."""
    check_type(f"data.{name}", value, torch.Tensor, "a tensor, and is about nodes; make it one")
    require_dense(f"data.{name}", value)
    return value


def _check_nodes(name: str, given: Any, nodes: int) -> torch.Tensor:
    """Numbers of nodes, or an `ArgumentError`; -1 would be taken for the last."""
    value = _check_tensor(name, given)
    whole = not (value.is_floating_point() or value.is_complex() or value.dtype == torch.bool)
    wide = whole and torch.iinfo(value.dtype).max >= nodes - 1  # a relabelled one fits as well
    if not wide or (value.numel() and not 0 <= int(value.min()) <= int(value.max()) < nodes):
        raise ArgumentError(
            f"data.{name} has dtype {value.dtype}, and must hold integers in 0..{nodes - 1}, the "
            'numbers of nodes; correct it, or give it a name without "index".'
        )
    return value
