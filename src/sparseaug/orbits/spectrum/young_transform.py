"""The variances of all partitions from the values on all of S_n: Clausen's recursion.

Every element of S_k is c h with h in S_(k-1) and c one of the k transpositions (i, k - 1), or nothing:

    sum over S_k of v(g) pi(g) = sum_c pi(c) [sum over S_(k-1) of v(c h) pi(h)],

and in Young's form the bracket is block diagonal, one block for each shape with a box less. On A_n the
values are 0 elsewhere; a self-conjugate shape is two halves of half the dimension there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug.groups import Group, Rows, symmetric
from sparseaug.groups.young import (
    Partition,
    conjugate,
    dimension,
    partitions,
    restrict,
    young_matrices,
)
from sparseaug.orbits.spectrum.units import Floats

_ENTRIES = 1 << 22  # of values that are transformed together


def young_variances(group: Group, shapes: tuple[Partition, ...], values: NDArray[Any]) -> Floats:
    """var of each shape, from the values (order, p) of S_n or A_n in rank order, summed over p."""
    n = group.width
    rows = _cosets(n)
    inside = np.flatnonzero(group.contains(rows))
    place = group.rank(rows[inside])
    found = np.zeros(len(shapes))
    step = max(1, _ENTRIES // len(rows))
    for start in range(0, values.shape[1], step):
        some = values[:, start : start + step]
        spread = np.zeros((len(rows), some.shape[1]))
        spread[inside] = some[place]
        blocks = _transform(n, spread)
        for u, shape in enumerate(shapes):
            size = dimension(shape)
            halves = 2 if group.even and shape == conjugate(shape) and size > 1 else 1
            found[u] += size / halves * float(np.linalg.norm(blocks[shape] / len(values)) ** 2)
    return found


def _swaps(k: int, n: int) -> Rows:
    """The transpositions (i, k - 1) for i < k, the last of which is the identity, on n points."""
    rows = np.tile(np.arange(n), (k, 1))
    rows[np.arange(k), np.arange(k)] = k - 1
    rows[:, k - 1] = np.arange(k)
    return rows


def _cosets(n: int) -> Rows:
    """All elements as c_n c_(n-1) ... c_2, the first factor slowest."""
    group = symmetric(n)
    rows = group.identity()
    for k in range(2, n + 1):
        rows = group.compose(_swaps(k, n)[:, None], rows[None]).reshape(-1, n)
    return rows


def _transform(n: int, values: Floats) -> dict[Partition, Floats]:
    """sum of v(g) pi(g) for all shapes, (p, d, d), from values (n!, p) in the order of `_cosets`."""
    count = values.shape[1]
    level: dict[Partition, Floats] = {(1,): values[:, :, None, None]}
    for k in range(2, n + 1):
        above: dict[Partition, Floats] = {}
        for shape in partitions(k):
            matrices = young_matrices(shape, _swaps(k, k))
            columns, start = [], 0
            for smaller, _ in restrict(shape):
                d = dimension(smaller)
                blocks = level[smaller].reshape(-1, k, count, d, d)
                part = matrices[:, :, start : start + d]
                columns.append(np.einsum("iab,lipbc->lpac", part, blocks, optimize=True))
                start += d
            above[shape] = np.concatenate(columns, axis=-1)
        level = above
    return {shape: blocks[0] for shape, blocks in level.items()}
