"""Engines in the style of `scipy.stats.qmc`: orders, signs and rotations. NumPy alone."""

from sparseaug.qmc.engines import Permutations, Rotations, Signs

__all__ = ["Permutations", "Rotations", "Signs"]
