"""Young's orthogonal form against laws, published character tables and Murnaghan-Nakayama."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from sparseaug.groups.young import (
    conjugate,
    dimension,
    extend,
    partitions,
    restrict,
    tableaux,
    young_matrices,
)

# As in James and Kerber, The Representation Theory of the Symmetric Group, appendix I (and, S_4 and
# S_5, James and Liebeck, Representations and Characters of Groups). Columns are cycle types.
TABLES = {
    4: (
        [(1, 1, 1, 1), (2, 1, 1), (2, 2), (3, 1), (4,)],
        {
            (4,): [1, 1, 1, 1, 1],
            (3, 1): [3, 1, -1, 0, -1],
            (2, 2): [2, 0, 2, -1, 0],
            (2, 1, 1): [3, -1, -1, 0, 1],
            (1, 1, 1, 1): [1, -1, 1, 1, -1],
        },
    ),
    5: (
        [(1, 1, 1, 1, 1), (2, 1, 1, 1), (2, 2, 1), (3, 1, 1), (3, 2), (4, 1), (5,)],
        {
            (5,): [1, 1, 1, 1, 1, 1, 1],
            (4, 1): [4, 2, 0, 1, -1, 0, -1],
            (3, 2): [5, 1, 1, -1, 1, -1, 0],
            (3, 1, 1): [6, 0, -2, 0, 0, 0, 1],
            (2, 2, 1): [5, -1, 1, -1, -1, 1, 0],
            (2, 1, 1, 1): [4, -2, 0, 1, 1, 0, -1],
            (1, 1, 1, 1, 1): [1, -1, 1, 1, -1, -1, 1],
        },
    ),
}


def test_partitions_are_counted_and_ordered() -> None:
    assert [len(partitions(n)) for n in range(13)] == [1, 1, 2, 3, 5, 7, 11, 15, 22, 30, 42, 56, 77]
    assert partitions(9) == sorted(partitions(9), reverse=True)
    assert partitions(9)[0] == (9,)


@pytest.mark.parametrize("n", range(1, 13))
def test_squares_of_dimensions_sum_to_the_order(n: int) -> None:
    assert sum(dimension(shape) ** 2 for shape in partitions(n)) == math.factorial(n)


def test_dimension_is_an_exact_integer_for_large_shapes() -> None:
    catalan = math.comb(200, 100) // 101
    assert dimension((100, 100)) == catalan
    assert dimension((99, 1)) == 99


@pytest.mark.parametrize("shape", [s for n in range(8) for s in partitions(n)])
def test_branching_goes_both_ways(shape: tuple[int, ...]) -> None:
    assert sum(dimension(s) for s, _ in restrict(shape)) == (dimension(shape) if shape else 0)
    assert sum(dimension(s) for s, _ in extend(shape)) == (sum(shape) + 1) * dimension(shape)
    for larger, content in extend(shape):
        assert (shape, content) in restrict(larger)
    assert conjugate(conjugate(shape)) == shape


@pytest.mark.parametrize("shape", partitions(6))
def test_tableaux_are_distinct_standard_fillings_in_last_letter_order(
    shape: tuple[int, ...],
) -> None:
    rows = tableaux(shape)
    assert len(rows) == len(np.unique(rows, axis=0)) == dimension(shape)
    contents = sorted(j - i for i, length in enumerate(shape) for j in range(length))
    assert all(sorted(row) == contents for row in rows.tolist())
    blocks = [np.column_stack([tableaux(s), np.full(dimension(s), c)]) for s, c in restrict(shape)]
    assert (rows == np.concatenate(blocks)).all()


@pytest.mark.parametrize("shape", [s for n in (2, 3, 4, 5, 6) for s in partitions(n)])
def test_matrices_are_an_orthogonal_representation(shape: tuple[int, ...]) -> None:
    n = sum(shape)
    rng = np.random.default_rng(7)
    a, b = (rng.permuted(np.tile(np.arange(n), (40, 1)), axis=1) for _ in range(2))
    left, right = young_matrices(shape, a), young_matrices(shape, b)
    product = young_matrices(shape, np.take_along_axis(a, b, axis=1))  # first b, then a
    assert np.abs(left @ right - product).max() < 1e-14 * n * n
    identity = left @ left.transpose(0, 2, 1)
    assert np.abs(identity - np.eye(dimension(shape))).max() < 1e-14 * n * n


@pytest.mark.parametrize("n", TABLES)
def test_characters_equal_the_published_tables(n: int) -> None:
    types, table = TABLES[n]
    assert set(table) == set(partitions(n))
    elements = np.array([with_cycle_type(t) for t in types])
    for shape, characters in table.items():
        traces = np.trace(young_matrices(shape, elements), axis1=1, axis2=2)
        assert np.abs(traces - characters).max() < 1e-12


@pytest.mark.parametrize("n", [4, 5, 6, 7])
def test_characters_equal_murnaghan_nakayama(n: int) -> None:
    types = partitions(n)
    elements = np.array([with_cycle_type(t) for t in types])
    for shape in partitions(n):
        traces = np.trace(young_matrices(shape, elements), axis1=1, axis2=2)
        expected = [murnaghan_nakayama(shape, t) for t in types]
        assert np.abs(traces - expected).max() < 1e-12


def test_murnaghan_nakayama_itself_equals_the_published_tables() -> None:
    for types, table in TABLES.values():
        for shape, characters in table.items():
            assert [murnaghan_nakayama(shape, t) for t in types] == characters


def test_the_conjugate_shape_is_the_product_with_the_sign() -> None:
    elements = np.array(list(itertools.permutations(range(5))))
    signs = np.trace(young_matrices((1,) * 5, elements), axis1=1, axis2=2)
    for shape in partitions(5):
        one = np.trace(young_matrices(shape, elements), axis1=1, axis2=2)
        other = np.trace(young_matrices(conjugate(shape), elements), axis1=1, axis2=2)
        assert np.abs(one * signs - other).max() < 1e-12


def test_restriction_to_a_smaller_group_is_block_diagonal() -> None:
    rng = np.random.default_rng(3)
    small = rng.permuted(np.tile(np.arange(5), (6, 1)), axis=1)
    embedded = np.column_stack([small, np.full(6, 5)])
    matrices = young_matrices((3, 2, 1), embedded)
    start = 0
    for shape, _ in restrict((3, 2, 1)):
        end = start + dimension(shape)
        assert (
            np.abs(matrices[:, start:end, start:end] - young_matrices(shape, small)).max() < 1e-13
        )
        matrices[:, start:end, start:end] = 0
        start = end
    assert np.abs(matrices).max() < 1e-15


def with_cycle_type(lengths: tuple[int, ...]) -> list[int]:
    images: list[int] = []
    for length in lengths:
        start = len(images)
        images += [start + (i + 1) % length for i in range(length)]
    return images


def murnaghan_nakayama(shape: tuple[int, ...], lengths: tuple[int, ...]) -> int:
    """The character by removal of rim hooks: lower one beta number, sign by how many it jumps."""
    if not lengths:
        return 1
    beta = {part + len(shape) - 1 - i for i, part in enumerate(shape)}
    total = 0
    for b in beta:
        lower = b - lengths[0]
        if lower >= 0 and lower not in beta:
            jumped = sum(lower < other < b for other in beta)
            moved = sorted(beta - {b} | {lower}, reverse=True)
            rest = tuple(x - (len(moved) - 1 - i) for i, x in enumerate(moved))
            total += (-1) ** jumped * murnaghan_nakayama(tuple(p for p in rest if p), lengths[1:])
    return total
