"""One-shot sparse augmentation over finite groups.

A finite group G acts on the data. Draw one multiset S of m elements, before training, and reuse it:
`sparseaug` draws S, counts what that cost, says how good S is, and trains on it.

errors    typed errors: cause and remedy
groups    finite groups: order, compose, inverse, uniform sample, rank
actions   how a group element moves an array
sampling  the oracle that counts, and S as data
testing   checks for your own groups, actions and oracles
cli       the command line
"""

from sparseaug import errors
from sparseaug.actions import (
    Action,
    custom_action,
    flip_signs,
    linear,
    permute_axis,
    permute_nodes,
    product_action,
    roll,
    rotate_grid,
    signed_permute,
)
from sparseaug.groups import (
    Group,
    abelian,
    alternating,
    cube_rotations,
    cube_symmetries,
    cyclic,
    dihedral,
    direct_product,
    group,
    hyperoctahedral,
    mathieu,
    matrix_group,
    permutation_group,
    rubik,
    sign_flips,
    symmetric,
    table_group,
)
from sparseaug.sampling import GroupSample, Oracle, augment

__version__ = "0.1.0"

__all__ = [
    "Action",
    "Group",
    "GroupSample",
    "Oracle",
    "abelian",
    "alternating",
    "augment",
    "cube_rotations",
    "cube_symmetries",
    "custom_action",
    "cyclic",
    "dihedral",
    "direct_product",
    "errors",
    "flip_signs",
    "group",
    "hyperoctahedral",
    "linear",
    "mathieu",
    "matrix_group",
    "permutation_group",
    "permute_axis",
    "permute_nodes",
    "product_action",
    "roll",
    "rotate_grid",
    "rubik",
    "sign_flips",
    "signed_permute",
    "symmetric",
    "table_group",
]
