"""How a group element moves an array: act(elements (k, width), x (n, ...)) is (k, n, ...).

arrays    one door for data: NumPy, torch and JAX
base      the two steps of an action (prepare with NumPy, apply on any device) and its laws
combine   products of actions, several arrays moved together, a user's own function
random    a pipeline by its seed, and random actions one after another
affine    random affine maps of images
color     random brightness, contrast and saturation
permute   permute an axis, permute graph nodes, shift, reverse, turn and flip a square grid
linear    flip signs, signed permutations, matrices
rotate    coordinates, vectors and tensors by rotations
prepared  an action and rows, prepared once per shape, dtype and device
gather_numba  gathering compiled by numba
"""

from sparseaug.actions.affine import random_affine
from sparseaug.actions.arrays import Array
from sparseaug.actions.base import Action, broken_law, require_law
from sparseaug.actions.color import random_color
from sparseaug.actions.combine import custom_action, product_action, together
from sparseaug.actions.linear import flip_signs, linear, signed_permute
from sparseaug.actions.permute import (
    flip,
    move_grid,
    permute_axis,
    permute_nodes,
    roll,
    rotate_grid,
)
from sparseaug.actions.prepared import PreparedAction
from sparseaug.actions.random import random_transform
from sparseaug.actions.rotate import rotate

__all__ = [
    "Action",
    "Array",
    "PreparedAction",
    "broken_law",
    "custom_action",
    "flip",
    "flip_signs",
    "linear",
    "move_grid",
    "permute_axis",
    "permute_nodes",
    "product_action",
    "random_affine",
    "random_color",
    "random_transform",
    "require_law",
    "roll",
    "rotate",
    "rotate_grid",
    "signed_permute",
    "together",
]
