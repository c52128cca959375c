"""Blocks (1/m) sum_j pi(g_j) of the symmetric group by Clausen's recursion over cosets.

The elements are sorted into cosets of S_(n-1), these into cosets of S_(n-2), and so on; only cosets
that hold an element are kept. The Fourier transform then climbs from S_0 to S_n, each step by the
transform of `induction`, shared between all elements and all shapes (Clausen 1989; Maslen 1998).
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparseaug.groups.degrees.blocks import Floats
from sparseaug.groups.fourier import Block
from sparseaug.groups.young import Partition, dimension, partitions, restrict
from sparseaug.norms.young.cosets import CosetTree
from sparseaug.norms.young.induction import Cascade, Inductions, Transform

PANEL = 48
"""Columns carried through the climb at once, at most."""

STORE = 1 << 28
"""Bytes that the blocks of the level where the panels start may take: the higher, the more panels."""

SCRATCH = 1 << 27
"""Bytes that the panels of all threads may take on one level."""


def mean_blocks(
    permutations: ArrayLike,
    *,
    shapes: Iterable[Partition] | None = None,
    memory: int = 1 << 31,
    threads: int | None = None,
) -> Iterator[Block]:
    """Yield the block (1/m) sum_j pi(g_j) of every shape but the trivial one, small blocks first.

    `shapes` asks for some shapes only, and then the work shrinks to what they need. Blocks are made
    in batches of at most `memory` bytes (at least one block); small ones come first in each, and
    more batches repeat some work. The result depends neither on `memory` nor on `threads`.

    Examples:
        >>> from sparseaug.norms.young.clausen import mean_blocks
        >>> for block in mean_blocks([[1, 0, 2], [0, 2, 1]]):
        ...     print(block.label, block.values.round(3).tolist())
        (1, 1, 1) [[-1.0]]
        (2, 1) [[0.25, 0.433], [0.433, -0.25]]
    """
    rows = np.asarray(permutations, np.int64)
    tree = CosetTree.of(rows)
    climb = _Climb(tree, threads or min(os.cpu_count() or 1, 4))
    every = partitions(rows.shape[1])[1:] if shapes is None else shapes
    for batch in in_batches(every, memory):
        matrices = climb.blocks(batch)
        for shape in sorted(batch, key=dimension):
            error = tree.error * math.sqrt(dimension(shape)) * (1 + 2**-20)
            yield Block(shape, matrices.pop(shape), error)


def gram_blocks(permutations: ArrayLike, **options: Any) -> Iterator[Block]:
    """Yield A^T A for each block A of `mean_blocks`, without multiplying, by the same transform.

    A^T A = (1/m^2) sum_(j,k) pi(g_j^-1 g_k) is the mean of the m^2 quotients, and the transform
    grows far more slowly with their number than a product of d x d matrices does with d: from S_11
    on it takes less time than the product alone. The error is that of A^T A, and absolute: a norm
    ||A|| below its square root drowns in it.

    Examples:
        >>> from sparseaug.norms.young.clausen import gram_blocks
        >>> [block.values.round(3).tolist() for block in gram_blocks([[1, 0, 2], [0, 2, 1]])]
        [[[1.0]], [[0.25, 0.0], [0.0, 0.25]]]
    """
    rows = np.asarray(permutations, np.int64)
    quotients = np.argsort(rows, axis=1)[:, rows].reshape(-1, rows.shape[1])
    return mean_blocks(quotients, **options)


@dataclass(eq=False)
class _Climb:
    """From the leaves of the tree to the blocks of S_n."""

    tree: CosetTree
    threads: int
    _inductions: Inductions = field(default_factory=Inductions)
    _ready: dict[Partition, Cascade] = field(default_factory=dict)
    _scratch: threading.local = field(default_factory=threading.local)

    def blocks(self, shapes: Sequence[Partition]) -> dict[Partition, Floats]:
        """The blocks of these shapes, in Fortran order."""
        below = _contained(shapes)
        values: dict[Partition, Floats] = {(): self.tree.weights[:, None, None]}
        level = 0
        while level + 1 < len(below) and self._fits(level + 1, below):
            values = self._whole_level(level, values, below)
            level += 1
        if level + 1 == len(below):
            return {shape: values[shape][0] for shape in shapes}
        for shape in set().union(*below[level:-1]):
            self._cascade(shape)
        # Columns of a block are rows here, so that a panel writes long stretches of memory.
        results = {shape: np.empty((dimension(shape), dimension(shape))) for shape in shapes}
        # Columns that keep every level of all panels within SCRATCH; below 8 the loops grow slow.
        rows = [
            (k + 1) * len(self.tree.children[k + 1]) * max(map(dimension, below[k]))
            for k in range(level, len(below) - 1)
        ]
        width = max(8, min(PANEL, SCRATCH // (8 * max(rows) * self.threads)))

        def run(panel: tuple[Partition, int]) -> None:
            shape, start = panel
            columns = np.ascontiguousarray(values[shape][:, :, start : start + width])
            self._panel(level, shape, columns, 0, start, below, results)

        panels = [
            (shape, start)
            for shape in sorted(values, key=dimension, reverse=True)
            for start in range(0, dimension(shape), width)
        ]
        with ThreadPoolExecutor(self.threads) as pool:
            list(pool.map(run, panels))
        return {shape: result.T for shape, result in results.items()}

    def _fits(self, level: int, below: Sequence[set[Partition]]) -> bool:
        """Whether whole blocks of this level are small: in memory, and as columns of a panel."""
        dimensions = [dimension(shape) for shape in below[level]]
        stored = 8 * len(self.tree.children[level]) * sum(d * d for d in dimensions)
        return level == 1 or (stored <= STORE and max(dimensions) <= PANEL)

    def _whole_level(
        self, level: int, values: dict[Partition, Floats], below: Sequence[set[Partition]]
    ) -> dict[Partition, Floats]:
        """All blocks of all nodes of the next level."""
        nodes = len(self.tree.children[level + 1])
        above = {s: np.empty((nodes, dimension(s), dimension(s))) for s in below[level + 1]}
        for shape in below[level]:
            transform, y = self._induce(level, shape, values[shape], 0)
            for larger, start, end, column in transform.extensions:
                if larger in above:
                    columns = slice(column, column + transform.dimension)
                    above[larger][:, :, columns] = y[:, start:end]
        return above

    def _panel(
        self,
        level: int,
        shape: Partition,
        values: Floats,
        first: int,
        column: int,
        below: Sequence[set[Partition]],
        results: dict[Partition, Floats],
    ) -> None:
        """Carry columns `column`, ... of `shape`, in rows `first`, ... of values, up to S_n."""
        transform, y = self._induce(level, shape, values, first)
        for larger, start, end, offset in transform.extensions:
            if larger not in below[level + 1]:
                continue
            at = column + offset
            if level + 2 < len(below):
                self._panel(level + 1, larger, y, start, at, below, results)
            else:
                columns = results[larger][at : at + y.shape[2]]
                for row in range(start, end, 256):  # what is transposed at once stays in cache
                    some = y[0, row : min(row + 256, end)]
                    columns[:, row - start : row - start + len(some)] = some.T

    def _induce(
        self, level: int, shape: Partition, values: Floats, first: int
    ) -> tuple[Transform, Floats]:
        """One step up; the result lies in this thread's scratch of the level until the next one.

        That memory is reused: the first touch of fresh pages takes longer than a transform.
        """
        cascade = self._cascade(shape)
        table = self.tree.children[level + 1]
        size = (len(table), len(cascade.transform.source), values.shape[2])
        rooms: dict[int, Floats] = self._scratch.__dict__.setdefault("scratch", {})
        if level not in rooms or len(rooms[level]) < math.prod(size):
            rooms[level] = np.empty(math.prod(size))
        result = rooms[level][: math.prod(size)].reshape(size)
        cascade.induce(values, first, table, result)
        return cascade.transform, result

    def _cascade(self, shape: Partition) -> Cascade:
        if shape not in self._ready:
            self._ready[shape] = Cascade.of(self._inductions.transform(shape))
        return self._ready[shape]


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
