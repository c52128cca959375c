"""Groups. An element is a row of numbers; a batch of elements is an array (k, width).

representations irreps, faithful permutations, isomorphisms
base            what every group can do; order, sampling and ranks from the digits
orders          orders of any size, and in words
subgroups       the subgroup that some elements generate
permutations    permutations and their Fisher-Yates digits
abelian         cyclic groups, their products, sign flips
dihedral        symmetries of the regular n-gon
grid            shifts, turns and flips of a periodic grid
symmetric       S_n and A_n
hyperoctahedral signed permutations
product         direct products
rotations       SO(2), SO(3), O(2), O(3)
quaternions     rows of rotations of space
wigner          their irreps
young           Young's orthogonal form, the irreps of S_n
generated       permutation groups from generators
parts           what they are made of: symmetric groups, wreath products, chains
chain           stabiliser chains, found at random and proved
table           groups from a multiplication table or a closed list of matrices
affine          operations of crystals: integer affine maps
distributions   what can be drawn and is no group: seeds, ranges, several side by side
catalogue       every named group in one table; names such as "S3xZ2^4"; JSON data
"""

from sparseaug.groups.abelian import Abelian, abelian, cyclic, sign_flips
from sparseaug.groups.base import Group
from sparseaug.groups.catalogue import (
    as_group,
    cube_rotations,
    cube_symmetries,
    from_dict,
    group,
    mathieu,
    rubik,
)
from sparseaug.groups.dihedral import Dihedral, dihedral
from sparseaug.groups.distributions.base import Distribution
from sparseaug.groups.distributions.described import distribution_from_dict
from sparseaug.groups.generated import PermutationGroup, permutation_group
from sparseaug.groups.grid import GridSymmetries, grid_symmetries
from sparseaug.groups.hyperoctahedral import Hyperoctahedral, hyperoctahedral
from sparseaug.groups.orders import ENUMERATION_LIMIT, format_order
from sparseaug.groups.permutations import Rows
from sparseaug.groups.product import Product, direct_product
from sparseaug.groups.representations import DimensionSum, Faithful, Irrep
from sparseaug.groups.rotations import Rotations, orthogonal, rotations
from sparseaug.groups.symmetric import Symmetric, alternating, symmetric
from sparseaug.groups.table import TableGroup, matrix_group, table_group

__all__ = [
    "ENUMERATION_LIMIT",
    "Abelian",
    "Dihedral",
    "DimensionSum",
    "Distribution",
    "Faithful",
    "GridSymmetries",
    "Group",
    "Hyperoctahedral",
    "Irrep",
    "PermutationGroup",
    "Product",
    "Rotations",
    "Rows",
    "Symmetric",
    "TableGroup",
    "abelian",
    "alternating",
    "as_group",
    "cube_rotations",
    "cube_symmetries",
    "cyclic",
    "dihedral",
    "direct_product",
    "distribution_from_dict",
    "format_order",
    "from_dict",
    "grid_symmetries",
    "group",
    "hyperoctahedral",
    "mathieu",
    "matrix_group",
    "orthogonal",
    "permutation_group",
    "rotations",
    "rubik",
    "sign_flips",
    "symmetric",
    "table_group",
]
