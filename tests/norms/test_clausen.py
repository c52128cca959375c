"""Clausen's recursion against plain means, the regular representation and 40-digit arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray

from sparseaug.groups.young import dimension, extend, partitions, restrict, tableaux, young_matrices
from sparseaug.norms.young import clausen, cosets
from sparseaug.norms.young.clausen import mean_blocks
from sparseaug.norms.young.induction import Transform, _node


@pytest.fixture
def tiny_panels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a small group go the way of a large one: few columns at a time."""
    monkeypatch.setattr(clausen, "PANEL", 3)


def draw(n: int, m: int, seed: int = 0) -> NDArray[np.int64]:
    rng = np.random.default_rng(seed)
    return rng.permuted(np.tile(np.arange(n, dtype=np.int64), (m, 1)), axis=1)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("m", [1, 2, 17])
def test_blocks_equal_the_plain_mean(n: int, m: int) -> None:
    elements = draw(n, m)
    blocks = list(mean_blocks(elements))
    assert {block.label for block in blocks} == set(partitions(n)[1:])
    for block in blocks:
        plain = young_matrices(block.label, elements).mean(axis=0)
        assert np.abs(block.values - plain).max() < 1e-12


@pytest.mark.usefixtures("tiny_panels")
def test_panels_in_several_batches_equal_the_plain_mean() -> None:
    elements = draw(7, 12)
    blocks = list(mean_blocks(elements, memory=10_000))
    assert {block.label for block in blocks} == set(partitions(7)[1:])
    for block in blocks:
        plain = young_matrices(block.label, elements).mean(axis=0)
        assert np.abs(block.values - plain).max() < 1e-12


def test_results_do_not_depend_on_memory() -> None:
    elements = draw(8, 20)
    one = {b.label: b for b in mean_blocks(elements)}
    for block in mean_blocks(elements, memory=1 << 14):
        assert (block.values == one[block.label].values).all()
        assert block.error == one[block.label].error


def test_chosen_shapes_of_a_large_group_cost_little() -> None:
    n = 20
    elements = draw(n, 5)
    shapes = [(n - 1, 1), (n - 2, 2), (n - 2, 1, 1)]
    for block in mean_blocks(elements, shapes=shapes):
        plain = young_matrices(block.label, elements).mean(axis=0)
        assert np.abs(block.values - plain).max() < 1e-12


def test_error_covers_the_distance_to_the_true_mean() -> None:
    for n, m in ((3, 7), (5, 3)):
        elements = draw(n, m)
        for block in mean_blocks(elements):
            exact = precise_mean(block.label, elements)
            distance = precise_distance(exact, block.values)
            assert distance <= block.error
            # A bound ten thousand times the truth would be no use.
            assert block.error < 1e-13 * math.sqrt(dimension(block.label))


def test_an_error_made_smaller_would_be_caught() -> None:
    ratios = []
    for n in (2, 3, 4):
        elements = draw(n, 7)
        for block in mean_blocks(elements):
            exact = precise_mean(block.label, elements)
            ratios.append(precise_distance(exact, block.values) / block.error)
    assert 1e-3 < max(ratios) < 1


def test_mixes_are_orthogonal_and_untouched_rows_are_exact() -> None:
    # (1 - 1/r^2) k dim(tau - b) dim(kappa) = (k+1) dim(tau) dim(kappa - b), in rational arithmetic.
    for k in range(1, 9):
        for tau in partitions(k):
            for kappa, a in extend(tau):
                corners = {content: smaller for smaller, content in restrict(tau)}
                for other, b in restrict(kappa):
                    if other == tau:
                        continue
                    left = (1 - Fraction(1, (a - b) ** 2)) * k
                    left *= dimension(corners[b]) * dimension(kappa)
                    assert left == (k + 1) * dimension(tau) * dimension(other)
    for shape in ((4, 3, 2, 1), (3, 3), (1, 1)):
        matrix = _node(shape).matrix
        assert np.abs(matrix @ matrix.T - np.eye(len(matrix))).max() < 1e-14


def precise_mean(shape: tuple[int, ...], elements: NDArray[np.int64]) -> Any:
    """The mean of the true matrices to 40 digits, by products of adjacent transpositions."""
    with mpmath.workdps(40):
        contents = tableaux(shape).tolist()
        size, n = len(contents), sum(shape)
        generators = []
        for k in range(n - 1):
            generator = mpmath.zeros(size)
            for i, row in enumerate(contents):
                r = row[k + 1] - row[k]
                generator[i, i] = mpmath.mpf(1) / r
                swapped = [*row[:k], row[k + 1], row[k], *row[k + 2 :]]
                if swapped in contents:
                    generator[contents.index(swapped), i] = mpmath.sqrt(1 - mpmath.mpf(1) / r**2)
            generators.append(generator)
        total = mpmath.zeros(size)
        for element in elements.tolist():
            images, word = list(element), mpmath.eye(size)
            for end in range(n - 1, 0, -1):
                for k in range(end):
                    if images[k] > images[k + 1]:
                        images[k], images[k + 1] = images[k + 1], images[k]
                        word = generators[k] * word
            total += word
        return total / len(elements)


def precise_distance(exact: Any, matrix: NDArray[np.float64]) -> float:
    with mpmath.workdps(40):
        return float(mpmath.mnorm(exact - mpmath.matrix(matrix.tolist()), "f"))


HONEST = Transform.induce


class OffByAllItMay:
    """The step of the climb, and on each level an error as large as the bound allows for it.

    In the units in which a step is orthogonal it may be off by eta_l ||x||. Either every number grows by
    that fraction, or all of it falls on one shape: for the sign, where all dimensions are 1, its y is
    sqrt(l) times as large as z, and so is the error.
    """

    def __init__(self, unit: float, on_one_shape: bool) -> None:
        self.unit, self.on_one_shape = unit, on_one_shape

    def gamma(self, n: int) -> float:
        return n * self.unit / (1 - n * self.unit)

    def eta(self, level: int) -> float:
        """All stages of the step to S_level: c + 1 rows are mixed, c corners of a shape of k boxes."""
        total = 1 + self.gamma(3)
        for k in range(1, level):
            corners = max(c for c in range(k + 1) if c * (c + 1) // 2 <= k)
            total *= 1 + self.gamma(corners + 3) * math.sqrt(corners + 1)
        return total - 1

    def induce(self, transform: Any, values: Any, children: Any) -> Any:
        level = children.shape[1]
        stretch = math.sqrt(level) if self.on_one_shape else 1.0
        return HONEST(transform, values, children) * (1 + stretch * self.eta(level))


@pytest.mark.parametrize(
    ("shape", "on_one_shape"),
    [((1,) * n, True) for n in (2, 3, 4, 6)] + [((4, 2, 1), False), ((3, 2, 1, 1), False)],
)
def test_the_error_covers_a_transform_that_is_off_by_all_it_may(
    shape: tuple[int, ...], on_one_shape: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    unit = 2.0**-20
    engine = OffByAllItMay(unit, on_one_shape)
    monkeypatch.setattr(Transform, "induce", lambda *given: engine.induce(*given))
    monkeypatch.setattr(cosets, "gamma", engine.gamma)
    monkeypatch.setattr(cosets, "UNIT", unit)
    element = draw(sum(shape), 1)
    (block,) = mean_blocks(element, shapes=[shape])
    off = float(np.linalg.norm(block.values - young_matrices(shape, element)[0]))
    assert off <= block.error
    if on_one_shape:  # nothing is given away: a weight of 1 is not rounded, which is u of the bound
        assert off > 0.9 * (block.error - unit)
