"""Dimension sums against enumeration: partitions by the hook length formula, and g^2 = 1."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest

from sparseaug import theory


def partitions(n: int, largest: int | None = None) -> Iterator[tuple[int, ...]]:
    if n == 0:
        yield ()
    for first in range(min(n, largest or n), 0, -1):
        for rest in partitions(n - first, first):
            yield (first, *rest)


def conjugate(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sum(row > j for row in shape) for j in range(shape[0])) if shape else ()


def dimension(shape: tuple[int, ...]) -> int:
    """By hook lengths."""
    columns = conjugate(shape)
    hooks = (row - j + columns[j] - i - 1 for i, row in enumerate(shape) for j in range(row))
    return math.factorial(sum(shape)) // math.prod(hooks)


@pytest.mark.parametrize("n", range(1, 13))
def test_involutions_are_the_dimensions_of_the_symmetric_group(n: int) -> None:
    assert theory.involutions(n) == sum(map(dimension, partitions(n)))
    assert theory.symmetric_dimension_sum(n) == theory.involutions(n) - 1


@pytest.mark.parametrize("n", range(1, 9))
def test_signed_involutions_are_the_dimensions_of_the_hyperoctahedral_group(n: int) -> None:
    """An irrep of B_n is a pair of partitions of k and n-k; its dimension is C(n, k) d d'."""
    total = sum(
        math.comb(n, k) * dimension(one) * dimension(two)
        for k in range(n + 1)
        for one in partitions(k)
        for two in partitions(n - k)
    )
    assert theory.signed_involutions(n) == total
    assert theory.hyperoctahedral_dimension_sum(n) == total - 1
