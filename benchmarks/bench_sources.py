"""Groups from generators, graphs and crystals, next to sympy, networkx and spglib.

sympy and networkx do not reach most of these sizes, so each is given one that it can do, and the title
says which. networkx lists automorphisms one by one; for a large group it is asked for the first only,
which is less work than ours, not the same.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import networkx as nx
import numpy as np
import spglib
from sympy.combinatorics import Permutation, PermutationGroup

import sparseaug as sa
from benchmarks.side_by_side import compare
from sparseaug.sources import crystal, graph_automorphisms


def generators() -> None:
    for n, target in ((25, ""), (50, ""), (100, "1 s")):
        rows = [[*range(1, n), 0], [1, 0, *range(2, n)]]
        ways: dict[str, Callable[[], object]] = {"permutation_group": partial(_order, rows)}
        if n <= 50:
            ways["sympy"] = partial(_sympy_order, rows)
        compare(_title(f"order of a {n}-cycle and a swap", target), ways, rounds=3)


def small_graphs() -> None:
    for name, graph in {
        "Petersen, 120 automorphisms": nx.petersen_graph(),
        "cube Q4, 384 automorphisms": nx.hypercube_graph(4),
        "K_7, 5040 automorphisms": nx.complete_graph(7),
    }.items():
        ways: dict[str, Callable[[], object]] = {"graph_automorphisms": partial(_found, graph)}
        ways["networkx, all listed"] = partial(_listed, graph)
        compare(f"automorphisms of {name}", ways, rounds=3)


def large_graphs() -> None:
    for name, graph, target in (
        ("K_200", nx.complete_graph(200), "2 s"),
        ("a star of 200 leaves", nx.star_graph(200), "2 s"),
        ("a star of 1,000 leaves", nx.star_graph(1000), "10 s"),
        ("a random tree of 2,000 nodes", nx.random_labeled_tree(2000, seed=0), "10 s"),
        ("a cycle of 2,000 nodes", nx.cycle_graph(2000), "2 s"),
        ("balanced_tree(3, 6), 1,093 nodes", nx.balanced_tree(3, 6), "10 s"),
    ):
        ways: dict[str, Callable[[], object]] = {"graph_automorphisms": partial(_found, graph)}
        if len(graph) <= 300:  # it recurses once for each node
            ways["networkx, the first one"] = partial(_first, graph)
        compare(_title(f"automorphisms of {name}, and their number", target), ways, rounds=1)


def supercells() -> None:
    for n, target in ((1, ""), (2, "1 s"), (3, "5 s"), (4, "20 s")):
        halves = [p for p in np.ndindex(2 * n, 2 * n, 2 * n) if sum(p) % 2 == 0]
        given: Any = (3.61 * n * np.eye(3), np.array(halves) / (2 * n), np.full(4 * n**3, 29))
        title = f"operations of {n} x {n} x {n} cells of copper, {192 * n**3}, as a group"
        compare(
            _title(title, target),
            {
                "crystal": partial(crystal, given),
                "spglib, a list": partial(spglib.get_symmetry_dataset, given, symprec=1e-3),
            },
            rounds=1,
        )


def _title(what: str, target: str) -> str:
    return what + (f" (target: {target})" if target else "")


def _order(rows: list[list[int]]) -> int:
    return sa.permutation_group(rows).order


def _sympy_order(rows: list[list[int]]) -> int:
    return int(PermutationGroup([Permutation(row) for row in rows]).order())


def _found(graph: Any, **options: Any) -> int:
    return graph_automorphisms(graph, **options).group.order


def _listed(graph: Any) -> int:
    return sum(1 for _ in nx.isomorphism.GraphMatcher(graph, graph).isomorphisms_iter())


def _first(graph: Any) -> object:
    return next(nx.isomorphism.GraphMatcher(graph, graph).isomorphisms_iter())


if __name__ == "__main__":
    generators()
    small_graphs()
    large_graphs()
    supercells()
