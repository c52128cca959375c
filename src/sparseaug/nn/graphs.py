"""Graphs of PyTorch Geometric: their nodes relabelled by an element of a group of permutations.

(g.X)[g(i)] = X[i] for every attribute of nodes, and every number of a node is mapped by g.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import torch

from sparseaug._checks import check_type
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Group, Rows
from sparseaug.groups.permutations import invert_permutations


def is_graph(data: Any) -> bool:
    """Whether this looks like a graph of PyTorch Geometric."""
    kinds = ("edge_index", "node_types")  # of one type of nodes, or of several
    return hasattr(data, "num_nodes") and any(hasattr(data, kind) for kind in kinds)


def relabel_nodes(data: Any, group: Group, row: Rows) -> Any:
    """A copy of a graph with its nodes relabelled by one element, which shares what does not change."""
    single = hasattr(data, "is_node_attr") and getattr(data, "batch", None) is None
    if not single or data.num_nodes != group.points or "adj" in data or "adj_t" in data:
        raise ArgumentError(
            f"data={shorten(data)} is not one graph of {group.points} nodes with edge_index; give one."
        )
    (image,) = group.permutations(row[None])
    source = torch.from_numpy(invert_permutations(image[None])[0])
    to = torch.from_numpy(image.copy())
    moved = copy.copy(data)
    for name, value in data.to_dict().items():
        # indices first, since a graph may have as many edges as nodes
        numbers = ("index" in name or name == "face") and isinstance(value, _ARRAYS)
        if not (numbers or data.is_node_attr(name)):
            continue
        check_type(f"data.{name}", value, torch.Tensor, "a tensor, and is about nodes; make it one")
        if not numbers:
            axis = int(data.__cat_dim__(name, value) or 0)
            moved[name] = value.index_select(axis, source.to(value.device))
            continue
        if value.is_floating_point() or not ((value >= 0) & (value < len(to))).all():
            # -1 would be taken for the last
            raise ArgumentError(f"data.{name} must hold nodes, 0 to {len(to) - 1}; or rename it.")
        moved[name] = to.to(value.device)[value.long()]
    return moved


_ARRAYS = (torch.Tensor, np.ndarray, list, tuple)
