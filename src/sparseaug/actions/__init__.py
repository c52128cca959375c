"""How a group element moves an array: act(elements (k, width), x (n, ...)) is (k, n, ...).

arrays    one door for data: NumPy, torch and JAX
base      the two steps of an action: prepare with NumPy, apply on any device
laws      the laws of a left action, tried on data; whether two actions commute
product   two actions on one array
together  several arrays moved by one element
custom    a user's own function
random    a pipeline by its seed, and random actions one after another
affine    random affine maps of images
color     random brightness, contrast and saturation
permute   permute an axis, permute graph nodes, shift, reverse, turn and flip a square grid
linear    flip signs, signed permutations, matrices
rotate    coordinates, vectors and tensors by rotations
prepared  an action and rows, prepared once per shape, dtype and device
"""

from sparseaug.actions.affine import random_affine
from sparseaug.actions.arrays import Array
from sparseaug.actions.base import Action
from sparseaug.actions.color import random_color
from sparseaug.actions.custom import custom_action
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
from sparseaug.actions.product import product_action
from sparseaug.actions.random import random_transform
from sparseaug.actions.rotate import rotate
from sparseaug.actions.together import together

__all__ = [
    "Action",
    "Array",
    "PreparedAction",
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
    "roll",
    "rotate",
    "rotate_grid",
    "signed_permute",
    "together",
]
