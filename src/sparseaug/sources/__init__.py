"""Symmetry from what people have: a graph, a crystal, a molecule, a calculator.

symmetry       what a source gives: a group and an action, ready to draw from
graphs         graphs of networkx and PyG and adjacency matrices, checked
automorphisms  the automorphism group of a graph
refinement     colours that no automorphism changes, and the search for one automorphism
cells          lattice, positions and species of a crystal, periodic directions and moments, checked
atoms          relabellings of identical atoms
operations     the space-group operations of a crystal's cell, by spglib
slabs          those of a cell that repeats in two directions only
exact          their group in integers, and how they move sites
molecules      the point group of a molecule; frames: the search; schoenflies: its symbol
calculators    an ASE calculator, averaged over rotations
sites          how these move sites, and turn vectors and tensors
"""

from sparseaug.sources.atoms import identical_atoms
from sparseaug.sources.automorphisms import GraphSymmetry, graph_automorphisms
from sparseaug.sources.calculators import averaged_calculator
from sparseaug.sources.molecules import MoleculeSymmetry, point_group
from sparseaug.sources.operations import CrystalSymmetry, crystal
from sparseaug.sources.sites import MoveSites, TurnTensors
from sparseaug.sources.symmetry import Symmetry

__all__ = [
    "CrystalSymmetry",
    "GraphSymmetry",
    "MoleculeSymmetry",
    "MoveSites",
    "Symmetry",
    "TurnTensors",
    "averaged_calculator",
    "crystal",
    "graph_automorphisms",
    "identical_atoms",
    "point_group",
]
