"""What a group can be seen as: matrices, permutations of points, another group."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from numpy.typing import NDArray

from sparseaug.groups.digits import Rows

if TYPE_CHECKING:
    from sparseaug.groups.base import Group


@dataclass(frozen=True)
class Irrep:
    """An irreducible unitary representation: `matrices(rows)` is (k, dimension, dimension).

    `rounding` bounds the Frobenius norm of (computed - true) for each element.

    Args:
        name: of the irrep within its group
        dimension: d_pi
        matrices: a function from rows to matrices (k, dimension, dimension)
        rounding: bound on the Frobenius norm of (computed - true), for each element
        degree: how many coordinates at a time a function looks at before this irrep occurs in it, or,
            of a dihedral group, its frequency; None where the group has no such notion
    """

    name: str
    dimension: int
    matrices: Callable[[Rows], NDArray[Any]]
    rounding: float
    degree: int | None = None


class Faithful(NamedTuple):
    """A permutation of `degree` points for each element, different ones for different elements."""

    degree: int
    images: Callable[[Rows], Rows]
    """From elements (k, width) to image arrays (k, degree)."""


class Isomorphism(NamedTuple):
    """A group of a known family, and the map from rows to its rows."""

    group: Group
    rows: Callable[[Rows], Rows]
    same_degrees: bool = True
    """Whether functions of k points are those of k coordinates of the family.

    Not so for the corners of a cube.
    """
