"""The sum of d_pi over the non-trivial irreps, for the usual families: the D of the sharper bound.

The formulas are those of `sparseaug.groups.representations`, for numbers that no group is made of.
"""

from __future__ import annotations

import math

from sparseaug._checks import LIMITS, check_integer
from sparseaug.errors import ArgumentError
from sparseaug.groups import representations
from sparseaug.theory._letters import ORDER_BITS, group_size

__all__ = [
    "abelian_dimension_sum",
    "dihedral_dimension_sum",
    "dimension_sum_bound",
    "hyperoctahedral_dimension_sum",
    "involutions",
    "product_dimension_sum",
    "sign_flips_dimension_sum",
    "signed_involutions",
    "symmetric_dimension_sum",
]


_MOST = LIMITS["involutions"].most  # the result has hundreds of thousands of digits there


def involutions(n: int) -> int:
    """How many permutations of n things are their own inverse (the identity is one).

        a(n) = a(n-1) + (n-1) a(n-2):  n stays where it is, or changes places with one of n-1

    Args:
        n: number of things

    Examples:
        >>> from sparseaug.theory import involutions
        >>> [involutions(n) for n in range(8)]
        [1, 1, 2, 4, 10, 26, 76, 232]
    """
    return representations.involutions(check_integer("n", n, below=_MOST + 1))


def signed_involutions(n: int) -> int:
    """How many signed permutations of n things are their own inverse.

        a(n) = 2 a(n-1) + 2 (n-1) a(n-2):  n keeps its place with either sign, or changes places
        with one of n-1 and both signs agree

    Args:
        n: number of things

    Examples:
        >>> from sparseaug.theory import signed_involutions
        >>> [signed_involutions(n) for n in range(7)]
        [1, 2, 6, 20, 76, 312, 1384]
    """
    return representations.involutions(check_integer("n", n, below=_MOST + 1), signs=2)


def symmetric_dimension_sum(n: int) -> int:
    """S_n: the involutions, less the one for the trivial irrep; about sqrt(n!).

    It bounds the sum of the alternating group A_n too: a partition and its conjugate share one
    irrep of A_n, and a self-conjugate one splits into two halves, so no dimension is new.

    Args:
        n: number of things that S_n orders

    Examples:
        >>> from sparseaug.theory import symmetric_dimension_sum
        >>> symmetric_dimension_sum(6)
        75
    """
    return involutions(n) - 1


def hyperoctahedral_dimension_sum(n: int) -> int:
    """B_n, the signed permutations.

    Args:
        n: number of things that B_n orders and signs

    Examples:
        >>> from sparseaug.theory import hyperoctahedral_dimension_sum
        >>> hyperoctahedral_dimension_sum(2)  # B_2 is D_4: 1 + 1 + 1 + 2
        5
    """
    return signed_involutions(n) - 1


def dihedral_dimension_sum(n: int) -> int:
    """The symmetries of an n-gon, 2n of them: n mirrors, and a half turn if n is even.

    Args:
        n: number of corners

    Examples:
        >>> from sparseaug.theory import dihedral_dimension_sum
        >>> dihedral_dimension_sum(4), dihedral_dimension_sum(5)
        (5, 5)
    """
    n = group_size("n", n)
    return n + 1 if n % 2 == 0 else n


def abelian_dimension_sum(order: int) -> int:
    """An abelian group: |G| irreps, each of dimension 1.

    Args:
        order: |G|, an integer of any size

    Examples:
        >>> from sparseaug.theory import abelian_dimension_sum
        >>> abelian_dimension_sum(12)
        11
    """
    return group_size("order", order) - 1


def sign_flips_dimension_sum(d: int) -> int:
    """The 2^d changes of sign of d coordinates.

    Args:
        d: number of coordinates

    Examples:
        >>> from sparseaug.theory import sign_flips_dimension_sum
        >>> sign_flips_dimension_sum(4)
        15
    """
    return (1 << check_integer("d", d, below=ORDER_BITS + 1)) - 1


def product_dimension_sum(*dimension_sums: int) -> int:
    """A direct product: irreps are tensor products, so sums with the trivial irrep multiply.

        prod_i (1 + D_i) - 1

    Args:
        *dimension_sums: D_i of each factor

    Examples:
        >>> from sparseaug import theory
        >>> flips = theory.sign_flips_dimension_sum(4)
        >>> theory.product_dimension_sum(theory.symmetric_dimension_sum(3), flips)
        63
    """
    sums = [group_size("dimension_sums", each, at_least=0) for each in dimension_sums]
    if sum(each.bit_length() for each in sums) > ORDER_BITS:
        given = f"dimension_sums={len(sums)} numbers have a product above {ORDER_BITS} bits"
        raise ArgumentError(f"{given}; give fewer or smaller ones.")
    return math.prod(1 + each for each in sums) - 1


def dimension_sum_bound(order: int, *, num_classes: int) -> int:
    """An upper bound for any group with that many conjugacy classes (Cauchy and Schwarz).

        D <= sqrt((k - 1)(|G| - 1)),  as sum d_pi^2 = |G| - 1 over the k - 1 non-trivial irreps

    Args:
        order: |G|, an integer of any size
        num_classes: k, the number of conjugacy classes

    Examples:
        >>> from sparseaug.theory import dimension_sum_bound
        >>> dimension_sum_bound(60, num_classes=5)  # A_5: 3 + 3 + 4 + 5 = 15
        15
    """
    return representations.bound_by_classes(
        group_size("order", order), group_size("num_classes", num_classes)
    )
