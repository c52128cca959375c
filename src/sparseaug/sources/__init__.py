"""Symmetry from what people have: a graph, a crystal.

symmetry       what a source gives: a group and an action, ready to draw from
automorphisms  the automorphism group of a networkx graph
refinement     colours that no automorphism changes, and the search for one automorphism
cells          lattice, positions and species of a crystal, checked
atoms          relabellings of identical atoms
operations     the space-group operations of a crystal's cell, by spglib
sites          how these move sites, and turn vectors and tensors
"""

from sparseaug.sources.atoms import identical_atoms
from sparseaug.sources.automorphisms import GraphSymmetry, graph_automorphisms
from sparseaug.sources.operations import CrystalSymmetry, crystal
from sparseaug.sources.sites import MoveSites, TurnTensors
from sparseaug.sources.symmetry import Symmetry

__all__ = [
    "CrystalSymmetry",
    "GraphSymmetry",
    "MoveSites",
    "Symmetry",
    "TurnTensors",
    "crystal",
    "graph_automorphisms",
    "identical_atoms",
]
