"""Good arguments for symmetries of graphs and crystals."""

from __future__ import annotations

import networkx as nx
import numpy as np
from ase.build import molecule
from ase.calculators.emt import EMT

import sparseaug as sa
from sparseaug import sources
from tests.bad_input.judge import Example, Fresh, Table

CELL = (3 * np.eye(3), [[0, 0, 0]], [1])
WATER = ([[0, 0, 0.12], [0, 0.76, -0.48], [0, -0.76, -0.48]], ["O", "H", "H"])
ANY = ("everything",)

source = Table(
    {
        **{"calculator": EMT(), "S": sa.design(sa.rotations(3), degree=1), "cell": CELL},
        **{"symprec": 1e-3, "atoms": WATER, "tolerance": 0.01, "rank": 2, "sites": True},
        **{"graph": nx.path_graph(3), "node_attr": None, "edge_attr": None, "axis": 1},
    }
)


class Pipeline:
    """What the libraries have in common."""

    def set_random_seed(self, seed: int) -> None:
        """As albumentations."""

    def __call__(self, image: object) -> object:
        return {"image": image}


def part(find: object, whole: tuple[object, ...], name: str, i: int, takes: object = ()) -> Example:
    """One entry of a tuple."""
    return source(
        find,
        name,
        via=lambda **given: find((*whole[:i], given[name], *whole[i + 1 :])),
        takes={name: takes},
        **{name: whole[i]},
    )


EXAMPLES = [
    source(
        sources.averaged_calculator,
        batch=None,
        n_jobs=1,
        translate_per="trajectory",
        oracle=Fresh(lambda: sa.Oracle("SO3", seed=0)),
        symmetry=None,
    ),
    source(
        sources.choose_rotations,
        atoms=[molecule("H2O")],
        error=0.1,
        group="SO3",
        max_m=4,
        oracle=None,
        batch=None,
        n_jobs=1,
        warns=(DeprecationWarning,),  # ASE 3.29 sets shapes, as NumPy 2.5 does not want it
    ),
    *(
        source(one, pipeline=Pipeline())
        for one in (sources.albumentations, sources.kornia, sources.torchvision)
    ),
    source(sources.crystal),
    *(part(sources.crystal, CELL, "cell", i) for i in range(3)),
    source(sources.point_group),
    part(sources.point_group, WATER, "atoms", 0),
    part(sources.point_group, WATER, "atoms", 1, ANY),  # labels of any kind
    source(sources.point_group(WATER).tensors),
    source(sources.crystal(CELL).tensors),
    source(sources.graph_automorphisms, tolerance=0.0),
    source(
        sources.graph_automorphisms,
        "graph",
        graph=np.ones((3, 3)),
        node_attr=["C", "H", "C"],
        also="node_attr",
        takes={"node_attr": ANY},
    ),
    source(sources.identical_atoms, "axis", counts=[2, 1]),
    source(sources.identical_atoms, "species", species=["H", "O", "H"], takes={"species": ANY}),
]
