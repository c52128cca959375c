"""Symmetry and augmentation from what people have: graphs, crystals, molecules, pipelines.

symmetry       what a source gives: a group and an action on arrays, sites or tensors
graphs         graphs of networkx and PyG and adjacency matrices, checked
automorphisms  the automorphisms of a graph; permutations of identical atoms
refinement     colours that no automorphism changes, and the search for one automorphism
cells          a crystal's cell, checked, and the operations that spglib finds
crystals       these operations as a group in integers, and how they move sites
molecules      the point group of a molecule and its symbol
pipelines      random pipelines of albumentations, kornia and torchvision
calculators    an ASE calculator, averaged over rotations
orientations   which rotations a calculator needs
"""

from sparseaug.sources.automorphisms import GraphSymmetry, graph_automorphisms, identical_atoms
from sparseaug.sources.calculators import averaged_calculator
from sparseaug.sources.crystals import CrystalSymmetry, crystal
from sparseaug.sources.molecules import MoleculeSymmetry, point_group
from sparseaug.sources.orientations import choose_rotations
from sparseaug.sources.pipelines import albumentations, kornia, torchvision
from sparseaug.sources.symmetry import Symmetry

__all__ = [
    "CrystalSymmetry",
    "GraphSymmetry",
    "MoleculeSymmetry",
    "Symmetry",
    "albumentations",
    "averaged_calculator",
    "choose_rotations",
    "crystal",
    "graph_automorphisms",
    "identical_atoms",
    "kornia",
    "point_group",
    "torchvision",
]
