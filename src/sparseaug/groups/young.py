"""Young's orthogonal form: the irreducible representations of the symmetric group S_n.

One representation per partition of n; its basis is the standard Young tableaux, and the adjacent
transposition s_k = (k, k+1) acts by a 2-sparse orthogonal matrix (James and Kerber 1981, 3.4).

Characters of the symmetric group, in integers: the rule of Murnaghan and Nakayama.

A partition with at most n parts is a set of n beads, at lambda_i + n - i. A rim hook of length k is
added by moving one bead up by k to a free place, with the sign (-1)^(beads passed). Adding hooks of the
lengths mu_1, mu_2, ... to the empty partition reaches each lambda as often as chi_lambda(mu) says:
p_mu = sum chi_lambda(mu) s_lambda, so one pass gives all characters at the cycle type mu.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparseaug._checks import require_work
from sparseaug._floats import UNIT
from sparseaug.errors import shorten

Partition = tuple[int, ...]


MOST_BOXES = 1 << 21
"""Boxes of all shapes whose dimensions are added by degree, about a second."""


def partitions(n: int) -> list[Partition]:
    """All partitions of n in reverse lexicographic order, the trivial one (n) first.

    Examples:
        >>> from sparseaug.groups.young import partitions
        >>> partitions(4)
        [(4,), (3, 1), (2, 2), (2, 1, 1), (1, 1, 1, 1)]
    """
    return list(_listed(n))


@lru_cache(maxsize=32)
def _listed(n: int) -> tuple[Partition, ...]:
    return tuple(each_partition(n))


def each_partition(n: int) -> Iterator[Partition]:
    """`partitions` one by one: there are 10^15 of them at n = 300."""
    return _partitions(n, n)


def below_first_row(n: int, k: int) -> list[Partition]:
    """Partitions of n with k boxes below the first row: the irreps of S_n of degree k."""
    if k >= n:
        return [()] if k == n == 0 else []
    return [(n - k, *rest) for rest in each_partition(k) if not rest or rest[0] <= n - k]


def partitions_up_to(k: int) -> int:
    """Number of partitions of 0, ..., k, as coefficients of the product of 1 / (1 - x^i)."""
    counts = [1] + [0] * k
    for i in range(1, k + 1):
        for j in range(i, k + 1):
            counts[j] += counts[j - i]
    return sum(counts)


@lru_cache(maxsize=1 << 14)
def dimension(partition: Partition) -> int:
    """Number of standard tableaux of this shape, by the hook length formula.

    Examples:
        >>> from sparseaug.groups.young import dimension
        >>> dimension((5, 3, 2, 1, 1))
        7700
    """
    boxes = sum(partition)
    require_work("boxes", boxes, f"the shape {shorten(partition)}", remedy="use a smaller group")
    columns = conjugate(partition)
    hooks = math.prod(
        length - j + columns[j] - i - 1 for i, length in enumerate(partition) for j in range(length)
    )
    return math.factorial(boxes) // hooks


def conjugate(partition: Partition) -> Partition:
    """The transposed diagram: rows become columns, and pi becomes pi times the sign.

    Examples:
        >>> from sparseaug.groups.young import conjugate
        >>> conjugate((3, 1))
        (2, 1, 1)
    """
    columns: list[int] = []
    for i in reversed(range(len(partition))):  # from the shortest row: a column ends where it does
        columns += [i + 1] * (partition[i] - len(columns))
    return tuple(columns)


@lru_cache(maxsize=1 << 14)
def restrict(partition: Partition) -> tuple[tuple[Partition, int], ...]:
    """Branching to S_(n-1): each shape with one box less, and the content of the box taken away.

    The content of a box is its column minus its row. Shapes come in reverse lexicographic order.

    Examples:
        >>> from sparseaug.groups.young import restrict
        >>> restrict((2, 2, 1))
        (((2, 2), -2), ((2, 1, 1), 0))
    """
    rows = (*partition, 0)
    corners = [i for i in range(len(rows) - 1) if rows[i] > rows[i + 1]]
    return tuple((_with_row(rows, i, rows[i] - 1), rows[i] - 1 - i) for i in reversed(corners))


def extend(partition: Partition) -> list[tuple[Partition, int]]:
    """Branching to S_(n+1): each shape with one box more, and the content of the box put on.

    Examples:
        >>> from sparseaug.groups.young import extend
        >>> extend((2, 1))
        [((3, 1), 2), ((2, 2), 0), ((2, 1, 1), -2)]
    """
    rows = (*partition, 0)
    corners = [i for i in range(len(rows)) if i == 0 or rows[i] < rows[i - 1]]
    return [(_with_row(rows, i, rows[i] + 1), rows[i] - i) for i in corners]


def tableaux(partition: Partition) -> NDArray[np.int64]:
    """Standard tableaux, one a row: entry k - 1 is the content of the box that holds the letter k.

    The contents of 1, 2, ..., n determine the tableau. The order is by the last letter: tableaux
    whose n sits in the same box are neighbours, and so on downwards, so the restriction to S_(n-1)
    is block diagonal, with blocks in the order of `restrict`.

    Examples:
        >>> from sparseaug.groups.young import tableaux
        >>> tableaux((2, 1))
        array([[ 0,  1, -1],
               [ 0, -1,  1]])
    """
    if not partition:
        return np.zeros((1, 0), dtype=np.int64)
    blocks = []
    for smaller, content in restrict(partition):
        block = tableaux(smaller)
        last = np.full((len(block), 1), content, dtype=np.int64)
        blocks.append(np.concatenate([block, last], axis=1))
    return np.concatenate(blocks)


def young_matrices(partition: Partition, permutations: ArrayLike) -> NDArray[np.float64]:
    """Matrices pi(g) in Young's orthogonal form for rows g of images 0..n-1; shape (k, d, d).

    pi(ab) = pi(a) pi(b), where ab is first b, then a.

    Examples:
        >>> from sparseaug.groups.young import young_matrices
        >>> young_matrices((2, 1), [[1, 0, 2]])[0]
        array([[ 1.,  0.],
               [ 0., -1.]])
    """
    rows = np.asarray(permutations, np.int64)
    require_matrices(len(rows), dimension(partition))
    return _matrices(partition, tableaux(partition), np.argsort(rows, axis=1))


_BY_BLOCKS = 1 << 18
"""Entries of matrices that are worth a recursion."""

_IN_CACHE = 1 << 16
"""Entries of matrices that are multiplied at a time."""


def _matrices(
    partition: Partition, contents: NDArray[np.int64], inverses: NDArray[np.int64]
) -> NDArray[np.float64]:
    """pi(g) for the rows of g^-1: of a smaller group, times what sorts the last letter.

    A pass of bubble sort gives g^-1 s_0 s_1 ... s_(n-2) = h^-1, less what is in order, where h
    leaves the last letter alone: g = s_0 s_1 ... s_(n-2) h.
    """
    (count, n), size = inverses.shape, len(contents)
    passes = [_sorted(inverses, n - 1)] if n > 1 else []
    matrices = np.zeros((count, size, size))
    if count * size * size < _BY_BLOCKS:
        passes += [_sorted(inverses, end) for end in range(n - 2, 0, -1)]
        matrices[:] = np.eye(size)
    else:
        start = 0
        for smaller, _ in restrict(partition):
            stop = start + dimension(smaller)
            block = _matrices(smaller, contents[start:stop, :-1], inverses[:, :-1].copy())
            matrices[:, start:stop, start:stop] = block
            start = stop
    for turned in reversed(passes):
        for k, todo in reversed(list(enumerate(turned))):
            diagonal, swapped, partner = _adjacent(contents, k)
            for some in np.array_split(todo, 1 + len(todo) * size * size // _IN_CACHE):
                here = matrices[some]
                matrices[some] = diagonal * here + swapped * here[:, partner]
    return matrices


def _sorted(rows: NDArray[np.int64], end: int) -> list[NDArray[np.intp]]:
    """One pass of bubble sort, in place: which rows have entries k and k + 1 exchanged, for k < end."""
    turned = []
    for k in range(end):
        todo = np.flatnonzero(rows[:, k] > rows[:, k + 1])
        rows[todo, k], rows[todo, k + 1] = rows[todo, k + 1], rows[todo, k]
        turned.append(todo)
    return turned


# A matrix is a product of at most n (n-1) / 2 adjacent transpositions. Each is 2-sparse, with
# coefficients c = 1/r and s = sqrt(1 - 1/r^2) within 2 u, and fl(c x + s y) is within
# gamma(4) (|c x| + |s y|); for a pair of rows that is at most gamma(4) sqrt(2) times its length, by
# Cauchy-Schwarz. So one step multiplies (1 + relative error, Frobenius) by 1 + sqrt(2) gamma(4), and
# the matrix itself has Frobenius norm sqrt(d).
def young_rounding(n: int, d: int) -> float:
    """At least the Frobenius norm of (computed - true) of one matrix of `young_matrices`."""
    steps = n * (n - 1) // 2
    return 1.01 * math.sqrt(2 * d) * 4 * UNIT * (steps + 1)


def require_matrices(count: int, dimension: int) -> None:
    """Raise a `GroupTooLargeError` where so many matrices of that dimension are over a gibibyte."""
    what = f"{count} matrices of dimension {shorten(dimension)}"
    remedy = "give fewer elements, or a smaller irrep"
    require_work("array", count * dimension**2, what, remedy=remedy)


def _with_row(rows: Partition, i: int, length: int) -> Partition:
    return tuple(p for p in (*rows[:i], length, *rows[i + 1 :]) if p)


def _partitions(n: int, largest: int) -> Iterator[Partition]:
    if n == 0:
        yield ()
    for first in range(min(n, largest), 0, -1):
        for rest in _partitions(n - first, first):
            yield (first, *rest)


def _adjacent(
    contents: NDArray[np.int64], k: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.intp]]:
    """pi(s) for s = (k, k+1), letters from 0: diagonal, off-diagonal, and where the latter points.

    With r = content(k+1) - content(k): s T = T / r + sqrt(1 - 1/r^2) T', T' = T with both swapped.
    T' is not a tableau exactly when r = 1 or -1, and then its coefficient is 0.
    """
    distance = contents[:, k + 1] - contents[:, k]
    exchanged = contents.copy()
    exchanged[:, [k, k + 1]] = contents[:, [k + 1, k]]
    index = {row.tobytes(): i for i, row in enumerate(contents)}
    partner = np.array([index.get(row.tobytes(), i) for i, row in enumerate(exchanged)])
    swapped = np.sqrt((distance - 1) * (distance + 1)) / np.abs(distance)
    return (1 / distance)[:, None], swapped[:, None], partner


@lru_cache(maxsize=4096)
def characters_at(cycle_type: Partition) -> dict[Partition, int]:
    """chi_lambda(mu) of every partition lambda where it is not 0, for a cycle type mu of n points.

    Examples:
        >>> from sparseaug.groups.young import characters_at
        >>> characters_at((2, 1, 1))
        {(1, 1, 1, 1): -1, (2, 1, 1): -1, (3, 1): 1, (4,): 1}
    """
    n = sum(cycle_type)
    found = {(1 << n) - 1: 1}  # the empty partition: beads at 0..n-1
    for k in cycle_type:
        longer: dict[int, int] = {}
        for beads, value in found.items():
            free = beads & ~(beads >> k)  # beads with a free place k above
            while free:
                bead = free & -free
                free ^= bead
                passed = (beads & ((bead << k) - (bead << 1))).bit_count()
                moved = beads ^ bead ^ (bead << k)
                longer[moved] = longer.get(moved, 0) + (-value if passed % 2 else value)
        found = {beads: value for beads, value in longer.items() if value}
    return {_partition(beads, n): value for beads, value in found.items()}


def _partition(beads: int, n: int) -> Partition:
    places = [place for place in range(beads.bit_length()) if beads >> place & 1]
    parts = (place - i for i, place in enumerate(places))
    return tuple(sorted((part for part in parts if part), reverse=True))
