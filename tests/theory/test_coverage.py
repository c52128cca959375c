"""The two deviation bounds against the truth: every draw of tiny groups, weighed exactly."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

from sparseaug import theory

DELTAS = (0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999)


@dataclass(frozen=True)
class TinyGroup:
    """A multiplication table, the sum of its non-trivial dimensions, and how far to count."""

    table: tuple[tuple[int, ...], ...]
    dimension_sum: int
    samples: tuple[int, ...]

    @property
    def order(self) -> int:
        return len(self.table)


def group_of(elements: list, multiply: Callable, dimension_sum: int, samples: tuple) -> TinyGroup:
    index = {element: i for i, element in enumerate(elements)}
    table = tuple(tuple(index[multiply(a, b)] for b in elements) for a in elements)
    return TinyGroup(table, dimension_sum, samples)


def abelian(moduli: tuple[int, ...], samples: tuple[int, ...]) -> TinyGroup:
    elements = list(itertools.product(*map(range, moduli)))

    def add(a: tuple, b: tuple) -> tuple:
        return tuple((x + y) % n for x, y, n in zip(a, b, moduli, strict=True))

    return group_of(elements, add, len(elements) - 1, samples)


GROUPS = {
    "C2": abelian((2,), (1, 2, 3, 4, 6, 8, 12, 15, 40, 100)),
    "C3": abelian((3,), (1, 2, 3, 4, 5, 6, 9, 12, 30)),
    "Z2^2": abelian((2, 2), (1, 2, 3, 4, 5, 6, 7, 8, 12)),
    "C5": abelian((5,), (1, 2, 3, 4, 5, 6)),
    "S3": group_of(
        list(itertools.permutations(range(3))),
        lambda a, b: tuple(a[b[i]] for i in range(3)),
        3,  # the sign, and the two-dimensional irrep
        (1, 2, 3, 4, 5, 6),
    ),
}
CASES = [(name, m) for name, group in GROUPS.items() for m in group.samples]


def counts_of(order: int, m: int) -> list[list[int]]:
    """All ways to write m as a sum of `order` multiplicities: the multisets of m elements."""
    found = []
    for bars in itertools.combinations(range(order + m - 1), order - 1):
        ends = (-1, *bars, order + m - 1)
        found.append([after - before - 1 for before, after in itertools.pairwise(ends)])
    return found


@cache
def distribution(name: str, m: int) -> tuple[np.ndarray, np.ndarray]:
    """The deviation of every multiset, by the dense norm in the regular representation, and how
    many of the |G|^m ordered draws it stands for (a multinomial coefficient), as a share."""
    table = np.array(GROUPS[name].table)
    order = len(table)
    regular = np.zeros((order, order, order))
    for g in range(order):
        regular[g, table[g], np.arange(order)] = 1
    counts = counts_of(order, m)
    ways = [math.factorial(m) // math.prod(map(math.factorial, row)) for row in counts]
    assert sum(ways) == order**m
    difference = np.einsum("kg,gij->kij", np.array(counts) / m, regular) - 1 / order
    return np.linalg.norm(difference, 2, axis=(1, 2)), np.array([w / order**m for w in ways])


@pytest.mark.parametrize(("name", "m"), CASES)
def test_exact_failure_probability_is_never_above_delta(name: str, m: int) -> None:
    group = GROUPS[name]
    deviations, weights = distribution(name, m)
    for delta in DELTAS:
        paper = theory.deviation_bound(m, order=group.order, delta=delta)
        sharp = theory.sharp_deviation_bound(m, dimension_sum=group.dimension_sum, delta=delta)
        for bound in (paper, sharp):
            assert weights[deviations > bound + 1e-12].sum() <= delta
