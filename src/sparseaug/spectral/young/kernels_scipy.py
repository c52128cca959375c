"""The induction transform by SciPy's sparse products: one product for each stage of the cascade."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sparseaug.spectral.young.induction import Mix, Transform

ENTRIES = 1 << 17
"""Numbers worked on at a time, one megabyte: the cascade then runs in cache."""


whole = False
place = np.asarray
empty = np.empty


@dataclass(frozen=True, eq=False)
class Prepared:
    """A transform as sparse matrices, each acting on the first rows of the block."""

    transform: Transform
    stages: tuple[csr_array, ...]


def prepare(transform: Transform) -> Prepared:
    """Collect the mixes of one stage, which touch disjoint rows, into one sparse matrix."""
    by_level: dict[int, list[Mix]] = {}
    for mix in transform.mixes:
        by_level.setdefault(mix.level, []).append(mix)
    size = transform.dimension
    stages = [_stage(by_level[k], (k + 1) * size) for k in sorted(by_level)]
    return Prepared(transform, tuple(stages))


def induce(
    prepared: Prepared,
    values: NDArray[np.float64],
    first: int,
    children: NDArray[np.int64],
    result: NDArray[np.float64],
) -> None:
    """Write y into result (nodes, rows, columns).

    x_i of a node is rows `first`, ... of values[children[node, i - 1]], or 0 if that is negative.
    """
    transform = prepared.transform
    nodes, rows, width = result.shape
    step = max(1, ENTRIES // (rows * width))
    for start in range(0, nodes, step):
        some = children[start : start + step]
        block = values[some, first : first + transform.dimension]
        block[some < 0] = 0.0
        state = block.transpose(1, 2, 0, 3).reshape(rows, -1)
        for stage in prepared.stages:
            state[: stage.shape[0]] = stage @ state[: stage.shape[0]]
        y = (transform.scale[:, None] * state[transform.source]).reshape(rows, -1, width)
        result[start : start + step] = y.transpose(1, 0, 2)


def transpose_into(target: NDArray[np.float64], matrix: NDArray[np.float64]) -> None:
    """Write matrix.T; what is transposed at once stays in cache."""
    for start in range(0, len(matrix), 256):
        target[:, start : start + 256] = matrix[start : start + 256].T


def _stage(mixes: list[Mix], size: int) -> csr_array:
    """Rows of the mixes, and rows of the identity for all others."""
    lengths = np.ones(size, dtype=np.int32)
    for mix in mixes:
        lengths[mix.rows] = len(mix.rows)
    ends = np.concatenate([[0], np.cumsum(lengths)], dtype=np.int32)
    columns = np.repeat(np.arange(size, dtype=np.int32), lengths)
    entries = np.ones(len(columns))
    for mix in mixes:
        at = ends[mix.rows][:, :, None] + np.arange(len(mix.rows))
        columns[at] = mix.rows.T
        entries[at] = mix.matrix[:, None]
    return csr_array((entries, columns, ends), shape=(size, size))
