"""What people call a graph, as numbers: networkx with attributes, or an adjacency matrix.

Each becomes a list of nodes with a value each, and values of ordered pairs; an edge without directions
is two pairs. Equal values are one kind. Numbers that differ by at most a tolerance are one value too;
that relation must be an equivalence: where a chain of close numbers spans more than the tolerance, no
kinds are right, and it is refused.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import coo_array, issparse

from sparseaug._checks import check_list, require_work
from sparseaug.errors import ArgumentError, need, shorten
from sparseaug.sources.refinement import Structure


class Graph(NamedTuple):
    """The nodes' names, the value of each node, and those of ordered pairs of nodes by number."""

    nodes: tuple[Hashable, ...]
    node_values: list[Hashable]
    pairs: dict[tuple[int, int], Hashable]


def read_graph(graph: Any, node_attr: Any, edge_attr: Any, tolerance: float) -> Graph:
    """A graph of networkx or an adjacency matrix, its close numbers replaced by one."""
    if isinstance(graph, np.ndarray) or issparse(graph):
        return _of_matrix(graph, node_attr, edge_attr, tolerance)
    networkx = need("networkx", "graph_automorphisms")
    if not isinstance(graph, networkx.Graph) or graph.is_multigraph():
        forms = "a networkx Graph or DiGraph, nor an adjacency matrix (NumPy or SciPy sparse)"
        raise ArgumentError(f"graph={shorten(graph)} is neither {forms}; give one.")
    _require_size(len(graph), graph.number_of_edges())
    place = {node: i for i, node in enumerate(graph)}
    edges = list(graph.edges(data=True))
    values = _attributes("edge_attr", edge_attr, [data for _, _, data in edges], tolerance)
    pairs: dict[tuple[int, int], Hashable] = {}
    for (u, v, _), value in zip(edges, values, strict=True):
        pairs[place[u], place[v]] = value
        if not graph.is_directed():
            pairs[place[v], place[u]] = value
    known = [data for _, data in graph.nodes(data=True)]
    return Graph(tuple(graph), _attributes("node_attr", node_attr, known, tolerance), pairs)


def structure_of(graph: Graph) -> Structure:
    """Nodes and arrows of kinds: an arrow knows the values both ways, a node that of its loop."""
    pairs, none = graph.pairs, object()
    looped = [(value, pairs.get((i, i), none)) for i, value in enumerate(graph.node_values)]
    both = sorted({arrow for u, v in pairs if u != v for arrow in ((u, v), (v, u))})
    seen = [(pairs.get((u, v), none), pairs.get((v, u), none)) for u, v in both]
    table = np.array(both, np.int64).reshape(-1, 2).T.copy()
    return Structure(_numbers(looped), table[0], table[1], _numbers(seen))


def _of_matrix(matrix: Any, node_attr: Any, edge_attr: Any, tolerance: float) -> Graph:
    """Entries that are not 0 are pairs with that value."""
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.dtype.kind not in "biuf":
        given = f"{matrix.dtype} of shape {matrix.shape}"
        raise ArgumentError(f"graph is {given}; give a square adjacency matrix of real numbers.")
    if edge_attr is not None:
        raise ArgumentError("edge_attr is for attributes, a matrix has its entries; leave it out.")
    entries = coo_array(matrix)
    entries.sum_duplicates()
    n = matrix.shape[0]
    _require_size(n, entries.nnz)
    if not np.isfinite(entries.data).all():
        raise ArgumentError("graph has entries that are not finite; give real numbers.")
    zero, *values = _merged("graph", [0, *entries.data.tolist()], tolerance)
    places = zip(*(index.tolist() for index in entries.coords), strict=True)
    pairs = {pair: value for pair, value in zip(places, values, strict=True) if value != zero}
    labels = [None] * n if node_attr is None else check_list("node_attr", node_attr)
    if len(labels) != n:
        raise ArgumentError(f"node_attr has {len(labels)} values for {n} nodes; give one each.")
    return Graph(tuple(range(n)), _column("node_attr", labels, tolerance), pairs)


def _attributes(
    name: str, attr: Any, data: Sequence[dict[Any, Any]], tolerance: float
) -> list[Hashable]:
    """The values of one or several attributes for each node or edge; None where none is named."""
    if attr is None:
        return [None] * len(data)
    columns = []
    for one in attr if isinstance(attr, list) else [attr]:
        try:
            values = [known[one] for known in data]
        except Exception as error:  # not there, or no name
            where = f"some {name.removesuffix('_attr')}"
            raise ArgumentError(f"{name}={shorten(one)} is missing on {where}; set it.") from error
        columns.append(_column(name, values, tolerance))
    return list(zip(*columns, strict=True)) if columns else [()] * len(data)


def _column(name: str, values: list[Any], tolerance: float) -> list[Hashable]:
    values = [tuple(value) if isinstance(value, list) else value for value in values]
    for i, value in enumerate(values):
        if not can_be_compared(value):
            raise ArgumentError(f"{name}[{i}]={shorten(value)} is no label; give text or numbers.")
    return _merged(name, values, tolerance)


def _merged(name: str, values: list[Any], tolerance: float) -> list[Hashable]:
    """The values with one number for all that are within the tolerance; tuples as they are."""
    if not tolerance:
        return values
    same: dict[Any, float] = {}
    first = before = -np.inf
    for number in sorted({float(value) for value in values if _is_number(value)}):
        if number - before > tolerance:
            first = number
        if number - first > tolerance:
            ends = f"{name} {first:.6g} and {number:.6g}"
            raise ArgumentError(f"{tolerance=:g} links {ends} by numbers between; lower it.")
        before, same[number] = number, first
    return [same[float(value)] if _is_number(value) else value for value in values]


def _is_number(value: Any) -> bool:
    """Whether it is a real number that a float holds; larger integers are compared exactly."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return abs(int(value)) <= 1 << 53
    return isinstance(value, float | np.floating)


def can_be_compared(value: Any) -> bool:
    """Whether it has a hash, unlike a tuple with a list in it, and equals itself, unlike NaN."""
    try:
        hash(value)
        if isinstance(value, tuple):
            return all(map(can_be_compared, value))
        return bool(value == value)
    except Exception:  # TypeError, or whatever a foreign object raises
        return False


def _numbers(values: Iterable[Hashable]) -> Any:
    """For each value its number, in order of appearance."""
    known: dict[Hashable, int] = {}
    return np.array([known.setdefault(value, len(known)) for value in values], np.int64)


def _require_size(nodes: int, edges: int) -> None:
    if not nodes:
        raise ArgumentError("graph has no nodes; give at least one.")
    require_work("graph size", nodes + edges, "graph", remedy="give a smaller one")
