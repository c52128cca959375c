"""Good arguments for symmetries of graphs and crystals."""

from __future__ import annotations

import networkx as nx
import numpy as np

import sparseaug as sa
from sparseaug import sources
from tests.bad_input.judge import Example, key

CELL = (3 * np.eye(3), [[0, 0, 0]], [1])
TRIVIAL = sa.table_group([[0]])
TURN = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def part_of_cell(i: int) -> Example:
    return Example(
        lambda cell: sources.crystal((*CELL[:i], cell, *CELL[i + 1 :])),
        {"cell": CELL[i]},
        of=key(sources.crystal),
    )


EXAMPLES = [
    Example(sources.crystal, {"cell": CELL, "symprec": 1e-3}),
    *(part_of_cell(i) for i in range(3)),
    Example(sources.MoveSites, {"group": TRIVIAL, "images": ((0, 1),), "rotations": (), "rank": 1}),
    Example(sources.TurnTensors, {"group": TRIVIAL, "rotations": (TURN,), "rank": 1}),
    Example(sources.crystal(CELL).tensors, {"rank": 2, "sites": True}),
    Example(
        sources.graph_automorphisms,
        {"graph": nx.path_graph(3), "node_attr": None, "edge_attr": None, "backend": "search"},
    ),
    Example(sa.identical_atoms, {"counts": [2, 1], "axis": 1}),
    Example(sa.identical_atoms, {"species": ["H", "O", "H"]}, takes={"species": ("everything",)}),
]
