"""Blocks (1/m) sum_j pi(g_j) of the symmetric group by Clausen's recursion over cosets.

The elements are sorted into cosets of S_(n-1), these into cosets of S_(n-2), and so on; only cosets
that hold an element are kept. The Fourier transform then climbs from S_0 to S_n, each step by the
transform of `induction`, shared between all elements and all shapes (Clausen 1989; Maslen 1998).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparseaug.groups.degrees.blocks import Floats
from sparseaug.groups.fourier import Block
from sparseaug.groups.young import Partition, dimension, partitions, restrict
from sparseaug.norms.young.cosets import CosetTree
from sparseaug.norms.young.induction import transform

PANEL = 48
"""Columns that are carried from one level to the next at once, at most: they stay in cache."""


def mean_blocks(
    permutations: ArrayLike,
    *,
    shapes: Iterable[Partition] | None = None,
    memory: int = 1 << 31,
) -> Iterator[Block]:
    """Yield the block (1/m) sum_j pi(g_j) of every shape but the trivial one, small blocks first.

    `shapes` asks for some shapes only, and then the work shrinks to what they need. Blocks are made
    in batches of at most `memory` bytes (at least one block); small ones come first in each, and
    more batches repeat some work. The result does not depend on `memory`.

    Examples:
        >>> from sparseaug.norms.young.clausen import mean_blocks
        >>> for block in mean_blocks([[1, 0, 2], [0, 2, 1]]):
        ...     print(block.label, block.values.round(3).tolist())
        (1, 1, 1) [[-1.0]]
        (2, 1) [[0.25, 0.433], [0.433, -0.25]]
    """
    rows = np.asarray(permutations, np.int64)
    tree = CosetTree.of(rows)
    every = partitions(rows.shape[1])[1:] if shapes is None else shapes
    for batch in in_batches(every, memory):
        values: dict[Partition, Floats] = {(): tree.weights[:, None, None]}
        for level, wanted in enumerate(_contained(batch)[1:], start=1):
            values = _next_level(values, tree.children[level], wanted)
        for shape in sorted(batch, key=dimension):
            error = tree.error * math.sqrt(dimension(shape)) * (1 + 2**-20)
            yield Block(shape, values.pop(shape)[0], error)


def _next_level(
    values: dict[Partition, Floats], children: NDArray[np.int64], wanted: set[Partition]
) -> dict[Partition, Floats]:
    """The blocks (nodes, d, d) of these shapes for all nodes of a level, from those one level below.

    Those are used up: on the upper levels both would take gigabytes.
    """
    above = {s: np.empty((len(children), dimension(s), dimension(s))) for s in wanted}
    for shape in list(values):
        made, blocks = transform(shape), values.pop(shape)
        for first in range(0, dimension(shape), PANEL):
            columns = blocks[:, :, first : first + PANEL]
            y = made.induce(columns, children)
            for larger, start, end, column in made.extensions:
                if larger in above:
                    at = column + first
                    above[larger][:, :, at : at + columns.shape[2]] = y[:, start:end]
    return above


def _contained(shapes: Sequence[Partition]) -> list[set[Partition]]:
    """For each level the shapes that lie in one of these; level 0 first."""
    levels = [set(shapes)]
    while levels[-1] != {()}:
        levels.append({smaller for shape in levels[-1] for smaller, _ in restrict(shape)})
    return levels[::-1]


def in_batches(shapes: Iterable[Partition], memory: int) -> Iterator[list[Partition]]:
    """The shapes in order, so many at a time that their blocks take at most `memory` bytes."""
    batch: list[Partition] = []
    room = memory
    for shape in shapes:
        size = 8 * dimension(shape) ** 2
        if batch and size > room:
            yield batch
            batch, room = [], memory
        batch.append(shape)
        room -= size
    if batch:
        yield batch
