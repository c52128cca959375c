"""What people call a graph, as numbers: networkx or PyG with attributes, or an adjacency matrix.

Attributes become kinds 0, 1, 2, ... Numbers that differ by at most a tolerance are of one kind. That
relation must be an equivalence: where a chain of close numbers spans more than the tolerance, no
kinds are right, and it is refused.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import coo_array, issparse

from sparseaug._checks import check_array, check_list, require_work
from sparseaug.actions.arrays import as_numpy, is_tensor, namespace, require_dense
from sparseaug.errors import ArgumentError, need, shorten, shorten_text
from sparseaug.sources.refinement import Structure


class Graph(NamedTuple):
    """Nodes by number; an edge (i, j) and its value; the value of each node; the nodes' names."""

    directed: bool
    edges: list[tuple[int, int]]
    edge_values: list[Hashable]
    node_values: list[Hashable]
    nodes: tuple[Hashable, ...]


def read_graph(graph: Any, node_attr: Any, edge_attr: Any, tolerance: float) -> Graph:
    """A graph of networkx or PyG, or an adjacency matrix, checked, its numbers replaced by kinds."""
    if is_tensor(graph):
        graph = _of_tensor(graph)
    if isinstance(graph, np.ndarray) or issparse(graph):
        return _of_matrix(graph, node_attr, edge_attr, tolerance)
    if all(hasattr(type(graph), name) for name in ("edge_index", "num_nodes")):
        return _of_pyg(graph, node_attr, edge_attr, tolerance)
    networkx = need("networkx", "graph_automorphisms", extra="sparseaug[sources]")
    if not isinstance(graph, networkx.Graph):
        raise ArgumentError(
            f"graph={shorten(graph)} is neither a networkx Graph or DiGraph, nor PyG's Data, nor an "
            "adjacency matrix, a NumPy or SciPy sparse array or a tensor; give one of these, "
            "HeteroData as to_homogeneous()."
        )
    if graph.is_multigraph():
        raise ArgumentError(
            "graph is a multigraph; give a Graph or DiGraph with the multiplicity as an edge "
            "attribute, and name it in edge_attr."
        )
    _require_size(len(graph), graph.number_of_edges())
    place = {node: i for i, node in enumerate(graph)}
    edges = list(graph.edges(data=True))
    return Graph(
        graph.is_directed(),
        [(place[u], place[v]) for u, v, _ in edges],
        _attributes("edge_attr", edge_attr, [data for _, _, data in edges], tolerance),
        _attributes(
            "node_attr", node_attr, [data for _, data in graph.nodes(data=True)], tolerance
        ),
        tuple(graph.nodes),
    )


def structure_of(graph: Graph) -> Structure:
    """Nodes and arrows as numbers; an edge is two arrows, of even kind along it, odd against it.

    An undirected edge is even both ways. A self-loop is part of its node's kind.
    """
    kind_of = _number(graph.edge_values)
    pairs = list(zip(graph.edges, graph.edge_values, strict=True))
    loops = {u: value for (u, v), value in pairs if u == v}
    looped = [(value, i in loops, loops.get(i)) for i, value in enumerate(graph.node_values)]
    node_numbers = _number(looped)
    arrows = []
    for (u, v), value in pairs:
        if u != v:
            kind = 2 * kind_of[value]
            arrows += [(u, v, kind), (v, u, kind + graph.directed)]
    table = np.array(sorted(arrows), np.int64).reshape(-1, 3)
    node_kinds = np.array([node_numbers[value] for value in looped], np.int64)
    return Structure(node_kinds, table[:, 0].copy(), table[:, 1].copy(), table[:, 2].copy())


def _of_matrix(matrix: Any, node_attr: Any, edge_attr: Any, tolerance: float) -> Graph:
    """Entries that are not 0 are edges with that value; a symmetric matrix has no directions."""
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.dtype.kind not in "biuf":
        raise ArgumentError(
            f"graph is an array of shape {matrix.shape} and dtype {matrix.dtype}; give a square "
            "adjacency matrix of real numbers, or an edge_index within PyG's Data."
        )
    if edge_attr is not None:
        raise ArgumentError(
            f"edge_attr={shorten(edge_attr)} has no meaning for an adjacency matrix, whose entries are "
            "kept in any case; leave it out."
        )
    entries = coo_array(matrix)
    entries.sum_duplicates()
    _require_size(matrix.shape[0], entries.nnz)
    if not np.isfinite(entries.data).all():
        raise ArgumentError("graph has entries that are not finite; give real numbers.")
    kinds = np.array(merge_close("graph", [0, *entries.data.tolist()], tolerance))
    there = kinds[1:] != kinds[0]
    rows, columns = (index[there].tolist() for index in entries.coords)
    value = dict(zip(zip(rows, columns, strict=True), kinds[1:][there].tolist(), strict=True))
    n = matrix.shape[0]
    labels = [None] * n if node_attr is None else _labels(node_attr, n)
    return _of_pairs(value, merge_close("node_attr", labels, tolerance))


def _of_pairs(value: dict[tuple[int, int], Hashable], nodes: list[Hashable]) -> Graph:
    """Values of ordered pairs; without directions if every pair has the value of its reverse."""
    directed = any((j, i) not in value or value[j, i] != kind for (i, j), kind in value.items())
    edges = [pair for pair in value if directed or pair[0] <= pair[1]]
    return Graph(directed, edges, [value[pair] for pair in edges], nodes, tuple(range(len(nodes))))


def _of_tensor(tensor: Any) -> Any:
    """A dense torch tensor as a NumPy array, a sparse one as SciPy's."""
    try:
        if tensor.layout == namespace(tensor).strided:
            return as_numpy(tensor)
        entries = tensor.detach().to_sparse_coo().coalesce()
        indices = tuple(as_numpy(entries.indices()))
        return coo_array((as_numpy(entries.values()), indices), shape=tuple(entries.shape))
    except Exception as error:  # on the meta device, nested, or with values that are arrays
        raise ArgumentError(
            f"graph is a tensor that cannot be read: {shorten_text(str(error), 120)}; give a dense or "
            "sparse adjacency matrix with values."
        ) from error


def _of_pyg(data: Any, node_attr: Any, edge_attr: Any, tolerance: float) -> Graph:
    """PyG's Data: an edge without directions stands there twice, with the same attributes."""
    try:
        n, index = int(data.num_nodes), check_array("edge_index", as_numpy(data.edge_index))
        pairs = list(zip(*index.tolist(), strict=True))
        sound = len(index) == 2 and len(set(pairs)) == len(pairs)
    except Exception as error:  # none, or not an array
        raise ArgumentError(
            f"graph={shorten(data)} has no edges as PyG's Data has them: {shorten(error)}; give "
            "edge_index, integers (2, edges), and num_nodes."
        ) from error
    _require_size(n, len(pairs))
    if not sound or (index.size and not 0 <= index.min() <= index.max() < n):
        raise ArgumentError(
            f"graph has nodes 0 to {n - 1}, and an edge_index of shape {index.shape} that has others or "
            "the same edge twice; set num_nodes, and call coalesce()."
        )
    edges = _tensors("edge_attr", edge_attr, data, len(pairs))
    nodes = _tensors("node_attr", node_attr, data, n)
    values = _attributes("edge_attr", edge_attr, edges, tolerance)
    return _of_pairs(
        dict(zip(pairs, values, strict=True)), _attributes("node_attr", node_attr, nodes, tolerance)
    )


def _tensors(name: str, attr: Any, data: Any, count: int) -> list[dict[Any, Any]]:
    """What the named tensors of PyG's Data say of each node or edge; nothing where there are none."""
    rows: list[dict[Any, Any]] = [{} for _ in range(count)]
    for one in attr if isinstance(attr, list) else [attr]:
        if not isinstance(one, str) or one not in data:
            continue
        values = _nested(as_numpy(data[one]).tolist())
        if not isinstance(values, tuple) or len(values) != count:
            raise ArgumentError(
                f"{name}={shorten(one)} does not have a value for each of {count}, as {name} must."
            )
        for row, value in zip(rows, values, strict=True):
            row[one] = value
    return rows


def _nested(value: Any) -> Any:
    """Lists as tuples, which can be compared."""
    return tuple(map(_nested, value)) if isinstance(value, list) else value


def _labels(node_attr: Any, n: int) -> list[Hashable]:
    """The values of the nodes of a matrix, which has no attributes with names."""
    if isinstance(node_attr, np.ndarray) or is_tensor(node_attr):
        require_dense("node_attr", node_attr)
        node_attr = _nested(as_numpy(node_attr).tolist())
    labels = check_list("node_attr", node_attr)
    if len(labels) != n:
        raise ArgumentError(
            f"node_attr has {len(labels)} values for an adjacency matrix of {n} nodes; give one each."
        )
    return [_comparable("node_attr", label, f"node number {i}") for i, label in enumerate(labels)]


def _attributes(
    name: str, attr: Any, data: Sequence[dict[Any, Any]], tolerance: float
) -> list[Hashable]:
    """The attribute's value, or those of several, for each node or edge; None where none is named."""
    if attr is None:
        return [None for _ in data]
    if isinstance(attr, list) and not attr:
        raise ArgumentError(f"{name}=[] names no attribute; leave it out.")
    names = attr if isinstance(attr, list) else [attr]
    columns = [merge_close(name, _attribute(name, one, data), tolerance) for one in names]
    return list(zip(*columns, strict=True)) if isinstance(attr, list) else columns[0]


def _attribute(name: str, attr: Any, data: Iterable[dict[Any, Any]]) -> list[Hashable]:
    if not can_be_compared(attr):
        raise ArgumentError(f"{name}={shorten(attr)} is not the name of an attribute.")
    values: list[Hashable] = []
    for i, known in enumerate(data):
        where = f"{name.removesuffix('_attr')} number {i}"
        if attr not in known:
            raise ArgumentError(f"{name}={shorten(attr)} is missing on {where}; set it.")
        values.append(_comparable(f"{name}={shorten(attr)}", known[attr], where))
    return values


def _comparable(name: str, value: Any, where: str) -> Any:
    if not can_be_compared(value):
        raise ArgumentError(
            f"{name} is {shorten(value)} on {where}; give numbers, text or tuples, which can be "
            "compared."
        )
    return value


def merge_close(name: str, values: Sequence[Hashable], tolerance: float) -> list[Hashable]:
    """The values, with one number for all that are within the tolerance, also inside tuples."""
    if not tolerance:
        return list(values)
    result = list(values)
    numbers = [i for i, value in enumerate(values) if _is_number(value)]
    _merge_numbers(name, result, numbers, tolerance)
    tuples = [i for i, value in enumerate(values) if isinstance(value, tuple)]
    for size in {len(result[i]) for i in tuples}:  # type: ignore[arg-type]
        of_size = [i for i in tuples if len(result[i]) == size]  # type: ignore[arg-type]
        columns = zip(*(result[i] for i in of_size), strict=True)
        rows = zip(*(merge_close(name, column, tolerance) for column in columns), strict=True)
        for i, row in zip(of_size, rows, strict=False):
            result[i] = row
    return result


def _merge_numbers(name: str, result: list[Any], places: list[int], tolerance: float) -> None:
    distinct = sorted({float(result[i]) for i in places})
    first: dict[float, float] = {}
    for before, value in zip([None, *distinct], distinct, strict=False):
        joins = before is not None and value - before <= tolerance
        first[value] = first[before] if joins and before is not None else value
        if value - first[value] > tolerance:
            raise ArgumentError(
                f"{name} has numbers from {first[value]:.6g} to {value:.6g} that are linked by steps "
                f"of at most tolerance={tolerance:g}, so that no kinds are right; give a smaller "
                "tolerance."
            )
    for i in places:
        result[i] = first[float(result[i])]


def _is_number(value: Any) -> bool:
    """Whether it is a real number that a float holds; an integer beyond is compared exactly."""
    if type(value) is bool or not isinstance(value, Real):
        return False
    try:
        return abs(float(value)) < np.inf
    except OverflowError:
        return False


def can_be_compared(value: Any) -> bool:
    """Whether it has a hash, unlike a tuple with a list in it, and equals itself, unlike NaN."""
    try:
        hash(value)
        if isinstance(value, tuple):
            return all(map(can_be_compared, value))
        return bool(value == value)
    except Exception:  # TypeError, or whatever a foreign object raises
        return False


def _number(values: Iterable[Hashable]) -> dict[Hashable, int]:
    """Each value's number, in order of appearance."""
    return {value: number for number, value in enumerate(dict.fromkeys(values))}


def _require_size(nodes: int, edges: int) -> None:
    if not nodes:
        raise ArgumentError("graph has no nodes; give at least one.")
    what = f"graph, {nodes} nodes and {edges} edges,"
    require_work("graph size", nodes + edges, what, remedy="give a smaller graph")
