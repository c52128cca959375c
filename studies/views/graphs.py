"""Eigenvectors of graph Laplacians, whose signs are arbitrary: 64 choices for six eigenvectors.

All connected graphs with seven nodes (networkx' atlas); the input is the six eigenvectors of the
normalised Laplacian that belong to positive eigenvalues, without the eigenvalues, and the target the
logarithm of the number of spanning trees. Graphs with a repeated eigenvalue have more freedom than
signs; it is fixed by the routine that computed the eigenvectors.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from sparseaug.actions import flip_signs
from sparseaug.errors import need
from sparseaug.groups import Rows, sign_flips
from sparseaug.kernels.arrays import Floats
from sparseaug.sampling import keyed_rng
from studies.rates.part import Task
from studies.views.case import Case, Prepared, root_square
from studies.views.models import regressor
from studies.views.orbit import Listed, moved_at_random
from studies.views.schemes import Scheme, Views

LARGEST = "scikit-learn 1.9, utils/extmath.py, svd_flip"


def numbers(quick: bool) -> dict[str, Any]:
    """Nodes, graphs, and random signs of each that are trained on."""
    if quick:
        return {"nodes": 6, "train": 80, "test": 20, "copies": 2}
    return {"nodes": 7, "train": 650, "test": 200, "copies": 8}


def prepare(task: Task) -> Prepared:
    """A model that has seen every graph with a few random signs, or with those of the rule."""
    x, y = _graphs(task["nodes"])
    rng = keyed_rng(task["seed"], "views: graphs")
    chosen = rng.permutation(len(x))[: task["train"] + task["test"]]
    train, test = chosen[: task["train"]], chosen[task["train"] :]
    act = flip_signs(sign_flips(task["nodes"] - 1))
    if task["model"].endswith("canonical"):
        seen, known = np.where(signs(x[train])[:, None] == 1, -1.0, 1.0) * x[train], y[train]
    else:
        copies = [moved_at_random(act, x[train], rng) for _ in range(task["copies"])]
        seen, known = np.concatenate(copies), np.tile(y[train], len(copies))
    model = regressor(task["model"], seen, known, task["seed"])
    orbit = Listed.of(model, act, x[test])
    return Prepared(orbit, y[test], [largest_positive(x[test])])


def largest_positive(x: Floats) -> Scheme:
    """One view: in each eigenvector the entry of largest absolute value is made positive."""
    rows = signs(x)[None]
    return Scheme("largest entry positive", "field", (1,), lambda m, rng: Views(rows), LARGEST)


def signs(x: Floats) -> Rows:
    """1 for each eigenvector (a column of x (n, nodes, k)) that the rule turns round: (n, k)."""
    at = np.abs(x).argmax(axis=1)
    return (np.take_along_axis(x, at[:, None], axis=1)[:, 0] < 0).astype(np.int64)


@cache
def _graphs(nodes: int) -> tuple[Floats, Floats]:
    networkx = need("networkx", "the graphs of the study")
    vectors, trees = [], []
    for graph in networkx.graph_atlas_g():
        if len(graph) == nodes and networkx.is_connected(graph):
            adjacency = networkx.to_numpy_array(graph)
            degrees = adjacency.sum(axis=1)
            root = 1 / np.sqrt(degrees)
            _, found = np.linalg.eigh(np.eye(nodes) - root[:, None] * adjacency * root)
            vectors.append(found[:, 1:])
            # Kirchhoff: any cofactor of the Laplacian
            trees.append(np.linalg.slogdet((np.diag(degrees) - adjacency)[1:, 1:])[1])
    return np.array(vectors), np.array(trees)


CASE = Case(
    "graphs",
    "Graphs, 64 choices of signs",
    ("network", "kernel", "network, trained canonical"),
    root_square("log trees"),
    numbers,
    prepare,
)
