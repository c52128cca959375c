"""The two deviation bounds against the truth: every draw of tiny groups, weighed exactly.

And the checks against themselves: mutated bounds, each of which must be caught. Some mutants are
still valid (or too nearly so for tiny groups to tell), which is why there are two checks.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import mpmath
import numpy as np
import pytest

from sparseaug import theory

Bound = Callable[[int, int, int, float], float]
"""From m, |G|, D and delta."""

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


def covers(bound: Bound) -> bool:
    """Whether the exact failure probability is at most delta, wherever all draws are counted.

    1e-12 is far more than the rounding of the dense norm and less than any gap between values.
    """
    for name, m in CASES:
        group = GROUPS[name]
        deviations, weights = distribution(name, m)
        for delta in DELTAS:
            value = bound(m, group.order, group.dimension_sum, delta)
            if weights[deviations > value + 1e-12].sum() > delta * (1 + 1e-12):
                return False
    return True


def agrees(bound: Bound, formula: Callable[..., mpmath.mpf]) -> bool:
    """Whether the bound is the formula, to 1e-12 and never below, on a grid where it is not 1."""
    grid = itertools.product((40, 64, 1000, 10**6), (4, 6, 720, 10**9), (1, 7), DELTAS)
    with mpmath.workdps(50):
        for m, order, divisor, delta in grid:
            total = max(1, (order - 1) // divisor)
            exact = min(mpmath.mpf(1), formula(m, order, total, mpmath.mpf(delta)))
            value = bound(m, order, total, delta)
            if not exact * (1 - mpmath.mpf(10) ** -45) <= value <= exact * (1 + 1e-12):
                return False
    return True


def paper_formula(m: int, order: int, total: int, delta: mpmath.mpf) -> mpmath.mpf:
    return mpmath.sqrt(mpmath.mpf(8) / (3 * m) * mpmath.log(2 * order / delta))


def sharp_formula(m: int, order: int, total: int, delta: mpmath.mpf) -> mpmath.mpf:
    ell = mpmath.log(2 * total / delta)
    return max(mpmath.polyroots([mpmath.mpf(m) / 2, -ell / 3, -ell], extraprec=200))


def paper(m: int, order: int, total: int, delta: float) -> float:
    return theory.deviation_bound(m, order, delta)


def sharp(m: int, order: int, total: int, delta: float) -> float:
    return theory.sharp_deviation_bound(m, total, delta)


UP = 1 + 1e-14


def paper_with(factor: float = 8 / 3, base: float = math.e) -> Callable[[float, float], float]:
    """sqrt(factor/m log(count)), with the pieces a mutant may change; rounded up."""
    return lambda m, count: min(1, UP * math.sqrt(factor / m * max(0, math.log(count, base))))


def sharp_with(third: float = 1 / 3, base: float = math.e) -> Callable[[float, float], float]:
    def bound(m: float, count: float) -> float:
        ell = max(0, math.log(count, base))
        return min(1, UP * (ell * third + math.sqrt((ell * third) ** 2 + 2 * m * ell)) / m)

    return bound


@dataclass(frozen=True)
class Mutant:
    bound: Bound
    coverage_catches: bool


PAPER_MUTANTS = {
    "no dimension factor": Mutant(lambda m, n, D, d: paper_with()(m, 2 / d), True),
    "delta doubled": Mutant(lambda m, n, D, d: paper_with()(m, n / d), False),
    "delta halved": Mutant(lambda m, n, D, d: paper_with()(m, 4 * n / d), False),
    "delta for 1 - delta": Mutant(lambda m, n, D, d: paper_with()(m, 2 * n / (1 - d)), True),
    "m - 1": Mutant(lambda m, n, D, d: paper_with()(max(m - 1, 0.5), 2 * n / d), False),
    "m + 1": Mutant(lambda m, n, D, d: paper_with()(m + 1, 2 * n / d), False),
    "4/3 left out": Mutant(lambda m, n, D, d: paper_with(factor=2)(m, 2 * n / d), False),
    "3/8 for 8/3": Mutant(lambda m, n, D, d: paper_with(factor=3 / 8)(m, 2 * n / d), True),
    "log to base 10": Mutant(lambda m, n, D, d: paper_with(base=10)(m, 2 * n / d), True),
    "no square root": Mutant(lambda m, n, D, d: paper_with()(m, 2 * n / d) ** 2, True),
    "the sum of dimensions": Mutant(lambda m, n, D, d: paper_with()(m, 2 * D / d), False),
}
SHARP_MUTANTS = {
    "no dimension factor": Mutant(lambda m, n, D, d: sharp_with()(m, 2 / d), True),
    "one-sided": Mutant(lambda m, n, D, d: sharp_with()(m, D / d), True),
    "delta halved": Mutant(lambda m, n, D, d: sharp_with()(m, 4 * D / d), False),
    "delta for 1 - delta": Mutant(lambda m, n, D, d: sharp_with()(m, 2 * D / (1 - d)), True),
    "m - 1": Mutant(lambda m, n, D, d: sharp_with()(max(m - 1, 0.5), 2 * D / d), False),
    "m + 1": Mutant(lambda m, n, D, d: sharp_with()(m + 1, 2 * D / d), True),
    "tau/3 left out": Mutant(lambda m, n, D, d: sharp_with(third=0)(m, 2 * D / d), False),
    "log to base 10": Mutant(lambda m, n, D, d: sharp_with(base=10)(m, 2 * D / d), True),
    "half the variance": Mutant(lambda m, n, D, d: sharp_with()(2 * m, 2 * D / d), True),
    "|G| for D": Mutant(lambda m, n, D, d: sharp_with()(m, 2 * n / d), False),
}


@pytest.mark.parametrize("bound", [paper, sharp])
@pytest.mark.parametrize(("name", "m"), CASES)
def test_exact_failure_probability_is_never_above_delta(name: str, m: int, bound: Bound) -> None:
    group = GROUPS[name]
    deviations, weights = distribution(name, m)
    for delta in DELTAS:
        value = bound(m, group.order, group.dimension_sum, delta)
        assert weights[deviations > value + 1e-12].sum() <= delta


@pytest.mark.parametrize(("name", "m"), CASES)
def test_failure_probability_is_above_the_exact_one_at_every_deviation(name: str, m: int) -> None:
    group = GROUPS[name]
    deviations, weights = distribution(name, m)
    for tau in (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0):
        exact = weights[deviations > tau + 1e-12].sum()
        assert exact <= theory.failure_probability(m, group.order, tau)
        assert exact <= theory.sharp_failure_probability(m, group.dimension_sum, tau)


@pytest.mark.parametrize(("name", "m"), CASES)
def test_no_draw_is_below_the_floor(name: str, m: int) -> None:
    deviations, _ = distribution(name, m)
    assert deviations.min() >= theory.deviation_floor(m, GROUPS[name].order) - 1e-12


def test_both_bounds_pass_both_checks() -> None:
    assert covers(paper)
    assert covers(sharp)
    assert agrees(paper, paper_formula)
    assert agrees(sharp, sharp_formula)


@pytest.mark.parametrize("name", PAPER_MUTANTS)
def test_mutant_of_the_papers_bound_is_caught(name: str) -> None:
    mutant = PAPER_MUTANTS[name]
    assert not agrees(mutant.bound, paper_formula)
    assert covers(mutant.bound) is not mutant.coverage_catches


@pytest.mark.parametrize("name", SHARP_MUTANTS)
def test_mutant_of_the_sharper_bound_is_caught(name: str) -> None:
    mutant = SHARP_MUTANTS[name]
    assert not agrees(mutant.bound, sharp_formula)
    assert covers(mutant.bound) is not mutant.coverage_catches


def test_unmutated_pieces_pass_so_mutants_fail_for_their_mutation() -> None:
    assert agrees(lambda m, n, D, d: paper_with()(m, 2 * n / d), paper_formula)
    assert agrees(lambda m, n, D, d: sharp_with()(m, 2 * D / d), sharp_formula)
