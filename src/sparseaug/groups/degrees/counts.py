"""Mean squares as exact rationals: characters summed over the quotients of S, in integers.

The mean square of an irrep is ||pi(S)||_F^2 / d = (1/(m^2 d)) sum_ij chi_pi(g_i^-1 g_j), that of a
degree the sum of d^2 times it over the sum of d^2. It is 0 exactly when D_S is 0 there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

Degree: TypeAlias = int | str
"""A number, or the names of the factors of a product."""

Number: TypeAlias = Fraction | float


@dataclass(frozen=True)
class Part:
    """One irrep, or a pair of irreps of A_n that make one of S_n.

    Attributes:
        name: of the irrep
        degree: which it belongs to
        dimension: d_pi
        weight: d_pi^2, of a pair the sum of both
        mean_square: ||pi(S)||_F^2 / d_pi; a `Fraction` where it was counted in integers
        exact: whether it is 0, decided without rounding; None where that is not decided
    """

    name: str
    degree: Degree
    dimension: int
    weight: int
    mean_square: Number
    exact: bool | None


@dataclass(frozen=True)
class Count:
    """sum of d_pi chi_pi over all quotients and the sum of d_pi^2, over the irreps of one degree."""

    degree: Degree
    weight: int
    total: int

    def mean_square(self, m: int) -> Fraction:
        """Of m elements."""
        return Fraction(self.total, m * m * self.weight)


def exact_degree(counts: Iterable[Count]) -> int:
    """The degree, or number of factors, up to which every count is 0."""
    sizes = [(degree_size(count.degree), count.total) for count in counts]
    wrong = [size for size, total in sizes if total]
    return min(wrong) - 1 if wrong else max((size for size, _ in sizes), default=0)


def degree_size(degree: Degree) -> int:
    """A degree as a number: of a set of factors, how many they are."""
    return degree if isinstance(degree, int) else degree.count(" x ") + 1


def summed(parts: Iterable[Part], m: int) -> list[Count]:
    """Parts with exact mean squares, by degree."""
    found: dict[Degree, tuple[int, int]] = {}
    for part in parts:
        weight, total = found.get(part.degree, (0, 0))
        square = Fraction(part.mean_square) * m * m * part.weight
        found[part.degree] = weight + part.weight, total + int(square)
    return [Count(degree, *found[degree]) for degree in sorted(found, key=_by_number)]


def _by_number(degree: Degree) -> tuple[int, str]:
    return (degree, "") if isinstance(degree, int) else (degree.count(" x "), degree)
