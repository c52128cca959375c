"""Good arguments for symmetries of graphs and crystals."""

from __future__ import annotations

import networkx as nx
import numpy as np
from ase.calculators.emt import EMT

import sparseaug as sa
from sparseaug import sources
from tests.bad_input.judge import Example, key

CELL = (3 * np.eye(3), [[0, 0, 0]], [1])


def part_of_cell(i: int) -> Example:
    return Example(
        lambda cell: sources.crystal((*CELL[:i], cell, *CELL[i + 1 :])),
        {"cell": CELL[i]},
        of=key(sources.crystal),
    )


WATER = ([[0, 0, 0.12], [0, 0.76, -0.48], [0, -0.76, -0.48]], ["O", "H", "H"])


def part_of_water(i: int) -> Example:
    return Example(
        lambda atoms: sources.point_group((*WATER[:i], atoms, *WATER[i + 1 :])),
        {"atoms": WATER[i]},
        of=key(sources.point_group),
        takes={"atoms": ("everything",)} if i else {},  # labels of any kind
    )


EXAMPLES = [
    Example(
        sources.averaged_calculator,
        {"calculator": EMT(), "S": sa.design(sa.rotations(3), degree=1)},
    ),
    Example(sources.crystal, {"cell": CELL, "symprec": 1e-3}),
    *(part_of_cell(i) for i in range(3)),
    Example(sources.point_group, {"atoms": WATER, "tolerance": 0.01}),
    *(part_of_water(i) for i in range(2)),
    Example(sources.point_group(WATER).tensors, {"rank": 2, "sites": True}),
    Example(sources.crystal(CELL).tensors, {"rank": 2, "sites": True}),
    Example(
        sources.graph_automorphisms,
        {"graph": nx.path_graph(3), "node_attr": None, "edge_attr": None, "tolerance": 0.0},
    ),
    Example(
        sources.graph_automorphisms,
        {"graph": np.ones((3, 3)), "node_attr": ["C", "H", "C"]},
        also=("node_attr",),
        takes={"node_attr": ("everything",)},
    ),
    Example(sa.sources.identical_atoms, {"counts": [2, 1], "axis": 1}),
    Example(
        sa.sources.identical_atoms, {"species": ["H", "O", "H"]}, takes={"species": ("everything",)}
    ),
]
