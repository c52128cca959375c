"""Groups. An element is a row of numbers; a batch of elements is an array (k, width).

representations irreps, faithful permutations, isomorphisms
base            what every group can do; order, sampling and ranks from the digits
rows            arrays of the right kind and shape
permutations    permutations and their Fisher-Yates digits
abelian         cyclic groups, their products, sign flips
dihedral        symmetries of the regular n-gon
dicyclic        quaternion groups
grid            shifts, turns and flips of a periodic grid
symmetric       S_n and A_n
hyperoctahedral signed permutations
product         direct products
rotations       SO(2), SO(3), O(2), O(3)
quaternions     rows of rotations of space
wigner          their irreps
generated       permutation groups from generators
parts           what they are made of: symmetric groups, wreath products, tables
chain           stabiliser chains, found at random and proved
table           groups from a multiplication table or a closed list of matrices
catalogue       every named group in one table; the cube, Mathieu's groups, the Rubik's cube
young           Young's orthogonal form, the irreps of S_n
labels          names of users' own groups
names           parse "S3xZ2^4"; read JSON data
affine          operations of crystals: integer affine maps
followers       points that follow others, dropped from a chain
limits          what is too large
"""

from sparseaug.groups.abelian import Abelian, abelian, cyclic, sign_flips
from sparseaug.groups.base import Group, format_order
from sparseaug.groups.catalogue import cube_rotations, cube_symmetries, mathieu, rubik
from sparseaug.groups.dicyclic import Dicyclic, dicyclic
from sparseaug.groups.dihedral import Dihedral, dihedral
from sparseaug.groups.generated import PermutationGroup, permutation_group
from sparseaug.groups.grid import GridSymmetries, grid_symmetries
from sparseaug.groups.hyperoctahedral import Hyperoctahedral, hyperoctahedral
from sparseaug.groups.limits import ENUMERATION_LIMIT
from sparseaug.groups.names import from_dict, group
from sparseaug.groups.permutations import Rows
from sparseaug.groups.product import Product, direct_product
from sparseaug.groups.representations import DimensionSum, Faithful, Irrep
from sparseaug.groups.rotations import Rotations, orthogonal, rotations
from sparseaug.groups.symmetric import Symmetric, alternating, symmetric
from sparseaug.groups.table import TableGroup, matrix_group, table_group

__all__ = [
    "ENUMERATION_LIMIT",
    "Abelian",
    "Dicyclic",
    "Dihedral",
    "DimensionSum",
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
    "cube_rotations",
    "cube_symmetries",
    "cyclic",
    "dicyclic",
    "dihedral",
    "direct_product",
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
